// Writes to one object, as requests make them: who is entered in managedFields, when, and what is refused.
import { describe, expect, it, test } from 'vitest'
import { emptyList, emptyMap, equalJson, equalSemantic, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { ManagedFieldsEntry } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { type Applied, type ApplyBy, applyConfig } from './apply-config.ts'
import { excludingFields } from './field-filter.ts'
import { type Equality, keepTimes } from './keep-times.ts'
import { managedFieldsProblem, metadataOf } from './managed-fields.ts'
import { recordUpdate } from './record-update.ts'
import { fromScaleFields, toScaleFields } from './scale-fields.ts'
import {
  anything,
  configMap,
  deployment,
  integer,
  keyed,
  list,
  object,
  objectMeta,
  pod,
  scale,
  set,
  text,
  withDefault,
} from './testing/test-schemas.ts'
import type { VersionedType } from './versioned-type.ts'

const typeOf = (schema: Schema, apiVersion: string, reset: string[] = []): VersionedType => ({
  schema: (version) => (version === apiVersion ? schema : undefined),
  convert: (value) => value,
  filter: () => (reset.length === 0 ? undefined : excludingFields(reset)),
})

/** An object and what happens to it; the clock ticks a second with each write. */
class Story {
  live: JsonObject | undefined
  readonly #type: VersionedType
  readonly #head: { readonly apiVersion: string; readonly kind: string }
  #second = 0

  constructor(schema: Schema, head: { apiVersion: string; kind: string }, reset: string[] = []) {
    this.#type = typeOf(schema, head.apiVersion, reset)
    this.#head = head
  }

  /** Changes the live object: a function of it, or what is merged over its top level. */
  update(manager: string, change: JsonObject, more: { subresource?: string; type?: VersionedType } = {}): this {
    const metadata = { ...metadataOf(this.live ?? {}), name: 'x', ...(change['metadata'] as JsonObject | undefined) }
    const next = { ...this.#head, ...this.live, ...change, metadata }
    const by = { manager, apiVersion: this.#head.apiVersion, time: this.#tick(), subresource: more.subresource ?? '' }
    return this.#store(recordUpdate(more.type ?? this.#type, this.live, next, by))
  }

  apply(manager: string, config: JsonObject, more: Partial<ApplyBy> & { type?: VersionedType } = {}): this {
    return this.#store(this.tryApply(manager, config, more).object)
  }

  tryApply(manager: string, config: JsonObject, more: Partial<ApplyBy> & { type?: VersionedType } = {}): Applied {
    const { type = this.#type, ...options } = more
    const body = {
      ...this.#head,
      ...config,
      metadata: { name: 'x', ...(config['metadata'] as JsonObject | undefined) },
    }
    const by: ApplyBy = {
      ...this.#head,
      manager,
      time: this.#tick(),
      force: false,
      unknownFields: 'refuse',
      ...options,
    }
    return runToEnd(applyConfig(type, this.live, body, by))
  }

  refused(manager: string, config: JsonObject, more: Partial<ApplyBy> = {}): ApiError {
    try {
      this.tryApply(manager, config, more)
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
    throw new Error('was not refused')
  }

  get entries(): ManagedFieldsEntry[] {
    return (metadataOf(this.live ?? {})['managedFields'] ?? []) as ManagedFieldsEntry[]
  }

  /** `one Apply {"f:data":…}`, in order; `*` marks entries without a time. */
  get owners(): string[] {
    return this.entries.map(({ manager, operation, subresource, time, fieldsV1 }) =>
      [`${manager}${time ? '' : '*'}`, operation, ...(subresource ? [subresource] : []), JSON.stringify(fieldsV1)].join(
        ' ',
      ),
    )
  }

  get data(): JsonValue | undefined {
    return this.live?.['data']
  }

  #tick(): string {
    return `2026-01-01T00:00:${String(this.#second++).padStart(2, '0')}Z`
  }

  #store(next: JsonObject): this {
    const stored = this.live ? keepTimes(this.live, next, equalJson) : next
    this.live = { ...stored, metadata: { uid: 'u', ...metadataOf(stored) } }
    return this
  }
}

const configMaps = () => new Story(configMap, { apiVersion: 'v1', kind: 'ConfigMap' })

test('conflicts come before entries of managed fields that cannot be read', () => {
  const entry = object({ time: { kind: 'time' } }, {})
  const metadata = object({ name: text, uid: text, managedFields: list(entry) }, {})
  const schema = object({ kind: text, apiVersion: text, metadata, data: object({ k: text }, {}) }, {})
  const story = new Story(schema, { apiVersion: 'v1', kind: 'A' }).apply('one', { data: { k: '1' } })
  const config = (value: string): JsonObject => ({ metadata: { managedFields: [{ time: 'x' }] }, data: { k: value } })
  expect(story.refused('two', config('2')).message).toContain('conflict with "one"')
  expect(story.refused('two', config('1')).message).toContain('failed to convert new object')
})

test('what an object without declared fields holds is free-form, as the reference has it', () => {
  const empty = object({ kind: text, apiVersion: text, metadata: objectMeta, a: object({}, {}) }, {})
  const story = new Story(empty, { apiVersion: 'a/v1', kind: 'A' })
  expect(story.apply('one', { a: { b: { c: 1 }, d: [1] } }).owners).toEqual([
    'one Apply {"f:a":{"f:b":{".":{},"f:c":{}},"f:d":{}}}',
  ])
  expect(story.refused('one', { b: 1 }).message).toContain('.b: field not declared in schema')
})

describe('updates', () => {
  it('a create owns what it says, with the containers, and nothing that the server keeps', () => {
    const story = configMaps().update('creator', { metadata: { labels: { x: '1' } }, data: { k: '1' } })
    expect(story.owners).toEqual([
      'creator Update {"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},"f:x":{}}}}',
    ])
  })

  it('a create of a built-in kind does not own the keys that every object has', () => {
    const story = new Story(pod, { apiVersion: 'v1', kind: 'Pod' }, ['status']).update('creator', {
      spec: { containers: [{ name: 'c', image: 'i', resources: {} }] },
      status: { phase: 'Pending' },
    })
    expect(story.owners).toEqual([
      'creator Update {"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:name":{},"f:resources":{}}}}}',
    ])
  })

  it('an object without a field of its own has no entry, and updates are not tracked until an apply', () => {
    const story = configMaps().update('creator', {})
    expect(story.owners).toEqual([])
    expect(story.update('two', { data: { k: '1' } }).owners).toEqual([])
    expect(story.apply('three', { data: { l: '1' } }).owners).toEqual([
      'three Apply {"f:data":{"f:l":{}}}',
      'before-first-apply Update {"f:data":{".":{},"f:k":{}}}',
    ])
  })

  it('moves ownership with changes, and times with them', () => {
    const story = configMaps().update('one', { data: { k: '1', l: '1' } })
    const [before] = story.entries
    story.update('two', { data: { k: '2', l: '1' } })
    expect(story.owners).toEqual(['one Update {"f:data":{".":{},"f:l":{}}}', 'two Update {"f:data":{"f:k":{}}}'])
    expect(story.entries[0]?.time).toBe(before?.time)
    const noop = story.live
    expect(story.update('three', {}).live).toEqual(noop)
    expect(story.update('two', { data: { l: '1' } }).owners).toEqual(['one Update {"f:data":{".":{},"f:l":{}}}'])
  })

  it('keeps a manager’s Update and Apply entries, and its subresources, apart', () => {
    const status = typeOf(deployment, 'apps/v1', ['spec', 'metadata.labels'])
    const story = new Story(deployment, { apiVersion: 'apps/v1', kind: 'Deployment' }, ['status'])
      .apply('same', { spec: { replicas: 1 } })
      .update('same', { spec: { replicas: 1, paused: true } })
      .update('same', { spec: { replicas: 9 }, status: { replicas: 1 } }, { subresource: 'status', type: status })
      .apply('same', { status: { readyReplicas: 1 } }, { subresource: 'status', type: status })
    expect(story.owners).toEqual([
      'same Apply {"f:spec":{"f:replicas":{}}}',
      'same Apply status {"f:status":{"f:readyReplicas":{}}}',
      'same Update {"f:spec":{"f:paused":{}}}',
      'same Update status {"f:status":{"f:replicas":{}}}',
    ])
  })

  it('unites the oldest updaters beyond ten', () => {
    let story = configMaps()
    for (let i = 0; i < 12; i++) {
      const data = { ...(story.data as JsonObject | undefined), [`k${i}`]: '1' }
      story = story.update(`m${i}`, { data })
    }
    expect(story.owners).toHaveLength(10)
    expect(story.owners[0]).toBe('ancient-changes Update {"f:data":{".":{},"f:k0":{},"f:k1":{},"f:k2":{}}}')
    expect(story.entries[0]?.time).toBe('2026-01-01T00:00:02Z')
  })

  it('forgets the owners of an object whose elements cannot be told apart', () => {
    const schema = object({
      metadata: objectMeta,
      apiVersion: text,
      kind: text,
      list: keyed(['name'], object({ name: text })),
    })
    const story = new Story(schema, { apiVersion: 'x/v1', kind: 'X' }).update('one', { list: [{ name: 'a' }] })
    expect(story.owners).toHaveLength(1)
    expect(story.update('two', { list: [{}] }).owners).toEqual([])
  })
})

describe('managedFields in a request', () => {
  const story = () =>
    configMaps()
      .apply('one', { data: { k: '1' } })
      .update('two', { data: { k: '1', l: '1' } })
  const both = story().owners
  const entry = {
    manager: 'hand',
    operation: 'Apply',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:k': {} } },
  }

  it.each([[undefined], [null], [[]]])('%j changes nothing', (managedFields) => {
    expect(story().update('three', { metadata: { managedFields } as JsonObject }).owners).toEqual(both)
  })

  it('one empty entry strips all', () => {
    expect(story().update('three', { metadata: { managedFields: [{}] } }).owners).toEqual([])
  })

  it('a reset comes first, and the sender owns what else it changes', () => {
    const reset = story().update('three', { metadata: { managedFields: [{}] }, data: { k: '1', l: '2' } })
    expect(reset.owners).toEqual(['three Update {"f:data":{"f:l":{}}}'])
  })

  it('entries that make sense replace what was there', () => {
    expect(story().update('three', { metadata: { managedFields: [entry] } }).owners).toEqual([
      'hand* Apply {"f:data":{"f:k":{}}}',
    ])
  })

  it.each<[string, JsonObject]>([
    ['operation must be `Apply` or `Update`', { operation: 'Bogus' }],
    ['apiVersion must not be empty', { apiVersion: '' }],
    ['missing fieldsType in managed fields entry 0', { fieldsType: '' }],
    ['invalid fieldsType "FieldsV2" in managed fields entry 0', { fieldsType: 'FieldsV2' }],
    ['error decoding set: missing colon: data', { fieldsV1: { data: {} } }],
    ['error decoding set: ReadMapCB: expect { or n, but found "', { fieldsV1: 'text' }],
  ])('%s: the entries of the live object stay', (problem, change) => {
    const managedFields = [{ ...entry, ...change }]
    expect(runToEnd(managedFieldsProblem(managedFields))).toBe(problem)
    expect(story().update('three', { metadata: { managedFields } }).owners).toEqual(both)
  })

  it('an entry of a version that does not exist is forgotten', () => {
    const managedFields = [{ ...entry, apiVersion: 'nope/v9' }]
    expect(story().update('three', { metadata: { managedFields } }).owners).toEqual([])
  })

  it('is not looked at on a subresource', () => {
    const update = story().update('three', { metadata: { managedFields: [{}] } }, { subresource: 'status' })
    expect(update.owners).toEqual(both)
  })
})

describe('applies', () => {
  it('a create by apply owns leaves only', () => {
    const story = configMaps().apply('one', { data: { k: '1' }, metadata: { labels: { x: '1' } } })
    expect(story.owners).toEqual(['one Apply {"f:data":{"f:k":{}},"f:metadata":{"f:labels":{"f:x":{}}}}'])
  })

  it('the same again changes nothing, also not the time', () => {
    const story = configMaps().apply('one', { data: { k: '1' } })
    const before = story.live
    expect(story.apply('one', { data: { k: '1' } }).live).toEqual(before)
    expect(story.apply('one', { data: { k: '1' } }, { force: true }).live).toEqual(before)
  })

  it('values that are there already give an entry without a time, which comes first', () => {
    const story = configMaps()
      .apply('one', { data: { k: '1' } })
      .apply('two', { data: { k: '1' } })
    expect(story.owners).toEqual(['two* Apply {"f:data":{"f:k":{}}}', 'one Apply {"f:data":{"f:k":{}}}'])
  })

  it('conflicts are reported with every owner and field', () => {
    const story = configMaps()
      .apply('one', { data: { k: '1', l: '1' }, metadata: { labels: { x: '1' } } })
      .update('two', { data: { k: '1', l: '1', m: '1' } })
    expect(story.refused('three', { data: { m: '2' } }).toStatus()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Apply failed with 1 conflict: conflict with "two" using v1: .data.m',
      reason: 'Conflict',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "two" using v1', field: '.data.m' }],
      },
      code: 409,
    })
    const several = story.refused('three', { data: { k: '2', l: '2', m: '2' }, metadata: { labels: { x: '2' } } })
    expect(several.message).toBe(
      'Apply failed with 4 conflicts: conflicts with "one":\n- .data.k\n- .data.l\n- .metadata.labels.x\nconflicts with "two" using v1:\n- .data.m',
    )
    expect(several.status.details?.causes).toHaveLength(4)
  })

  it('force takes fields from everybody', () => {
    const story = configMaps()
      .apply('one', { data: { k: '1', l: '1' } })
      .apply('two', { data: { k: '2' } }, { force: true })
    expect(story.data).toEqual({ k: '2', l: '1' })
    expect(story.owners).toEqual(['one Apply {"f:data":{"f:l":{}}}', 'two Apply {"f:data":{"f:k":{}}}'])
  })

  it('conflicts with a subresource name it', () => {
    const status = typeOf(deployment, 'apps/v1', ['spec'])
    const story = new Story(deployment, { apiVersion: 'apps/v1', kind: 'Deployment' })
      .apply('one', { spec: { replicas: 1 } })
      .update('two', { status: { replicas: 1 } }, { subresource: 'status', type: status })
    expect(story.refused('three', { status: { replicas: 2 } }).message).toBe(
      'Apply failed with 1 conflict: conflict with "two" with subresource "status" using apps/v1: .status.replicas',
    )
  })

  const custom = object({
    apiVersion: text,
    kind: text,
    metadata: objectMeta,
    spec: object({
      set: set(),
      size: integer,
      owned: { kind: 'any', name: 'meta.v1.FieldsV1' },
      keyed: keyed(['name', 'port'], object({ name: text, port: withDefault(integer, 80) })),
    }),
  })
  const typed = 'failed to create typed patch object (/x; example.com/v1, Kind=Widget): '
  it.each<[string, JsonObject]>([
    [`${typed}.spec: expected map, got &{text}`, { spec: 'text' }],
    [`${typed}.spec.owned: expected map, got &{-1}`, { spec: { owned: -1 } }],
    [`${typed}.spec.owned: expected map, got &{[x]}`, { spec: { owned: ['x'] } }],
    [`${typed}.spec.set: expected list, got &{map[a:1 b:[x]]}`, { spec: { set: { b: ['x'], a: 1 } } }],
    [`${typed}.spec.set: duplicate entries for key [="a"]`, { spec: { set: ['a', 'a'] } }],
    [
      `${typed}.spec.set: element 0: associative list without keys has an element that's a map type`,
      { spec: { set: [{}] } },
    ],
    [
      `${typed}.metadata.labels.x: expected string, got &value.valueUnstructured{Value:1234567}`,
      { metadata: { labels: { x: 1_234_567 } } },
    ],
    [
      `${typed}.metadata.labels.x: expected string, got &value.valueUnstructured{Value:-9223372036854775808}`,
      { metadata: { labels: { x: -(2n ** 63n) } } },
    ],
    [
      `${typed}.metadata.labels.x: expected string, got &value.valueUnstructured{Value:9.223372036854776e+18}`,
      { metadata: { labels: { x: 2n ** 63n } } },
    ],
    [`${typed}.spec.owned: expected map, got &{100%!s(MISSING)ure}`, { spec: { owned: '100% sure' } }],
    [`${typed}.spec.set[=7]: expected string, got &value.valueUnstructured{Value:7}`, { spec: { set: [7] } }],
    [`${typed}.spec.size: expected numeric (int or float), got string`, { spec: { size: 'big' } }],
    [
      `${typed}.metadata.labels.x: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"y":[]interface {}{true, "z"}}}`,
      { metadata: { labels: { x: { y: [true, 'z'] } } } },
    ],
    [
      `${typed}.spec.keyed: duplicate entries for key [name="a",port=80]`,
      { spec: { keyed: [{ name: 'a' }, { name: 'a', port: 80 }] } },
    ],
    [
      `${typed}.spec.keyed: element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`,
      { spec: { keyed: [{}] } },
    ],
    [
      `${typed}.spec.keyed: element 0: associative list with keys may not have a null element`,
      { spec: { keyed: [null] } },
    ],
    [
      `${typed}.spec.keyed: element 0: associative list with keys may not have non-map elements`,
      { spec: { keyed: ['a'] } },
    ],
    [
      `${typed}errors:\n  .spec.set: duplicate entries for key [="a"]\n  .spec.size: expected numeric (int or float), got bool`,
      { spec: { set: ['a', 'a'], size: true } },
    ],
  ])('500: %s', (message, config) => {
    const error = new Story(custom, { apiVersion: 'example.com/v1', kind: 'Widget' }).refused('one', config)
    expect(error.message).toBe(message)
    expect(error.status).toEqual({ code: 500, message })
  })

  it.each<[string, JsonObject]>([
    ['invalid object type: /v1, Kind=Secret', { kind: 'Secret' }],
    ['invalid object type: apps/v1, Kind=ConfigMap', { apiVersion: 'apps/v1' }],
    ['invalid object type: /, Kind=ConfigMap', { apiVersion: undefined as never }],
    ['invalid object type: /, Kind=', { apiVersion: 'a/b/c' }],
    ['metadata.managedFields must be nil', { metadata: { managedFields: [] } }],
  ])('400: %s', (message, config) => {
    expect(configMaps().refused('one', config).status).toEqual({ code: 400, reason: 'BadRequest', message })
  })

  it('unknown fields are refused with all their names, or left out and told', () => {
    const config = { metadata: { nope: 1 }, data: { k: 'v' }, bogus: 'x' }
    const refused = configMaps().refused('one', config)
    expect(refused.code).toBe(400)
    expect(refused.message).toBe(
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): errors:\n  .metadata.nope: field not declared in schema\n  .bogus: field not declared in schema',
    )
    const story = configMaps()
    const { object: applied, unknownFields } = story.tryApply('one', config, { unknownFields: 'drop' })
    expect(unknownFields).toEqual(['.metadata.nope', '.bogus'])
    expect(applied).toMatchObject({ metadata: { name: 'x' }, data: { k: 'v' } })
    expect(JSON.stringify(applied)).not.toMatch(/nope|bogus/)
  })

  it.each([[null], [[null]], [[{ manager: 'm' }, null]]])('managedFields of %j are none', (managedFields) => {
    expect(configMaps().apply('one', { metadata: { managedFields }, data: { k: '1' } }).owners).toHaveLength(1)
  })

  it('a key named __proto__ is a key', () => {
    const data = JSON.parse('{"__proto__":"1","constructor":"2"}') as JsonObject
    const story = configMaps().apply('one', { data })
    expect(JSON.stringify(story.data)).toBe('{"__proto__":"1","constructor":"2"}')
    expect(story.owners).toEqual(['one Apply {"f:data":{"f:__proto__":{},"f:constructor":{}}}'])
    expect(story.apply('one', { data: { a: '1' } }).data).toEqual({ a: '1' })
  })
})

