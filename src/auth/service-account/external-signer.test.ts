/** A plugin that signs tokens: what is made of its answers, when its keys are fetched, and what is refused. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { encodeFields, writeBytes, writeText } from '../../lib/protobuf-fields.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { ExternalKeys, ExternalSigner } from './external-signer.ts'
import { type FetchedKeys, fetchKeysMethod, metadataMethod, signMethod } from './external-signer-messages.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const der = publicKey.export({ type: 'spki', format: 'der' })

interface WireKey {
  readonly keyId?: string
  readonly key?: Uint8Array
  readonly excluded?: boolean
}

interface WireKeys {
  readonly keys?: readonly WireKey[]
  readonly seconds?: number
  readonly nanos?: number
  readonly hint?: number
}

/** Fields by number, with one that nobody knows at the end. */
const unknownField = 9
const keyMessage = ({ keyId = 'k1', key = der, excluded }: WireKey): Buffer =>
  encodeFields((writer) => {
    writeText(writer, 1, keyId)
    writeBytes(writer, 2, key)
    if (excluded !== undefined) writer.uint32(24).bool(excluded)
    writeText(writer, unknownField, 'x')
  })
const keysMessage = ({ keys = [{}], seconds = 100, nanos, hint = 60 }: WireKeys): Buffer =>
  encodeFields((writer) => {
    for (const key of keys) writeBytes(writer, 1, keyMessage(key))
    if (!Number.isNaN(seconds)) {
      const timestamp = encodeFields((inner) => {
        inner.uint32(8).int64(seconds)
        if (nanos !== undefined) inner.uint32(16).int32(nanos)
        writeText(inner, unknownField, 'x')
      })
      writeBytes(writer, 2, timestamp)
    }
    writer.uint32(24).int64(hint)
    writeText(writer, unknownField, 'x')
  })

describe('the messages of a signer', () => {
  it('are read by the numbers of their fields', () => {
    expect(
      fetchKeysMethod.decode(keysMessage({ keys: [{}, { keyId: 'k2', excluded: true }], nanos: 500_000_000 })),
    ).toEqual({
      keys: [
        { keyId: 'k1', key: der, excluded: false },
        { keyId: 'k2', key: der, excluded: true },
      ],
      dataTimestamp: 100.5,
      refreshHintSeconds: 60,
    })
    expect(fetchKeysMethod.decode(Buffer.alloc(0))).toEqual({
      keys: [],
      dataTimestamp: undefined,
      refreshHintSeconds: 0,
    })
    const parts = encodeFields((writer) => {
      writeText(writer, 1, 'h')
      writeText(writer, 2, 's')
      writeText(writer, unknownField, 'x')
    })
    expect(signMethod.decode(parts)).toEqual({ header: 'h', signature: 's' })
    const metadata = encodeFields((writer) => {
      writer.uint32(8).int64(3600)
      writeText(writer, unknownField, 'x')
    })
    expect(metadataMethod.decode(metadata)).toEqual({ maxTokenExpirationSeconds: 3600 })
  })

  it('of other types are not read', () => {
    const numbers = encodeFields((writer) => {
      for (const field of [1, 2]) writer.uint32(field << 3).int64(5)
      writeText(writer, 3, 'x')
    })
    expect(fetchKeysMethod.decode(numbers)).toEqual({ keys: [], dataTimestamp: undefined, refreshHintSeconds: 0 })
    const texts = encodeFields((writer) => writeText(writer, 1, 'x'))
    expect(metadataMethod.decode(texts)).toEqual({ maxTokenExpirationSeconds: 0 })
  })

  it('are asked for with the claims', () => {
    expect(signMethod.encode('claims')).toEqual(encodeFields((writer) => writeText(writer, 1, 'claims')))
    expect([fetchKeysMethod.encode(undefined), metadataMethod.encode(undefined)]).toEqual([
      Buffer.alloc(0),
      Buffer.alloc(0),
    ])
    expect(signMethod.path).toBe('/v1alpha1.ExternalJWTSigner/Sign')
  })
})

const told: unknown[] = []
const errors: string[] = []
const meter = {
  called: (method: string, code: string, seconds: number) =>
    void told.push(`${method.split('/')[2]} ${code} ${seconds >= 0 && seconds < 1000}`),
  signed: (code: string) => void told.push(`signed ${code}`),
  fetched: (code: string) => void told.push(`fetched ${code}`),
  dataFrom: (timestamp: number) => void told.push(`from ${timestamp}`),
}
const onError = (error: unknown): void => void errors.push((error as Error).message)

beforeEach(() => {
  told.length = 0
  errors.length = 0
})

