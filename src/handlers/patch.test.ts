import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Exchange } from '../api/exchange.ts'
import type { GroupVersionResource } from '../api/group-version.ts'
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { ApiError } from '../api/status-error.ts'
import { Reflector } from '../cache/reflector.ts'
import { entryKey } from '../cache/snapshot.ts'
import { mediaTypes, plainRestrictions } from '../codec/negotiation.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createAs } from '../registry/own-writes.ts'
import { Registries } from '../registry/registries.ts'
import { type UpdateChange, update } from '../registry/update.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import type { AnswerSettings } from './answer.ts'
import { readPatch } from './patch.ts'

interface Patch {
  readonly type: string
  readonly body: JsonValue
  /** Instead of the body. */
  readonly bodyText?: string
  readonly query?: string
}

interface PatchOutcome {
  /** The text of the object, or what was wrong. */
  readonly text: string
  readonly warnings: readonly string[]
}

interface PatcherOptions {
  readonly resources: ReadonlySet<string>
  /** Patches get a copy of the present object, so that nothing of what they make is shared with it. */
  readonly apart: boolean
}

/** A server without a wire: bodies go in as they come from clients, objects come out as they are stored. */
class Patcher {
  readonly #registries: Registries
  readonly #reflector: Reflector
  readonly #apart: boolean
  readonly #time: { now: number }

  private constructor(registries: Registries, reflector: Reflector, apart: boolean, time: { now: number }) {
    this.#registries = registries
    this.#reflector = reflector
    this.#apart = apart
    this.#time = time
  }

  static async start({ resources, apart }: PatcherOptions): Promise<Patcher> {
    const time = { now: Date.parse('2024-05-06T07:08:09Z') }
    let uids = 0
    const uuid = (): string => `00000000-0000-4000-8000-${String(++uids).padStart(12, '0')}`
    const clock: Clock = { ...systemClock, now: () => time.now, uuid }
    const store = openMemoryStore({ clock })
    const reflector = new Reflector({ store, clock, prefix: '/registry/', onLost: () => {} })
    await reflector.start()
    const gate = (): boolean => false
    const registries = new Registries({
      backend: () => ({ store, reflector }),
      clock,
      prefix: '/registry',
      codec: () => ({ layout: 'json' }),
      admission: { mutate: () => undefined, validate: () => {} },
      gate,
    } as ConstructorParameters<typeof Registries>[0])
    const definitions = builtInDefinitions({
      services: { clock, gate, allowPrivileged: false },
      isServed: ({ resource, version }: GroupVersionResource) => resources.has(resource) && /^v\d+$/.test(version),
      defaulting: { enabled: gate, now: () => '2024-05-06T07:08:09Z' },
      eventTtlSeconds: 3600,
    } as unknown as Parameters<typeof builtInDefinitions>[0])
    for (const definition of definitions) registries.add(definition)
    return new Patcher(registries, reflector, apart, time)
  }

  close(): void {
    this.#reflector.close()
  }

