/** The status of quotas: what is counted and when, what was only just charged, and what happens to lost races and failures. */
import { describe, expect, it } from 'vitest'
import type { KubeObject, StringMap } from '../../api/object.ts'
import type { Pausable } from '../../lib/clock.ts'
import { ManualClock } from '../../store/testing/manual-clock.ts'
import { LiveSource } from '../testing/live-source.ts'
import { MemoryQuotas, testQuota } from '../testing/memory-quotas.ts'
import { testObject } from '../testing/test-cluster.ts'
import { QuotaController, type QuotaControllerOptions } from './quota-controller.ts'
import type { Quota } from './quota-object.ts'

const inNs = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject =>
  testObject(kind, name, more, { namespace: 'ns', ...metadata })
const pod = (name: string, cpu = '1', more: object = {}): KubeObject =>
  inNs('Pod', name, { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] }, ...more })

const resized = (cpu: string): object => ({
  containerStatuses: [{ name: 'c', resources: { requests: { cpu } } }],
})
const claim = (spec: object, status: object): KubeObject =>
  inNs('PersistentVolumeClaim', 'a', { spec: { resources: { requests: { storage: '1' } }, ...spec }, status })

/** What only waits for the loop to go round has happened then. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function started(
  quotas: readonly Quota[],
  objects: Readonly<Record<string, readonly KubeObject[]>> = {},
  more: Partial<QuotaControllerOptions> = {},
) {
  const clock = Object.assign(new ManualClock(), { queues: new Set<Pausable>() })
  const store = new MemoryQuotas(quotas)
  const sources = new Map(Object.entries(objects).map(([name, all]) => [name, new LiveSource(all)]))
  const errors: unknown[] = []
  const controller = new QuotaController({
    store,
    clock,
    quotas: store.source,
    objects: async (group, resource) => sources.get(group === '' ? resource : `${resource}.${group}`),
    onError: (error) => void errors.push((error as Error).message),
    ...more,
  })
  await settled()
  /** All that is begun meanwhile has ended, however busy the machine. */
  const pass = (ms: number): Promise<void> => clock.advance(ms, idle)
  const idle = async (): Promise<void> => {
    do await settled()
    while (!controller.isIdle)
  }
  return { clock, store, controller, errors, pass, idle, of: (name: string) => sources.get(name)! }
}

describe('a new quota', () => {
  it.each<[string, StringMap, Partial<Quota>, StringMap]>([
    [
      'counts what there is of its namespace',
      { pods: '5', 'requests.cpu': '9' },
      {},
      { pods: '2', 'requests.cpu': '3' },
    ],
    ['counts nothing where there is nothing', { configmaps: '5' }, {}, { configmaps: '0' }],
    ['counts objects of any group', { 'count/things.example.com': '5' }, {}, { 'count/things.example.com': '1' }],
    ['does not tell of what is not served', { 'count/others.example.com': '5', pods: '5' }, {}, { pods: '2' }],
    ['does not tell of what no resource uses', { unknown: '5', pods: '5' }, {}, { pods: '2' }],
    ['does not tell of what is never counted', { 'count/events': '5', pods: '5' }, {}, { pods: '2' }],
    [
      'counts only what is in its scopes',
      { pods: '5' },
      { spec: { hard: { pods: '5' }, scopes: ['NotBestEffort'] } },
      { pods: '2' },
    ],
    [
      'counts nothing that is in one of its scopes only',
      { pods: '5' },
      { spec: { hard: { pods: '5' }, scopes: ['NotBestEffort', 'Terminating'] } },
      { pods: '0' },
    ],
    ['limits nothing', {}, {}, {}],
  ])('%s', async (_, hard, more, used) => {
    const { store, pass } = await started([testQuota(hard, undefined, more)], {
      pods: [pod('a', '1'), pod('b', '2'), testObject('Pod', 'c', { spec: {} }, { namespace: 'other' })],
      configmaps: [],
      'things.example.com': [inNs('Thing', 'a')],
      events: [inNs('Event', 'a')],
    })
    await pass(1000)
    expect(store.source.get('ns', 'q')?.status ?? { hard: {}, used: {} }).toEqual({ hard, used })
  })

  it('is left alone for a second', async () => {
    const { store, pass } = await started([testQuota({ pods: '5' })], { pods: [pod('a')] })
    await pass(999)
    expect(store.tried).toBe(0)
    await pass(1)
    expect(store.used()).toEqual({ pods: '1' })
  })

  it('keeps what else its status has', async () => {
    const status = { other: 'x' } as never
    const { store, pass } = await started([testQuota({ pods: '5' }, undefined, { status })], { pods: [] })
    await pass(1000)
    expect(store.source.get('ns', 'q')?.status).toEqual({ other: 'x', hard: { pods: '5' }, used: { pods: '0' } })
  })

  it('that says all is not written', async () => {
    const { store, pass } = await started([testQuota({ pods: '5' }, { pods: '3' })], { pods: [] })
    await pass(10_000)
    expect([store.tried, store.used()]).toEqual([0, { pods: '3' }])
  })

  it('is gone before it is counted', async () => {
    const { store, clock, errors, pass } = await started([testQuota({ pods: '5' })], { pods: [] })
    store.source.drop('ns', 'q')
    await pass(10_000)
    expect([store.tried, errors, clock.pending]).toEqual([0, [], 0])
  })

  it.each<[string, StringMap, Quota['status']]>([
    ['other limits', { pods: '6' }, { hard: { pods: '5' }, used: { pods: '0' } }],
    ['one limit more', { pods: '6', secrets: '1' }, { hard: { pods: '6' }, used: { pods: '0' } }],
    ['a limit that is not counted yet', { pods: '6' }, { hard: { pods: '6' }, used: {} }],
  ])('is counted anew with %s', async (_, hard, status) => {
    const { store, pass } = await started([testQuota(hard, undefined, { status: status! })], {
      pods: [pod('a')],
      secrets: [],
    })
    await pass(1000)
    expect(store.source.get('ns', 'q')?.status?.hard).toEqual(hard)
    expect(store.used()?.['pods']).toBe('1')
  })

  it('forgets what it no longer limits', async () => {
    const { store, pass } = await started([testQuota({ pods: '5', secrets: '1' }, { pods: '0', secrets: '0' })], {
      pods: [],
      secrets: [],
    })
    const quota = store.source.get('ns', 'q')!
    store.put({ ...quota, spec: { hard: { pods: '5' } } })
    await pass(1000)
    expect(store.source.get('ns', 'q')?.status).toEqual({ hard: { pods: '5' }, used: { pods: '0' } })
  })
})

