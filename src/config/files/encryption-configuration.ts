/** EncryptionConfiguration: which resources are stored encrypted, with which providers, in order. */

import { formatDuration, type Nanoseconds } from '../../api/duration.ts'
import { type FieldError, invalid, quote, required } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { pushAll } from '../../lib/push-all.ts'
import { type ConfigurationDecoder, duration, int32, listDecoder, optional, stringDecoder, struct } from './decoder.ts'
import { decoding, throwFieldErrors } from './field-problems.ts'
import { ConfigFileError, decodeDocument } from './versioned-document.ts'

export interface EncryptionConfiguration {
  readonly resources: readonly ResourceEncryption[]
}

export interface ResourceEncryption {
  readonly resources: readonly string[]
  readonly providers: readonly EncryptionProvider[]
}

/** Exactly one of them is there. */
export interface EncryptionProvider {
  readonly aesgcm: { readonly keys: readonly EncryptionKey[] } | undefined
  readonly aescbc: { readonly keys: readonly EncryptionKey[] } | undefined
  readonly secretbox: { readonly keys: readonly EncryptionKey[] } | undefined
  readonly identity: Readonly<Record<string, never>> | undefined
  readonly kms: KmsProvider | undefined
}

export interface EncryptionKey {
  readonly name: string
  /** base64 */
  readonly secret: string
}

export interface KmsProvider {
  readonly apiVersion: string
  readonly name: string
  readonly cachesize: number | undefined
  readonly endpoint: string
  readonly timeout: Nanoseconds
}

export interface EncryptionChecks {
  /** Whether the file is watched and taken again when it changes: then KMS names must differ. */
  readonly reload: boolean
  /** The gate KMSv1. */
  readonly kmsV1: boolean
}

const keys = struct('v1.AESConfiguration', {
  keys: listDecoder(struct('v1.Key', { name: stringDecoder, secret: stringDecoder })),
})

const decoder: ConfigurationDecoder<EncryptionConfiguration> = struct('v1.EncryptionConfiguration', {
  resources: listDecoder(
    struct('v1.ResourceConfiguration', {
      resources: listDecoder(stringDecoder),
      providers: listDecoder(
        struct('v1.ProviderConfiguration', {
          aesgcm: optional(keys),
          aescbc: optional(keys),
          secretbox: optional(keys),
          identity: optional(struct('v1.IdentityConfiguration', {})),
          kms: optional(
            struct('v1.KMSConfiguration', {
              apiVersion: { ...stringDecoder, absent: 'v1' },
              name: stringDecoder,
              cachesize: optional(int32),
              endpoint: stringDecoder,
              timeout: { ...duration, absent: 3_000_000_000n },
            }),
          ),
        }),
      ),
    }),
  ),
})

const kind = {
  kind: 'EncryptionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1'],
  // As documents said it before it had a group.
  alias: { apiVersion: 'v1', kind: 'EncryptionConfig' },
  decoder,
}

const parsing = 'error while parsing file: '
const building = 'error while building transformers: '

/** Throws a ConfigFileError. */
export function readEncryptionConfiguration(
  text: string,
  file: string,
  checks: EncryptionChecks,
): EncryptionConfiguration {
  const prefix = `${parsing}error decoding encryption provider configuration file ${JSON.stringify(file)}: `
  const decoded = decoding(file, prefix, () => decodeDocument(text, kind))
  throwFieldErrors(file, validate(decoded, checks), { prefix: parsing })
  checkBuildable(decoded, file, checks)
  return withKmsDefaults(decoded)
}

const defaultCacheSize = 1000

function withKmsDefaults({ resources }: EncryptionConfiguration): EncryptionConfiguration {
  const fill = (kms: KmsProvider): KmsProvider =>
    kms.apiVersion === 'v1' ? { ...kms, cachesize: kms.cachesize ?? defaultCacheSize } : kms
  return {
    resources: resources.map((entry) => ({
      ...entry,
      providers: entry.providers.map((provider) =>
        provider.kms ? { ...provider, kms: fill(provider.kms) } : provider,
      ),
    })),
  }
}

