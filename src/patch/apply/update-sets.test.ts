// Operations as data: a scenario is a list of applies, updates and schema changes, each with what it leaves behind.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { excludingFields, type FieldFilter } from './field-filter.ts'
import { FieldSet } from './field-set.ts'
import { formatPath } from './path-element.ts'
import {
  anything,
  atomicMap,
  integer,
  keyed,
  list,
  map,
  object,
  set,
  text,
  withDefault,
} from './testing/test-schemas.ts'
import { applySets, ConflictsError, updateSets } from './update-sets.ts'
import type { VersionedSet, VersionedType } from './versioned-type.ts'

interface Step {
  readonly apply?: JsonObject
  readonly force?: boolean
  readonly update?: JsonObject
  /** From here on the kind has these schemas. */
  readonly schemas?: Record<string, Schema>
  readonly by?: string
  readonly version?: string
  /** Afterwards: the object, what each manager owns, or the conflicts. */
  readonly object?: JsonObject
  readonly owners?: Record<string, string[]>
  readonly conflicts?: string[]
}

interface Scenario {
  readonly schema: Schema
  readonly schemas?: Record<string, Schema>
  readonly convert?: (object: JsonObject, version: string) => JsonObject
  readonly filters?: Record<string, FieldFilter>
  readonly steps: Step[]
}

function run({ schema, schemas = { v1: schema, v2: schema }, convert, filters, steps }: Scenario): void {
  let current = schemas
  const type: VersionedType = {
    schema: (version) => current[version],
    convert: (value, version) => ({ ...(convert?.(value, version) ?? value), apiVersion: version }),
    filter: (version) => filters?.[version],
  }
  let live: JsonObject = {}
  let managers = new Map<string, VersionedSet>()
  for (const [i, step] of steps.entries()) {
    const { by: manager = '', version: apiVersion = 'v1' } = step
    if (step.schemas) current = step.schemas
    const before = live['apiVersion'] === apiVersion ? live : type.convert(live, apiVersion)
    const keep = (others: Map<string, VersionedSet>, owned: FieldSet, applied: boolean): void => {
      managers = others
      const own = owned.difference(FieldSet.ofFields('apiVersion'))
      if (!own.isEmpty) managers.set(manager, { set: own, apiVersion, applied })
    }
    let conflicts: string[] | undefined
    try {
      if (step.update) {
        const next = { ...step.update, apiVersion }
        const { others, set: owned } = updateSets(type, { live: before, next, apiVersion, managers, manager })
        keep(others, owned, false)
        live = next
      }
      if (step.apply) {
        const { force = false } = step
        const config = { ...step.apply, apiVersion }
        const outcome = runToEnd(applySets(type, { live: before, config, apiVersion, managers, manager, force }))
        keep(outcome.others, outcome.set, true)
        live = outcome.object
      }
    } catch (error) {
      if (!(error instanceof ConflictsError)) throw error
      conflicts = error.conflicts.map(({ manager: owner, path }) => `${owner}: ${formatPath(path)}`)
    }
    expect(conflicts, `step ${i + 1}`).toEqual(step.conflicts)
    const { apiVersion: _, ...object } = live
    if (step.object) expect(object, `step ${i + 1}`).toEqual(step.object)
    if (step.owners) expect(ownersOf(managers), `step ${i + 1}`).toEqual(step.owners)
  }
}

/** What a manager owns, by name; its version is given where it is not v1. */
function ownersOf(managers: Map<string, VersionedSet>): Record<string, string[]> {
  return Object.fromEntries(
    [...managers].map(([name, { set: owned, apiVersion }]) => [
      apiVersion === 'v1' ? name : `${name} in ${apiVersion}`,
      [...owned.paths()].map(formatPath).sort(),
    ]),
  )
}

const leaves = object({ number: integer, string: text, other: text })
const sets = object({ list: set() })
const people = object({ list: keyed(['name'], object({ name: text, value: integer, tags: set(), deep: map(text) })) })
const ports = object({
  ports: keyed(['port', 'protocol'], object({ port: integer, protocol: withDefault(text, 'TCP'), name: text })),
})
const recursive = object({ map: map(anything) })
const renaming = (value: JsonObject, version: string): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key.replace(/_v\d$/, `_${version}`), member]))
const renamed = (version: string): Schema => object({ [`field_${version}`]: text, [`other_${version}`]: text })

