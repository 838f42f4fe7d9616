/** How objects become text and stored bytes, and what of others' bytes can be read. */
import { describe, expect, it } from 'vitest'
import { emptyMap, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { hasProtobufPrefix } from '../codec/protobuf.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { type CodecOptions, objectCodec, type ValueTransformer } from './object-codec.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import { testDefinition } from './testing/test-registry.ts'
import { ReadError } from './unreadable.ts'

const configMaps = testDefinition(builtInDefinitions)
const autoscalers = testDefinition(builtInDefinitions, {
  resource: 'horizontalpodautoscalers',
  versions: ['v1', 'v2'],
})
const inJson = objectCodec(configMaps, { layout: 'json' })
const inProtobuf = objectCodec(configMaps, { layout: 'reference' })
const key = '/registry/configmaps/ns/a'

const configMap = (metadata: JsonObject = {}, fields: JsonObject = {}): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'ns', creationTimestamp: null, ...metadata } as KubeObject['metadata'],
  ...fields,
})

describe('the text', () => {
  it.each<[string, JsonObject, string]>([
    ['one that was given', { uid: 'u', resourceVersion: '7' }, '{"name":"a","namespace":"ns","uid":"u",'],
    ['one before the time', { resourceVersion: '7' }, '{"name":"a","namespace":"ns","creationTimestamp":null}'],
    ['none', { uid: 'u' }, '{"name":"a","namespace":"ns","uid":"u",'],
  ])('has no version, given %s', (_, metadata, expected) => {
    const { bytes } = inJson.encode(configMap(metadata, { data: { a: 'b' } }))
    const text = bytes.toString()
    expect(text).toContain(`"metadata":${expected}`)
    expect(text).not.toContain('resourceVersion')
    expect(inJson.parse(text)).toEqual(configMap({ ...metadata, resourceVersion: undefined }, { data: { a: 'b' } }))
  })

  it('says where the version belongs', () => {
    const { bytes, splice } = inJson.encode(configMap({ uid: 'u' }))
    const text = bytes.toString()
    expect(text.slice(0, splice)).toMatch(/"uid":"u",$/)
  })

  it('has all of ASCII, and of what takes two bytes', () => {
    for (const word of ['ASCII', 'é', 'a\u{1f600}b']) {
      const { bytes } = inJson.encode(configMap({}, { data: { a: word } }))
      expect(inJson.parse(bytes.toString())).toMatchObject({ data: { a: word } })
    }
  })

  it('shares with the object before what was left alone', () => {
    const current = configMap({ uid: 'u' }, { data: { a: 'b' } })
    const next = { ...current, immutable: true }
    expect(inJson.encode(next, current).canonical?.['data']).toBe(current['data'])
    expect(runToEnd(inJson.encodeInSteps(next, current)).canonical?.['data']).toBe(current['data'])
  })

  it('has the default of what is empty, as it is read again', () => {
    const policies = testDefinition(builtInDefinitions, { resource: 'networkpolicies' })
    const codec = objectCodec(policies, { layout: 'json' })
    const { apiVersion, kind } = policies.hub
    const policy = { apiVersion, kind, metadata: { name: 'a' }, spec: { podSelector: {}, policyTypes: [] } }
    const encoded = codec.encode(policy as unknown as KubeObject)
    expect(encoded.canonical?.['spec']).toMatchObject({ policyTypes: ['Ingress'] })
    expect(codec.fromStored(encoded.bytes, key)).toEqual(encoded.canonical)
  })

  it('keeps integers that a double cannot hold', () => {
    expect(inJson.parse('{"a":[9007199254740993,1]}')).toEqual({ a: [9_007_199_254_740_993n, 1] })
    expect(inJson.parse('{"a":900719925474099}')).toEqual({ a: 900_719_925_474_099 })
  })

  it('is the same when it is made in steps', () => {
    const object = configMap({ labels: { a: 'b' }, managedFields: [{ manager: 'm', fieldsV1: { 'f:data': {} } }] })
    const text = inJson.encode(object).bytes
    expect(runToEnd(inJson.encodeInSteps(object)).bytes.equals(text)).toBe(true)
    expect(runToEnd(inJson.parseInSteps(text))).toEqual(inJson.parse(text.toString()))
  })

  it.each([
    ['the usual order', (i: number) => i],
    ['an order of their own', (i: number) => 5000 - i],
  ])('is made in steps with very many managed fields in %s', (_, place) => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_each, i) => [`f:k${10_000 + place(i)}`, {}]))
    const object = configMap({ managedFields: [{ manager: 'm', fieldsV1: { 'f:data': fields } }] })
    const steps = inJson.encodeInSteps(object)
    let [count, step] = [0, steps.next()]
    for (; step.done !== true; step = steps.next()) count++
    expect(count).toBeGreaterThan(10)
    expect(step.value.bytes.equals(inJson.encode(object).bytes)).toBe(true)
  })

  it('leaves out what is empty, and has the canonical object beside it', () => {
    const encoded = inJson.encode(configMap({}, { data: emptyMap }))
    expect(encoded.bytes.toString()).not.toContain('"data"')
    expect(encoded.canonical).toEqual(configMap())
  })
})

