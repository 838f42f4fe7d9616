import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../lib/in-turns.ts'
import { capUpdaters } from './cap-updaters.ts'
import { FieldSet } from './field-set.ts'
import { type FieldManager, type ManagedFields, managerIdentity } from './managed-fields.ts'

interface Spec {
  readonly operation?: 'Apply' | 'Update'
  readonly apiVersion?: string
  readonly time?: string | undefined
  readonly name?: string
}

const cap = (managers: ManagedFields): ManagedFields => runToEnd(capUpdaters(managers))
const second = (i: number): string => `2026-01-01T00:00:${String(i).padStart(2, '0')}Z`

/** Managers `m0`, `m1`, … of which each owns a field of its own, as many seconds after the first. */
function managersOf(specs: readonly Spec[]): ManagedFields {
  const managers = new Map<string, FieldManager>()
  specs.forEach((spec, i) => {
    const { operation = 'Update', apiVersion = 'v1', name = `m${i}` } = spec
    const time = 'time' in spec ? spec.time : second(i)
    const key = { manager: name, operation, apiVersion, subresource: '' }
    const set = FieldSet.ofFields(`f${i}`)
    managers.set(managerIdentity(key), { ...key, set, time, applied: operation === 'Apply' })
  })
  return managers
}

const shown = (managers: ManagedFields): string[] =>
  Array.from(
    managers.values(),
    ({ manager, apiVersion, time, set }) =>
      `${manager} ${apiVersion} ${time ?? '-'} ${String(set).replaceAll('\n', ' ')}`,
  ).sort()
const updaters = (count: number, spec: Spec = {}): Spec[] => Array.from({ length: count }, () => spec)

describe('the oldest updaters', () => {
  it.each<[string, Spec[]]>([
    ['of ten are left alone', updaters(10)],
    ['of ten are left alone, however many apply', [...updaters(10), ...updaters(9, { operation: 'Apply' })]],
    ['of many versions are left alone', Array.from({ length: 12 }, (_, i) => ({ apiVersion: `v${i}` }))],
  ])('%s', (_, specs) => {
    const managers = managersOf(specs)
    expect(shown(cap(managers))).toEqual(shown(managers))
  })

  it('of eleven are two, united as of the later one', () => {
    const capped = cap(managersOf(updaters(11)))
    expect(capped.size).toBe(10)
    expect(shown(capped)[0]).toBe(`ancient-changes v1 ${second(1)} .f0 .f1`)
  })

  it('beyond that are all united, and what was united before with them', () => {
    const once = cap(managersOf(updaters(14)))
    expect([once.size, shown(once)[0]]).toEqual([10, `ancient-changes v1 ${second(4)} .f0 .f1 .f2 .f3 .f4`])
    const more = new Map(once)
    for (const [identity, owner] of managersOf([...updaters(20), { name: 'late' }])) {
      if (owner.manager === 'late') more.set(identity, owner)
    }
    const twice = cap(more)
    expect([twice.size, shown(twice)[0]]).toEqual([10, `ancient-changes v1 ${second(5)} .f0 .f1 .f2 .f3 .f4 .f5`])
  })

  it('are united by version', () => {
    const specs = Array.from({ length: 14 }, (_, i) => ({ apiVersion: i % 2 === 0 ? 'v1' : 'v2' }))
    const capped = shown(cap(managersOf(specs)))
    expect(capped.slice(0, 2)).toEqual([
      `ancient-changes v1 ${second(4)} .f0 .f2 .f4`,
      `ancient-changes v2 ${second(5)} .f1 .f3 .f5`,
    ])
    expect(capped).toHaveLength(10)
  })

  it('are those without a time, then by time, then by name', () => {
    const times = [...Array.from({ length: 9 }, () => second(50)), undefined, second(50)]
    const capped = shown(cap(managersOf(times.map((time) => ({ time })))))
    expect(capped[0]).toBe(`ancient-changes v1 ${second(50)} .f0 .f9`)
  })

  it('are united in steps where they are many', () => {
    const steps = capUpdaters(managersOf(Array.from({ length: 2000 }, (_, i) => ({ time: second(i % 60) }))))
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count++
    expect(step.value.size).toBe(10)
    expect(count).toBeGreaterThan(1000)
  })

  it('never are who applies', () => {
    const capped = cap(managersOf([...updaters(3, { operation: 'Apply' }), ...updaters(11)]))
    expect(shown(capped).filter((each) => /^m[0-2] /.test(each))).toHaveLength(3)
    expect(capped.size).toBe(13)
  })
})