describe('from client-side apply and back', () => {
  const key = 'kubectl.kubernetes.io/last-applied-configuration'
  const lastApplied = (data: JsonObject) =>
    `${JSON.stringify({ apiVersion: 'v1', data, kind: 'ConfigMap', metadata: { name: 'x' } })}\n`
  const story = (data: JsonObject, annotation = lastApplied(data)) =>
    configMaps().update('kubectl-client-side-apply', { metadata: { annotations: { [key]: annotation } }, data })
  const annotationOf = ({ live }: Story) => (metadataOf(live ?? {})['annotations'] as JsonObject)[key]

  it('kubectl may change what the annotation says it applied, and the annotation follows', () => {
    const migrated = story({ k: '1', l: '1' })
    expect(migrated.refused('other', { data: { k: '2' } }).code).toBe(409)
    migrated.apply('kubectl', { data: { l: '<1>', k: '2' } })
    expect(migrated.data).toEqual({ k: '2', l: '<1>' })
    expect(annotationOf(migrated)).toBe(
      '{"apiVersion":"v1","data":{"k":"2","l":"\\u003c1\\u003e"},"kind":"ConfigMap","metadata":{"name":"x"}}\n',
    )
    expect(migrated.owners[0]).toBe('kubectl Apply {"f:data":{"f:k":{},"f:l":{}}}')
  })

  it('not what somebody else changed since', () => {
    const edited = story({ k: '1', l: '1' }).update('editor', { data: { k: 'edited', l: '1' } })
    const refused = edited.refused('kubectl', { data: { k: '2', l: '2' } })
    expect(refused.message).toBe('Apply failed with 1 conflict: conflict with "editor" using v1: .data.k')
  })

  it.each([
    ['not json'],
    [''],
    ['{"apiVersion":"v2","kind":"ConfigMap","data":{"k":"1"}}'],
    ['{"apiVersion":"v1","bogus":1}'],
  ])('an annotation %j says nothing', (annotation) => {
    expect(story({ k: '1' }, annotation).refused('kubectl', { data: { k: '2' } }).code).toBe(409)
  })

  it('makes no annotation, and drops one that grows too large', () => {
    const plain = configMaps()
      .update('x', { data: { k: '1' } })
      .apply('kubectl', { data: { l: '1' } })
    expect(metadataOf(plain.live ?? {})['annotations']).toBeUndefined()
    const large = story({ k: '1' }).apply('kubectl', { data: { big: 'x'.repeat(300_000) } })
    expect(metadataOf(large.live ?? {})['annotations']).toEqual({})
  })
})