  async create(group: string, resource: string, object: KubeObject): Promise<KubeObject> {
    const actor = { user: { name: 'u', groups: [], extra: new Map() }, fieldManager: 'maker' }
    return (await createAs(actor, this.#registries.need(group, resource), object)).object()
  }

  /** The present object as everybody shares it. */
  current(group: string, resource: string, namespace: string, name: string): KubeObject {
    const entry = this.#registries.need(group, resource).storage.loaded?.get(entryKey(namespace, name))
    if (entry === undefined) throw new Error(`there is no ${name}`)
    return entry.object()
  }

  /** `path`: of the object or of a part of it. */
  async patch(path: string, { type, body, bodyText = JSON.stringify(body), query = '' }: Patch): Promise<PatchOutcome> {
    this.#time.now += 700
    const warnings: string[] = []
    const exchange = {
      headers: { 'content-type': type, 'user-agent': 'patcher/1' },
      readBody: () => Promise.resolve(Buffer.from(bodyText)),
      addHeader: (_: string, value: string) => warnings.push(value),
    } as unknown as Exchange
    const info = requestInfo({ method: 'PATCH', path, query })
    const context = new RequestContext(exchange, info, { name: 'u', groups: [], extra: new Map() })
    const served = this.#registries.find(info.group, info.version, info.resource)
    if (served === undefined) throw new Error(`${path} is not served`)
    const part = served.registry.definition.subresources.get(info.subresource)
    const strategy = part?.type === 'part' ? part.strategy : served.registry.definition.strategy
    try {
      const target = { ...served, restrictions: plainRestrictions }
      const { change, request } = await readPatch(context, settings, target, strategy)
      const apart: UpdateChange['apply'] = async (object, hub, isLarge) =>
        cloneJson(await change.apply(cloneJson(object), hub, isLarge))
      const apply = this.#apart ? apart : change.apply
      const { written } = await update(served.registry, { ...change, apply }, request)
      return { text: written.jsonLine().toString().trimEnd(), warnings }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { text: JSON.stringify(error.toStatus()), warnings }
    }
  }
}

const settings: AnswerSettings = {
  mediaTypes,
  compression: false,
  authorizeCreate: () => {},
  authorizeUnsafeDelete: async () => {},
  now: () => 0,
  deleteCollectionWorkers: 1,
}

const template = {
  metadata: { labels: { app: 'a' } },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'registry.example.com/app:1',
        args: ['--port=8080'],
        env: [{ name: 'A', value: '1' }],
        ports: [{ containerPort: 8080, name: 'http' }],
        resources: { requests: { cpu: '100m' }, limits: { memory: '256Mi' } },
        readinessProbe: { httpGet: { path: '/', port: 8080 } },
      },
    ],
    tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
  },
}
const selector = { matchLabels: { app: 'a' } }

interface Kind {
  readonly apiVersion: string
  readonly kind: string
  readonly resource: string
  readonly body: JsonObject
  readonly status: JsonObject
}

