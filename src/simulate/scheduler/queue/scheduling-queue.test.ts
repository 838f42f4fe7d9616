import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pod } from '../../objects.ts'
import { action } from '../cluster-events.ts'
import { schedulingKey } from '../objects.ts'
import type { Plugin } from '../plugin.ts'
import { schedulingGatesPlugin } from '../plugins/scheduling-gates.ts'
import { node, pod } from '../testing/test-cluster.ts'
import { KeyedHeap } from './keyed-heap.ts'
import { SchedulingQueue } from './scheduling-queue.ts'

const waitsForNodes: Plugin = {
  name: 'Nodes',
  events: [
    { resource: 'Node', actions: action.add },
    { resource: 'Pod', actions: action.delete, hint: (_, { old }) => (old as Pod).spec.nodeName !== undefined },
  ],
}

describe('the scheduling queue', () => {
  let now: number
  let timers: { at: number; fn: () => void }[]
  let pods: Map<string, Pod>
  let queue: SchedulingQueue

  const advance = (ms: number) => {
    const end = now + ms
    for (;;) {
      const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      timers = timers.filter((each) => each !== next)
      now = next.at
      next.fn()
    }
    now = end
  }
  const add = (...given: Pod[]) => {
    for (const each of given) {
      pods.set(schedulingKey(each), each)
      queue.add(each)
    }
  }
  const popped = () => queue.pop()?.info.pod.metadata.name
  const reject = (name: string, ...plugins: string[]) => {
    const queued = queue.pop()
    expect(queued?.info.pod.metadata.name).toBe(name)
    if (queued === undefined) return
    queued.plugins = new Set(plugins)
    queued.hasFailed = plugins.length === 0
    queue.reject(queued)
  }
  const nodeComes = { resource: 'Node', actions: action.add, object: node('n') } as const

  beforeEach(() => {
    now = 1_000_000
    timers = []
    pods = new Map()
    queue = new SchedulingQueue({
      clock: {
        now: () => now,
        setTimeout(fn, ms) {
          const timer = { at: now + ms, fn }
          timers.push(timer)
          return () => {
            timers = timers.filter((each) => each !== timer)
          }
        },
      },
      plugins: [schedulingGatesPlugin, waitsForNodes],
      pods: { podLevelResources: false, inPlaceResize: true },
      current: (each) => pods.get(schedulingKey(each)),
      onReady: () => undefined,
    })
  })

  test('higher priorities come first, then who waits longer', () => {
    add(pod('first'), pod('second'), pod('high', { priority: 10 }))
    now += 5
    add(pod('late'), pod('higher', { priority: 20 }))
    expect([popped(), popped(), popped(), popped(), popped(), popped()]).toEqual([
      'higher',
      'high',
      'first',
      'second',
      'late',
      undefined,
    ])
  })

  test('a rejected pod waits for what its plugins wait for', () => {
    add(pod('p'))
    reject('p', 'Nodes')
    expect(queue.isIdle).toBe(true)
    queue.move({ resource: 'Node', actions: action.updateNodeLabel, old: node('n'), object: node('n') })
    queue.move({ resource: 'AssignedPod', actions: action.delete, old: pod('gone') })
    expect(popped()).toBeUndefined()
    queue.move({ resource: 'AssignedPod', actions: action.delete, old: pod('gone', { node: 'n' }) })
    expect(popped()).toBe('p')
  })

  test('a pod that another plugin rejected does not', () => {
    add(pod('p'))
    reject('p', 'Others')
    queue.move(nodeComes)
    expect(popped()).toBeUndefined()
  })

  test('what happens while a pod is tried counts', () => {
    add(pod('p'))
    const queued = queue.pop()
    queue.move(nodeComes)
    if (queued === undefined) throw new Error('there is a pod')
    queued.plugins = new Set(['Nodes'])
    queue.reject(queued)
    expect(popped()).toBe('p')
  })

  test('pods that back off are tried after those that do not', () => {
    add(pod('tried', { priority: 10 }))
    reject('tried', 'Nodes')
    queue.move(nodeComes)
    add(pod('new'))
    expect([popped(), popped()]).toEqual(['new', 'tried'])
  })

  test('a back-off that has ended is none', () => {
    add(pod('tried', { priority: 10 }))
    reject('tried', 'Nodes')
    queue.move(nodeComes)
    add(pod('new'))
    advance(3000)
    expect([popped(), popped()]).toEqual(['tried', 'new'])
  })

  test('after a failure that no plugin is behind, only time helps, longer each time', () => {
    add(pod('p'))
    const waits = [1, 2, 4, 8, 10, 10].map((seconds) => {
      reject('p')
      queue.move(nodeComes)
      expect(queue.hasReady).toBe(false)
      advance(seconds * 1000 - 1)
      expect(queue.hasReady).toBe(false)
      advance(2001)
      return queue.hasReady
    })
    expect(waits).toEqual([true, true, true, true, true, true])
  })

  test('a pod that there was no node for is tried with the first one', () => {
    add(pod('p'))
    const queued = queue.pop()
    if (queued === undefined) throw new Error('there is a pod')
    queue.reject(queued)
    expect([queue.hasReady, queue.isIdle]).toEqual([false, true])
    queue.move(nodeComes)
    expect(popped()).toBe('p')
  })

  test('an unschedulable pod is tried again after five minutes', () => {
    add(pod('p'))
    reject('p', 'Nodes')
    advance(299_000)
    expect(popped()).toBeUndefined()
    advance(32_000)
    expect(popped()).toBe('p')
  })

  test('an event that concerns many pods is weighed in several goes, once for each', () => {
    const names = Array.from({ length: 1300 }, (_, i) => `p${i}`)
    add(...names.map((name) => pod(name)))
    for (const name of names) reject(name, 'Nodes')
    expect(queue.hasReady).toBe(false)
    advance(60_000)
    queue.move(nodeComes)
    queue.move({ resource: 'Node', actions: action.updateNodeTaint, object: node('n') })
    const goes: number[] = []
    const tried: (string | undefined)[] = []
    for (let weighed = queue.proceed(); weighed > 0; weighed = queue.proceed()) {
      goes.push(weighed)
      // Tried and rejected in between: it knows of the event.
      const queued = queue.pop()
      if (queued === undefined) continue
      tried.push(queued.info.pod.metadata.name)
      queued.plugins = new Set(['Nodes'])
      queue.reject(queued)
    }
    expect(goes).toEqual([500, 301])
    for (let name = popped(); name !== undefined; name = popped()) tried.push(name)
    expect(tried.toSorted()).toEqual(names.toSorted())
    expect(queue.isIdle).toBe(true)
  })

  test('gates keep a pod out until they are gone', () => {
    const gated = pod('p', { spec: { schedulingGates: [{ name: 'g' }] } })
    add(gated)
    queue.move(nodeComes)
    advance(600_000)
    expect(popped()).toBeUndefined()
    queue.update(gated, pod('p'))
    expect(popped()).toBe('p')
  })

  test('a pod that is deleted is nowhere', () => {
    add(pod('a'), pod('b'))
    reject('a', 'Nodes')
    queue.delete(pod('a'))
    queue.delete(pod('b'))
    queue.move(nodeComes)
    expect([popped(), queue.isWatching]).toEqual([undefined, false])
  })

  test('an update of a pod in the queue is what is tried', () => {
    add(pod('p'))
    queue.update(pod('p'), pod('p', { labels: { changed: 'yes' } }))
    expect(queue.pop()?.info.labels).toEqual({ changed: 'yes' })
  })

  test('nominations are those of the pods, and those that are decided', () => {
    const named = pod('named', { status: { nominatedNodeName: 'a' } })
    add(named, pod('p'))
    const names = (on: string) => queue.nominator.podsFor(on).map(({ pod: { metadata } }) => metadata.name)
    expect(names('a')).toEqual(['named'])
    const [first, second] = [queue.pop(), queue.pop()]
    if (first === undefined || second === undefined) throw new Error('there are two pods')
    queue.nominator.nominate(second.info, 'a')
    expect(names('a')).toEqual(['named', 'p'])
    second.plugins = new Set(['Nodes'])
    queue.reject(second)
    queue.update(pod('p'), pod('p', { labels: { changed: 'yes' } }))
    expect(names('a')).toEqual(['named', 'p'])
    queue.delete(pod('p'))
    expect(names('a')).toEqual(['named'])
    pods.set(schedulingKey(named), pod('named', { node: 'b' }))
    queue.nominator.nominate(first.info, 'a')
    expect(names('a')).toEqual([])
  })
})

describe('the heap', () => {
  test('is a sorted list from which any key can be taken', () => {
    const step = fc.record({
      key: fc.integer({ min: 0, max: 20 }),
      value: fc.integer({ min: 0, max: 50 }),
      op: fc.constantFrom('set', 'delete', 'pop'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const heap = new KeyedHeap<{ key: string; value: number }>(
          ({ key }) => key,
          (a, b) => a.value < b.value,
        )
        const model = new Map<string, number>()
        for (const { key, value, op } of steps) {
          const name = String(key)
          if (op === 'set') {
            heap.set({ key: name, value })
            model.set(name, value)
          } else if (op === 'delete') {
            expect(heap.delete(name)?.value).toBe(model.get(name))
            model.delete(name)
          } else {
            const first = heap.pop()
            expect(first?.value).toBe(model.size === 0 ? undefined : Math.min(...model.values()))
            if (first !== undefined) model.delete(first.key)
          }
          expect(heap.size).toBe(model.size)
        }
      }),
    )
  })
})
