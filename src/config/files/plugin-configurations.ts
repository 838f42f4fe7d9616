/**
 * The configurations of admission plugins that have a kind and a version. What cannot be read must not be taken for nothing: a
 * misspelt field of Pod Security would let everything in. Mirrors the LoadConfiguration functions of the plugins.
 */
import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { type FieldError, forbidden, invalid } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { isJsonObject, type JsonObject, type JsonValue, jsonTypeName } from '../../api/json.ts'
import { aggregate } from '../../api/status-error.ts'
import { ConfigError } from '../config-error.ts'
import {
  ConfigurationDecodeError,
  type ConfigurationDecoder,
  int32,
  listDecoder,
  optional,
  raw,
  stringDecoder,
  struct,
} from './decoder.ts'

interface PluginKind {
  /** Kinds by the versions that have them. */
  readonly kinds: Readonly<Record<string, string>>
  /** How errors call the place where the kinds are registered. */
  readonly scheme: string
  /** Unknown fields are errors. */
  readonly isStrict: boolean
  readonly decoder: ConfigurationDecoder<unknown>
  /** Other kinds that can be read, and what messages call their types. */
  readonly unexpected?: Readonly<Record<string, string>>
}

const texts = listDecoder(stringDecoder)
const tolerations = listDecoder(
  struct('v1.Toleration', {
    key: stringDecoder,
    operator: stringDecoder,
    value: stringDecoder,
    effect: stringDecoder,
    tolerationSeconds: raw,
  }),
)

const webhooks: PluginKind = {
  kinds: {
    'apiserver.config.k8s.io/v1': 'WebhookAdmissionConfiguration',
    'apiserver.config.k8s.io/v1alpha1': 'WebhookAdmission',
  },
  scheme: 'k8s.io/apiserver/pkg/admission/plugin/webhook/config/kubeconfig.go:34',
  isStrict: false,
  decoder: struct('v1.WebhookAdmission', { kubeConfigFile: stringDecoder }),
}

/** Of releases that read webhooks from files. */
const laterWebhooks: PluginKind = {
  kinds: { 'apiserver.config.k8s.io/v1': 'WebhookAdmissionConfiguration' },
  scheme: 'k8s.io/apiserver/pkg/admission/plugin/webhook/config/kubeconfig.go:34',
  isStrict: true,
  decoder: struct('v1.WebhookAdmission', { kubeConfigFile: stringDecoder, staticManifestsDir: stringDecoder }),
}

const policies = (kind: string, other: string): PluginKind => ({
  kinds: { 'apiserver.config.k8s.io/v1': kind },
  unexpected: { [other]: `*policyconfig.${other}` },
  scheme: 'k8s.io/apiserver/pkg/admission/plugin/policy/config/config.go:32',
  isStrict: true,
  decoder: struct(`v1.${kind}`, { staticManifestsDir: stringDecoder }),
})

const [ofValidating, ofMutating] = ['ValidatingAdmissionPolicyConfiguration', 'MutatingAdmissionPolicyConfiguration']

const laterKinds: Readonly<Record<string, PluginKind>> = {
  MutatingAdmissionWebhook: laterWebhooks,
  ValidatingAdmissionWebhook: laterWebhooks,
  MutatingAdmissionPolicy: policies(ofMutating, ofValidating),
  ValidatingAdmissionPolicy: policies(ofValidating, ofMutating),
}

const pluginKinds: Readonly<Record<string, PluginKind>> = {
  MutatingAdmissionWebhook: webhooks,
  ValidatingAdmissionWebhook: webhooks,
  PodSecurity: {
    kinds: {
      'pod-security.admission.config.k8s.io/v1': 'PodSecurityConfiguration',
      'pod-security.admission.config.k8s.io/v1beta1': 'PodSecurityConfiguration',
      'pod-security.admission.config.k8s.io/v1alpha1': 'PodSecurityConfiguration',
    },
    scheme: 'k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31',
    isStrict: true,
    decoder: struct('v1.PodSecurityConfiguration', {
      defaults: struct('v1.PodSecurityDefaults', {
        enforce: stringDecoder,
        'enforce-version': stringDecoder,
        audit: stringDecoder,
        'audit-version': stringDecoder,
        warn: stringDecoder,
        'warn-version': stringDecoder,
      }),
      exemptions: struct('v1.PodSecurityExemptions', { usernames: texts, namespaces: texts, runtimeClasses: texts }),
    }),
  },
  EventRateLimit: {
    kinds: { 'eventratelimit.admission.k8s.io/v1alpha1': 'Configuration' },
    scheme: 'k8s.io/kubernetes/plugin/pkg/admission/eventratelimit/config.go:31',
    isStrict: false,
    decoder: struct('v1alpha1.Configuration', {
      limits: listDecoder(
        struct('v1alpha1.Limit', { type: stringDecoder, qps: int32, burst: int32, cacheSize: optional(int32) }),
      ),
    }),
  },
  PodTolerationRestriction: {
    kinds: { 'podtolerationrestriction.admission.k8s.io/v1alpha1': 'Configuration' },
    scheme: 'k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/config.go:32',
    isStrict: false,
    decoder: struct('v1alpha1.Configuration', { default: tolerations, whitelist: tolerations }),
  },
  ResourceQuota: {
    kinds: {
      'apiserver.config.k8s.io/v1': 'ResourceQuotaConfiguration',
      'resourcequota.admission.k8s.io/v1beta1': 'Configuration',
      'resourcequota.admission.k8s.io/v1alpha1': 'Configuration',
    },
    scheme: 'k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31',
    isStrict: true,
    decoder: struct('v1.Configuration', {
      limitedResources: listDecoder(
        struct('v1.LimitedResource', {
          apiGroup: stringDecoder,
          resource: stringDecoder,
          matchContains: texts,
          matchScopes: listDecoder(
            struct('v1.ScopedResourceSelectorRequirement', {
              scopeName: stringDecoder,
              operator: stringDecoder,
              values: texts,
            }),
          ),
        }),
      ),
    }),
  },
}

