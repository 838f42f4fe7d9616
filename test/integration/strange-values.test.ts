/**
 * What lies in a store was written by whom nobody knows: an older server, another program, a broken disk. Objects that
 * lack parts, have them in other types, or are no objects at all may be refused, but every answer is whole, and what can
 * be read can be listed and deleted.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { openMemoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../support/until.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const casesOfKind = 60
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const metadataOnly = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }

/** Deterministic, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Random = ReturnType<typeof randomNumbers>
const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T

const strange = [null, 0, -1, 1.5, 2 ** 53, '', 'x', '\ud800', true, [], {}, [null], { a: null }, [[1]], 'true']

/** One place of the object is taken out or made something else. */
function mutilated(object: Json, random: Random): Json {
  const copy = structuredClone(object)
  let at = copy
  for (let depth = 0; depth < 6; depth++) {
    const keys = Object.keys(at)
    const key = pick(random, keys)
    const inner = at[key]
    if (typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0 && random(4) > 0) {
      at = inner
      continue
    }
    if (random(3) === 0) delete at[key]
    else at[key] = pick(random, strange)
    return copy
  }
  return copy
}

function strangeBytes(value: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(value)
  switch (random(5)) {
    case 0:
      return bytes.subarray(0, random(bytes.length))
    case 1:
      bytes[random(bytes.length)] = random(256)
      return bytes
    case 2:
      return Buffer.concat([bytes, Buffer.from(pick(random, ['}', 'x', '\0', '{}']))])
    case 3:
      return Buffer.from(pick(random, ['', 'null', '[]', '"x"', '7', '{', 'k8s\0', 'k8s\0\x0a\xff', '{"metadata":[]}']))
    default:
      return Buffer.from(bytes.toString().replace('"metadata":{', '"metadata":{"__proto__":{"uid":"x"},'))
  }
}

/** Members of metadata, so many taken out that only some are left. */
function bareMetadata(object: Json, keep: readonly string[]): Json {
  const entries = Object.entries(object.metadata).filter(([key]) => keep.includes(key))
  return { ...object, metadata: Object.fromEntries(entries) }
}

function subsets(names: readonly string[]): string[][] {
  const [first, ...rest] = names
  if (first === undefined) return [[]]
  const others = subsets(rest)
  return [...others, ...others.map((set) => [first, ...set])]
}

const crd = {
  metadata: { name: 'things.strange.example' },
  spec: {
    group: 'strange.example',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
              status: { type: 'object', properties: { replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
}

const kinds = [
  {
    kind: 'custom objects',
    collection: '/apis/strange.example/v1/namespaces/default/things',
    key: '/registry/strange.example/things/default/x',
    body: { apiVersion: 'strange.example/v1', kind: 'Thing', spec: { replicas: 1 } },
  },
  {
    kind: 'config maps',
    collection: '/api/v1/namespaces/default/configmaps',
    key: '/registry/configmaps/default/x',
    body: { data: { a: '1' }, binaryData: { b: 'AAAA' } },
  },
  {
    kind: 'pods',
    collection: '/api/v1/namespaces/default/pods',
    key: '/registry/pods/default/x',
    body: { spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }] } },
  },
  {
    kind: 'deployments',
    collection: '/apis/apps/v1/namespaces/default/deployments',
    key: '/registry/deployments/default/x',
    body: {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
  },
  {
    kind: 'autoscalers',
    collection: '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    key: '/registry/horizontalpodautoscalers/default/x',
    body: { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 } },
  },
]

const metadata = {
  name: 'x',
  labels: { a: 'b' },
  annotations: { c: 'd' },
  finalizers: [],
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'u' }],
}