describe('scale', () => {
  const paths = new Map([['apps/v1', 'spec.replicas']])
  const type = typeOf(scale, 'autoscaling/v1')
  const by = { apiVersion: 'autoscaling/v1', kind: 'Scale', subresource: 'scale', time: '2026-02-01T00:00:00Z' }
  const deployed = () =>
    new Story(deployment, { apiVersion: 'apps/v1', kind: 'Deployment' }).apply('one', {
      spec: { replicas: 1, paused: true },
    })
  const scaleOf = (story: Story): JsonObject => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'x', uid: 'u', managedFields: toScaleFields(story.entries, paths) as never },
    spec: { replicas: 1 },
    status: { replicas: 0 },
  })
  const merged = (story: Story, scaled: JsonObject) =>
    fromScaleFields(story.entries, metadataOf(scaled)['managedFields'], { apiVersion: 'apps/v1', paths })?.map(
      ({ manager, operation, subresource, time, fieldsV1 }) =>
        `${manager}${time ? '' : '*'} ${operation} ${subresource ?? '-'} ${JSON.stringify(fieldsV1)}`,
    )

  it('shows the owners of the replicas', () => {
    expect(toScaleFields(deployed().entries, paths)).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'autoscaling/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ])
  })

  it('an update through it takes the replicas', () => {
    const story = deployed()
    const live = scaleOf(story)
    const scaled = recordUpdate(type, live, { ...live, spec: { replicas: 3 } }, { ...by, manager: 'scaler' })
    expect(merged(story, scaled)).toEqual([
      'one Apply - {"f:spec":{"f:paused":{}}}',
      'scaler* Update scale {"f:spec":{"f:replicas":{}}}',
    ])
  })

  it('an apply through it conflicts like any other', () => {
    const story = deployed()
    const config = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'x' }, spec: { replicas: 3 } }
    const options = { ...by, manager: 'applier', unknownFields: 'refuse' } as const
    expect(() => runToEnd(applyConfig(type, scaleOf(story), config, { ...options, force: false }))).toThrow(
      'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    )
    const { object: scaled } = runToEnd(applyConfig(type, scaleOf(story), config, { ...options, force: true }))
    expect(merged(story, scaled)).toEqual([
      'applier* Apply scale {"f:spec":{"f:replicas":{}}}',
      'one Apply - {"f:spec":{"f:paused":{}}}',
    ])
  })

  it('gives updaters that still have the replicas an entry of their own', () => {
    const story = new Story(deployment, { apiVersion: 'apps/v1', kind: 'Deployment' }).update('one', {
      metadata: { uid: 'u' },
      spec: { replicas: 1, paused: true },
    })
    const live = scaleOf(story)
    expect(merged(story, recordUpdate(type, live, live, { ...by, manager: 'scaler' }))).toEqual([
      'one* Update - {"f:spec":{"f:replicas":{}}}',
      'one Update - {"f:spec":{"f:paused":{}}}',
    ])
  })

  it('a write that changes nothing leaves the owners alone', () => {
    const story = deployed()
    const live = scaleOf(story)
    expect(merged(story, recordUpdate(type, live, live, { ...by, manager: 'scaler' }))).toEqual([
      'one Apply - {"f:spec":{"f:paused":{},"f:replicas":{}}}',
    ])
  })

  it('forgets owners of versions that it does not know', () => {
    const entries = [{ ...deployed().entries[0], apiVersion: 'apps/v0' }]
    expect(toScaleFields(entries as never, paths)).toBeUndefined()
  })
})