describe('the keys of a signer', () => {
  const good: FetchedKeys = {
    keys: [{ keyId: 'k1', key: der, excluded: false }],
    dataTimestamp: 100,
    refreshHintSeconds: 60,
  }
  const keysOf = (answers: (FetchedKeys | Error)[], clock = new FakeClock()) => {
    let fetches = 0
    const fetch = async (): Promise<FetchedKeys> => {
      const answer = answers[Math.min(fetches++, answers.length - 1)]
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('none')
      return answer
    }
    return { keys: new ExternalKeys({ endpoint: 'x', clock, meter, onError }, fetch), clock, fetches: () => fetches }
  }
  const settled = () => new Promise((resolve) => void setTimeout(resolve, 0))

  it('are fetched at the start, and again when the signer says so', async () => {
    const { keys, clock, fetches } = keysOf([good])
    await keys.start()
    expect([fetches(), keys.version, keys.maxAgeSeconds]).toEqual([1, 1, 60])
    expect(told).toEqual(['fetched OK', 'from 100'])
    clock.advance(30_500)
    expect(keys.maxAgeSeconds).toBe(29)
    clock.advance(29_499)
    await settled()
    expect(fetches()).toBe(1)
    clock.advance(1)
    await settled()
    expect([fetches(), keys.version]).toEqual([2, 2])
    clock.advance(60_000)
    await settled()
    expect(fetches()).toBe(3)
    keys.close()
    clock.advance(600_000)
    await settled()
    expect(fetches()).toBe(3)
    expect(keys.maxAgeSeconds).toBe(0)
  })

  it('are fetched again after ten seconds when that failed, and once a day at least', async () => {
    const { keys, clock, fetches } = keysOf([{ ...good, refreshHintSeconds: 1e9 }, new Error('down'), good])
    await keys.start()
    clock.advance(24 * 3_600_000 - 1)
    await settled()
    expect(fetches()).toBe(1)
    clock.advance(1)
    await settled()
    expect([fetches(), errors]).toEqual([
      2,
      ['while fetching token verification keys: while getting externally supported jwt signing keys: down'],
    ])
    clock.advance(9_999)
    await settled()
    expect(fetches()).toBe(2)
    clock.advance(1)
    await settled()
    expect([fetches(), keys.version]).toEqual([3, 2])
    keys.close()
  })

  it('are found by their id, after a fetch where it is not known', async () => {
    const both = { ...good, keys: [...good.keys, { keyId: 'k2', key: der, excluded: true }] }
    const { keys, fetches } = keysOf([good, both, new Error('down')])
    await keys.start()
    const found = async (keyId: string | undefined) => (await keys.find(keyId)).map((each) => [each.keyId, each.hidden])
    expect(await found('k1')).toEqual([['k1', false]])
    expect(await found(undefined)).toEqual([['k1', false]])
    expect(await found('')).toEqual([['k1', false]])
    expect(fetches()).toBe(1)
    expect(await Promise.all([found('k2'), found('k2')])).toEqual([[['k2', true]], [['k2', true]]])
    expect(fetches()).toBe(2)
    expect(await found('k3')).toEqual([])
    expect([fetches(), errors.length]).toEqual([3, 1])
    keys.close()
  })

  it.each<[string, Partial<FetchedKeys> | Error, string]>([
    ['that are none', { keys: [] }, 'found no keys'],
    ['that are fetched too often', { refreshHintSeconds: 0 }, 'found invalid refresh hint (0s)'],
    ['that are of no time', { dataTimestamp: undefined }, 'invalid data timestamp: proto:\u00a0invalid nil Timestamp'],
    ['without an id', { keys: [{ keyId: '', key: der, excluded: false }] }, 'found invalid public key id ""'],
    [
      'with a long id',
      { keys: [{ keyId: 'k'.repeat(1025), key: der, excluded: false }] },
      'found invalid public key id "kkk',
    ],
    ['that are empty', { keys: [{ keyId: 'k', key: Buffer.alloc(0), excluded: false }] }, 'found empty public key'],
    [
      'that are no keys',
      { keys: [{ keyId: 'k', key: Buffer.of(1), excluded: false }] },
      'while parsing external public keys: ',
    ],
  ])('%s are refused', async (_, answer, why) => {
    const { keys } = keysOf([{ ...good, ...answer } as FetchedKeys])
    const prefix =
      'while initially filling key cache: while performing initial cache fill: while fetching token verification keys: '
    await expect(keys.start()).rejects.toThrow(prefix + why)
    expect(told).toEqual(['fetched unknown-non-grpc'])
  })

  it('may have an id of 1024 bytes', async () => {
    const { keys } = keysOf([{ ...good, keys: [{ keyId: 'k'.repeat(1024), key: der, excluded: false }] }])
    await expect(keys.start()).resolves.toBeUndefined()
    keys.close()
  })
})

