/**
 * A KMS plugin of version 2. This server makes one seed and has the plugin encrypt it; every value's key is derived from
 * the seed, so that writes need no call. The plugin is asked every minute which key is its present one: when that
 * changes, the server makes a new seed. A plugin that does not answer stops writes after three minutes, so that
 * a rotated key is not used on unnoticed; what was ever read stays readable.
 */

import { randomBytes } from 'node:crypto'
import { formatTime, instantOfMillis } from '../api/time.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { reasonOf } from '../lib/fault.ts'
import { GrpcClient, type GrpcMethod } from '../lib/grpc-client.ts'
import { pushAll } from '../lib/push-all.ts'
import { aesGcm, type Cipher, extendedNonceGcm, seedSize } from './ciphers.ts'
import { checkEncryptedObject, keyIdProblem, sourceName } from './encrypted-object.ts'
import { hashOf } from './encryption-metrics.ts'
import {
  decodeEncryptedObject,
  decryptV2,
  type EncryptedObject,
  encodeEncryptedObject,
  encryptV2,
  type KmsStatus,
  keySource,
  statusV2,
} from './kms-messages.ts'
import type { KmsContext, KmsPlugin, KmsSettings } from './kms-plugin.ts'
import { KmsProbe, ProbeError } from './kms-probe.ts'
import { aggregateErrors, type DecryptedValue } from './transformer.ts'

const pollMs = 60_000
const pollSoonMs = 10_000
const seedGoodForMs = 3 * 60_000
const dataKeyKeptMs = 24 * 60 * 60_000
/** Data keys that are kept at most; one for each restart of a server and each key of the plugin is usual. */
const maxDataKeys = 10_000

/** The seed that values are sealed with now. */
interface WriteState {
  readonly cipher: Cipher
  /** Without its data. */
  readonly object: EncryptedObject
  readonly name: string
  readonly expires: number
}

const nothing = Buffer.alloc(0)
/** Stands for data where only the rest is looked at. */
const anything = Buffer.of(0)

export class KmsV2 implements KmsPlugin {
  readonly prefix: string
  readonly checkMs: number
  readonly #settings: KmsSettings
  readonly #context: KmsContext
  readonly #client: GrpcClient
  readonly #probe: KmsProbe
  readonly #ciphers = new Map<string, { readonly cipher: Cipher; readonly until: number }>()
  readonly #asked = new Map<string, Promise<Cipher>>()
  #state: WriteState | undefined
  #version = ''
  #cancelPoll: (() => void) | undefined
  #closed = false

  constructor(settings: KmsSettings, context: KmsContext) {
    this.prefix = `k8s:enc:kms:v2:${settings.name}:`
    this.checkMs = settings.timeoutMs
    this.#settings = settings
    this.#context = context
    this.#client = new GrpcClient(settings.endpoint, settings.timeoutMs)
    this.#probe = new KmsProbe(context.clock, () => this.#askStatus())
  }

  async prime(): Promise<void> {
    const ok = await this.check().then(
      () => true,
      (error: unknown) => {
        this.#context.logger.error(
          { name: this.#settings.name, error: reasonOf(error) },
          'kms plugin failed health check probe',
        )
        return false
      },
    )
    if (this.#closed) return
    this.#cancelPoll = this.#context.clock.setTimeout(() => void this.prime(), ok ? pollMs : pollSoonMs)
  }

  check(): Promise<void> {
    return this.#probe.check()
  }

  close(): void {
    this.#closed = true
    this.#cancelPoll?.()
    this.#client.close()
  }

  seal(value: Uint8Array, key: string): Uint8Array {
    const { cipher, object, name, expires } = this.#need()
    const now = this.#context.clock.now()
    if (now > expires) {
      const hash = JSON.stringify(hashOf(object.keyId))
      throw new Error(
        `encryptedDEKSource with keyID hash ${hash} expired at ${timeText(expires)} (current time is ${timeText(now)})`,
      )
    }
    this.#keep(name, cipher)
    const sealed = encodeEncryptedObject({ ...object, encryptedData: cipher.seal(value, key) })
    this.#context.metrics.keyUsed('to_storage', this.#settings.name, object.keyId)
    return sealed
  }

  open(value: Uint8Array, key: string): Awaitable<DecryptedValue> {
    const object = decodeEncryptedObject(value)
    checkEncryptedObject(object)
    this.#need()
    const name = sourceName(object)
    const known = this.#ciphers.get(name)?.cipher
    if (known !== undefined) return this.#openWith(known, object, key)
    return this.#ask(name, object).then((cipher) => this.#openWith(cipher, object, key))
  }

  #openWith(cipher: Cipher, object: EncryptedObject, key: string): DecryptedValue {
    this.#context.metrics.keyUsed('from_storage', this.#settings.name, object.keyId)
    const value = cipher.open(object.encryptedData, key)
    const present = this.#state?.object
    return { value, stale: object.keyId !== present?.keyId || object.sourceType !== present.sourceType }
  }

  #need(): WriteState {
    if (this.#state === undefined) throw new Error('got unexpected nil transformer')
    return this.#state
  }

