/** Live views: loaded once, at once from then on, and looked at again where others may have written. */
import { describe, expect, it } from 'vitest'
import type { ObjectSource } from '../api/object-source.ts'
import { Cluster, LazyView } from './cluster.ts'
import { LiveSource } from './testing/live-source.ts'
import { testObject } from './testing/test-cluster.ts'

/** A view of a source that is loaded when the test says so, in which others write when it is made fresh. */
function viewOf(source: ObjectSource, arriving: () => void = () => {}, isShared = true) {
  let loads = 0
  let isBroken = false
  const load = async (): Promise<ObjectSource> => {
    loads++
    if (isBroken) throw new Error('no cache')
    return source
  }
  const fresh = (): Promise<void> | true => (isShared ? Promise.resolve().then(arriving) : true)
  const breaks = (now: boolean): void => {
    isBroken = now
  }
  return { view: new LazyView(load, fresh), loads: () => loads, breaks }
}

const at = (name: string, version = '1') => testObject('Pod', name, {}, { namespace: 'ns', resourceVersion: version })

describe('a view', () => {
  it('is loaded once, however many ask', async () => {
    const { view, loads } = viewOf(new LiveSource([at('a')]))
    expect(await Promise.all([view.find('ns', 'a'), view.find('ns', 'a')])).toEqual([at('a'), at('a')])
    expect(view.find('ns', 'a')).toEqual(at('a'))
    expect(view.list()).toEqual([at('a')])
    expect(loads()).toBe(1)
  })

  it('that cannot be loaded is loaded by who asks next', async () => {
    const { view, loads, breaks } = viewOf(new LiveSource([at('a')]))
    breaks(true)
    await expect(view.find('ns', 'a')).rejects.toThrow('no cache')
    breaks(false)
    expect(await view.find('ns', 'a')).toEqual(at('a'))
    expect(loads()).toBe(2)
  })

  it('is looked at again for what is not in sight', async () => {
    const source = new LiveSource()
    const { view } = viewOf(source, () => source.put(at('a')))
    expect(await view.find('ns', 'a')).toEqual(at('a'))
    expect(await view.find('ns', 'b')).toBeUndefined()
  })

  it('shows what is in sight though others may have changed it, unless that matters', async () => {
    const source = new LiveSource([at('a', '1')])
    const { view } = viewOf(source, () => source.put(at('a', '2')))
    await view.source()
    expect(view.find('ns', 'a')).toEqual(at('a', '1'))
    expect(await view.findLive('ns', 'a')).toEqual(at('a', '2'))
  })

  it('answers at once where nobody else writes', async () => {
    const { view } = viewOf(new LiveSource([at('a')]), () => {}, false)
    await view.source()
    expect([view.find('ns', 'a'), view.find('ns', 'b')]).toEqual([at('a'), undefined])
    expect([view.findLive('ns', 'a'), view.findLive('ns', 'b')]).toEqual([at('a'), undefined])
  })

  it('lists a namespace, whatever the source gives', async () => {
    const other = testObject('Pod', 'b', {}, { namespace: 'other' })
    const source = new LiveSource([at('a'), other])
    const { view } = viewOf(source)
    expect([await view.list('ns'), await view.list()]).toEqual([[at('a')], [at('a'), other]])
    const all = [at('a')]
    const { view: ofArray } = viewOf({ get: () => undefined, subscribe: () => () => {}, list: () => all })
    expect(await ofArray.list()).toBe(all)
  })
})

describe('a cluster', () => {
  const asked: string[] = []
  const cluster = () =>
    new Cluster({
      source: async (group, resource) => {
        asked.push(`${group}/${resource}`)
        return new LiveSource(resource === 'namespaces' ? [testObject('Namespace', 'ns')] : [])
      },
      fresh: () => true,
      authorize: ({ verb }) => ({ allowed: verb === 'get', reason: 'r' }),
      gate: (name) => name === 'On',
      resourcesRevision: () => 7,
    })

  it('has one view of each resource', () => {
    const one = cluster()
    expect(one.view('', 'pods')).toBe(one.view('', 'pods'))
    expect(one.view('', 'pods')).not.toBe(one.view('a', 'pods'))
    expect(one.view('', 'pods')).not.toBe(one.view('', 'nodes'))
  })

  it('knows its namespaces', async () => {
    asked.length = 0
    const one = cluster()
    expect((await one.namespace('ns'))?.metadata.name).toBe('ns')
    expect([await one.liveNamespace('ns'), await one.namespace('none')]).toEqual([
      testObject('Namespace', 'ns'),
      undefined,
    ])
    expect(asked).toEqual(['/namespaces'])
  })

  it('answers what only the server can', async () => {
    const one = cluster()
    expect([one.gate('On'), one.gate('Off'), one.resourcesRevision]).toEqual([true, false, 7])
    expect(await one.authorize({ verb: 'get' } as never)).toEqual({ allowed: true, reason: 'r' })
  })
})
