import { describe, expect, it } from 'vitest'
import type { Container, PodStatus } from '../../../catalog/types/core-v1.ts'
import type { Pod, PodSpec } from '../../objects.ts'
import { adoptedRun } from './adopt.ts'
import { advance } from './advance.ts'
import { type Behaviours, type ContainerBehaviour, type ContainerInstance, plainBehaviour } from './behaviour.ts'
import { newRun, type PodRun } from './pod-run.ts'
import { podStatus } from './pod-status.ts'
import type { PodEvent } from './work.ts'

const begin = Date.parse('2026-01-01T00:00:00Z')

function makePod(spec: Partial<PodSpec>, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', uid: 'u1', ...metadata },
    spec: { nodeName: 'node-1', restartPolicy: 'Always', containers: [container('app', { image: 'nginx' })], ...spec },
    status: { phase: 'Pending' },
  }
}

type Change = (instance: ContainerInstance) => Partial<ContainerBehaviour> | undefined

const behaving = (change: Change): Behaviours => ({
  container: (instance) => ({ ...plainBehaviour(instance), ...change(instance) }),
})

/** A pod that is looked at whenever it asks to be. */
class LivePod {
  pod: Pod
  run: PodRun = newRun(begin, '10.0.0.5')
  wakeAt = begin
  now = begin
  looks = 0
  readonly events: PodEvent[] = []
  readonly #behaviours: Behaviours

  constructor(pod: Pod, change: Change = () => undefined) {
    this.pod = pod
    this.#behaviours = behaving(change)
    this.at(0)
  }

  /** Milliseconds after the start. */
  at(ms: number): PodStatus {
    const end = begin + ms
    for (let looks = 0; looks < 1000; looks++) {
      if (this.wakeAt > end && this.now >= end) break
      this.now = Math.min(Math.max(this.wakeAt, this.now), end)
      this.#look()
    }
    return this.pod.status ?? {}
  }

  change(change: (pod: Pod) => Pod): PodStatus {
    this.pod = change(this.pod)
    this.#look()
    return this.pod.status ?? {}
  }

  #look(): void {
    this.looks++
    const { run, wakeAt, events } = advance(this.pod, this.run, { behaviours: this.#behaviours, now: this.now })
    this.run = run
    this.wakeAt = wakeAt
    this.events.push(...events)
    const facts = { behaviours: this.#behaviours, hostIP: '172.30.0.1', now: this.now }
    this.pod = { ...this.pod, status: podStatus(this.pod, run, facts) }
  }
}

const conditionsOf = ({ conditions = [] }: PodStatus) =>
  Object.fromEntries(conditions.map(({ type, status }) => [type, status]))
const container = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'busybox',
  resources: {},
  ...more,
})
const main = (status: PodStatus) => status.containerStatuses?.[0]
const deleted = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 },
})

describe('a pod that just runs', () => {
  it('is ready at once, in one look', () => {
    const live = new LivePod(makePod({}))
    const status = live.at(0)
    expect(live.looks).toBe(1)
    expect(live.wakeAt).toBe(Number.POSITIVE_INFINITY)
    expect(status).toMatchObject({ phase: 'Running', podIP: '10.0.0.5', hostIP: '172.30.0.1' })
    expect(conditionsOf(status)).toEqual({
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      Ready: 'True',
      ContainersReady: 'True',
      PodScheduled: 'True',
    })
    expect(live.events.map(({ reason }) => reason)).toEqual(['Pulled', 'Created', 'Started'])
    expect(live.events[2]).toMatchObject({ message: 'Started container app', fieldPath: 'spec.containers{app}' })
  })

  it('goes on as it was when only its status is left', () => {
    const live = new LivePod(makePod({}))
    const { pod } = live
    const run = adoptedRun(pod, begin + 5000)
    const again = advance(pod, run, { behaviours: behaving(() => undefined), now: begin + 5000 })
    expect(again.events).toEqual([])
    const facts = { behaviours: behaving(() => undefined), hostIP: '172.30.0.1', now: begin + 5000 }
    expect(podStatus(pod, again.run, facts)).toEqual(pod.status)
  })
})

describe.each<[string, Partial<PodSpec>, number, string]>([
  ['Never, 0', { restartPolicy: 'Never' }, 0, 'Succeeded'],
  ['Never, 3', { restartPolicy: 'Never' }, 3, 'Failed'],
  ['OnFailure, 0', { restartPolicy: 'OnFailure' }, 0, 'Succeeded'],
  ['OnFailure, 3', { restartPolicy: 'OnFailure' }, 3, 'Running'],
  ['Always, 0', { restartPolicy: 'Always' }, 0, 'Running'],
  ['Always, 3', { restartPolicy: 'Always' }, 3, 'Running'],
])('an exit with restart policy %s', (_, spec, exitCode, phase) => {
  it(`leaves the pod ${phase}`, () => {
    const live = new LivePod(makePod(spec), ({ startedAt }) => ({ exit: { at: (startedAt ?? 0) + 100, exitCode } }))
    const status = live.at(500)
    expect(status.phase).toBe(phase)
    if (phase !== 'Running') {
      expect(main(status)?.state.terminated).toMatchObject({ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' })
      expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
        status: 'False',
        reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed',
      })
    } else {
      expect(main(status)).toMatchObject({ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } })
      expect(main(status)?.lastState.terminated).toMatchObject({ exitCode })
    }
  })
})