describe('stored bytes', () => {
  const object = configMap({ uid: 'u', resourceVersion: '7' }, { data: { a: 'b' } })

  it('are the text itself, or the layout of the reference', () => {
    const text = inJson.encode(object)
    expect(inJson.toStored(object, text, key)).toBe(text.bytes)
    const stored = inProtobuf.toStored(object, inProtobuf.encode(object), key)
    expect(hasProtobufPrefix(Buffer.from(stored))).toBe(true)
    const read = inProtobuf.fromStored(stored, key)
    expect(read).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } })
    expect(read.metadata.resourceVersion).toBeUndefined()
  })

  it('end in a newline where the reference stores JSON', () => {
    const definition: ResourceDefinition = { ...configMaps, storage: { ...configMaps.storage, encoding: 'json' } }
    const codec = objectCodec(definition, { layout: 'reference' })
    const stored = Buffer.from(codec.toStored(object, codec.encode(object), key)).toString()
    expect(stored.endsWith('}\n')).toBe(true)
    expect(stored).not.toContain('resourceVersion')
    expect(codec.fromStored(Buffer.from(stored), key)).toMatchObject({ data: { a: 'b' } })
  })

  it('are of the version that is stored', () => {
    const codec = objectCodec(autoscalers, { layout: 'reference' })
    const older = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a', namespace: 'ns' },
      spec: { maxReplicas: 2, scaleTargetRef: { kind: 'K', name: 'n' }, targetCPUUtilizationPercentage: 30 },
    }
    const hub = codec.fromStored(Buffer.from(JSON.stringify(older)), key)
    expect(hub.apiVersion).toBe(autoscalers.hub.apiVersion)
    expect(JSON.stringify(hub)).toContain('"averageUtilization":30')
    const stored = codec.toStored(hub, codec.encode(hub), key)
    expect(Buffer.from(stored).toString('latin1')).toContain(autoscalers.storage.apiVersion)
    expect(codec.fromStored(stored, key)).toEqual(codec.encode(hub).canonical)
  })

  const large = configMap(
    { uid: 'u', labels: { a: 'b' } },
    { data: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, `v${i}`])) },
  )
  const stores: [string, Partial<ResourceDefinition['storage']>, CodecOptions][] = [
    ['the text itself', {}, { layout: 'json' }],
    ['Protobuf', {}, { layout: 'reference' }],
    ['JSON of the reference', { encoding: 'json' }, { layout: 'reference' }],
  ]

  it.each(stores)('of a large object are the same in turns: %s', async (_, storage, options) => {
    const definition: ResourceDefinition = { ...configMaps, storage: { ...configMaps.storage, ...storage } }
    const codec = objectCodec(definition, options)
    const text = codec.encode(large)
    const stored = Buffer.from(await codec.toStored(large, text, key))
    expect(stored.equals(Buffer.from(await codec.toStoredInTurns(large, text, key)))).toBe(true)
    expect(await codec.fromStoredInTurns(stored, key)).toEqual(await codec.fromStored(stored, key))
    await expect(async () => codec.fromStoredInTurns(stored.subarray(0, -100), key)).rejects.toThrow(ReadError)
  })

  it.each([[inJson], [inProtobuf]])('are current as long as the object is what they say', (codec) => {
    const stored = codec.toStored(object, codec.encode(object), key)
    expect(codec.isCurrent(stored, object, key)).toBe(true)
    expect(codec.isCurrent(stored, { ...object, data: { a: 'c' } }, key)).toBe(false)
    expect(codec.mayAge).toBe(false)
  })
})

describe('objects whose stored version has another shape', () => {
  const rename = (object: KubeObject, from: string, to: string): KubeObject => {
    const { [from]: value, ...rest } = object as JsonObject
    return { ...rest, [to]: value } as unknown as KubeObject
  }
  const shape = {
    toStored: (object: KubeObject) => ({ ...rename(object, 'data', 'stringData'), kind: 'Old' }),
    fromStored: (object: KubeObject) => ({ ...rename(object, 'stringData', 'data'), kind: 'ConfigMap' }),
  }
  const definition: ResourceDefinition = {
    ...configMaps,
    storage: { ...configMaps.storage, encoding: 'json', shape },
  }

  it('are stored and read in it', () => {
    const codec = objectCodec(definition, { layout: 'reference' })
    const object = configMap({ uid: 'u' }, { data: { a: 'b' } })
    const stored = Buffer.from(codec.toStored(object, codec.encode(object), key))
    expect(JSON.parse(stored.toString())).toMatchObject({ kind: 'Old', stringData: { a: 'b' } })
    expect(codec.fromStored(stored, key)).toEqual(object)
  })
})