function validate({ resources }: EncryptionConfiguration, checks: EncryptionChecks): FieldError[] {
  const root = FieldPath.of('resources')
  if (resources.length === 0) return [required(root, 'at least one resources is required')]
  const kmsNames = new Set<string>()
  return resources.flatMap((entry, i): FieldError[] => {
    const names = root.index(i).child('resources')
    const providers = root.index(i).child('providers')
    return [
      ...(entry.resources.length === 0 ? [required(names, `at least one ${names} is required`)] : []),
      ...validateOverlap(entry.resources, names),
      ...entry.resources.flatMap((name, j) => validateResourceName(name, names.index(j))),
      ...(entry.providers.length === 0 ? [required(providers, `at least one ${providers} is required`)] : []),
      ...entry.providers.flatMap((provider, j) => validateProvider(provider, providers.index(j), kmsNames, checks)),
    ]
  })
}

interface Names {
  readonly resource: string
  readonly group: string
}

/** `deployments.apps`, `*.`, `secrets`. */
function splitName(text: string): Names {
  const dot = text.indexOf('.')
  return dot < 0 ? { resource: text, group: '' } : { resource: text.slice(0, dot), group: text.slice(dot + 1) }
}

function validateOverlap(names: readonly string[], at: FieldPath): FieldError[] {
  const parsed = names.map(splitName)
  const pairs = parsed.flatMap((a, i) => parsed.filter((_, j) => j !== i).map((b) => [a, b] as const))
  const same = (a: Names, b: Names): boolean => a.resource === b.resource && a.group === b.group
  const everything = ({ resource, group }: Names): boolean => resource === '*' && group === '*'
  const overlap = pairs.some(
    ([a, b]) => !same(a, b) && (everything(a) || (a.group === b.group && (a.resource === '*' || b.resource === '*'))),
  )
  const twice = pairs.some(([a, b]) => same(a, b))
  const dump = `[]string{${names.map(quote).join(', ')}}`
  const error = (why: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field: String(at),
    message: `Invalid value: ${dump}: ${why}`,
  })
  return [
    ...(twice ? [error('the same resource cannot be specified multiple times')] : []),
    ...(overlap
      ? [
          error(
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
          ),
        ]
      : []),
  ]
}

const withoutApi: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
])