test('times alone are no change', () => {
  const story = configMaps().apply('one', { data: { k: '1' } })
  const live = story.live ?? {}
  const later = story.entries.map((entry) => ({ ...entry, time: '2030-01-01T00:00:00Z' }))
  const next = { ...live, metadata: { ...metadataOf(live), managedFields: later } }
  expect(keepTimes(live, next, equalJson)).toEqual(live)
  expect(keepTimes(live, { ...next, data: { k: '2' } }, equalJson)).toEqual({ ...next, data: { k: '2' } })
  expect(keepTimes(live, { ...next, metadata: metadataOf({}) }, equalJson)).toEqual({ ...next, metadata: {} })
})

test('times, and explicit empties of a built-in type, are no change', () => {
  const story = configMaps().apply('one', { data: { k: '1' } })
  const live = story.live ?? {}
  const later = story.entries.map((entry) => ({ ...entry, time: '2030-01-01T00:00:00Z' }))
  const next = (more: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    ...live,
    ...more,
    metadata: { ...metadataOf(live), managedFields: later, ...metadata },
  })
  const isNoOp = (object: JsonObject, equal: Equality) =>
    metadataOf(keepTimes(live, object, equal))['managedFields'] !== later
  const empties = [
    next({ binaryData: emptyMap }),
    next({}, { labels: emptyMap, finalizers: emptyList }),
    next({ rules: [] }),
  ]
  expect(empties.map((object) => isNoOp(object, equalSemantic))).toEqual([true, true, true])
  expect(empties.map((object) => isNoOp(object, equalJson))).toEqual([false, false, false])
  const others = [next({ binaryData: {} }), next({ data: emptyMap }), next({}, { labels: { a: 'b' } })]
  expect(others.map((object) => isNoOp(object, equalSemantic))).toEqual([false, false, false])
})