it('restarts after 10 s, 20 s, … 5 min, and begins anew after ten quiet minutes', () => {
  const starts: number[] = []
  let lives = 100
  const live = new LivePod(makePod({}), ({ startedAt, restarts }) => {
    if (startedAt !== undefined && starts[restarts] === undefined) starts[restarts] = startedAt - begin
    return { exit: { at: (startedAt ?? 0) + lives, exitCode: 1 } }
  })
  live.at(30 * 60_000)
  const gaps = starts.slice(1).map((start, i) => Math.round((start - (starts[i] ?? 0) - 100) / 1000))
  expect(gaps).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300, 300])
  lives = 11 * 60_000
  live.at(60 * 60_000)
  expect(starts.at(-1)).toBe((starts.at(-2) ?? 0) + lives)
  expect(live.events.find(({ reason }) => reason === 'BackOff')?.message).toBe(
    'Back-off restarting failed container app in pod web_shop(u1)',
  )
})

describe('init containers and sidecars', () => {
  const spec: Partial<PodSpec> = {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 30,
    initContainers: [container('first'), container('proxy', { restartPolicy: 'Always' }), container('second')],
    containers: [container('app')],
  }
  const slow: Change = ({ role, startedAt }) =>
    role === 'sidecar' ? { stopMs: 300 } : { exit: { at: (startedAt ?? 0) + 1000, exitCode: 0 } }

  it('start one after the other, and end in the opposite order', () => {
    const live = new LivePod(makePod(spec), slow)
    const names = (status: PodStatus) =>
      [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
        .filter(({ state }) => state.running)
        .map(({ name }) => name)
    const phases = [500, 1500, 2500, 3100, 3400].map((ms) => {
      const status = live.at(ms)
      return [status.phase, conditionsOf(status)['Initialized'], ...names(status)]
    })
    expect(phases).toEqual([
      ['Pending', 'False', 'first'],
      ['Pending', 'False', 'proxy', 'second'],
      ['Running', 'True', 'proxy', 'app'],
      ['Running', 'True', 'proxy'],
      ['Succeeded', 'True'],
    ])
  })

  it('fail the pod whose policy is Never', () => {
    const live = new LivePod(makePod(spec), ({ container: { name }, startedAt }) =>
      name === 'second' ? { exit: { at: startedAt ?? 0, exitCode: 7 } } : undefined,
    )
    const status = live.at(0)
    expect(status.phase).toBe('Failed')
    expect(status.initContainerStatuses?.map(({ state }) => state.terminated?.exitCode)).toEqual([0, 0, 7])
    expect(main(status)?.state.waiting).toEqual({ reason: 'PodInitializing' })
  })

  it('are tried again with another policy, and hold the pod back', () => {
    const live = new LivePod(
      makePod({ ...spec, restartPolicy: 'Always' }),
      ({ container: { name }, startedAt, restarts }) =>
        name === 'first' && restarts < 2 ? { exit: { at: startedAt ?? 0, exitCode: 7 } } : undefined,
    )
    const status = live.at(5000)
    expect(status.phase).toBe('Pending')
    expect(status.initContainerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    })
    expect(live.at(11_000).phase).toBe('Running')
  })
})

describe('readiness', () => {
  it('comes after the delays of the probes', () => {
    const probes = {
      startupProbe: { initialDelaySeconds: 2 },
      readinessProbe: { initialDelaySeconds: 5, periodSeconds: 3, successThreshold: 2 },
    }
    const live = new LivePod(makePod({ containers: [container('app', probes)] }))
    const seen = [0, 1900, 2000, 7900, 8000].map((ms) => {
      const { started, ready } = main(live.at(ms)) ?? {}
      return [started, ready]
    })
    expect(seen).toEqual([
      [false, false],
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ])
  })

  it('waits for gates that others open', () => {
    const live = new LivePod(makePod({ readinessGates: [{ conditionType: 'example.com/lb' }] }))
    const ready = (status: PodStatus) => status.conditions?.find(({ type }) => type === 'Ready')
    expect(ready(live.at(0))).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/lb" does not exist.',
    })
    const status = live.change((pod) => ({
      ...pod,
      status: {
        ...pod.status,
        conditions: [
          ...(pod.status?.conditions ?? []),
          { type: 'example.com/lb', status: 'True', lastProbeTime: null, lastTransitionTime: null },
        ],
      },
    }))
    expect(ready(status)).toMatchObject({ status: 'True' })
  })
})

