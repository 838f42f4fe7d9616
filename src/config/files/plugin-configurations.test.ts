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
  ['ValidatingAdmissionWebhook', { apiVersion: 'apiserver.config.k8s.io/v1alpha1', kind: 'WebhookAdmission' }],
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
