/** The status of policies: when it is written, what it says, and what happens to lost races and failures. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { DeclaredType } from '../../cel/declared-type.ts'
import type { Pausable } from '../../lib/clock.ts'
import type { Schema } from '../../schema/schema.ts'
import { ManualClock } from '../../store/testing/manual-clock.ts'
import { LiveSource } from '../testing/live-source.ts'
import { testObject } from '../testing/test-cluster.ts'
import type { Policy } from './policy-objects.ts'
import { PolicyStatusController } from './policy-status-controller.ts'
import type { TypeFinder } from './type-checking.ts'

const policy = (generation: number | undefined, more: JsonObject = {}): Policy =>
  testObject(
    'ValidatingAdmissionPolicy',
    'p',
    {
      spec: {
        matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }] },
        validations: [{ expression: 'object.known == 1' }],
      },
      ...more,
    },
    generation === undefined ? {} : { generation },
  ) as Policy

const integer: Schema = { kind: 'integer' }
const pod: Schema = {
  kind: 'object',
  name: 'Pod',
  fields: new Map([['known', { name: 'known', schema: integer, required: false, pointer: false, emit: false }]]),
  atomic: false,
  preserveUnknown: false,
  embedded: false,
}
const types: TypeFinder = {
  ofResource: () => [{ kind: { group: '', version: 'v1', kind: 'Pod' }, type: new DeclaredType(pod) }],
  ofKind: () => undefined,
}

function started(...policies: Policy[]) {
  const clock = Object.assign(new ManualClock(), { queues: new Set<Pausable>() })
  const source = new LiveSource<Policy>(policies)
  const writes: JsonObject[] = []
  const errors: unknown[] = []
  const given = { before: async (): Promise<boolean> => true }
  const controller = new PolicyStatusController({
    policies: source,
    types,
    clock,
    write: async (found, status) => {
      writes.push(status)
      const isNewest = await given.before()
      if (isNewest) source.put({ ...found, status } as Policy)
      return isNewest
    },
    onError: (error) => void errors.push((error as Error).message),
  })
  return { clock, source, writes, errors, controller, given }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the status of a policy', () => {
  it('says which generation was found to be right, after two seconds', async () => {
    const { clock, writes } = started(policy(3))
    await clock.advance(1999)
    expect(writes).toEqual([])
    await clock.advance(1)
    expect(writes).toEqual([{ observedGeneration: 3, typeChecking: {} }])
    expect(clock.pending).toBe(0)
  })

  it('keeps what else it has, and tells what is wrong', async () => {
    const spec = { ...policy(1).spec, validations: [{ expression: 'object.unknown == 1' }] } as never
    const { clock, writes } = started(policy(1, { spec, status: { conditions: [] } }))
    await clock.advance(2000)
    expect(writes).toEqual([
      {
        conditions: [],
        observedGeneration: 1,
        typeChecking: {
          expressionWarnings: [
            {
              fieldRef: 'spec.validations[0].expression',
              warning: expect.stringContaining("undefined field 'unknown'"),
            },
          ],
        },
      },
    ])
  })

  it.each<[string, Policy[], number]>([
    ['that was checked is not written', [policy(1, { status: { observedGeneration: 1 } })], 0],
    ['of an earlier generation is written', [policy(2, { status: { observedGeneration: 1 } })], 1],
    ['is written where there is no generation', [policy(undefined, { status: { observedGeneration: 1 } })], 1],
    ['is written once for several changes in a row', [policy(1), policy(2), policy(3)], 1],
  ])('%s', async (_, versions, expected) => {
    const { clock, source, writes } = started(versions[0]!)
    for (const version of versions.slice(1)) source.put(version)
    await clock.advance(2000)
    expect(writes).toHaveLength(expected)
    if (expected > 0) expect(writes[0]?.['observedGeneration']).toBe(versions.at(-1)?.metadata.generation ?? 0)
  })

  it('is written again after another change', async () => {
    const { clock, source, writes } = started(policy(1))
    await clock.advance(2000)
    source.put({ ...source.get('', 'p')!, metadata: { name: 'p', generation: 2 } })
    await clock.advance(2000)
    expect(writes.map(({ observedGeneration }) => observedGeneration)).toEqual([1, 2])
  })

  it.each<[string, (source: LiveSource<Policy>) => void]>([
    ['that is gone', (source) => source.drop('', 'p')],
    ['that somebody else has checked', (source) => source.put(policy(1, { status: { observedGeneration: 1 } }))],
  ])('of a policy %s meanwhile is not written', async (_, change) => {
    const { clock, source, writes, errors } = started(policy(1))
    change(source)
    await clock.advance(2000)
    expect([writes, errors, clock.pending]).toEqual([[], [], 0])
  })

  it('that lost a race is written two seconds later', async () => {
    const { clock, writes, given } = started(policy(1))
    given.before = async () => writes.length > 1
    await clock.advance(3999)
    expect(writes).toHaveLength(1)
    await clock.advance(1)
    expect(writes).toHaveLength(2)
    await clock.advance(10_000)
    expect(writes).toHaveLength(2)
  })

  it('that cannot be written is told of', async () => {
    const { clock, errors, given, controller } = started(policy(1))
    given.before = async () => {
      throw new Error('no store')
    }
    await clock.advance(10_000)
    expect(errors).toEqual(['no store'])
    expect(controller.isIdle).toBe(true)
  })
})

describe('the checks of policies', () => {
  it('rest, and come later', async () => {
    const { clock, writes, controller } = started(policy(1))
    await controller.pause()
    controller.hurry()
    await clock.advance(3000)
    expect(writes).toEqual([])
    controller.resume()
    await clock.advance(1000)
    expect(writes).toHaveLength(1)
  })

  it('that were begun have ended when they rest', async () => {
    const { source, controller, given, writes } = started(policy(1))
    let go: () => void = () => {}
    const written = new Promise<boolean>((resolve) => {
      go = () => resolve(true)
    })
    given.before = () => written
    controller.hurry()
    expect([writes.length, controller.isIdle]).toEqual([1, false])
    const paused = controller.pause()
    go()
    await paused
    expect(source.get('', 'p')?.['status']).toMatchObject({ observedGeneration: 1 })
    expect(controller.isIdle).toBe(true)
  })

  it('begin at once where they are hurried, and only once', async () => {
    const { clock, source, writes, controller } = started(policy(1))
    controller.hurry()
    await settled()
    expect([writes.length, clock.pending]).toEqual([1, 0])
    source.put(policy(2))
    await clock.advance(2000)
    expect(writes).toHaveLength(2)
  })

  it('leave nothing behind when they end', async () => {
    const { clock, source, writes, controller } = started(policy(1))
    expect([clock.queues.size, source.listeners]).toEqual([1, 1])
    controller.close()
    expect([clock.queues.size, source.listeners, clock.pending]).toEqual([0, 0, 0])
    await clock.advance(10_000)
    expect(writes).toEqual([])
  })
})