describe('times that are kept', () => {
  const entry = (time: string | undefined, more: JsonObject = {}): JsonObject => ({
    manager: 'm',
    ...(time ? { time } : {}),
    ...more,
  })
  const object_ = (managedFields: JsonValue | undefined, more: JsonObject = {}): JsonObject => ({
    data: { k: '1' },
    ...more,
    metadata: { name: 'x', ...(managedFields === undefined ? {} : { managedFields }) },
  })
  const [early, late] = ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z']

  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['where nothing else differs', object_([entry(early)]), object_([entry(late)]), true],
    ['where one of several differs', object_([entry(early), entry(early)]), object_([entry(early), entry(late)]), true],
    ['where one had none', object_([entry(undefined)]), object_([entry(late)]), true],
    ['not where the same time is there', object_([entry(early)]), object_([entry(early)]), false],
    [
      'not where another member of an entry differs',
      object_([entry(early)]),
      object_([entry(late, { manager: 'n' })]),
      false,
    ],
    [
      'not where an entry has a member more',
      object_([entry(early)]),
      object_([entry(late, { subresource: 's' })]),
      false,
    ],
    [
      'not where an entry has a member less',
      object_([entry(early, { subresource: 's' })]),
      object_([entry(late)]),
      false,
    ],
    ['not where there are more entries', object_([entry(early)]), object_([entry(late), entry(late)]), false],
    ['not where there are fewer', object_([entry(early), entry(early)]), object_([entry(late)]), false],
    ['not where there were none', object_(undefined), object_([entry(late)]), false],
    ['not where there are none', object_([entry(early)]), object_(undefined), false],
    ['not where an entry is no object', object_(['x']), object_([entry(late)]), false],
    ['not where a member differs', object_([entry(early)]), object_([entry(late)], { data: { k: '2' } }), false],
    ['not where there is a member more', object_([entry(early)]), object_([entry(late)], { more: 1 }), false],
    ['not where there is a member less', object_([entry(early)], { more: 1 }), object_([entry(late)]), false],
  ])('%s', (_, live, next, isKept) => {
    const found = keepTimes(live, next, equalJson)
    expect(found === next).toBe(!isKept)
    if (isKept) expect(found).toEqual({ ...next, metadata: metadataOf(live) })
  })

  it('not where other metadata differ', () => {
    const next = object_([entry(late)])
    const named = { ...next, metadata: { ...metadataOf(next), name: 'y' } }
    expect(keepTimes(object_([entry(early)]), named, equalJson)).toBe(named)
  })
})

