/**
 * One configuration, put together: which transformer a resource has, and whether the plugins behind it are well. A
 * resource that is named in several entries has the providers of all of them, in order.
 */
import type { GroupResource } from '../api/group-version.ts'
import { formatGroupResource } from '../api/group-version.ts'
import type {
  EncryptionConfiguration,
  EncryptionKey,
  EncryptionProvider,
  KmsProvider,
} from '../config/files/encryption-configuration.ts'
import { aesCbc, aesGcm, type Cipher, secretbox } from './ciphers.ts'
import type { KmsContext, KmsPlugin } from './kms-plugin.ts'
import { KmsV1 } from './kms-v1.ts'
import { KmsV2 } from './kms-v2.ts'
import {
  identityTransformer,
  type PrefixedTransformer,
  type PrefixOptions,
  PrefixTransformer,
} from './prefix-transformer.ts'
import { aggregateErrors, type Transformer } from './transformer.ts'

/** Makes the transformer of a resource, whose name the metrics show. */
type MakeProvider = (options: Omit<PrefixOptions, 'unmatched'>) => PrefixedTransformer

/** As the reference names the checks of single plugins, in the order of the configuration. */
export interface PluginCheck {
  readonly name: string
  check(): Promise<void>
}

export class ProviderTable {
  readonly checks: readonly PluginCheck[]
  /** True when only v2 plugins are in use: they have one check together. */
  readonly onlyV2: boolean
  /** Calls that are under way have ended after this long. */
  readonly graceMs: number
  readonly #rules = new Map<string, MakeProvider[]>()
  readonly #plugins: KmsPlugin[] = []
  readonly #transformers = new Map<string, Transformer>()
  readonly #context: KmsContext

  constructor({ resources }: EncryptionConfiguration, context: KmsContext) {
    this.#context = context
    for (const entry of resources) {
      const providers = entry.providers.map((provider) => this.#provider(provider))
      for (const name of entry.resources) {
        const rule = ruleOf(name)
        this.#rules.set(rule, [...(this.#rules.get(rule) ?? []), ...providers])
      }
    }
    this.checks = this.#plugins.map((plugin, i) => ({ name: `kms-provider-${i}`, check: () => plugin.check() }))
    this.onlyV2 = this.#plugins.length > 0 && this.#plugins.every((plugin) => plugin instanceof KmsV2)
    this.graceMs = 2 * this.#plugins.reduce((sum, { checkMs }) => sum + checkMs, 0)
  }

  /** Makes the plugins ready, as far as they answer. */
  async prime(): Promise<void> {
    await Promise.all(this.#plugins.map((plugin) => plugin.prime()))
  }

  /** Rejects with what is wrong with any plugin. */
  async check(): Promise<void> {
    const results = await Promise.allSettled(this.checks.map(({ check }) => check()))
    const errors = results.flatMap((result, i) =>
      result.status === 'rejected'
        ? [new Error(`${this.checks[i]?.name}: ${(result.reason as Error).message}`, { cause: result.reason })]
        : [],
    )
    if (errors.length > 0) throw aggregateErrors(errors)
  }

  close(): void {
    for (const plugin of this.#plugins) plugin.close()
  }

  transformerFor(resource: GroupResource): Transformer {
    const name = formatGroupResource(resource)
    const known = this.#transformers.get(name)
    if (known !== undefined) return known
    const made = this.#make(resource, name)
    this.#transformers.set(name, made)
    return made
  }

  #make({ group, resource }: GroupResource, name: string): Transformer {
    const rule = [`${resource}.${group}`, `*.${group}`, '*.*'].find((candidate) => this.#rules.has(candidate))
    const providers = rule === undefined ? undefined : this.#rules.get(rule)
    if (providers === undefined) return identityTransformer
    const options = { resource: name, metrics: this.#context.metrics }
    const prefixed = providers.map((make) => make(options))
    return new PrefixTransformer(prefixed, { ...options, unmatched: 'no matching prefix found' })
  }

  #provider({ aescbc, aesgcm, secretbox: box, kms }: EncryptionProvider): MakeProvider {
    if (aesgcm !== undefined) return keyedProvider('k8s:enc:aesgcm:v1:', 'AES', aesgcm.keys, aesGcm)
    if (aescbc !== undefined) return keyedProvider('k8s:enc:aescbc:v1:', 'AES', aescbc.keys, aesCbc)
    if (box !== undefined) return keyedProvider('k8s:enc:secretbox:v1:', 'Secretbox', box.keys, secretbox)
    if (kms !== undefined) return this.#plugin(kms)
    return () => ({ prefix: '', transformer: identityTransformer })
  }

  #plugin({ apiVersion, name, endpoint, timeout, cachesize }: KmsProvider): MakeProvider {
    const settings = { name, endpoint, timeoutMs: Number(timeout / 1_000_000n), cacheSize: cachesize ?? 0 }
    const Plugin = apiVersion === 'v1' ? KmsV1 : KmsV2
    const plugin = new Plugin(settings, this.#context)
    this.#plugins.push(plugin)
    return () => ({ prefix: plugin.prefix, transformer: plugin })
  }
}

/** `secrets` is `secrets.`, and `*.` stays: resource, dot, group. */
function ruleOf(name: string): string {
  return name.includes('.') ? name : `${name}.`
}

function keyedProvider(
  prefix: string,
  sort: string,
  keys: readonly EncryptionKey[],
  cipherOf: (key: Uint8Array) => Cipher,
): MakeProvider {
  const byName = keys.map(({ name, secret }) => ({
    prefix: `${name}:`,
    transformer: plain(cipherOf(Buffer.from(secret, 'base64'))),
  }))
  const unmatched = `no matching key was found for the provided ${sort} transformer`
  return (options) => ({ prefix, transformer: new PrefixTransformer(byName, { ...options, unmatched }) })
}

const plain = (cipher: Cipher): Transformer => ({
  seal: (value, key) => cipher.seal(value, key),
  open: (value, key) => ({ value: cipher.open(value, key), stale: false }),
})