/** What the release and its gates make of the configurations of plugins. */
export interface PluginConfigurationSettings {
  /** Whether the release knows of folders with webhooks and policies. */
  readonly knowsFolders: boolean
  /** Whether they are read. */
  readonly readsFolders: boolean
}

const without: PluginConfigurationSettings = { knowsFolders: false, readsFolders: false }

/** Throws a ConfigError for a configuration that its plugin cannot read. Plugins without kinds read theirs themselves. */
export function checkPluginConfiguration(
  plugin: string,
  configuration: JsonValue | undefined,
  settings: PluginConfigurationSettings = without,
): void {
  const later = settings.knowsFolders && Object.hasOwn(laterKinds, plugin) ? laterKinds[plugin] : undefined
  const known = later ?? (Object.hasOwn(pluginKinds, plugin) ? pluginKinds[plugin] : undefined)
  if (known === undefined || configuration == null) return
  try {
    decodeConfiguration(configuration, known)
    checkPaths(plugin, configuration as JsonObject, settings)
  } catch (error) {
    if (!(error instanceof ConfigurationDecodeError)) throw error
    throw new ConfigError(
      `failed to apply admission: couldn't init admission plugin ${JSON.stringify(plugin)}: ${error.message}`,
    )
  }
}

function decodeConfiguration(
  configuration: JsonValue,
  { kinds, scheme, isStrict, decoder, unexpected = {} }: PluginKind,
): void {
  if (!isJsonObject(configuration)) {
    const meta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`
    const type = jsonTypeName(configuration)
    throw new ConfigurationDecodeError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ${meta}`,
    )
  }
  const { apiVersion, kind, ...fields } = configuration
  if (!isText(kind)) throw new ConfigurationDecodeError(`Object 'Kind' is missing in '${shown(configuration)}'`)
  if (!isText(apiVersion))
    throw new ConfigurationDecodeError(`Object 'apiVersion' is missing in '${shown(configuration)}'`)
  if (Object.hasOwn(kinds, apiVersion) && Object.hasOwn(unexpected, kind))
    throw new ConfigurationDecodeError(`unexpected type: ${unexpected[kind]}`)
  if (!Object.hasOwn(kinds, apiVersion) || kinds[apiVersion] !== kind) {
    const [named, version] = [JSON.stringify(kind), JSON.stringify(apiVersion)]
    throw new ConfigurationDecodeError(
      `no kind ${named} is registered for version ${version} in scheme ${JSON.stringify(scheme)}`,
    )
  }
  const unknown: string[] = []
  decoder.decode(fields, { path: '', struct: '', field: '', unknown })
  if (!isStrict || unknown.length === 0) return
  throw new ConfigurationDecodeError(
    `strict decoding error: ${unknown.map((path) => `unknown field ${JSON.stringify(path)}`).join(', ')}`,
  )
}

/** Paths of files are absolute; that of the kubeconfig may be left out only where there is a folder to name instead. */
function checkPaths(plugin: string, configuration: JsonObject, settings: PluginConfigurationSettings): void {
  const { kubeConfigFile = '' } = configuration
  const needsFile = plugin.endsWith('Webhook') && !(settings.knowsFolders && kubeConfigFile === '')
  if (needsFile && !isAbsolute(String(kubeConfigFile))) {
    const at = FieldPath.of('kubeConfigFile')
    throw new ConfigurationDecodeError(aggregate([invalid(at, kubeConfigFile, 'must be an absolute file path')]))
  }
  const folder = manifestFolderOf(configuration)
  const problem = settings.knowsFolders && folder !== undefined ? folderProblem(folder, settings) : undefined
  if (problem !== undefined) throw new ConfigurationDecodeError(aggregate([problem]))
}

/** The folder that a configuration names for its webhooks or policies. */
export function manifestFolderOf(configuration: JsonValue | undefined): string | undefined {
  const folder = isJsonObject(configuration) ? configuration['staticManifestsDir'] : undefined
  return typeof folder === 'string' && folder !== '' ? folder : undefined
}

/** Mirrors admission/plugin/manifest: ValidateStaticManifestsDir. */
function folderProblem(folder: string, { readsFolders }: PluginConfigurationSettings): FieldError | undefined {
  const at = FieldPath.of('staticManifestsDir')
  const why = 'staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled'
  if (!readsFolders) return forbidden(at, why)
  if (!isAbsolute(folder)) return invalid(at, folder, 'must be an absolute file path')
  try {
    return statSync(folder).isDirectory() ? undefined : invalid(at, folder, 'must be a directory')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'no such file or directory' : message
    return invalid(at, folder, `unable to read: stat ${folder}: ${problem}`)
  }
}

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string' && value !== ''

/** In the order in which YAML becomes JSON. */
const shown = (configuration: JsonObject): string =>
  JSON.stringify(Object.fromEntries(Object.entries(configuration).sort(([a], [b]) => (a < b ? -1 : 1))))
