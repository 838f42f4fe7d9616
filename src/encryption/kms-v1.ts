/**
 * A KMS plugin of version 1: every value has a data key of its own, which the plugin encrypts and which stands in front
 * of the value. Keys that were used are kept, as many as the configuration says.
 */

import { randomBytes } from 'node:crypto'
import type { Awaitable } from '../lib/awaitable.ts'
import { reasonOf } from '../lib/fault.ts'
import { GrpcClient } from '../lib/grpc-client.ts'
import { aesCbc, aesGcm, type Cipher } from './ciphers.ts'
import { decryptV1, encryptV1, v1Version, versionV1 } from './kms-messages.ts'
import type { KmsContext, KmsPlugin, KmsSettings } from './kms-plugin.ts'
import { KmsProbe, ProbeError } from './kms-probe.ts'
import { aggregateErrors, type DecryptedValue } from './transformer.ts'

const dataKeySize = 32
const lengthSize = 2

export class KmsV1 implements KmsPlugin {
  readonly prefix: string
  /** A check encrypts and decrypts, one after the other. */
  readonly checkMs: number
  readonly #settings: KmsSettings
  readonly #context: KmsContext
  readonly #client: GrpcClient
  readonly #probe: KmsProbe
  /** By the encrypted key; the one that was used longest ago comes first. */
  readonly #ciphers = new Map<string, Both>()
  #versionKnown: Promise<void> | undefined

  constructor(settings: KmsSettings, context: KmsContext) {
    this.prefix = `k8s:enc:kms:v1:${settings.name}:`
    this.checkMs = 2 * settings.timeoutMs
    this.#settings = settings
    this.#context = context
    this.#client = new GrpcClient(settings.endpoint, settings.timeoutMs)
    this.#probe = new KmsProbe(context.clock, () => this.#ping())
  }

  async prime(): Promise<void> {
    // Nothing has to be known before the first value comes.
  }

  check(): Promise<void> {
    return this.#probe.check()
  }

  close(): void {
    this.#client.close()
  }

  async #ping(): Promise<void> {
    const { name } = this.#settings
    const sealed = await this.#encrypt(Buffer.from('ping')).catch((error: unknown) => {
      throw new ProbeError('encrypt', name, error)
    })
    await this.#decrypt(sealed).catch((error: unknown) => {
      throw new ProbeError('decrypt', name, error)
    })
    this.#context.onHealthy()
  }

  async seal(value: Uint8Array, key: string): Promise<Uint8Array> {
    const { metrics } = this.#context
    metrics.arrived('to_storage')
    const dataKey = metrics.generateKey(() => randomBytes(dataKeySize))
    const encryptedKey = await this.#encrypt(dataKey)
    const sealed = this.#keep(encryptedKey, dataKey).seal(value, key)
    const length = Buffer.alloc(lengthSize)
    length.writeUInt16BE(encryptedKey.length)
    return Buffer.concat([length, encryptedKey, sealed])
  }

  open(value: Uint8Array, key: string): Awaitable<DecryptedValue> {
    this.#context.metrics.arrived('from_storage')
    const { encryptedKey, sealed } = split(value)
    const known = this.#known(encryptedKey)
    if (known !== undefined) return openWith(known, sealed, key)
    if (this.#cacheSize > 0) this.#context.metrics.cacheMiss()
    return this.#decrypt(encryptedKey).then((dataKey) => openWith(this.#keep(encryptedKey, dataKey), sealed, key))
  }

  get #cacheSize(): number {
    return this.#settings.cacheSize
  }

  #known(encryptedKey: Uint8Array): Both | undefined {
    const name = cacheName(encryptedKey)
    const cipher = this.#ciphers.get(name)
    if (cipher === undefined) return undefined
    this.#ciphers.delete(name)
    this.#ciphers.set(name, cipher)
    return cipher
  }

  #keep(encryptedKey: Uint8Array, dataKey: Uint8Array): Both {
    const cipher = gcmOrCbc(dataKey)
    if (this.#cacheSize <= 0) return cipher
    const [oldest] = this.#ciphers.keys()
    if (this.#ciphers.size >= this.#cacheSize && oldest !== undefined) this.#ciphers.delete(oldest)
    this.#ciphers.set(cacheName(encryptedKey), cipher)
    this.#context.metrics.cacheFill(this.#ciphers.size / this.#cacheSize)
    return cipher
  }

  async #encrypt(plain: Uint8Array): Promise<Buffer> {
    await this.#checkVersion()
    return this.#client.call(encryptV1, plain)
  }

  async #decrypt(encrypted: Uint8Array): Promise<Buffer> {
    await this.#checkVersion()
    return this.#client.call(decryptV1, encrypted)
  }

  /** Once, before anything else. */
  #checkVersion(): Promise<void> {
    this.#versionKnown ??= this.#client.call(versionV1, undefined).then(
      (version) => {
        if (version === v1Version) return
        this.#versionKnown = undefined
        throw new Error(`KMS provider api version ${version} is not supported, only ${v1Version} is supported now`)
      },
      (error: unknown) => {
        this.#versionKnown = undefined
        throw new Error(`failed get version from remote KMS provider: ${reasonOf(error)}`)
      },
    )
    return this.#versionKnown
  }
}

const cacheName = (encryptedKey: Uint8Array): string => Buffer.from(encryptedKey).toString('latin1')

function split(value: Uint8Array): { readonly encryptedKey: Uint8Array; readonly sealed: Uint8Array } {
  const length = value.length < lengthSize ? Number.POSITIVE_INFINITY : ((value[0] ?? 0) << 8) | (value[1] ?? 0)
  if (value.length < lengthSize + length) {
    throw new Error('invalid data encountered by envelope transformer: failed to read uint16 length prefixed data')
  }
  const end = lengthSize + length
  return { encryptedKey: value.subarray(lengthSize, end), sealed: value.subarray(end) }
}

interface Both extends Cipher {
  readonly older: Cipher
}

/** Values are sealed with GCM; those of servers before v1.25 were with CBC. */
function gcmOrCbc(dataKey: Uint8Array): Both {
  if (![16, 24, 32].includes(dataKey.length)) throw new Error(`crypto/aes: invalid key size ${dataKey.length}`)
  return { ...aesGcm(dataKey), older: aesCbc(dataKey) }
}

function openWith(cipher: Both, sealed: Uint8Array, key: string): DecryptedValue {
  try {
    return { value: cipher.open(sealed, key), stale: false }
  } catch (first) {
    try {
      return { value: cipher.older.open(sealed, key), stale: true }
    } catch (second) {
      throw aggregateErrors([first, second])
    }
  }
}