describe('what goes gives back', () => {
  /** Tells more than there is, so that it shows whether it was counted again. */
  const stale = (name: string): Quota => testQuota({ [name]: '9' }, { [name]: '9' })

  it('a tenth of a second after the first of several deletions', async () => {
    const { store, of, pass } = await started([stale('pods')], { pods: [pod('a'), pod('b'), pod('c')] })
    of('pods').drop('ns', 'a')
    await pass(50)
    of('pods').drop('ns', 'b')
    await pass(49)
    expect(store.tried).toBe(0)
    await pass(1)
    expect([store.tried, store.used()]).toEqual([1, { pods: '1' }])
    await pass(10_000)
    expect(store.tried).toBe(1)
  })

  it('in its namespace only', async () => {
    const other = testQuota({ pods: '9' }, { pods: '9' }, { metadata: { namespace: 'other' } as never })
    const { store, of, pass } = await started([stale('pods'), other], { pods: [pod('a')] })
    of('pods').drop('ns', 'a')
    await pass(1000)
    expect([store.used(), store.used('other')]).toEqual([{ pods: '0' }, { pods: '9' }])
  })

  it('for a quota that limits it only later', async () => {
    const { store, of, pass } = await started([stale('secrets')], { pods: [pod('a')], secrets: [] })
    store.put({ ...store.source.get('ns', 'q')!, ...testQuota({ pods: '9' }, { pods: '9' }) })
    await settled()
    await pass(5000)
    of('pods').drop('ns', 'a')
    await pass(100)
    expect(store.used()).toEqual({ pods: '0' })
  })

  it('for quotas of resources that are served only later', async () => {
    const served = new LiveSource([pod('a')])
    let isServed = false
    const objects = async () => (isServed ? served : undefined)
    const { store, pass } = await started([stale('pods')], {}, { objects })
    isServed = true
    served.put(pod('b'))
    store.put(store.source.get('ns', 'q')!)
    await settled()
    expect(served.listeners).toBe(1)
    served.drop('ns', 'b')
    await pass(100)
    expect(store.used()).toEqual({ pods: '1' })
  })

  it.each<[string, string, KubeObject, KubeObject, boolean]>([
    ['a pod that ends', 'pods', pod('a'), pod('a', '1', { status: { phase: 'Failed' } }), true],
    ['a pod that becomes smaller', 'pods', pod('a', '2'), pod('a', '1'), true],
    ['a pod whose containers have become larger', 'pods', pod('a', '1'), pod('a', '1', { status: resized('2') }), true],
    [
      'a pod that gets a deadline',
      'pods',
      inNs('Pod', 'a', { spec: { containers: [] } }),
      inNs('Pod', 'a', { spec: { containers: [], activeDeadlineSeconds: 5 } }),
      true,
    ],
    [
      'a pod with another address',
      'pods',
      pod('a', '1', { status: { phase: 'Running' } }),
      pod('a', '1', { status: { phase: 'Running', podIP: '1.2.3.4' } }),
      false,
    ],
    [
      'a service of another type',
      'services',
      inNs('Service', 'a', { spec: { type: 'NodePort', ports: [{ port: 1 }] } }),
      inNs('Service', 'a', { spec: { type: 'ClusterIP', ports: [{ port: 1 }] } }),
      true,
    ],
    [
      'a service with another status',
      'services',
      inNs('Service', 'a', { spec: {} }),
      inNs('Service', 'a', { spec: {}, status: { phase: 'x' } }),
      false,
    ],
    [
      'a claim of another size',
      'persistentvolumeclaims',
      inNs('PersistentVolumeClaim', 'a', { spec: { resources: { requests: { storage: '2' } } } }),
      inNs('PersistentVolumeClaim', 'a', { spec: { resources: { requests: { storage: '1' } } } }),
      true,
    ],
    [
      'a claim that was given less',
      'persistentvolumeclaims',
      claim({}, { allocatedResources: { storage: '9' } }),
      claim({}, { allocatedResources: { storage: '5' } }),
      true,
    ],
    [
      'a claim that has another class',
      'persistentvolumeclaims',
      claim({}, {}),
      claim({}, { currentVolumeAttributesClassName: 'a' }),
      true,
    ],
    [
      'a claim that is bound',
      'persistentvolumeclaims',
      claim({}, {}),
      claim({ volumeName: 'v' }, { phase: 'Bound' }),
      false,
    ],
    [
      'a claim of fewer devices',
      'count/resourceclaims.resource.k8s.io',
      inNs('ResourceClaim', 'a', { spec: { devices: { requests: [{ exactly: { deviceClassName: 'gpu' } }] } } }),
      inNs('ResourceClaim', 'a', { spec: {} }),
      true,
    ],
    [
      'a claim of devices with another status',
      'count/resourceclaims.resource.k8s.io',
      inNs('ResourceClaim', 'a', { spec: {} }),
      inNs('ResourceClaim', 'a', { spec: {}, status: { reservedFor: [] } }),
      false,
    ],
    [
      'another object that changes',
      'configmaps',
      inNs('ConfigMap', 'a', { spec: 1 }),
      inNs('ConfigMap', 'a', { spec: 2 }),
      false,
    ],
  ])('%s', async (_, name, before, after, isCounted) => {
    const resource = name.replace('count/', '')
    const { store, of, pass } = await started([stale(name)], { [resource]: [before] })
    of(resource).put(after)
    await pass(100)
    expect(store.used()?.[name] !== '9').toBe(isCounted)
  })

  it('not when something comes: that was charged', async () => {
    const { store, of, pass } = await started([stale('pods')], { pods: [] })
    of('pods').put(pod('a'))
    await pass(10_000)
    expect(store.used()).toEqual({ pods: '9' })
  })

  it('where it is asked to count again', async () => {
    const { store, controller, pass } = await started([stale('pods')], { pods: [] })
    controller.recount('other')
    await pass(100)
    expect(store.used()).toEqual({ pods: '9' })
    controller.recount('ns')
    await pass(100)
    expect(store.used()).toEqual({ pods: '0' })
  })
})

