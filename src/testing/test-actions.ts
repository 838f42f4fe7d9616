/** What the test endpoint, and the console of a test server, do to it: by method and path, JSON in and out. */
import type { Fault, FaultSpec, WatchFaultKind } from './api/faults.ts'
import type { RequestMatch } from './api/requests.ts'
import type { RestoreOptions } from './api/server.ts'
import type { PodPattern, PodScript, RunningScript } from './api/simulation.ts'
import type { OpenWatch } from './api/watches.ts'
import type { RunningTestServer } from './running-test-server.ts'

type Body = Readonly<Record<string, unknown>>
type Action = (body: Body, request: { readonly search: URLSearchParams; readonly text: string }) => unknown

export interface TestRequest {
  readonly method: string
  readonly path: string
  readonly search: URLSearchParams
  readonly text: string
}

/** Makes a fork reachable, and says how; `close` ends both. */
export type OpenFork = (
  fork: RunningTestServer,
  close: () => Promise<void>,
) => Promise<{ readonly answer: object; close(): Promise<void> }>

/** More must be closed before. */
const maxForks = 100

/** Something that is not there. */
export class NotFoundError extends Error {
  readonly status = 404
}

export class TestActions {
  readonly #server: RunningTestServer
  readonly #faults = new Map<string, Fault>()
  readonly #scripts = new Map<string, { readonly said: object; readonly running: RunningScript }>()
  readonly #forks = new Set<{ close(): Promise<void> }>()
  readonly #actions: ReadonlyMap<string, Action>
  #count = 0

  readonly #openFork: OpenFork