describe.each([
  { layout: 'JSON', flags: ['--store', 'memory'] },
  { layout: "etcd's", flags: ['--store', 'etcd', '--etcd-servers', 'http://127.0.0.1:1'] },
])('values in $layout layout', ({ flags }) => {
  let store: Store
  let server: TestServer

  beforeAll(async () => {
    store = openMemoryStore()
    const off = ['--disable-admission-plugins', 'ServiceAccount', '--controllers', '-garbage-collector-controller']
    server = await startTestServer([...flags, ...off], systemClock, store)
    await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)
    await until('the custom resource', async () => (await server.call('GET', `${kinds[0]?.collection}`)).status === 200)
  })
  afterAll(() => server.close())

  async function put(key: string, value: Buffer): Promise<void> {
    const found = await store.get(key)
    const current = found.status === 'ok' ? found.entry : undefined
    if (current === undefined) await store.write({ type: 'create', key, value })
    else await store.write({ type: 'replace', key, value, expectedRevision: current.revision })
  }

  async function erase(key: string): Promise<void> {
    const found = await store.get(key)
    if (found.status !== 'ok' || found.entry === undefined) return
    await store.write({ type: 'delete', key, expectedRevision: found.entry.revision })
  }

  async function stored(key: string): Promise<Buffer> {
    const found = await store.get(key)
    if (found.status !== 'ok' || found.entry === undefined) throw new Error(`nothing at ${key}`)
    return Buffer.from(found.entry.value)
  }

  function whole(answer: Answer, what: string): Json {
    try {
      return answer.json()
    } catch {
      throw new Error(`${what}: ${answer.status} ${answer.body}`)
    }
  }

  /** Every way to read and delete it. What can be got is got alike everywhere. */
  async function checkAnswers(collection: string, what: string): Promise<void> {
    const item = await server.call('GET', `${collection}/x`)
    const got = whole(item, what)
    const list = await server.call('GET', collection)
    const items = whole(list, what).items
    // A list over an object that cannot be read waits for a cache that can.
    expect([what, list.status]).toEqual([what, item.status === 500 ? 429 : item.status])
    if (item.status === 200) {
      expect(got.metadata.resourceVersion, what).toMatch(/^\d+$/)
      expect(got.metadata.name, what).toMatch(/./)
      expect(items[0].metadata).toEqual(got.metadata)
    } else expect([what, item.status, got.kind]).toEqual([what, 500, 'Status'])
    for (const headers of [table, metadataOnly]) whole(await server.call('GET', collection, undefined, headers), what)
    const watch = await server.watch(
      `${collection}?watch=true&timeoutSeconds=1&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    )
    await watch.until((events) => events.length > 0)
    watch.close()
    whole(
      await server.call(
        'PATCH',
        `${collection}/x`,
        { metadata: { labels: { z: 'y' } } },
        { 'content-type': 'application/merge-patch+json' },
      ),
      what,
    )
    const deleted = await server.call('DELETE', `${collection}/x?gracePeriodSeconds=0`)
    whole(deleted, what)
    if (item.status === 200) expect([what, deleted.status]).toEqual([what, 200])
    expect((await server.call('GET', '/readyz')).status).toBe(200)
  }

  describe.each(kinds)('of $kind', ({ collection, key, body }) => {
    let good: Buffer

    beforeAll(async () => {
      const made = await server.call('POST', collection, { ...body, metadata })
      if (made.status !== 201) throw new Error(String(made.body))
      good = await stored(key)
      await erase(key)
    })

    it('with only some of their metadata', async () => {
      if (good[0] !== 0x7b) return
      const object = JSON.parse(good.toString())
      for (const keep of subsets(['uid', 'creationTimestamp', 'managedFields', 'labels'])) {
        const bare = bareMetadata(object, ['name', 'namespace', ...keep])
        await put(key, Buffer.from(JSON.stringify(bare)))
        const item = await server.call('GET', `${collection}/x`)
        expect([keep, item.status]).toEqual([keep, 200])
        await checkAnswers(collection, keep.join())
        await erase(key)
      }
    })

    it('without metadata, or with that of another object', async () => {
      if (good[0] !== 0x7b) return
      const { metadata: known, ...object } = JSON.parse(good.toString())
      const named = { name: 'x', namespace: 'default' }
      const cases: [Json, Json][] = [
        [{}, named],
        [{ metadata: null }, named],
        [{ metadata: {} }, named],
        [{ metadata: { namespace: 'default', labels: known.labels } }, named],
        [{ metadata: { name: 'y', namespace: 'other' } }, { name: 'y', namespace: 'other' }],
      ]
      for (const [lacking, shown] of cases) {
        await put(key, Buffer.from(JSON.stringify({ ...object, ...lacking })))
        const item = await server.call('GET', `${collection}/x`)
        expect([lacking, item.status, item.json().metadata]).toEqual([lacking, 200, expect.objectContaining(shown)])
        await checkAnswers(collection, JSON.stringify(lacking))
        await erase(key)
      }
    })

    it('mutilated', async () => {
      const random = randomNumbers(16)
      for (let i = 0; i < casesOfKind; i++) {
        const isText = good[0] === 0x7b
        const value =
          isText && i % 3 > 0
            ? Buffer.from(JSON.stringify(mutilated(JSON.parse(good.toString()), random)))
            : strangeBytes(good, random)
        await put(key, value)
        await checkAnswers(collection, `case ${i}: ${value.toString('latin1')}`)
        await erase(key)
      }
    })
  })
})