describe('what was only just charged', () => {
  const hard = { pods: '9', secrets: '9' }
  /** A quota after these charges of pods, the last of which was now. */
  async function charged(start: StringMap, charges: readonly (readonly [afterMs: number, used: StringMap])[]) {
    const given = await started([testQuota(hard, start)], { pods: [pod('a')], secrets: [] })
    for (const [afterMs, used] of charges) {
      await given.pass(afterMs)
      given.store.put({ ...given.store.source.get('ns', 'q')!, status: { hard, used } })
    }
    given.controller.recount('ns')
    return given
  }
  const pods = (count: number, secrets = 0): StringMap => ({ pods: String(count), secrets: String(secrets) })

  it.each<[string, StringMap, [number, StringMap][], StringMap]>([
    ['is not taken back', pods(1), [[0, pods(2)]], pods(2)],
    ['is not taken back of several names', pods(1), [[0, pods(2, 1)]], pods(2, 1)],
    ['comes on top of what is there', pods(4), [[0, pods(5)]], pods(2)],
    [
      'is all of the last two seconds',
      pods(4),
      [
        [0, pods(5)],
        [1899, pods(6)],
      ],
      pods(3),
    ],
    [
      'is not what is older',
      pods(4),
      [
        [0, pods(5)],
        [1900, pods(6)],
      ],
      pods(2),
    ],
    [
      'is never more than what is recorded',
      pods(1),
      [
        [0, pods(4)],
        [0, pods(2)],
      ],
      pods(2),
    ],
    ['is nothing where less is recorded than there is', pods(0), [[0, pods(1)]], pods(1)],
    ['is nothing where less is charged', pods(4), [[0, pods(3)]], pods(1)],
  ])('%s', async (_, start, charges, expected) => {
    const { store, pass } = await charged(start, charges)
    await pass(100)
    expect(store.used()).toEqual(expected)
  })

  it('is counted two seconds later, whatever hurries', async () => {
    const { store, clock, controller, pass } = await charged(pods(1), [[0, pods(3)]])
    await pass(100)
    expect(store.used()).toEqual(pods(3))
    await pass(1999)
    controller.hurry()
    await settled()
    expect([store.tried, store.used()]).toEqual([0, pods(3)])
    await pass(1)
    expect(store.used()).toEqual(pods(1))
    expect(clock.pending).toBe(0)
  })

  it('is counted two seconds later where something else was written', async () => {
    const { store, pass } = await charged(pods(5), [[0, pods(6)]])
    await pass(100)
    expect(store.used()).toEqual(pods(2))
    await pass(2000)
    expect(store.used()).toEqual(pods(1))
  })

  it('does not keep a deletion from being counted soon', async () => {
    const { store, of, pass } = await charged(pods(5), [[0, pods(6)]])
    await pass(100)
    of('pods').drop('ns', 'a')
    await pass(100)
    expect(store.used()).toEqual(pods(1))
  })

  it('is not that of an earlier quota of the name', async () => {
    const { store, controller, pass } = await charged(pods(1), [[0, pods(2)]])
    store.source.drop('ns', 'q')
    store.put(testQuota(hard, pods(2)))
    controller.recount('ns')
    await pass(100)
    expect(store.used()).toEqual(pods(1))
  })
})

