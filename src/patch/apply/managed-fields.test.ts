import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { ManagedFieldsEntry } from '../../api/object.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { FieldSet } from './field-set.ts'
import {
  changeManagedFields,
  compareTimes,
  decodeManagedFields,
  decodeManagedFieldsInSteps,
  encodeManagedFields,
  hideManagedFields,
  type ManagerKey,
  managedFieldsProblem,
  managerIdentity,
  metadataOf,
  withManagedFields,
} from './managed-fields.ts'

const entry = (manager: string, changed: Partial<ManagedFieldsEntry> = {}): JsonObject =>
  ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:a': {} },
    ...changed,
  }) as JsonObject

describe('the identity of a manager', () => {
  const key: ManagerKey = { manager: 'm', operation: 'Update', apiVersion: 'v1', subresource: '' }
  it.each<[Partial<ManagerKey>, string]>([
    [{}, '{"manager":"m","operation":"Update","apiVersion":"v1"}'],
    [{ operation: 'Apply' }, '{"manager":"m","operation":"Apply"}'],
    [{ subresource: 'status' }, '{"manager":"m","operation":"Update","apiVersion":"v1","subresource":"status"}'],
    [{ operation: 'Apply', subresource: 'scale' }, '{"manager":"m","operation":"Apply","subresource":"scale"}'],
    [{ manager: '"' }, '{"manager":"\\"","operation":"Update","apiVersion":"v1"}'],
  ])('%j', (changed, identity) => {
    expect(managerIdentity({ ...key, ...changed })).toBe(identity)
  })
})

describe('the order of times', () => {
  it.each<[string | undefined, string | undefined, number]>([
    [undefined, undefined, 0],
    [undefined, '2026-01-01T00:00:00Z', -1],
    ['2026-01-01T00:00:00Z', undefined, 1],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 0],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', -1],
    ['2026-02-01T00:00:00Z', '2026-01-01T00:00:01Z', 1],
    ['2026-01-01T00:00:00.9Z', '2026-01-01T00:00:00Z', 0],
    ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00Z', 0],
    ['2026-01-01T01:00:00+02:00', '2026-01-01T00:00:00Z', -1],
    ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00.4Z', 0],
    ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00.4+00:00', 0],
    ['nonsense', undefined, 0],
    ['nonsense', '2026-01-01T00:00:00Z', -1],
  ])('%s and %s', (a, b, order) => {
    expect(Math.sign(compareTimes(a, b))).toBe(order)
  })
})