describe('leaves', () => {
  const cases: Record<string, Step[]> = {
    'applying again changes the value': [
      { apply: { number: 1, string: 'a' }, by: 'one' },
      {
        apply: { number: 2, string: 'b' },
        by: 'one',
        object: { number: 2, string: 'b' },
        owners: { one: ['.number', '.string'] },
      },
    ],
    'what is left out is removed': [
      { apply: { number: 1, string: 'a', other: 'x' }, by: 'one' },
      { apply: { string: 'b' }, by: 'one', object: { string: 'b' }, owners: { one: ['.string'] } },
    ],
    'an update of other fields does not conflict': [
      { apply: { number: 1 }, by: 'one' },
      { update: { number: 1, string: 'x' }, by: 'two', owners: { one: ['.number'], two: ['.string'] } },
      { apply: { number: 2 }, by: 'one', object: { number: 2, string: 'x' } },
    ],
    'an update takes what it changes, and the next apply conflicts': [
      { apply: { number: 1, string: 'a' }, by: 'one' },
      { update: { number: 1, string: 'b' }, by: 'two', owners: { one: ['.number'], two: ['.string'] } },
      { apply: { number: 2, string: 'c' }, by: 'one', conflicts: ['two: .string'] },
      {
        apply: { number: 2, string: 'c' },
        force: true,
        by: 'one',
        object: { number: 2, string: 'c' },
        owners: { one: ['.number', '.string'] },
      },
    ],
    'an equal value is shared; whoever drops it keeps it for the other': [
      { apply: { string: 'a' }, by: 'one' },
      { apply: { string: 'a', number: 1 }, by: 'two', owners: { one: ['.string'], two: ['.number', '.string'] } },
      { apply: { string: 'b' }, by: 'one', conflicts: ['two: .string'] },
      { apply: {}, by: 'one', object: { string: 'a', number: 1 }, owners: { two: ['.number', '.string'] } },
      { apply: {}, by: 'two', object: {}, owners: {} },
    ],
    'a value that only updates own is never removed by an apply': [
      { update: { string: 'a' }, by: 'one' },
      { apply: { number: 1 }, by: 'two', object: { string: 'a', number: 1 } },
      { apply: {}, by: 'two', object: { string: 'a' }, owners: { one: ['.string'] } },
    ],
    'a field that an update removes is owned by noManagers': [
      { apply: { string: 'a', number: 1 }, by: 'one' },
      { update: { number: 1 }, by: 'two', object: { number: 1 }, owners: { one: ['.number'] } },
    ],
    'hand-over: a second manager takes the field before the first drops it': [
      { apply: { number: 3, string: 'a' }, by: 'one' },
      { apply: { number: 3 }, by: 'two' },
      {
        apply: { string: 'a' },
        by: 'one',
        object: { number: 3, string: 'a' },
        owners: { one: ['.string'], two: ['.number'] },
      },
      { apply: { number: 5 }, by: 'two', object: { number: 5, string: 'a' } },
    ],
  }
  it.each(Object.entries(cases))('%s', (_, steps) => run({ schema: leaves, steps }))
})

describe('sets', () => {
  const cases: Record<string, Step[]> = {
    'elements are owned one by one': [
      { apply: { list: ['a', 'b'] }, by: 'one', owners: { one: ['.list[="a"]', '.list[="b"]'] } },
      { apply: { list: ['c'] }, by: 'two', object: { list: ['a', 'b', 'c'] } },
      {
        apply: { list: ['b'] },
        by: 'one',
        object: { list: ['b', 'c'] },
        owners: { one: ['.list[="b"]'], two: ['.list[="c"]'] },
      },
    ],
    'new elements follow what stands before them': [
      { apply: { list: ['a', 'c'] }, by: 'one' },
      {
        update: { list: ['a', 'b', 'c', 'd'] },
        by: 'two',
        owners: { one: ['.list[="a"]', '.list[="c"]'], two: ['.list[="b"]', '.list[="d"]'] },
      },
      { apply: { list: ['a', 'x', 'c', 'y'] }, by: 'one', object: { list: ['a', 'b', 'x', 'c', 'd', 'y'] } },
    ],
    'the order of the configuration wins': [
      { apply: { list: ['a', 'b', 'c', 'd'] }, by: 'one' },
      { apply: { list: ['a', 'd', 'c', 'b'] }, by: 'one', object: { list: ['a', 'd', 'c', 'b'] } },
    ],
    'an update that only reorders takes nothing': [
      { apply: { list: ['a', 'b'] }, by: 'one' },
      { update: { list: ['b', 'a'] }, by: 'two', owners: { one: ['.list[="a"]', '.list[="b"]'] } },
    ],
    'shared elements stay when one gives them up': [
      { apply: { list: ['a', 'b'] }, by: 'one' },
      { apply: { list: ['b', 'c'] }, by: 'two' },
      { apply: { list: [] }, by: 'one', object: { list: ['b', 'c'] }, owners: { two: ['.list[="b"]', '.list[="c"]'] } },
    ],
    'duplicates that were stored are one element': [
      { update: { list: ['a', 'b', 'a'] }, by: 'one', owners: { one: ['.list', '.list[="a"]', '.list[="b"]'] } },
      { apply: { list: ['a'] }, by: 'two', conflicts: ['one: .list[="a"]'] },
      { apply: { list: ['a'] }, force: true, by: 'two', object: { list: ['a', 'b'] } },
    ],
  }
  it.each(Object.entries(cases))('%s', (_, steps) => run({ schema: sets, steps }))
})