describe('a signer on a socket', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signer-'))
  const socket = path.join(folder, 's.sock')
  const server = new Server()
  let header: unknown
  let signature = 'sig'
  let keys: WireKeys = {}
  let claims = ''
  const raw = {
    requestStream: false,
    responseStream: false,
    requestSerialize: Buffer.from,
    responseDeserialize: Buffer.from,
  }
  const method = (name: string) => ({
    path: `/v1alpha1.ExternalJWTSigner/${name}`,
    ...raw,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
  })
  const encoded = (value: unknown): string =>
    typeof value === 'string' ? value : Buffer.from(JSON.stringify(value)).toString('base64url')

  beforeAll(async () => {
    type Call = { request: Buffer }
    type Answer = (error: Error | null, bytes?: Buffer) => void
    server.addService(
      { Sign: method('Sign'), FetchKeys: method('FetchKeys'), Metadata: method('Metadata') } as never,
      {
        Sign: ({ request }: Call, answer: Answer) => {
          claims = Buffer.from(request.subarray(2).toString(), 'base64url').toString()
          if (header === undefined) answer(Object.assign(new Error('no'), { code: 7, details: 'no' }))
          else
            answer(
              null,
              encodeFields((writer) => {
                writeText(writer, 1, encoded(header))
                writeText(writer, 2, signature)
              }),
            )
        },
        FetchKeys: (_: Call, answer: Answer) => answer(null, keysMessage(keys)),
        Metadata: (_: Call, answer: Answer) =>
          answer(
            null,
            encodeFields((writer) => writer.uint32(8).int64(3600)),
          ),
      } as never,
    )
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      )
    })
  })
  afterAll(() => {
    server.forceShutdown()
    rmSync(folder, { recursive: true, force: true })
  })

  const good: JsonObject = { alg: 'ES256', kid: 'k1', typ: 'JWT' }
  async function withSigner<T>(use: (signer: ExternalSigner) => Promise<T>): Promise<T> {
    const signer = new ExternalSigner({ endpoint: socket, clock: new FakeClock(), meter, onError })
    try {
      return await use(signer)
    } finally {
      signer.close()
    }
  }

  it('says how long its tokens may live, and signs claims', async () => {
    header = good
    const [life, token] = await withSigner(async (signer) => [await signer.start(), await signer.sign({ sub: 'a' })])
    expect(life).toBe(3600)
    expect(JSON.parse(claims)).toEqual({ sub: 'a' })
    expect(token).toBe(`${encoded(good)}.${Buffer.from('{"sub":"a"}').toString('base64url')}.sig`)
    expect(told).toEqual([
      'FetchKeys OK true',
      'fetched OK',
      'from 100',
      'Metadata OK true',
      'Sign OK true',
      'signed OK',
    ])
  })

  it.each<[string, unknown, string, string]>([
    ['fails', undefined, 'sig', 'while signing jwt: rpc error: code = PermissionDenied desc = no'],
    ['gives no signature', good, '', 'empty signature returned'],
    ['gives another type', { ...good, typ: 'X' }, 'sig', 'while validating header: bad type'],
    ['gives no type', { alg: 'ES256', kid: 'k1' }, 'sig', 'while validating header: bad type'],
    ['gives no key', { ...good, kid: '' }, 'sig', 'while validating header: key id missing'],
    ['gives a key that is a number', { ...good, kid: 5 }, 'sig', 'while validating header: key id missing'],
    ['gives a long key', { ...good, kid: 'k'.repeat(1025) }, 'sig', 'while validating header: key id longer than 1 kb'],
    [
      'gives another algorithm',
      { ...good, alg: 'none' },
      'sig',
      'while validating header: bad signing algorithm "none"',
    ],
    [
      'gives more',
      { ...good, x: 1 },
      'sig',
      'while validating header: while parsing header JSON: json: unknown field "x"',
    ],
    ['gives no object', [], 'sig', 'while validating header: while parsing header JSON: not an object'],
    ['gives no JSON', 'eA', 'sig', 'while validating header: while parsing header JSON: '],
    ['gives no base64', '%', 'sig', 'while validating header: while unwrapping header: illegal base64 data'],
    [
      'signs with a hidden key',
      { ...good, kid: 'k2' },
      'sig',
      'while validating header: key used for signing JWT (kid: k2) is excluded from OIDC discovery docs',
    ],
  ])('that %s is refused', async (_, given, givenSignature, why) => {
    header = given
    signature = givenSignature
    keys = { keys: [{}, { keyId: 'k2', excluded: true }] }
    const signing = withSigner((signer) => signer.sign({ sub: 'a' }))
    await expect(signing).rejects.toThrow(why)
    expect(told.at(-1)).toBe(given === undefined ? 'signed PermissionDenied' : 'signed unknown-non-grpc')
  })

  it.each(['RS256', 'ES256', 'ES384', 'ES512'])('may sign with %s and a key id of 1024 bytes', async (alg) => {
    header = { ...good, alg, kid: 'k'.repeat(1024) }
    signature = 'sig'
    keys = {}
    expect(await withSigner((signer) => signer.sign({}))).toMatch(/\.sig$/)
  })
})
