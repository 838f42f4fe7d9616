import { expect, it } from 'vitest'
import type { JsonValue } from '../../api/json.ts'
import { checkPluginConfiguration } from './plugin-configurations.ts'

const podSecurity = {
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
  kind: 'PodSecurityConfiguration',
}
const quota = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration' }
const limits = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' }

it.each<[string, JsonValue]>([
  ['PodSecurity', { ...podSecurity, defaults: { enforce: 'baseline' }, exemptions: { namespaces: ['a'] } }],
  ['PodSecurity', { ...podSecurity, apiVersion: 'pod-security.admission.config.k8s.io/v1beta1' }],
  ['ResourceQuota', { ...quota, limitedResources: [{ resource: 'pods', matchContains: ['cpu'] }] }],
  ['EventRateLimit', { ...limits, limits: [{ type: 'Server', qps: 1, burst: 2 }], unknown: 1 }],
  [
    'ValidatingAdmissionWebhook',
    { apiVersion: 'apiserver.config.k8s.io/v1alpha1', kind: 'WebhookAdmission', kubeConfigFile: '/k' },
  ],
  ['PodNodeSelector', { podNodeSelectorPluginConfig: {} }],
])('%s takes %j', (plugin, configuration) => {
  expect(() => checkPluginConfiguration(plugin, configuration)).not.toThrow()
})

it.each<[string, JsonValue, string]>([
  ['PodSecurity', {}, "Object 'Kind' is missing in '{}'"],
  [
    'PodSecurity',
    { kind: 'PodSecurityConfiguration' },
    `Object 'apiVersion' is missing in '{"kind":"PodSecurityConfiguration"}'`,
  ],
  [
    'PodSecurity',
    { ...podSecurity, kind: 'Foo' },
    'no kind "Foo" is registered for version "pod-security.admission.config.k8s.io/v1" in scheme "k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31"',
  ],
  ['PodSecurity', { ...podSecurity, default: {} }, 'strict decoding error: unknown field "default"'],
  [
    'PodSecurity',
    { ...podSecurity, defaults: { enforced: 'x' } },
    'strict decoding error: unknown field "defaults.enforced"',
  ],
  [
    'PodSecurity',
    { ...podSecurity, defaults: 5 },
    'json: cannot unmarshal number into Go struct field PodSecurityConfiguration.defaults of type v1.PodSecurityDefaults',
  ],
  [
    'PodSecurity',
    { ...podSecurity, exemptions: { namespaces: 'x' } },
    'json: cannot unmarshal string into Go struct field PodSecurityExemptions.exemptions.namespaces of type []string',
  ],
  ['ResourceQuota', { ...quota, limited: [] }, 'strict decoding error: unknown field "limited"'],
  [
    'EventRateLimit',
    { ...limits, limits: [{ qps: 'x' }] },
    'json: cannot unmarshal string into Go struct field Limit.limits.qps of type int32',
  ],
  [
    'MutatingAdmissionWebhook',
    'x',
    String.raw`couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
  ],
])('%s refuses %j', (plugin, configuration, why) => {
  expect(() => checkPluginConfiguration(plugin, configuration)).toThrow(
    `failed to apply admission: couldn't init admission plugin "${plugin}": ${why}`,
  )
})

const folders = { knowsFolders: true, readsFolders: true }
const ofPolicies = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ValidatingAdmissionPolicyConfiguration' }
const ofWebhooks = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration' }

it.each<[string, JsonValue, typeof folders]>([
  ['ValidatingAdmissionPolicy', { ...ofPolicies, staticManifestsDir: '/' }, folders],
  ['ValidatingAdmissionPolicy', ofPolicies, { ...folders, readsFolders: false }],
  ['MutatingAdmissionWebhook', { ...ofWebhooks, staticManifestsDir: '/' }, folders],
  ['MutatingAdmissionWebhook', { ...ofWebhooks, kubeConfigFile: '/k' }, folders],
  // Before there were folders, nobody read it.
  ['ValidatingAdmissionPolicy', { anything: 1 }, { knowsFolders: false, readsFolders: false }],
  [
    'MutatingAdmissionWebhook',
    { ...ofWebhooks, kubeConfigFile: '/k', other: 1 },
    { knowsFolders: false, readsFolders: false },
  ],
])('with folders, %s takes %j', (plugin, configuration, settings) => {
  expect(() => checkPluginConfiguration(plugin, configuration, settings)).not.toThrow()
})

it.each<[string, JsonValue, string, typeof folders?]>([
  [
    'ValidatingAdmissionPolicy',
    { ...ofPolicies, staticManifestsDir: '/' },
    'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
    { knowsFolders: true, readsFolders: false },
  ],
  [
    'ValidatingAdmissionPolicy',
    { ...ofPolicies, staticManifestsDir: 'x/y' },
    'staticManifestsDir: Invalid value: "x/y": must be an absolute file path',
  ],
  [
    'ValidatingAdmissionPolicy',
    { ...ofPolicies, staticManifestsDir: '/none' },
    'staticManifestsDir: Invalid value: "/none": unable to read: stat /none: no such file or directory',
  ],
  [
    'ValidatingAdmissionPolicy',
    { ...ofPolicies, staticManifestsDir: '/etc/passwd' },
    'staticManifestsDir: Invalid value: "/etc/passwd": must be a directory',
  ],
  ['ValidatingAdmissionPolicy', { ...ofPolicies, folder: 1 }, 'strict decoding error: unknown field "folder"'],
  ['MutatingAdmissionPolicy', ofPolicies, 'unexpected type: *policyconfig.ValidatingAdmissionPolicyConfiguration'],
  [
    'ValidatingAdmissionPolicy',
    { ...ofPolicies, staticManifestsDir: 3 },
    'json: cannot unmarshal number into Go struct field ValidatingAdmissionPolicyConfiguration.staticManifestsDir of type string',
  ],
  ['ValidatingAdmissionWebhook', { ...ofWebhooks, other: 1 }, 'strict decoding error: unknown field "other"'],
  [
    'ValidatingAdmissionWebhook',
    { ...ofWebhooks, kubeConfigFile: 'k' },
    'kubeConfigFile: Invalid value: "k": must be an absolute file path',
  ],
  [
    'ValidatingAdmissionWebhook',
    ofWebhooks,
    'kubeConfigFile: Invalid value: "": must be an absolute file path',
    { knowsFolders: false, readsFolders: false },
  ],
  [
    'ValidatingAdmissionWebhook',
    { apiVersion: 'apiserver.config.k8s.io/v1alpha1', kind: 'WebhookAdmission' },
    'no kind "WebhookAdmission" is registered for version "apiserver.config.k8s.io/v1alpha1" in scheme "k8s.io/apiserver/pkg/admission/plugin/webhook/config/kubeconfig.go:34"',
  ],
])('with folders, %s refuses %j', (plugin, configuration, why, settings = folders) => {
  expect(() => checkPluginConfiguration(plugin, configuration, settings)).toThrow(
    `failed to apply admission: couldn't init admission plugin "${plugin}": ${why}`,
  )
})