describe('keyed lists', () => {
  const cases: Record<string, Step[]> = {
    'elements merge by key, fields are owned one by one': [
      { apply: { list: [{ name: 'a', value: 1 }] }, by: 'one' },
      {
        apply: {
          list: [
            { name: 'a', tags: ['x'] },
            { name: 'b', value: 2 },
          ],
        },
        by: 'two',
        object: {
          list: [
            { name: 'a', value: 1, tags: ['x'] },
            { name: 'b', value: 2 },
          ],
        },
        owners: {
          one: ['.list[name="a"]', '.list[name="a"].name', '.list[name="a"].value'],
          two: [
            '.list[name="a"]',
            '.list[name="a"].name',
            '.list[name="a"].tags[="x"]',
            '.list[name="b"]',
            '.list[name="b"].name',
            '.list[name="b"].value',
          ],
        },
      },
      { apply: { list: [{ name: 'a', value: 2 }] }, by: 'two', conflicts: ['one: .list[name="a"].value'] },
      {
        apply: { list: [] },
        by: 'one',
        object: {
          list: [
            { name: 'a', tags: ['x'] },
            { name: 'b', value: 2 },
          ],
        },
      },
      { apply: { list: [{ name: 'b', value: 2 }] }, by: 'two', object: { list: [{ name: 'b', value: 2 }] } },
    ],
    'an element that goes takes what an update put in it': [
      { apply: { list: [{ name: 'a' }, { name: 'b' }] }, by: 'one' },
      {
        update: { list: [{ name: 'a', value: 1 }, { name: 'b' }] },
        by: 'two',
        owners: {
          one: ['.list[name="a"]', '.list[name="a"].name', '.list[name="b"]', '.list[name="b"].name'],
          two: ['.list[name="a"].value'],
        },
      },
      {
        apply: { list: [{ name: 'b' }] },
        by: 'one',
        object: { list: [{ name: 'b' }] },
        owners: { one: ['.list[name="b"]', '.list[name="b"].name'] },
      },
    ],
    'an element that another manager also applies stays with its fields': [
      { apply: { list: [{ name: 'a', value: 1, deep: { x: '1' } }] }, by: 'one' },
      { apply: { list: [{ name: 'a', deep: { y: '2' } }] }, by: 'two' },
      { apply: { list: [] }, by: 'one', object: { list: [{ name: 'a', deep: { y: '2' } }] } },
    ],
    'an update that changes a key replaces the element': [
      { apply: { list: [{ name: 'a', value: 1 }] }, by: 'one' },
      {
        update: { list: [{ name: 'b', value: 1 }] },
        by: 'two',
        owners: { two: ['.list[name="b"]', '.list[name="b"].name', '.list[name="b"].value'] },
      },
    ],
    'duplicates come and go with an update': [
      { update: { list: [{ name: 'a', value: 1 }] }, by: 'one' },
      {
        update: {
          list: [
            { name: 'a', value: 1 },
            { name: 'a', value: 2 },
          ],
        },
        by: 'two',
        owners: { one: ['.list'], two: ['.list[name="a"]'] },
      },
      {
        update: { list: [{ name: 'a', value: 2 }] },
        by: 'three',
        owners: { one: ['.list'], three: ['.list[name="a"]', '.list[name="a"].name', '.list[name="a"].value'] },
      },
    ],
  }
  it.each(Object.entries(cases))('%s', (_, steps) => run({ schema: people, steps }))

  it('names elements by defaulted keys', () =>
    run({
      schema: ports,
      steps: [
        {
          apply: { ports: [{ port: 80 }] },
          by: 'one',
          owners: { one: ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'] },
        },
        {
          update: { ports: [{ port: 80, protocol: 'TCP' }] },
          by: 'defaulter',
          owners: {
            one: ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
            defaulter: ['.ports[port=80,protocol="TCP"].protocol'],
          },
        },
        {
          apply: { ports: [{ port: 80, protocol: 'UDP', name: 'dns' }] },
          by: 'two',
          object: {
            ports: [
              { port: 80, protocol: 'TCP' },
              { port: 80, protocol: 'UDP', name: 'dns' },
            ],
          },
        },
        {
          apply: { ports: [{ port: 80, name: 'web' }] },
          by: 'one',
          object: {
            ports: [
              { port: 80, protocol: 'TCP', name: 'web' },
              { port: 80, protocol: 'UDP', name: 'dns' },
            ],
          },
        },
        {
          apply: { ports: [{ port: 80, protocol: 'TCP', name: 'other' }] },
          by: 'three',
          conflicts: ['one: .ports[port=80,protocol="TCP"].name'],
        },
      ],
    }))
})

describe('maps, structs and what is owned whole', () => {
  const schema = object({
    struct: object({ a: text, b: text }),
    free: map(map(text)),
    whole: atomicMap(text),
    wholeStruct: object({ a: text, b: text }, { atomic: true }),
    wholeList: list(object({ a: text })),
  })
  const cases: Record<string, Step[]> = {
    'a struct goes when its last field goes': [
      {
        apply: { struct: { a: '1' }, free: { x: { y: '1' } } },
        by: 'one',
        owners: { one: ['.free.x', '.free.x.y', '.struct.a'] },
      },
      { apply: {}, by: 'one', object: {} },
    ],
    'a struct that others put something in stays': [
      { apply: { struct: { a: '1' } }, by: 'one' },
      { update: { struct: { a: '1', b: '2' } }, by: 'two' },
      { apply: {}, by: 'one', object: { struct: { b: '2' } }, owners: { two: ['.struct.b'] } },
    ],
    'an update owns the containers that it adds': [
      {
        update: { struct: { a: '1' }, free: { x: {} } },
        by: 'one',
        owners: { one: ['.free', '.free.x', '.struct', '.struct.a'] },
      },
    ],
    'atomic values conflict as a whole': [
      {
        apply: { whole: { a: '1' }, wholeStruct: { a: '1' }, wholeList: [{ a: '1' }] },
        by: 'one',
        owners: { one: ['.whole', '.wholeList', '.wholeStruct'] },
      },
      {
        apply: { whole: { b: '1' }, wholeStruct: { b: '1' }, wholeList: [{ a: '2' }] },
        by: 'two',
        conflicts: ['one: .whole', 'one: .wholeList', 'one: .wholeStruct'],
      },
      {
        apply: { whole: { b: '1' }, wholeStruct: { b: '1' } },
        force: true,
        by: 'two',
        object: { whole: { b: '1' }, wholeStruct: { b: '1' }, wholeList: [{ a: '1' }] },
        owners: { one: ['.wholeList'], two: ['.whole', '.wholeStruct'] },
      },
    ],
    'null and empty maps are claims of their own': [
      { apply: { struct: { a: '1' } }, by: 'one' },
      {
        apply: { struct: null, free: {} },
        by: 'one',
        object: { struct: null, free: {} },
        owners: { one: ['.free', '.struct'] },
      },
    ],
  }
  it.each(Object.entries(cases))('%s', (_, steps) => run({ schema, steps }))
})

describe('where the schema says nothing', () => {
  const cases: Record<string, Step[]> = {
    'keys are fields, lists are one value': [
      {
        apply: { map: { a: { b: 1, list: [{ name: 'x' }] } } },
        by: 'one',
        owners: { one: ['.map.a', '.map.a.b', '.map.a.list'] },
      },
      { apply: { map: { a: { list: [{ name: 'y' }] } } }, by: 'two', conflicts: ['one: .map.a.list'] },
      { apply: { map: { a: { c: 2 } } }, by: 'two', object: { map: { a: { b: 1, list: [{ name: 'x' }], c: 2 } } } },
      {
        apply: { map: {} },
        by: 'one',
        object: { map: { a: { c: 2 } } },
        owners: { one: ['.map'], two: ['.map.a', '.map.a.c'] },
      },
    ],
    'a value may change its shape': [
      { update: { map: { a: { b: 1 } } }, by: 'one' },
      { apply: { map: { a: 'text' } }, by: 'two', conflicts: ['one: .map.a'] },
      {
        apply: { map: { a: 'text' } },
        force: true,
        by: 'two',
        object: { map: { a: 'text' } },
        owners: { one: ['.map'], two: ['.map.a'] },
      },
      { update: { map: { a: { c: 1 } } }, by: 'three', owners: { one: ['.map'], three: ['.map.a', '.map.a.c'] } },
    ],
  }
  it.each(Object.entries(cases))('%s', (_, steps) => run({ schema: recursive, steps }))

  it('keeps unknown fields of a preserving object', () =>
    run({
      schema: object({ known: text }, { preserveUnknown: true }),
      steps: [
        { apply: { known: 'a', extra: { x: 1 } }, by: 'one', owners: { one: ['.extra', '.extra.x', '.known'] } },
        { apply: { known: 'a' }, by: 'one', object: { known: 'a' } },
      ],
    }))
})

describe('versions', () => {
  it('compares in the version in which a manager owns', () =>
    run({
      schema: leaves,
      schemas: { v1: renamed('v1'), v2: renamed('v2') },
      convert: renaming,
      steps: [
        { apply: { field_v1: 'a', other_v1: 'x' }, by: 'one' },
        { apply: { field_v2: 'b' }, by: 'two', version: 'v2', conflicts: ['one: .field_v1'] },
        {
          apply: { field_v2: 'a' },
          by: 'two',
          version: 'v2',
          owners: { one: ['.field_v1', '.other_v1'], 'two in v2': ['.field_v2'] },
        },
        { apply: {}, by: 'one', version: 'v2', object: { field_v2: 'a' }, owners: { 'two in v2': ['.field_v2'] } },
        { update: { field_v1: 'c' }, by: 'three', owners: { three: ['.field_v1'] } },
      ],
    }))

  it('removes what is given up in a later version, unless another owns it', () =>
    run({
      schema: renamed('v1'),
      schemas: { v1: renamed('v1'), v2: renamed('v2'), v3: renamed('v3') },
      convert: renaming,
      steps: [
        { apply: { field_v1: 'a', other_v1: 'b' }, by: 'one' },
        {
          apply: { field_v2: 'a' },
          by: 'one',
          version: 'v2',
          object: { field_v2: 'a' },
          owners: { 'one in v2': ['.field_v2'] },
        },
        { apply: { other_v1: 'b' }, by: 'two', version: 'v1' },
        { apply: { field_v3: 'a', other_v3: 'b' }, by: 'one', version: 'v3' },
        { apply: { field_v2: 'a' }, by: 'one', version: 'v2', object: { field_v2: 'a', other_v2: 'b' } },
        { apply: {}, by: 'two', version: 'v3', object: { field_v3: 'a' } },
      ],
    }))

  it('forgets managers of versions that are gone, and removes nothing of theirs', () =>
    run({
      schema: leaves,
      steps: [
        { update: { string: 'a' }, by: 'one' },
        { apply: { string: 'a', number: 1 }, by: 'two', version: 'v1' },
        {
          schemas: { v2: leaves },
          update: { string: 'a', number: 1, other: 'x' },
          by: 'three',
          version: 'v2',
          owners: { 'three in v2': ['.other'] },
        },
        { apply: {}, by: 'two', version: 'v2', object: { string: 'a', number: 1, other: 'x' } },
      ],
    }))
})

describe('a schema that changes', () => {
  const granular = object({ struct: object({ a: text, b: text }), list: set(), free: map(text) })
  const atomic = object({
    struct: object({ a: text, b: text }, { atomic: true }),
    list: list(text),
    free: atomicMap(text),
  })

  it('granular to atomic: whoever owned a part owns the whole', () =>
    run({
      schema: granular,
      steps: [
        { apply: { struct: { a: '1' }, list: ['x'], free: { k: 'v' } }, by: 'one' },
        { apply: { struct: { b: '1' } }, by: 'two' },
        {
          schemas: { v1: atomic },
          apply: { struct: { a: '1', b: '2' } },
          by: 'three',
          conflicts: ['one: .struct', 'two: .struct'],
        },
        { apply: { list: ['y'] }, by: 'three', conflicts: ['one: .list'] },
        {
          apply: { struct: { a: '1', b: '2' } },
          force: true,
          by: 'three',
          owners: { one: ['.free', '.list'], three: ['.struct'] },
        },
      ],
    }))

  it('atomic to granular: the top stays owned, the parts are free', () =>
    run({
      schema: atomic,
      schemas: { v1: atomic },
      steps: [
        { apply: { struct: { a: '1', b: '1' } }, by: 'one', owners: { one: ['.struct'] } },
        {
          schemas: { v1: granular },
          apply: { struct: { a: '9' } },
          by: 'two',
          object: { struct: { a: '9', b: '1' } },
          owners: { one: ['.struct'], two: ['.struct.a'] },
        },
      ],
    }))
})

describe('fields that an endpoint cannot own', () => {
  it('are neither claimed nor taken, in the versions that say so', () =>
    run({
      schema: leaves,
      filters: { v1: excludingFields(['string']) },
      steps: [
        { apply: { number: 1, string: 'a' }, by: 'one', owners: { one: ['.number'] } },
        { apply: { string: 'a' }, by: 'two', version: 'v2', owners: { one: ['.number'], 'two in v2': ['.string'] } },
        { update: { number: 2, string: 'b' }, by: 'three', owners: { three: ['.number'] } },
      ],
    }))
})

describe('one write', () => {
  const schema = object({ apiVersion: text, a: text, b: text, c: text })
  const owner = (apiVersion: string, ...paths: string[]): VersionedSet => ({
    set: FieldSet.ofFields(...paths),
    apiVersion,
    applied: true,
  })
  const counting = () => {
    const converted: string[] = []
    const type: VersionedType = {
      schema: (version) => (version.startsWith('v') ? schema : undefined),
      convert: (value, apiVersion) => {
        converted.push(apiVersion)
        return { ...value, apiVersion }
      },
    }
    return { type, converted }
  }
  const shown = (others: Map<string, VersionedSet>): string[] =>
    [...others].map(([name, { set: paths }]) => `${name} ${String(paths).replaceAll('\n', ' ')}`)

  it('takes from each in its own version, which is looked at once', () => {
    const { type, converted } = counting()
    const managers = new Map([
      ['one', owner('v2', 'a', 'b')],
      ['two', owner('v2', 'b')],
      ['me', owner('v1', 'c')],
      ['gone', owner('x', 'a')],
    ])
    const live = { apiVersion: 'v1', a: '1', b: '1', c: '1' }
    const { others, set: own } = updateSets(type, {
      live,
      next: { ...live, b: '2' },
      apiVersion: 'v1',
      managers,
      manager: 'me',
    })
    expect([shown(others), String(own)]).toEqual([['one .a'], '.b\n.c'])
    expect(converted).toEqual(['v2', 'v2'])
  })

  it('that changes nothing takes nothing, and asks for no other version', () => {
    const { type, converted } = counting()
    const managers = new Map([
      ['one', owner('v2', 'a')],
      ['none', owner('v2')],
      ['me', owner('v1', 'b')],
    ])
    const live = { apiVersion: 'v1', a: '1', b: '1' }
    for (const next of [live, { ...live }]) {
      const { others, set: own } = updateSets(type, { live, next, apiVersion: 'v1', managers, manager: 'me' })
      expect([shown(others), String(own), converted]).toEqual([['one .a'], '.b', []])
    }
  })

  it('of one that owned something that is gone has it no longer', () => {
    const { type } = counting()
    const managers = new Map([['me', owner('v1', 'a', 'b')]])
    const live = { apiVersion: 'v1', a: '1', b: '1' }
    const { set: own } = updateSets(type, {
      live,
      next: { apiVersion: 'v1', a: '1' },
      apiVersion: 'v1',
      managers,
      manager: 'me',
    })
    expect(String(own)).toBe('.a')
  })

  it('of another version prunes what was given up there', () => {
    const { type } = counting()
    const managers = new Map([
      ['me', owner('v2', 'a', 'b')],
      ['other', owner('v3', 'c', 'b')],
    ])
    const live = { apiVersion: 'v1', a: '1', b: '1', c: '1' }
    const request = {
      live,
      config: { apiVersion: 'v1', a: '1' },
      apiVersion: 'v1',
      managers,
      manager: 'me',
      force: false,
    }
    const { object: applied, others } = runToEnd(applySets(type, request))
    expect([applied, shown(others)]).toEqual([live, ['other .b .c']])
    const alone = new Map([['me', owner('v2', 'a', 'b')]])
    expect(runToEnd(applySets(type, { ...request, managers: alone })).object).toEqual({
      apiVersion: 'v1',
      a: '1',
      c: '1',
    })
  })
})