const kinds: readonly Kind[] = [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    resource: 'pods',
    body: { spec: template.spec },
    status: { message: 'x', conditions: [{ type: 'Ready', status: 'True' }], qosClass: 'Burstable' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    resource: 'deployments',
    body: { spec: { replicas: 2, selector, template } },
    status: { replicas: 1, conditions: [{ type: 'Available', status: 'True', reason: 'r' }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    resource: 'statefulsets',
    body: {
      spec: {
        serviceName: 's',
        selector,
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'c' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    status: { replicas: 1 },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    resource: 'jobs',
    body: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    status: { active: 1 },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    resource: 'configmaps',
    body: { data: { a: 'b', c: 'd' } },
    status: {},
  },
  { apiVersion: 'v1', kind: 'Secret', resource: 'secrets', body: { data: { a: 'YQ==' } }, status: {} },
  {
    apiVersion: 'v1',
    kind: 'Node',
    resource: 'nodes',
    body: { spec: { podCIDR: '10.0.0.0/24', taints: [{ key: 'k', effect: 'NoExecute' }] } },
    status: { capacity: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
  },
  {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    resource: 'horizontalpodautoscalers',
    body: {
      spec: { scaleTargetRef: { kind: 'X', name: 'x' }, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
    },
    status: { currentReplicas: 1 },
  },
]

const metadata = {
  name: 'one',
  namespace: 'ns',
  labels: { app: 'a', tier: 'front' },
  annotations: { note: 'x' },
  finalizers: ['example.com/held'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] as string) : '')
const namespaceOf = ({ resource }: Kind): string => (resource === 'nodes' ? '' : 'ns')

function pathOf(kind: Kind, part: string): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`
  const namespace = namespaceOf(kind) === '' ? '' : '/namespaces/ns'
  return `${root}${namespace}/${kind.resource}/one${part === '' ? '' : `/${part}`}`
}

/** A step of one patch: where in the object, and what becomes of the value there. */
interface Step {
  readonly walk: readonly number[]
  readonly change: 'same' | 'other' | 'remove' | 'add'
  readonly form: 'merge' | 'strategic' | 'json' | 'apply'
  readonly part: '' | 'status'
  readonly manager: string
}

const steps = fc.array(
  fc.record<Step>({
    walk: fc.array(fc.nat(12), { minLength: 1, maxLength: 7 }),
    change: fc.constantFrom('same', 'same', 'other', 'other', 'remove', 'add'),
    form: fc.constantFrom('merge', 'strategic', 'json', 'apply'),
    part: fc.constantFrom('', '', 'status'),
    manager: fc.constantFrom('one', 'two'),
  }),
  { minLength: 2, maxLength: 8 },
)

type Keys = readonly (string | number)[]

/** Follows the numbers down into the object, as far as it goes. */
function find(object: JsonObject, walk: readonly number[]): { keys: Keys; value: JsonValue } {
  const keys: (string | number)[] = []
  let value: JsonValue = object
  for (const step of walk) {
    const choices: readonly (string | number)[] = Array.isArray(value)
      ? [...value.keys()]
      : isJsonObject(value)
        ? Object.keys(value).filter((key) => key !== 'managedFields')
        : []
    if (choices.length === 0) break
    const key = choices[step % choices.length] as string | number
    keys.push(key)
    value = (value as Record<string | number, JsonValue>)[key] as JsonValue
  }
  return { keys, value }
}

function changed(value: JsonValue, change: Step['change']): JsonValue {
  if (change === 'same') return value
  if (change === 'add') {
    if (Array.isArray(value)) return [...value, value[0] ?? 'more']
    if (isJsonObject(value)) return { ...value, more: 'more' }
  }
  if (typeof value === 'string') return /^\d/.test(value) ? '2' : `${value}x`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return Array.isArray(value) ? value.slice(1) : {}
}

/** The value in an object that has nothing else; elements of lists come with their neighbours, or with their names. */
function nested(object: JsonObject, keys: Keys, value: JsonValue | null, byName: boolean): JsonValue {
  const build = (current: JsonValue, rest: Keys): JsonValue => {
    const [key, ...more] = rest
    if (key === undefined) return value
    const below = (current as Record<string | number, JsonValue>)[key] as JsonValue
    if (!Array.isArray(current)) return { [key]: build(below, more) }
    const item = build(below, more)
    if (!byName) return current.map((one, i) => (i === key ? item : one))
    const named = isJsonObject(below) && isJsonObject(item)
    return [named ? { ...names(below), ...item } : item]
  }
  return build(object, keys)
}

const names = (item: JsonObject): JsonObject =>
  Object.fromEntries(
    ['name', 'type', 'key', 'uid', 'containerPort', 'protocol']
      .filter((key) => key in item)
      .map((key) => [key, item[key]]),
  )

function patchOf(object: JsonObject, { walk, change, form, manager }: Step): Patch {
  const { keys, value } = find(object, walk)
  const after = change === 'remove' ? null : changed(value, change)
  if (form === 'json') {
    const path = keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    const body = change === 'remove' ? [{ op: 'remove', path }] : [{ op: 'replace', path, value: after }]
    return { type: 'application/json-patch+json', body }
  }
  const query = `fieldManager=${manager}`
  if (form === 'apply') {
    const { apiVersion = null, kind = null } = object
    const config = change === 'remove' ? {} : (nested(object, keys, after, true) as JsonObject)
    const force = walk.length % 2 === 0
    return {
      type: 'application/apply-patch+yaml',
      body: { ...config, apiVersion, kind },
      query: `${query}&force=${force}`,
    }
  }
  const body = nested(object, keys, after, form === 'strategic')
  return { type: `application/${form === 'merge' ? '' : 'strategic-'}merge-patch+json`, body, query }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const member of Object.values(value)) freeze(member)
}

const opened: Patcher[] = []
const start = async (kind: Kind, apart: boolean): Promise<Patcher> => {
  const patcher = await Patcher.start({ resources: new Set([kind.resource]), apart })
  opened.push(patcher)
  return patcher
}

afterEach(() => {
  for (const patcher of opened.splice(0)) patcher.close()
})

describe('what a patch shares with the object that it changes', () => {
  test.each(kinds.map((kind) => [kind.kind, kind] as const))('makes no difference: %s', async (_, kind) => {
    const namespace = namespaceOf(kind)
    const group = groupOf(kind.apiVersion)
    await fc.assert(
      fc.asyncProperty(steps, async (run) => {
        const { apiVersion } = kind
        const object = { apiVersion, kind: kind.kind, ...kind.body, metadata: { ...metadata } } as unknown as KubeObject
        if (namespace === '') delete object.metadata.namespace
        const shared = await start(kind, false)
        const both = [shared, await start(kind, true)]
        for (const server of both) {
          await server.create(group, kind.resource, object)
          await server.patch(pathOf(kind, 'status'), {
            type: 'application/merge-patch+json',
            body: { status: kind.status },
            query: 'fieldManager=status',
          })
        }
        for (const step of run) {
          const current = shared.current(group, kind.resource, namespace, 'one')
          freeze(current)
          const text = JSON.stringify(current)
          const patch = patchOf({ ...current, apiVersion }, step)
          const outcomes = []
          // Twice: what is known of an object makes no difference, either.
          for (let i = 0; i < 2; i++) {
            for (const server of both) outcomes.push(await server.patch(pathOf(kind, step.part), patch))
          }
          expect(outcomes[0]).toEqual(outcomes[1])
          expect(outcomes[2]).toEqual(outcomes[3])
          expect(JSON.stringify(current)).toBe(text)
        }
      }),
      { numRuns: 10 },
    )
  })

  test('is all of it when the patch changes nothing', async () => {
    const shared = await start(kinds[0] as Kind, false)
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'same' }, spec: template.spec }
    await shared.create('', 'pods', pod as unknown as KubeObject)
    const path = '/api/v1/namespaces/ns/pods/same'
    const current = () => shared.current('', 'pods', 'ns', 'same')
    const merge = (body: JsonValue): Patch => ({ type: 'application/merge-patch+json', body })
    const apply: Patch = {
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { tier: 'front' } } },
      query: 'fieldManager=applier',
    }
    await shared.patch(path, apply)
    const before = current()
    freeze(before)
    for (const patch of [merge({ metadata: { labels: { tier: 'front' } } }), apply, merge({}), apply]) {
      const { text } = await shared.patch(path, patch)
      expect(JSON.parse(text).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
      expect(current()).toBe(before)
    }
    await shared.patch(`${path}/status`, merge({ status: { message: 'other' } }))
    expect(current()['spec']).toBe(before['spec'])
    expect(current().metadata.labels).toBe(before.metadata.labels)
  })
})

describe('what a patch says', () => {
  const types = {
    json: 'application/json-patch+json',
    merge: 'application/merge-patch+json',
    strategic: 'application/strategic-merge-patch+json',
    apply: 'application/apply-patch+yaml',
  } as const
  const head = '"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"one"}'
  const spec = {
    scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
    minReplicas: 1,
    maxReplicas: 3,
  }

  /** The message of the answer from its end of the text that shows the object, or its code. */
  async function answerTo(type: keyof typeof types, bodyText: string): Promise<string> {
    const query = type === 'apply' ? 'fieldManager=m&force=true' : ''
    const server = await start(kinds.find(({ resource }) => resource === 'horizontalpodautoscalers') as Kind, false)
    await server.create('autoscaling', 'horizontalpodautoscalers', {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'one', namespace: 'ns', annotations: { a: '<b>' } },
      spec,
    } as unknown as KubeObject)
    const path = '/apis/autoscaling/v2/namespaces/ns/horizontalpodautoscalers/one'
    const { text } = await server.patch(path, { type: types[type], body: null, bodyText, query })
    const { code = 200, message = '' } = JSON.parse(text) as { code?: number; message?: string }
    return `${code} ${message.slice(message.lastIndexOf('}": ') + 1)}`
  }

  const notAnInteger = (text: string) =>
    `422 ": json: cannot unmarshal number ${text} into Go struct field HorizontalPodAutoscalerSpec.spec.maxReplicas of type int32`

  test.each<[keyof typeof types, string, string]>([
    ['merge', '{"spec":{"maxReplicas":4}}', '200 '],
    ['merge', '{"spec":{"maxReplicas":4.0}}', notAnInteger('4.0')],
    ['merge', '{"spec":{"maxReplicas":4e0}}', notAnInteger('4e0')],
    ['json', '[{"op":"replace","path":"/spec/maxReplicas","value":4.0}]', notAnInteger('4.0')],
    ['strategic', '{"spec":{"maxReplicas":4.0}}', '200 '],
    ['apply', `{${head},"spec":{"maxReplicas":3.0}}`, '200 '],
    ['apply', `{${head},"spec":{"maxReplicas":4294967299}}`, '200 '],
    ['json', '[{"op":"test","path":"/metadata/annotations/a","value":"\\u003cb\\u003e"}]', '200 '],
    [
      'json',
      '[{"op":"test","path":"/metadata/annotations/a","value":"<b>"}]',
      '422 the server rejected our request due to an error in our request',
    ],
    [
      'json',
      '[{"op":"add","path":"/metadata/annotations/a","value":"<b>"},{"op":"test","path":"/metadata/annotations/a","value":"<b>"}]',
      '200 ',
    ],
    [
      'merge',
      '{"kind":5}',
      `422 ": couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`,
    ],
    ['merge', '{"apiVersion":"a/b/c"}', '422 ": unexpected GroupVersion string: a/b/c'],
    [
      'merge',
      '{"apiVersion":null}',
      '400 the name of the object (one based on URL) was undeterminable: name must be provided',
    ],
    ['merge', '{"kind":null}', '200 '],
  ])('%s %s', async (type, body, expected) => expect(await answerTo(type, body)).toBe(expected))

  test('a value that an apply cannot put into the type is reported by the configuration that has it', async () => {
    const config = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'one', namespace: 'ns' },
    }
    const metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: 'many' } } },
    ]
    expect(await answerTo('apply', JSON.stringify({ ...config, spec: { metrics } }))).toBe(
      "500 failed to convert new object (ns/one; autoscaling/v2, Kind=HorizontalPodAutoscaler) to proper version: unable to convert unstructured object to autoscaling/v2, Kind=HorizontalPodAutoscaler: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    )
  })

  test('what a manager gives up in another version is looked at in that version', async () => {
    const kind = kinds.find(({ resource }) => resource === 'horizontalpodautoscalers') as Kind
    const server = await start(kind, false)
    const apply = (version: string, given: JsonObject): Promise<PatchOutcome> =>
      server.patch(`/apis/autoscaling/${version}/namespaces/ns/horizontalpodautoscalers/two`, {
        type: types.apply,
        body: {
          apiVersion: `autoscaling/${version}`,
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'two' },
          spec: given,
        },
        query: 'fieldManager=m&force=true',
      })
    await apply('v1', { ...spec, targetCPUUtilizationPercentage: 50 })
    // The target is one field in v1, and an object without it has an empty one in v2: it is not left out.
    const { text } = await apply('v2', { minReplicas: 1, maxReplicas: 3 })
    expect(JSON.parse(text).spec.scaleTargetRef).toEqual(spec.scaleTargetRef)
    const bare = await apply('v1', { maxReplicas: 5 })
    expect(JSON.parse(bare.text).spec.maxReplicas).toBe(5)
  })

  test('an apply that changes nothing does not go through a version that cannot say everything', async () => {
    const kind = kinds.find(({ resource }) => resource === 'horizontalpodautoscalers') as Kind
    const server = await start(kind, false)
    const metrics = ['cpu', 'memory'].map((name) => ({
      type: 'Resource',
      resource: { name, target: { type: 'Utilization', averageUtilization: 50 } },
    }))
    await server.create('autoscaling', kind.resource, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'one', namespace: 'ns' },
      spec: { ...spec, metrics },
    } as unknown as KubeObject)
    const labels: Patch = { type: types.merge, body: { metadata: { labels: { a: 'b' } } } }
    await server.patch('/apis/autoscaling/v2/namespaces/ns/horizontalpodautoscalers/one', labels)
    const before = server.current('autoscaling', kind.resource, 'ns', 'one')
    await server.patch('/apis/autoscaling/v1/namespaces/ns/horizontalpodautoscalers/one', {
      type: types.apply,
      body: { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'one' } },
      query: 'fieldManager=another',
    })
    expect(server.current('autoscaling', kind.resource, 'ns', 'one')).toBe(before)
  })

  test.each([
    [{ a: null }, 'map[string]string{}'],
    [null, 'map[string]string(nil)'],
  ])('labels that are taken away are empty, or none: %j', async (labels, printed) => {
    const server = await start(kinds.find(({ resource }) => resource === 'deployments') as Kind, false)
    const metadata = { name: 'one', namespace: 'ns' }
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    await server.create('apps', 'deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    } as unknown as KubeObject)
    const body = { spec: { template: { metadata: { labels } } } } as JsonObject
    const { text } = await server.patch('/apis/apps/v1/namespaces/ns/deployments/one', { type: types.merge, body })
    expect(text).toContain(`spec.template.metadata.labels: Invalid value: ${printed}: `)
  })
})