describe('what others have stored', () => {
  const read = (text: string): KubeObject => inJson.fromStored(Buffer.from(text), key)

  it.each<[string, string, JsonObject]>([
    ['no metadata', '{"kind":"ConfigMap","apiVersion":"v1"}', {}],
    ['null for metadata', '{"kind":"ConfigMap","apiVersion":"v1","metadata":null}', {}],
    ['another version', '{"kind":"ConfigMap","apiVersion":"v9","metadata":{"name":"a"}}', { name: 'a' }],
  ])('is read with %s', (_, text, metadata) => {
    expect(read(text)).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata })
  })

  it('has the defaults of today', () => {
    const codec = objectCodec(autoscalers, { layout: 'json' })
    const { apiVersion, kind } = autoscalers.hub
    const text = JSON.stringify({ apiVersion, kind, metadata: {}, spec: { maxReplicas: 2 } })
    expect(codec.fromStored(Buffer.from(text), key)['spec']).toMatchObject({ maxReplicas: 2, minReplicas: 1 })
  })

  it.each<[string, string, string, ReadError['reason']]>([
    ['is encrypted', 'k8s:enc:aescbc:v1:k:x', 'identity transformer tried to read encrypted data', 'transform'],
    ['is no JSON', 'x', "couldn't get version/kind; json parse error: invalid character 'x'", 'decode'],
    ['is a list', '[]', "couldn't get version/kind; json parse error: json: cannot unmarshal array", 'decode'],
    ['has no kind', '{"apiVersion":"v1"}', `Object 'Kind' is missing in '{"apiVersion":"v1"}'`, 'decode'],
    ['has an empty kind', '{"kind":"","apiVersion":"v1"}', `Object 'Kind' is missing in`, 'decode'],
    ['has no version', '{"kind":"ConfigMap"}', `Object 'apiVersion' is missing in '{"kind":"ConfigMap"}'`, 'decode'],
    ['has an empty version', '{"kind":"ConfigMap","apiVersion":""}', `Object 'apiVersion' is missing in`, 'decode'],
    ['is of another kind', '{"kind":"Secret","apiVersion":"v1"}', 'no kind "Secret" is registered for', 'decode'],
    [
      'has a text for metadata',
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":"x"}',
      'the metadata of the stored value is not an object',
      'decode',
    ],
    ['is cut off', 'k8s\u0000\n', 'unexpected EOF', 'decode'],
  ])('cannot be read when it %s', (_, text, message, reason) => {
    const failure = failureOf(() => read(text))
    expect(failure).toBeInstanceOf(ReadError)
    expect((failure as ReadError).message).toContain(message)
    expect((failure as ReadError).reason).toBe(reason)
  })
})

function failureOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('sealed bytes', () => {
  const prefix = Buffer.from('sealed:')
  const sealing = (how: 'now' | 'later', stale = false): ValueTransformer => {
    const answer = <T>(value: T): T | Promise<T> => (how === 'now' ? value : Promise.resolve(value))
    return {
      seal: (value) => answer(Buffer.concat([prefix, value])),
      open: (value) => {
        const bytes = Buffer.from(value)
        if (bytes.subarray(0, prefix.length).equals(prefix)) {
          return answer({ value: bytes.subarray(prefix.length), stale })
        }
        if (how === 'now') throw new Error('no key')
        return Promise.reject(new Error('no key'))
      },
    }
  }
  const codecOf = (transformer: ValueTransformer, layout: CodecOptions['layout'] = 'json') =>
    objectCodec(configMaps, { layout, transformer })
  const object = configMap({ uid: 'u' }, { data: { a: 'b' } })

  it.each(['now', 'later'] as const)('are opened %s', async (how) => {
    const codec = codecOf(sealing(how))
    const stored = await codec.toStored(object, codec.encode(object), key)
    expect(Buffer.from(stored).toString()).toMatch(/^sealed:\{/)
    const read = codec.fromStored(stored, key)
    expect(read instanceof Promise).toBe(how === 'later')
    expect(await read).toEqual(object)
    expect(await codec.toStoredInTurns(object, codec.encode(object), key)).toEqual(stored)
    expect(await codec.fromStoredInTurns(stored, key)).toEqual(object)
    expect(await codec.isCurrent(stored, object, key)).toBe(true)
    expect(await codec.isCurrent(stored, configMap(), key)).toBe(false)
    expect(codec.mayAge).toBe(true)
    expect(codec.parse(codec.encode(object).bytes.toString())).toEqual(object)
  })

  it.each(['now', 'later'] as const)('whose key is gone cannot be read, as is found %s', async (how) => {
    const codec = codecOf(sealing(how))
    const failure = await Promise.resolve()
      .then(() => codec.fromStored(Buffer.from('x'), key))
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ reason: 'transform', message: 'no key' })
    expect(await codec.isCurrent(Buffer.from('x'), object, key)).toBe(false)
  })

  it('of an old key are not current', async () => {
    const codec = codecOf(sealing('now', true))
    const stored = await codec.toStored(object, codec.encode(object), key)
    expect(await codec.isCurrent(stored, object, key)).toBe(false)
  })
})