describe('conflicts', () => {
  it('are listed by manager, each with all of its fields, whichever took them first', () => {
    const story = configMaps()
      .update('zoe', { data: { a: '1', b: '1' } })
      .update('adam', { data: { a: '1', b: '1', c: '1', d: '1' } })
    const refused = story.refused('eve', { data: { a: '2', b: '2', c: '2', d: '2' } })
    expect(refused.message).toBe(
      'Apply failed with 4 conflicts: conflicts with "adam" using v1:\n- .data.c\n- .data.d\nconflicts with "zoe" using v1:\n- .data.a\n- .data.b',
    )
    expect(refused.status.details?.causes?.map(({ field }) => field)).toEqual([
      '.data.c',
      '.data.d',
      '.data.a',
      '.data.b',
    ])
  })
})

describe('the annotation of client-side apply', () => {
  const key = 'kubectl.kubernetes.io/last-applied-configuration'
  const loose = object({ apiVersion: text, kind: text, metadata: objectMeta, any: anything })

  it('is written in one form, whatever the configuration holds', () => {
    const story = new Story(loose, { apiVersion: 'v1', kind: 'X' }).update('x', {
      metadata: { annotations: { [key]: '{}', other: 'kept' } },
    })
    const any = { z: null, a: [1, 2n ** 60n, 1.5, true, null, { d: 'x', c: '<&>' }], b: 'line\u2028' }
    story.apply('kubectl', { any, metadata: { annotations: { [key]: 'old', more: '1' } } }, { force: true })
    const annotations = metadataOf(story.live ?? {})['annotations'] as JsonObject
    expect(annotations[key]).toBe(
      '{"any":{"a":[1,1152921504606846976,1.5,true,null,{"c":"\\u003c\\u0026\\u003e","d":"x"}],"b":"line\\u2028","z":null},"apiVersion":"v1","kind":"X","metadata":{"annotations":{"more":"1"},"name":"x"}}\n',
    )
    expect([annotations['other'], annotations['more']]).toEqual(['kept', '1'])
  })

  it.each([['{}'], ['[]'], ['7'], ['null'], ['{"apiVersion":"v1","kind":"X","metadata":{"name":7}}']])(
    '%s says nothing',
    (annotation) => {
      const story = configMaps().update('other', { metadata: { annotations: { [key]: annotation } }, data: { k: '1' } })
      expect(story.refused('kubectl', { data: { k: '2' } }).code).toBe(409)
    },
  )
})