describe('entries', () => {
  it('are in order: who applies first, then by time, name, version and subresource', () => {
    const entries = [
      entry('a', { time: '2026-01-02T00:00:00Z' }),
      entry('z'),
      entry('b', { subresource: 'status' }),
      entry('b', { apiVersion: 'v2' }),
      entry('b'),
      entry('late', { operation: 'Apply' }),
      entry('early', { operation: 'Apply', time: undefined } as never),
    ]
    const written = encodeManagedFields(decodeManagedFields(entries as never)) ?? []
    const shown = written.map(({ manager, apiVersion, subresource }) => [manager, apiVersion, subresource].join(' '))
    expect(shown).toEqual(['early v1 ', 'late v1 ', 'b v1 ', 'b v1 status', 'b v2 ', 'z v1 ', 'a v1 '])
  })

  it.each<[string, JsonObject]>([
    ['whole', entry('m')],
    ['of a subresource', entry('m', { subresource: 'status' })],
    ['without a time', { ...entry('m'), time: undefined } as never],
  ])('%s are written as the very objects that they were read from', (_, given) => {
    const managers = decodeManagedFields([given])
    expect(encodeManagedFields(managers)?.[0]).toBe(given)
  })

  it('that are written otherwise are written anew', () => {
    const odd = entry('m', { fieldsV1: { 'f:a': { '.': {} } } })
    const [written] = encodeManagedFields(decodeManagedFields([odd])) ?? []
    expect(written).not.toBe(odd)
    expect(JSON.stringify(written)).toBe(
      '{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}',
    )
  })

  it('without a name or a time have neither', () => {
    const { manager: _, time: __, ...given } = entry('m')
    const managers = decodeManagedFields([{ ...given, fieldsV1: { 'f:b': {}, 'f:a': {} } }])
    expect(Object.keys(encodeManagedFields(managers)?.[0] ?? {})).toEqual([
      'operation',
      'apiVersion',
      'fieldsType',
      'fieldsV1',
    ])
  })

  it.each<[string, JsonValue | undefined, string | undefined]>([
    ['nothing', undefined, undefined],
    ['null', null, undefined],
    ['an empty list', [], undefined],
    ['no list', {}, 'managedFields must be a list'],
    ['no object', ['x'], 'operation must be `Apply` or `Update`'],
    ['no fields', [{ ...entry('m'), fieldsV1: null }], undefined],
    ['no version', [{ ...entry('m'), apiVersion: '' }], 'apiVersion must not be empty'],
    [
      'no type of fields',
      [entry('m'), { ...entry('n'), fieldsType: '' }],
      'missing fieldsType in managed fields entry 1',
    ],
    ['another type', [{ ...entry('n'), fieldsType: 'V2' }], 'invalid fieldsType "V2" in managed fields entry 0'],
    ['no path', [{ ...entry('n'), fieldsV1: { a: {} } }], 'error decoding set: key must be 2 characters long:'],
  ])('%s', (_, entries, problem) => {
    expect(runToEnd(managedFieldsProblem(entries))).toBe(problem)
  })

  describe('of very many fields', () => {
    const fieldsOf = (key: (i: number) => string, below: () => JsonValue): JsonObject =>
      Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [key(i), below()]))
    const sorted = (i: number): string => `f:k${String(i).padStart(5, '0')}`
    const cases: [string, JsonValue[]][] = [
      ['in order', [entry('m', { fieldsV1: { 'f:data': fieldsOf(sorted, () => ({})) } })]],
      [
        'in another order',
        [
          entry('m', {
            fieldsV1: {
              'f:data': fieldsOf(
                (i) => `f:k${i}`,
                () => ({}),
              ),
            },
          }),
        ],
      ],
      ['each with others below', [entry('m', { fieldsV1: fieldsOf(sorted, () => ({ '.': {}, 'f:a': {} })) })]],
      ['that are null', [entry('m', { fieldsV1: fieldsOf(sorted, () => null) })]],
      [
        'of unknown kinds',
        [
          entry('m', {
            fieldsV1: fieldsOf(
              (i) => `x:${i}`,
              () => ({}),
            ),
          }),
        ],
      ],
      [
        'spelt twice',
        [
          entry('m', {
            fieldsV1: fieldsOf(
              (i) => `v:${' '.repeat(i % 2)}${i >> 1}`,
              () => ({}),
            ),
          }),
        ],
      ],
      ['that are no objects', [entry('m', { fieldsV1: fieldsOf(sorted, () => 1) })]],
      ['of many managers', Array.from({ length: 600 }, (_, i) => entry(`m${i % 500}`))],
      ['of another type', [entry('m', { fieldsType: 'V2', fieldsV1: fieldsOf(sorted, () => 1) })]],
    ]
    const outcome = (decode: () => ReturnType<typeof decodeManagedFields>): string => {
      try {
        return JSON.stringify(encodeManagedFields(decode()))
      } catch (error) {
        return String(error)
      }
    }

    it.each(cases)('%s are read alike in steps and at once', (_, given) => {
      // Of its own each time: what was read is remembered.
      const fresh = (): JsonValue => JSON.parse(JSON.stringify(given)) as JsonValue
      const stepwise = fresh()
      const steps = decodeManagedFieldsInSteps(stepwise)
      expect(steps.next().done).toBe(false)
      expect(outcome(() => runToEnd(decodeManagedFieldsInSteps(stepwise)))).toBe(
        outcome(() => decodeManagedFields(fresh())),
      )
    })
  })

  it('are read once', () => {
    const entries = [entry('m')]
    expect(decodeManagedFields(entries)).toBe(decodeManagedFields(entries))
    expect([decodeManagedFields(undefined).size, encodeManagedFields(new Map())]).toEqual([0, undefined])
  })
})

