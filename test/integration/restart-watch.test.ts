/** The history that the store has on disk outlives the process: watches and exact lists go on from before a restart. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Json, startTestServer, type TestServer, type WatchEvent } from './support/test-server.ts'

let server: TestServer
const folder = mkdtempSync(join(tmpdir(), 'restart-'))
const start = (): Promise<TestServer> => startTestServer(['--store', 'lmdb', '--data-dir', folder])

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'
const kinds = [
  { path: configMaps, all: '/api/v1/configmaps', type: {} },
  { path: widgets, all: '/apis/example.com/v1/widgets', type: { apiVersion: 'example.com/v1', kind: 'Widget' } },
]

interface Recorded {
  readonly begin: string
  readonly events: readonly string[]
  /** Events of objects whose label `half` is `even`, as its watchers see them. */
  readonly even: readonly string[]
  /** A version in the middle, and what was there then. */
  readonly middle: string
  readonly namesThen: readonly string[]
}

const told = ({ type, object }: WatchEvent): string =>
  `${type} ${object.metadata.name} ${object.metadata.resourceVersion} ${object.data?.step ?? ''}`

/** Creates, changes, relabels and deletes objects while a watch records what happens. */
async function history(path: string, type: object): Promise<Recorded> {
  const begin = (await server.call('GET', path)).json().metadata.resourceVersion as string
  const live = await server.watch(`${path}?watch=1&resourceVersion=${begin}`)
  const even = await server.watch(`${path}?watch=1&resourceVersion=${begin}&labelSelector=half%3Deven`)
  const object = (i: number, step: string, half = i % 2 === 0 ? 'even' : 'odd'): Json => ({
    ...type,
    metadata: { name: `o-${i}`, labels: { half } },
    data: { step },
  })
  let count = 0
  const put = async (i: number, step: string, half?: string): Promise<void> => {
    const body = object(i, step, half)
    const current = (await server.call('GET', `${path}/o-${i}`)).json()
    body.metadata.resourceVersion = current.metadata.resourceVersion
    expect((await server.call('PUT', `${path}/o-${i}`, body)).status).toBe(200)
    count++
  }
  for (let i = 0; i < 6; i++) {
    expect((await server.call('POST', path, object(i, 'new'))).status).toBe(201)
    count++
  }
  const list = (await server.call('GET', path)).json()
  for (let i = 0; i < 6; i++) await put(i, 'changed')
  await put(0, 'left', 'odd')
  await put(1, 'entered', 'even')
  for (const i of [2, 3]) {
    await server.call('DELETE', `${path}/o-${i}`)
    count++
  }
  const events = (await live.until((all) => all.length === count)).map(told)
  const evenEvents = (await even.until((all) => all.length === 9)).map(told)
  live.close()
  even.close()
  return {
    begin,
    events,
    even: evenEvents,
    middle: list.metadata.resourceVersion,
    namesThen: list.items.map((item: Json) => item.metadata.name),
  }
}

const recorded = new Map<string, Recorded>()

beforeAll(async () => {
  server = await start()
  await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  while ((await server.call('GET', widgets)).status !== 200) await new Promise((again) => setTimeout(again, 20))
  for (const { path, type } of kinds) recorded.set(path, await history(path, type))
  await server.close()
  server = await start()
  while ((await server.call('GET', widgets)).status !== 200) await new Promise((again) => setTimeout(again, 20))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const replayed = async (path: string, count: number): Promise<string[]> => {
  const watch = await server.watch(path)
  const events = [...(await watch.until((all) => all.length >= count))]
  watch.close()
  return events.map(told)
}

test.each(kinds)('a watch of $path from before the restart', async ({ path, all }) => {
  const { begin, events, even, middle } = recorded.get(path) as Recorded
  const from = `watch=1&resourceVersion=${begin}`
  expect(await replayed(`${path}?${from}`, events.length)).toEqual(events)
  expect(await replayed(`${all}?${from}`, events.length)).toEqual(events)
  expect(await replayed(`${path}?${from}&labelSelector=half%3Deven`, even.length)).toEqual(even)
  const one = events.filter((event) => event.includes(' o-2 '))
  expect(await replayed(`${path}?${from}&fieldSelector=metadata.name%3Do-2`, one.length)).toEqual(one)
  const later = events.slice(6)
  expect(await replayed(`${path}?watch=1&resourceVersion=${middle}`, later.length)).toEqual(later)
})

test.each(kinds)('many watches of $path at once, each from another version', async ({ path }) => {
  const { events } = recorded.get(path) as Recorded
  const versions = events.map((event) => event.split(' ')[2] as string)
  const answers = await Promise.all(
    versions
      .slice(0, -1)
      .map((version, i) => replayed(`${path}?watch=1&resourceVersion=${version}`, events.length - i - 1)),
  )
  for (const [i, answer] of answers.entries()) expect(answer).toEqual(events.slice(i + 1))
})

test.each(kinds)('an exact list of $path from before the restart', async ({ path }) => {
  const { middle, namesThen } = recorded.get(path) as Recorded
  const list = (await server.call('GET', `${path}?resourceVersion=${middle}&resourceVersionMatch=Exact`)).json()
  expect(list.metadata.resourceVersion).toBe(middle)
  expect(list.items.map((item: Json) => item.metadata.name)).toEqual(namesThen)
  expect(list.items.every((item: Json) => item.data.step === 'new')).toBe(true)
})

test.each(kinds)('what follows a replay of $path is reported once', async ({ path, type }) => {
  const { begin, events } = recorded.get(path) as Recorded
  const watch = await server.watch(`${path}?watch=1&resourceVersion=${begin}`)
  await watch.until((all) => all.length >= events.length)
  await server.call('POST', path, { ...type, metadata: { name: 'after' } })
  const all = await watch.until((some) => some.length > events.length)
  expect(all.map(told).slice(0, events.length)).toEqual(events)
  expect(all[events.length]?.object.metadata.name).toBe('after')
  watch.close()
})