  constructor(server: RunningTestServer, openFork: OpenFork, end?: () => Promise<void>) {
    this.#server = server
    this.#openFork = openFork
    this.#actions = new Map<string, Action>([
      ['GET /', () => describeServer(server)],
      ['DELETE /', () => endSoon(end)],
      ['POST /reset', (body) => this.#reset(body)],
      ['POST /snapshot', (body) => this.#snapshot(body)],
      ['POST /restore', ({ to, ...options }) => server.restore(String(to), options as RestoreOptions)],
      ['POST /fork', () => this.#fork()],
      ['POST /apply', (_, { text }) => server.apply(text)],
      ['POST /users', (body) => this.#user(body)],
      ['GET /faults', () => [...this.#faults].map(([id, { spec, hits }]) => ({ id, ...spec, hits }))],
      ['POST /faults', (body) => this.#addFault(body)],
      ['DELETE /faults', () => this.#clearFaults()],
      ['GET /requests', (_, { search }) => server.requests.filter(matchOf(search))],
      ['DELETE /requests', () => server.requests.clear()],
      ['GET /watches', (_, { search }) => server.watches.filter(matchOf(search)).map(shownWatch)],
      ['POST /watches/wait', (body) => this.#waitForWatch(body)],
      ['POST /watches/break', (body) => this.#breakWatches(body)],
      ['GET /clock', () => ({ now: server.clock.now() })],
      ['POST /clock/advance', ({ ms }) => server.clock.advance(Number(ms)).then(() => ({ now: server.clock.now() }))],
      ['POST /compact', () => server.compact()],
      ['POST /settled', () => server.settled()],
      ['GET /pods/scripts', () => [...this.#scripts].map(([id, { said }]) => ({ id, ...said }))],
      ['POST /pods/scripts', (body) => this.#addScript(body)],
      ['DELETE /pods/scripts', () => this.#clearScripts()],
      ['POST /nodes/fail', ({ name }) => server.nodes.fail(nodeName(name))],
      ['POST /nodes/return', ({ name }) => server.nodes.return(nodeName(name))],
      ['POST /nodes/relieve', ({ name }) => server.nodes.relieve(nodeName(name))],
      ['POST /nodes/pressure', (body) => this.#pressure(body)],
    ])
  }

  async act({ method, path, search, text }: TestRequest): Promise<unknown> {
    const fault = /^\/faults\/([^/]+)$/.exec(path)?.[1]
    if (method === 'DELETE' && fault !== undefined) return this.#removeFault(fault)
    const script = /^\/pods\/scripts\/([^/]+)$/.exec(path)?.[1]
    if (method === 'DELETE' && script !== undefined) return this.#removeScript(script)
    const action = this.#actions.get(`${method} ${path}`)
    if (action === undefined) throw new NotFoundError(`there is no ${method} ${path}`)
    return action(path === '/apply' ? {} : parseBody(text), { search, text })
  }

  async #reset({ to, ...options }: Body): Promise<void> {
    this.#faults.clear()
    this.#scripts.clear()
    await this.#server.reset(to === undefined ? undefined : String(to), options as RestoreOptions)
  }

  #snapshot({ name }: Body): object {
    const chosen = name === undefined ? `snapshot-${++this.#count}` : String(name)
    this.#server.snapshot(chosen)
    return { name: chosen }
  }

  async #fork(): Promise<object> {
    if (this.#forks.size >= maxForks) throw new Error(`there are ${maxForks} forks: close one before`)
    const fork = await this.#server.fork()
    const opened = await this.#openFork(fork, () => held.close())
    const held = {
      close: async () => {
        this.#forks.delete(held)
        await opened.close()
        await fork.close()
      },
    }
    this.#forks.add(held)
    return opened.answer
  }

  get faults(): number {
    return this.#faults.size
  }

  async closeForks(): Promise<void> {
    for (const fork of this.#forks) await fork.close()
  }

  #user({ name, groups = [] }: Body): object {
    const user = this.#server.user(String(name), (groups as unknown[]).map(String))
    return { name: user.name, groups: user.groups, token: user.token, kubeconfig: user.kubeconfig().yaml() }
  }

  #addFault(spec: Body): object {
    const fault = this.#server.faults.add(spec as FaultSpec)
    const id = String(++this.#count)
    this.#faults.set(id, fault)
    return { id }
  }

  #removeFault(id: string): object {
    const fault = this.#faults.get(id)
    if (fault === undefined) throw new NotFoundError(`there is no fault ${id}`)
    fault.remove()
    this.#faults.delete(id)
    return { hits: fault.hits }
  }

  #clearFaults(): void {
    this.#server.faults.clear()
    this.#faults.clear()
  }

  #addScript({ pods, script }: Body): object {
    if (pods === undefined || script === undefined) throw new Error('a script needs "pods" and "script"')
    const running = this.#server.pods.script(pods as PodPattern, script as PodScript)
    const id = String(++this.#count)
    this.#scripts.set(id, { said: { pods, script }, running })
    return { id }
  }

  #removeScript(id: string): void {
    const script = this.#scripts.get(id)
    if (script === undefined) throw new NotFoundError(`there is no script ${id}`)
    script.running.stop()
    this.#scripts.delete(id)
  }

  #clearScripts(): void {
    this.#server.pods.clear()
    this.#scripts.clear()
  }

  async #pressure({ name, resource, evict }: Body): Promise<void> {
    const known = pressures.find((each) => each === resource)
    if (known === undefined) throw new Error(`"resource" must be one of ${pressures.join(', ')}`)
    await this.#server.nodes.pressure(nodeName(name), known, evict === undefined ? {} : { evict: evict as PodPattern })
  }

  async #waitForWatch({ match = {}, timeout }: Body): Promise<object> {
    const options = timeout === undefined ? {} : { timeout: Number(timeout) }
    return shownWatch(await this.#server.watches.waitFor(match as RequestMatch, options))
  }

  #breakWatches({ kind, match = {} }: Body): object {
    return { count: this.#server.watches.break(kind as WatchFaultKind, match as RequestMatch) }
  }
}

const pressures = ['memory', 'disk', 'pid'] as const

function nodeName(name: unknown): string {
  if (typeof name !== 'string' || name === '') throw new Error('which node? "name" is missing')
  return name
}

const shownWatch = ({ request, events }: OpenWatch): object => ({ request, events })

/** Once the answer has been sent. */
function endSoon(end: (() => Promise<void>) | undefined): void {
  if (end === undefined) throw new Error('only a fork can be closed by its endpoint: stop this server by a signal')
  setTimeout(() => void end(), 10)
}

/** Where a server is, and how to reach it. */
export const describeServer = (server: RunningTestServer): object => ({
  url: server.url,
  token: server.token,
  kubeconfig: server.kubeconfig().yaml(),
})

const matchFields = ['verb', 'resource', 'namespace', 'name', 'user', 'userAgent', 'path'] as const

function matchOf(search: URLSearchParams): RequestMatch {
  const given = matchFields.flatMap((field) => {
    const value = search.get(field)
    return value === null ? [] : [[field, value]]
  })
  return Object.fromEntries(given) as RequestMatch
}

function parseBody(text: string): Body {
  if (text.trim() === '') return {}
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the body must be an object')
  return value as Body
}