describe('others who write', () => {
  it('win, and it is counted by what they wrote', async () => {
    const { store, pass } = await started([testQuota({ pods: '5' })], { pods: [pod('a')] })
    store.beforeWrite = (tried) => {
      if (tried === 0) store.put({ ...store.source.get('ns', 'q')!, spec: { hard: { pods: '7' } } })
    }
    await pass(1000)
    expect(store.source.get('ns', 'q')?.status).toEqual({ hard: { pods: '7' }, used: { pods: '1' } })
  })

  it('delete the quota meanwhile', async () => {
    const { store, clock, errors, pass } = await started([testQuota({ pods: '5' })], { pods: [] })
    store.beforeWrite = () => store.source.drop('ns', 'q')
    await pass(10_000)
    expect([store.tried, errors, clock.pending]).toEqual([1, [], 0])
  })

  it('win twenty times: it waits a second', async () => {
    const { store, clock, controller, pass } = await started([testQuota({ pods: '5' })], { pods: [] })
    let isBusy = true
    store.beforeWrite = () => {
      if (isBusy) store.put(store.source.get('ns', 'q')!)
    }
    await pass(1000)
    expect(store.tried).toBe(20)
    isBusy = false
    controller.close()
    expect(clock.pending).toBe(0)
  })

  it('are waited for where they can be seen, but were not told of yet', async () => {
    const { store, clock, controller, pass, idle } = await started([testQuota({ pods: '5' }, { pods: '1' })], {
      pods: [pod('a')],
    })
    controller.recount('ns')
    const tell = store.source.holdBack()
    store.put({ ...store.source.get('ns', 'q')!, status: { hard: { pods: '5' }, used: { pods: '2' } } })
    await clock.advance(110)
    expect(controller.isIdle).toBe(false)
    tell()
    await clock.advance(1)
    await idle()
    await pass(1000)
    expect([store.tried, store.used()]).toEqual([0, { pods: '2' }])
    await pass(2000)
    expect(store.used()).toEqual({ pods: '1' })
  })

  it('are not waited for without end', async () => {
    const { store, clock, controller, pass } = await started([testQuota({ pods: '5' }, { pods: '1' })], {
      pods: [pod('a')],
    })
    controller.recount('ns')
    const tell = store.source.holdBack()
    store.put({ ...store.source.get('ns', 'q')!, status: { hard: { pods: '5' }, used: { pods: '2' } } })
    await clock.advance(200)
    expect([store.tried, controller.isIdle, clock.pending]).toEqual([0, true, 1])
    tell()
    await pass(5000)
    expect(store.used()).toEqual({ pods: '1' })
  })
})