describe('a change of entries', () => {
  it('that changes nothing gives the very entries back', () => {
    const entries = [entry('a'), entry('b')]
    expect(changeManagedFields(entries, new Map(decodeManagedFields(entries)))).toBe(entries)
  })

  it('keeps the entries of those that did not change, and is known without being read', () => {
    const entries = [entry('a'), entry('b')]
    const managers = new Map(decodeManagedFields(entries))
    const [first, owner] = [...managers.values()]
    const identity = managerIdentity(owner!)
    const changed = { ...owner!, set: FieldSet.ofFields('x') }
    const written = changeManagedFields(entries, managers.set(identity, changed)) ?? []
    expect(written[0]).toBe(entries[0])
    expect(written[1]?.fieldsV1).toEqual({ 'f:x': {} })
    expect(decodeManagedFields(written as never).get(identity)).toBe(changed)
    expect(decodeManagedFields(written as never).get(managerIdentity(first!))).toBe(first)
    const again = changeManagedFields(written as never, decodeManagedFields(written as never))
    expect(again).toBe(written)
  })

  it('of a time alone keeps the fields', () => {
    const entries = [entry('a')]
    const [owner] = [...decodeManagedFields(entries).values()]
    const later = { ...owner!, time: '2026-02-01T00:00:00Z' }
    const written = changeManagedFields(entries, new Map([[managerIdentity(later), later]])) ?? []
    expect([written[0]?.time, written[0]?.fieldsV1 === entries[0]?.['fieldsV1']]).toEqual([later.time, true])
  })

  it('puts one that is new in its place, and takes out one that is gone', () => {
    const entries = [entry('b')]
    const managers = new Map(decodeManagedFields(entries))
    const [owner] = [...managers.values()]
    const other = { ...owner!, manager: 'a' }
    const two = changeManagedFields(entries, managers.set(managerIdentity(other), other)) ?? []
    expect(two.map(({ manager }) => manager)).toEqual(['a', 'b'])
    expect(two[1]).toBe(entries[0])
    expect(changeManagedFields(two as never, new Map())).toBeUndefined()
    expect(changeManagedFields(undefined, managers)?.map(({ manager }) => manager)).toEqual(['a', 'b'])
  })
})

describe('the entries of an object', () => {
  const object = { kind: 'X', metadata: { name: 'x', managedFields: [entry('m')] } }

  it('are put in, taken out and hidden without a change of the object', () => {
    const before = structuredClone(object)
    const [other] = [[entry('other')] as ManagedFieldsEntry[]]
    expect(withManagedFields(object, other)).toEqual({ kind: 'X', metadata: { name: 'x', managedFields: other } })
    expect(withManagedFields(object, undefined)).toEqual({ kind: 'X', metadata: { name: 'x' } })
    expect(Object.hasOwn(metadataOf(withManagedFields(object, undefined)), 'managedFields')).toBe(false)
    expect(JSON.stringify(hideManagedFields(object))).toBe('{"kind":"X","metadata":{"name":"x"}}')
    expect(object).toEqual(before)
  })

  it('are left alone where nothing changes', () => {
    expect(withManagedFields(object, object.metadata.managedFields as never)).toBe(object)
    const bare = { kind: 'X', metadata: { name: 'x' } }
    expect(withManagedFields(bare, undefined)).toBe(bare)
    expect(hideManagedFields(bare)).toBe(bare)
  })

  it.each<[string, JsonObject]>([
    ['no metadata', { kind: 'X' }],
    ['text for metadata', { metadata: 'x' }],
    ['null for metadata', { metadata: null }],
  ])('%s has none', (_, given) => {
    expect([metadataOf(given), hideManagedFields(given) === given]).toEqual([{}, true])
  })
})