describe('images that cannot be pulled', () => {
  it('are tried again with a back-off', () => {
    let isBroken = true
    const live = new LivePod(makePod({}), () => (isBroken ? { pullError: 'not found' } : undefined))
    expect(main(live.at(0))?.state.waiting).toEqual({ reason: 'ErrImagePull', message: 'not found' })
    const status = live.at(1000)
    expect(status.phase).toBe('Pending')
    expect(main(status)?.state.waiting).toEqual({
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "nginx": ErrImagePull: not found',
    })
    isBroken = false
    expect(live.at(11_000).phase).toBe('Running')
  })
})

describe('the end from outside', () => {
  it('takes the hook and the container’s own time, within the grace period', () => {
    const cases: [string, Container, Partial<ContainerBehaviour>, number, number][] = [
      ['at once', container('app'), {}, 0, 0],
      ['hook', container('app', { lifecycle: { preStop: { sleep: { seconds: 5 } } } }), {}, 5000, 0],
      ['slow', container('app'), { stopMs: 2000, stopExitCode: 143 }, 2000, 143],
      ['deaf', container('app'), { stopMs: Number.POSITIVE_INFINITY }, 30_000, 137],
    ]
    for (const [name, app, behaviour, ms, exitCode] of cases) {
      const live = new LivePod(makePod({ containers: [app] }), () => behaviour)
      live.change(deleted)
      if (ms > 0) expect(live.run.isEnded, name).toBe(false)
      live.at(ms)
      expect(live.run.isEnded, name).toBe(true)
      expect(main(live.pod.status ?? {})?.state.terminated, name).toMatchObject({ exitCode })
      expect(live.events.filter(({ reason }) => reason === 'Killing').map(({ message }) => message)).toEqual([
        'Stopping container app',
      ])
    }
  })

  it('fails a pod that never began', () => {
    const live = new LivePod(makePod({}), () => ({ pullError: 'no' }))
    expect(live.change(deleted).phase).toBe('Failed')
  })

  it('comes with a deadline', () => {
    const live = new LivePod(makePod({ activeDeadlineSeconds: 60, restartPolicy: 'Never' }), () => ({
      exit: undefined,
    }))
    expect(live.at(59_000).phase).toBe('Running')
    expect(live.at(60_000)).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' })
  })

  it('comes with an eviction', () => {
    const live = new LivePod(makePod({}))
    const behaviours = {
      ...behaving(() => undefined),
      eviction: () => ({ at: begin, message: 'The node was low on resource: memory. ' }),
    }
    const { run, events } = advance(live.pod, live.run, { behaviours, now: begin + 10 })
    expect(events[0]).toMatchObject({ type: 'Warning', reason: 'Evicted' })
    const status = podStatus(live.pod, run, { behaviours, hostIP: '', now: begin + 10 })
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted' })
    expect(conditionsOf(status)['DisruptionTarget']).toBe('True')
  })
})

it('resizes in place, with a restart where the policy says so', () => {
  const cpu = (requests: string) => ({ requests: { cpu: requests } })
  const live = new LivePod(
    makePod({
      containers: [
        container('calm', { resources: cpu('1') }),
        container('strict', {
          resources: cpu('1'),
          resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
        }),
      ],
    }),
  )
  live.change((pod) => ({
    ...pod,
    spec: { ...pod.spec, containers: pod.spec.containers.map((each) => ({ ...each, resources: cpu('2') })) },
  }))
  const status = live.at(10)
  expect(
    status.containerStatuses?.map(({ name, restartCount, allocatedResources }) => [
      name,
      restartCount,
      allocatedResources,
    ]),
  ).toEqual([
    ['calm', 0, { cpu: '2' }],
    ['strict', 1, { cpu: '2' }],
  ])
})

it('starts ephemeral containers when they come', () => {
  const live = new LivePod(makePod({}))
  const status = live.change((pod) => ({ ...pod, spec: { ...pod.spec, ephemeralContainers: [container('debug')] } }))
  expect(status.ephemeralContainerStatuses).toMatchObject([{ name: 'debug', state: { running: {} } }])
  expect(conditionsOf(status)['Ready']).toBe('True')
})

it('is bounded where a container ends at once for years', () => {
  const live = new LivePod(makePod({}), ({ startedAt }) => ({ exit: { at: startedAt ?? 0, exitCode: 1 } }))
  const { run, wakeAt } = advance(live.pod, live.run, {
    behaviours: behaving(({ startedAt }) => ({ exit: { at: startedAt ?? 0, exitCode: 1 } })),
    now: begin + 1e11,
  })
  expect(run.containers.get('app')?.restarts).toBeLessThan(100)
  expect(wakeAt).toBe(begin + 1e11)
})