describe('failures', () => {
  it('of a write are told of, and it is tried again a second later', async () => {
    const { store, errors, pass } = await started([testQuota({ pods: '5' })], { pods: [] })
    store.beforeWrite = (tried) => {
      if (tried === 0) throw new Error('no store')
    }
    await pass(1999)
    expect([store.tried, errors]).toEqual([1, ['no store']])
    await pass(1)
    expect([store.used(), errors]).toEqual([{ pods: '0' }, ['no store']])
  })

  it('of a resource are told of, and it is listened to later', async () => {
    const served = new LiveSource([pod('a')])
    let isBroken = true
    const objects = async () => {
      if (isBroken) throw new Error('no cache')
      return served
    }
    const { store, errors, pass } = await started([testQuota({ pods: '5' }, { pods: '9' })], {}, { objects })
    expect(errors).toEqual(['no cache'])
    isBroken = false
    store.put(store.source.get('ns', 'q')!)
    await settled()
    served.drop('ns', 'a')
    await pass(100)
    expect(store.used()).toEqual({ pods: '0' })
  })
})

describe('while it rests', () => {
  it('nothing begins, however it is hurried, and what was due comes later', async () => {
    const { store, controller, pass } = await started([testQuota({ pods: '5' })], { pods: [] })
    await controller.pause()
    controller.hurry()
    await pass(1500)
    expect([store.tried, controller.isIdle]).toEqual([0, true])
    controller.resume()
    await pass(499)
    expect(store.tried).toBe(0)
    await pass(1)
    expect(store.used()).toEqual({ pods: '0' })
  })

  it('what was begun has ended', async () => {
    let go: () => void = () => {}
    const began = new Promise<void>((resolve) => {
      go = resolve
    })
    const served = new LiveSource([pod('a')])
    const objects = async () => {
      await began
      return served
    }
    const { store, controller } = await started([testQuota({ pods: '5' })], {}, { objects })
    controller.hurry()
    expect(controller.isIdle).toBe(false)
    const paused = controller.pause()
    go()
    await paused
    expect(store.used()).toEqual({ pods: '1' })
    await settled()
    expect(controller.isIdle).toBe(true)
  })
})

it('begins at once where it is hurried, and goes on as before', async () => {
  const { store, clock, controller, of, pass, idle } = await started([testQuota({ pods: '5' })], { pods: [pod('a')] })
  controller.hurry()
  await idle()
  expect([store.used(), clock.pending]).toEqual([{ pods: '1' }, 0])
  of('pods').drop('ns', 'a')
  await pass(3000)
  expect(store.used()).toEqual({ pods: '0' })
})

describe('when it ends', () => {
  it('nothing of it is left', async () => {
    const { store, clock, controller, of, pass } = await started([testQuota({ pods: '5' })], { pods: [pod('a')] })
    expect([clock.queues.size, store.source.listeners, of('pods').listeners]).toEqual([1, 1, 1])
    controller.close()
    expect([clock.queues.size, store.source.listeners, of('pods').listeners, clock.pending]).toEqual([0, 0, 0, 0])
    controller.recount('ns')
    await pass(10_000)
    expect(store.tried).toBe(0)
  })

  it('what answers later is not listened to', async () => {
    const served = new LiveSource([pod('a')])
    let go: () => void = () => {}
    const answered = new Promise<void>((resolve) => {
      go = resolve
    })
    const objects = async () => {
      await answered
      return served
    }
    const { controller } = await started([testQuota({ pods: '5' })], {}, { objects })
    controller.close()
    go()
    await settled()
    expect(served.listeners).toBe(0)
  })

  it('what was begun writes nothing more', async () => {
    const { store, clock, controller, pass } = await started([testQuota({ pods: '5' })], { pods: [] })
    store.beforeWrite = () => {
      controller.close()
      store.put(store.source.get('ns', 'q')!)
    }
    await pass(10_000)
    expect([store.tried, clock.pending]).toEqual([1, 0])
  })
})