  /** The data key of a value from the plugin; who asks for the same at the same time shares the answer. */
  #ask(name: string, object: EncryptedObject): Promise<Cipher> {
    const asked = this.#asked.get(name)
    if (asked !== undefined) return asked
    this.#context.metrics.cacheMiss()
    const uid = this.#context.clock.uuid()
    const { encryptedSource: ciphertext, keyId, annotations } = object
    const answer = this.#call(decryptV2, { ciphertext, keyId, annotations, uid })
      .then(
        (plain) => {
          const cipher = cipherOf(object.sourceType, plain)
          this.#keep(name, cipher)
          return cipher
        },
        (error: unknown) => {
          throw new Error(`failed to decrypt DEK, error: ${reasonOf(error)}`, { cause: error })
        },
      )
      .finally(() => this.#asked.delete(name))
    this.#asked.set(name, answer)
    return answer
  }

  #keep(name: string, cipher: Cipher): void {
    const now = this.#context.clock.now()
    const known = this.#ciphers.get(name)
    if (known !== undefined && known.until - now > dataKeyKeptMs / 2) return
    this.#ciphers.delete(name)
    this.#ciphers.set(name, { cipher, until: now + dataKeyKeptMs })
    for (const [other, { until }] of this.#ciphers) {
      if (until > now && this.#ciphers.size <= maxDataKeys) break
      this.#ciphers.delete(other)
    }
    this.#context.metrics.cacheSize(this.#settings.name, this.#ciphers.size)
  }

  async #askStatus(): Promise<void> {
    const { name } = this.#settings
    const status = await this.#call(statusV2, undefined).catch((error: unknown) => {
      throw new ProbeError('status', name, error)
    })
    await this.#take(status)
    this.#context.onHealthy()
  }

  async #take(status: KmsStatus): Promise<void> {
    const { name } = this.#settings
    const { metrics } = this.#context
    const errors: unknown[] = []
    if (status.healthz !== 'ok') errors.push(new Error(`got unexpected healthz status: ${status.healthz}`))
    pushAll(errors, this.#versionProblems(status.version))
    const problem = keyIdProblem(status.keyId)
    if (problem !== undefined) {
      metrics.badKeyOfStatus(name, problem.code)
      const hash = JSON.stringify(hashOf(status.keyId))
      errors.push(new Error(`got invalid KMSv2 KeyID hash ${hash}: ${problem.message}`))
    } else {
      metrics.keyOfStatus(name, status.keyId)
      await this.#rotate(status.keyId).catch((error: unknown) => errors.push(error))
    }
    if (errors.length === 0) return
    throw new Error(`kmsv2 Provider ${name} is not healthy, error: ${(aggregateErrors(errors) as Error).message}`)
  }

  #versionProblems(version: string): Error[] {
    if (version !== 'v2' && version !== 'v2beta1') {
      return [new Error(`expected KMSv2 API version v2, got ${version}`)]
    }
    if (this.#version === '') this.#version = version
    if (this.#version === version) return []
    const why = `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`
    return [new Error(why)]
  }

  /** Makes a new seed if the plugin has a new key; the old one goes on as long as it is good if that fails. */
  async #rotate(keyId: string): Promise<void> {
    const { clock } = this.#context
    const expires = clock.now() + seedGoodForMs
    const state = this.#state
    if (state?.object.keyId === keyId) {
      this.#state = { ...state, expires }
      return
    }
    const uid = clock.uuid()
    let made: Omit<WriteState, 'expires'> | undefined
    let failure = '<nil>'
    try {
      made = await this.#makeSeed(uid)
    } catch (error) {
      failure = reasonOf(error)
    }
    if (made?.object.keyId === keyId) {
      this.#state = { ...made, expires }
      return
    }
    const hash = (id: string | undefined): string => JSON.stringify(hashOf(id ?? ''))
    const stateProblem = state === undefined ? 'got unexpected nil transformer' : '<nil>'
    throw new Error(
      `failed to rotate DEK uid=${JSON.stringify(uid)}, useSeed=true, errState=${stateProblem}, errGen=${failure}, statusKeyIDHash=${hash(keyId)}, encryptKeyIDHash=${hash(made?.object.keyId)}, stateKeyIDHash=${hash(state?.object.keyId)}, expirationTimestamp=${state === undefined ? '0001-01-01T00:00:00Z' : timeText(state.expires)}`,
    )
  }

  async #makeSeed(uid: string): Promise<Omit<WriteState, 'expires'>> {
    const seed = this.#context.metrics.generateKey(() => randomBytes(seedSize))
    const { ciphertext, keyId, annotations } = await this.#call(encryptV2, { plaintext: seed, uid }).catch(
      (error: unknown) => {
        throw new Error(`failed to encrypt DEK, error: ${reasonOf(error)}`, { cause: error })
      },
    )
    const object = {
      encryptedData: nothing,
      keyId,
      encryptedSource: ciphertext,
      annotations,
      sourceType: keySource.seed,
    }
    checkEncryptedObject({ ...object, encryptedData: anything })
    return { cipher: extendedNonceGcm(seed), object, name: sourceName(object) }
  }

  async #call<Request, Response>(method: GrpcMethod<Request, Response>, request: Request): Promise<Response> {
    const { metrics } = this.#context
    const about = { provider: this.#settings.name, method: method.path }
    const start = metrics.start()
    try {
      const response = await this.#client.call(method, request)
      metrics.called(about, start)
      return response
    } catch (error) {
      metrics.called(about, start, error)
      throw error
    }
  }
}

function cipherOf(sourceType: number, plain: Buffer): Cipher {
  if (sourceType === keySource.seed) return extendedNonceGcm(plain)
  if (![16, 24, 32].includes(plain.length)) throw new Error(`crypto/aes: invalid key size ${plain.length}`)
  return aesGcm(plain)
}

const timeText = (ms: number): string => formatTime(instantOfMillis(ms))