function validateResourceName(name: string, at: FieldPath): FieldError[] {
  const { resource, group } = splitName(name)
  const why = (): string | undefined => {
    if (name !== name.toLowerCase()) return 'resource name should not contain capital letters'
    if (name === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
    if (withoutApi.has(name)) return 'resources which do not have REST API/s cannot be encrypted'
    if (group === 'events.k8s.io') {
      return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file"
    }
    if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption"
    if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported'
    return undefined
  }
  const found = why()
  return found === undefined ? [] : [invalid(at, name, found)]
}

const providerNames = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'] as const

function validateProvider(
  provider: EncryptionProvider,
  at: FieldPath,
  kmsNames: Set<string>,
  checks: EncryptionChecks,
): FieldError[] {
  const present = providerNames.filter((name) => provider[name] !== undefined)
  const errors: FieldError[] = []
  if (present.length === 0) {
    const why = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'
    return [invalid(at, {}, why)]
  }
  if (present.length > 1) {
    const why = 'more than one provider specified in a single element, should split into different list elements'
    errors.push(invalid(at, [...present], why))
  }
  const [name = 'identity'] = present
  if (name === 'kms' && provider.kms) {
    pushAll(errors, validateKms(provider.kms, at.child('kms'), kmsNames, checks))
    kmsNames.add(provider.kms.name)
  } else if (name === 'aesgcm')
    pushAll(errors, validateKeys(provider.aesgcm?.keys, at.child(name, 'keys'), [16, 24, 32]))
  else if (name === 'aescbc') pushAll(errors, validateKeys(provider.aescbc?.keys, at.child(name, 'keys'), [32]))
  else if (name === 'secretbox') pushAll(errors, validateKeys(provider.secretbox?.keys, at.child(name, 'keys'), [32]))
  return errors
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function validateKeys(
  listDecoder: readonly EncryptionKey[] = [],
  at: FieldPath,
  lengths: readonly number[],
): FieldError[] {
  if (listDecoder.length === 0) return [required(at, 'at least one keys is required')]
  return listDecoder.flatMap(({ name, secret }, i): FieldError[] => {
    const errors: FieldError[] = []
    const secretAt = at.index(i).child('secret')
    if (name === '') errors.push(required(at.index(i).child('name'), 'name is a mandatory field for a key'))
    if (secret === '') return [...errors, required(secretAt, 'secret is a mandatory field for a key')]
    if (!base64.test(secret.replace(/[\r\n]/g, ''))) {
      return [...errors, invalid(secretAt, 'REDACTED', 'secrets must be base64 encoded')]
    }
    const length = Buffer.from(secret, 'base64').length
    if (lengths.includes(length)) return errors
    const why = `secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`
    return [...errors, invalid(secretAt, 'REDACTED', why)]
  })
}

function validateKms(
  kms: KmsProvider,
  at: FieldPath,
  names: ReadonlySet<string>,
  { reload }: EncryptionChecks,
): FieldError[] {
  const { apiVersion, name, timeout, endpoint, cachesize } = kms
  const errors: FieldError[] = []
  if (name === '') errors.push(required(at.child('name'), 'name is a mandatory field for a provider'))
  if (apiVersion !== 'v1' && name.includes(':')) {
    errors.push(invalid(at.child('name'), name, `invalid KMS provider name ${name}, must not contain ':'`))
  }
  if ((reload || apiVersion !== 'v1') && names.has(name)) {
    errors.push(invalid(at.child('name'), name, `duplicate KMS provider name ${name}, names must be unique`))
  }
  if (timeout <= 0n) {
    errors.push(invalid(at.child('timeout'), formatDuration(timeout), 'timeout should be a positive value'))
  }
  pushAll(errors, validateEndpoint(endpoint, at.child('endpoint')))
  if (apiVersion !== 'v1' && cachesize !== undefined) {
    errors.push(invalid(at.child('cachesize'), cachesize, 'cachesize is not supported in v2'))
  }
  if (apiVersion === 'v1' && cachesize === 0) {
    errors.push(invalid(at.child('cachesize'), 0, 'cachesize should be a positive value, or negative to disable'))
  }
  if (apiVersion !== 'v1' && apiVersion !== 'v2') {
    const why = 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported'
    errors.push(invalid(at.child('apiVersion'), apiVersion, why))
  }
  return errors
}

function validateEndpoint(endpoint: string, at: FieldPath): FieldError[] {
  if (endpoint === '') return [invalid(at, '', 'endpoint is a mandatory field for a kms')]
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(endpoint)?.[1] ?? ''
  if (scheme.toLowerCase() === 'unix') return []
  return [invalid(at, endpoint, `unsupported scheme ${quote(scheme)} for KMS provider, only unix is supported`)]
}

/** What shows only when the whole is put together: retired providers, and rules that can never be reached. */
function checkBuildable({ resources }: EncryptionConfiguration, file: string, { kmsV1 }: EncryptionChecks): void {
  const known = new Set<string>()
  for (const entry of resources) {
    if (!kmsV1 && entry.providers.some(({ kms }) => kms?.apiVersion === 'v1')) {
      const why =
        'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.'
      throw new ConfigFileError(file, building + why)
    }
    for (const name of entry.resources) {
      const { resource, group } = splitName(name)
      const masking = [`*.${group}`, '*.*'].find((rule) => known.has(rule))
      const shown = group === '' && resource !== '*' ? resource : `${resource}.${group}`
      if (masking !== undefined) {
        throw new ConfigFileError(
          file,
          `${building}resource ${quote(shown)} is masked by earlier rule ${quote(masking)}`,
        )
      }
      known.add(`${resource}.${group}`)
    }
  }
}
