/** The HTTP server of the simulated kubelets: the paths that an API server asks for, and a few of those that are for people. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { millisOfInstant, parseTime } from '../../../api/time.ts'
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Pod } from '../../objects.ts'
import type { MetricsAnswer } from '../metrics/metrics-api.ts'
import { idle, type PodRun } from '../pod-life/pod-run.ts'
import { readerOf } from '../script/command.ts'
import type { PodScripts } from '../script/pod-scripts.ts'
import { refuse, type StreamWishes, socketCommand, spdyCommand, type Upgrading } from './command-connections.ts'
import { type CommandStreams, runAnswer, wholeInput } from './command-session.ts'
import { KubeletRefusal, type LogOptions, loggedSince, logText, selectLog } from './container-log.ts'
import { ContainerProcesses, type ProcessTarget } from './container-processes.ts'
import { execAnswer, lineAnswer, scriptedAnswer } from './exec-answer.ts'
import { runReader } from './interactive-command.ts'
import { forwardPorts } from './port-forward.ts'
import { CopiedFiles, packedPath, readTar, unpackFolder, writeTar } from './tar-files.ts'

export interface KubeletParts {
  readonly clock: Clock
  readonly scripts: PodScripts
  readonly find: (namespace: string, name: string) => Pod | undefined
  readonly runOf: (pod: Pod) => PodRun
  readonly podsOn: (node: string) => readonly Pod[]
  /** The name of the node with this address. */
  readonly nodeAt: (address: string) => string | undefined
  /** Called whenever the pod changes, or is gone. The result ends it. */
  readonly onChange: (pod: Pod, listener: () => void) => () => void
  /** The metrics of the cluster, which have an address of their own; undefined: the path is another one. */
  readonly metrics: (path: string, query: URLSearchParams) => MetricsAnswer | undefined
}

interface Target {
  readonly pod: Pod
  readonly container: Container
}

export class KubeletEndpoint {
  readonly #parts: KubeletParts
  readonly #files = new CopiedFiles()
  readonly #processes: ContainerProcesses

  constructor(parts: KubeletParts) {
    this.#parts = parts
    const { clock, scripts } = parts
    this.#processes = new ContainerProcesses({
      clock,
      answer: (target, line) => lineAnswer(scripts, target, line),
      onExit: (target, exitCode) => this.#end(target, exitCode),
    })
  }

  /** A pod is gone. */
  forget(uid: string): void {
    this.#files.forget(`${uid}/`)
    this.#processes.forget(uid)
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    try {
      this.#answer(request, response)
    } catch (error) {
      const status = error instanceof KubeletRefusal ? error.status : 500
      response.writeHead(status, { 'content-type': 'text/plain' }).end(error instanceof Error ? error.message : '')
    }
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    try {
      this.#join({ request, socket, head })
    } catch (error) {
      refuse(socket, error instanceof KubeletRefusal ? error.status : 500, error instanceof Error ? error.message : '')
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = urlOf(request)
    const [, verb, namespace = '', name = '', container = ''] = pathname.split('/')
    if (verb === 'containerLogs') {
      this.#sendLog(this.#target(namespace, name, container), searchParams, response)
      return
    }
    if (verb === 'exec' || verb === 'attach' || verb === 'portForward') {
      throw new KubeletRefusal(400, 'you must specify at least 1 of stdin, stdout, stderr')
    }
    const metrics = this.#parts.metrics(pathname, searchParams)
    if (metrics !== undefined) {
      response.writeHead(metrics.status, { 'content-type': 'application/json' }).end(JSON.stringify(metrics.body))
      return
    }
    const node = this.#parts.nodeAt(String(request.headers.host ?? '').replace(/:\d+$/, '')) ?? ''
    const text = this.#page(node, pathname)
    if (text === undefined) throw new KubeletRefusal(404, '404 page not found\n')
    const type = text.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8'
    response.writeHead(200, { 'content-type': type }).end(text)
  }

  #page(node: string, path: string): string | undefined {
    switch (path) {
      case '/healthz':
        return 'ok'
      case '/pods':
      case '/runningpods/':
        return JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: this.#parts.podsOn(node) })
      default:
        return undefined
    }
  }

  #target(namespace: string, name: string, containerName: string): Target {
    const pod = this.#parts.find(decodeURIComponent(namespace), decodeURIComponent(name))
    if (pod === undefined) throw new KubeletRefusal(404, `pod "${name}" not found\n`)
    const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec
    const all = [...containers, ...initContainers, ...ephemeralContainers]
    const container = all.find((each) => each.name === decodeURIComponent(containerName))
    if (container === undefined) {
      throw new KubeletRefusal(404, `container "${containerName}" not found in pod "${name}"\n`)
    }
    return { pod, container }
  }

  #sendLog({ pod, container }: Target, query: URLSearchParams, response: ServerResponse): void {
    const { clock, runOf } = this.#parts
    const options = logOptions(query, clock.now())
    const startedAt = loggedSince(pod, runOf(pod), { name: container.name, previous: options.previous })
    const text = this.#logText({ pod, container, startedAt })
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write(selectLog(text, startedAt, options))
    if (query.get('follow') !== 'true' || options.previous) {
      response.end()
      return
    }
    this.#follow({ pod, container, startedAt }, { response, text, options })
  }

  #logText(target: ProcessTarget): string {
    return this.#processes.of(target)?.output ?? logText(target.pod, target.container, this.#parts.scripts)
  }

  /** Until the container ends; lines that a script adds are sent on. */
  #follow(
    { pod, container, startedAt }: ProcessTarget,
    { response, text, options }: { response: ServerResponse; text: string; options: LogOptions },
  ): void {
    const { runOf, find, onChange, clock } = this.#parts
    let sent = text
    const look = (): void => {
      const now = find(pod.metadata.namespace ?? '', pod.metadata.name ?? '')
      const isSame = now !== undefined && now.metadata.uid === pod.metadata.uid
      const present = isSame ? this.#logText({ pod: now, container, startedAt }) : sent
      if (present.length > sent.length && present.startsWith(sent)) {
        const more = selectLog(present.slice(sent.length), clock.now(), { ...options, tailLines: undefined })
        response.write(more)
        sent = present
      }
      if (!isSame || runOf(now).containers.get(container.name)?.state.kind !== 'running') response.end()
    }
    response.once('close', onChange(pod, look))
    look()
  }

  #join(upgrading: Upgrading): void {
    const { pathname, searchParams: query } = urlOf(upgrading.request)
    const [, verb, namespace = '', name = '', containerName = ''] = pathname.split('/')
    if (verb === 'portForward') {
      const pod = this.#parts.find(namespace, name)
      if (pod === undefined) throw new KubeletRefusal(404, `pod "${name}" not found`)
      forwardPorts(upgrading, { pod, scripts: this.#parts.scripts, query })
      return
    }
    if (verb !== 'exec' && verb !== 'attach') throw new KubeletRefusal(404, '404 page not found\n')
    const target = this.#target(namespace, name, containerName)
    const wishes = wishesOf(query)
    const { state } = this.#parts.runOf(target.pod).containers.get(containerName) ?? idle
    if (state.kind !== 'running') {
      throw new KubeletRefusal(500, `container not found ("${containerName}")`)
    }
    const begin = (streams: CommandStreams): void => {
      if (verb === 'attach') this.#attach({ ...target, startedAt: state.startedAt }, streams, wishes.stdin)
      else this.#run({ ...target, tty: wishes.tty }, query.getAll('command'), streams)
    }
    const upgrade = String(upgrading.request.headers.upgrade ?? '').toLowerCase()
    if (upgrade === 'websocket') socketCommand(upgrading, wishes, begin)
    else spdyCommand(upgrading, wishes, begin)
  }

  #run(target: Target & { readonly tty: boolean }, command: readonly string[], streams: CommandStreams): void {
    const { clock, scripts } = this.#parts
    const isScripted = scriptedAnswer(scripts, target, command) !== undefined
    const reader = isScripted ? undefined : readerOf(target.pod, target.container, command)
    if (reader !== undefined) {
      const answer = (line: string) => lineAnswer(scripts, target, line)
      runReader(streams, reader, { clock, since: clock.now(), tty: target.tty, answer })
      return
    }
    const key = `${target.pod.metadata.uid ?? ''}/${target.container.name}`
    const folder = unpackFolder(command)
    const packed = packedPath(command)
    const answer = execAnswer(scripts, target, command)
    if (folder !== undefined && answer.exitCode !== 0) this.#unpack(key, folder, streams)
    else if (packed !== undefined && answer.exitCode !== 0) this.#pack(key, packed, streams)
    else runAnswer(streams, clock, answer)
  }

  /** `kubectl cp` into the container. */
  #unpack(key: string, folder: string, streams: CommandStreams): void {
    wholeInput(streams, (input) => {
      const problem = input === undefined ? 'No space left on device' : this.#files.add(key, readTar(input, folder))
      if (problem !== undefined) streams.stderr(Buffer.from(`tar: ${problem}\n`))
      streams.exit(problem === undefined ? 0 : 2)
    })
  }

  #pack(key: string, path: string, streams: CommandStreams): void {
    const archive = writeTar(this.#files.of(key), path)
    if (archive === undefined) {
      streams.stderr(Buffer.from(`tar: ${path}: Cannot stat: No such file or directory\n`))
    } else streams.stdout(archive)
    streams.exit(archive === undefined ? 2 : 0)
  }

  /** What the container writes, until it ends or the client goes; its exit code is in the status of the pod alone. */
  #attach(target: ProcessTarget, streams: CommandStreams, writes: boolean): void {
    const process = this.#processes.open(target)
    streams.stdout(Buffer.from(this.#logText(target)))
    this.#untilEnd(target, streams)
    process?.join(streams, writes)
  }

  #untilEnd({ pod, container, startedAt }: ProcessTarget, streams: CommandStreams): void {
    const { runOf, find, onChange } = this.#parts
    const look = (): void => {
      const now = find(pod.metadata.namespace ?? '', pod.metadata.name ?? '')
      const isSame = now !== undefined && now.metadata.uid === pod.metadata.uid
      const state = isSame ? runOf(now).containers.get(container.name)?.state : undefined
      if (state?.kind === 'running' && state.startedAt === startedAt) return
      end()
      streams.exit(0)
    }
    const end = onChange(pod, look)
    streams.onGone(end)
  }

  /** The process of a container has ended, and the container with it: once, whatever becomes of it then. */
  #end({ pod, container, startedAt }: ProcessTarget, exitCode: number): void {
    const { clock, scripts, find, runOf, onChange } = this.#parts
    const { namespace, name, uid = '' } = pod.metadata
    const script = { container: container.name, exit: { exitCode, times: 1 } }
    const remove = scripts.add({ pattern: { namespace, name }, script, since: clock.now(), only: new Set([uid]) })
    const stop = onChange(pod, () => {
      const now = find(namespace ?? '', name ?? '')
      const state = now?.metadata.uid === uid ? runOf(now).containers.get(container.name)?.state : undefined
      if (state?.kind === 'running' && state.startedAt === startedAt) return
      stop()
      remove()
    })
  }
}

const urlOf = ({ url = '/' }: IncomingMessage): URL => new URL(url, 'http://kubelet')

const isWanted = (query: URLSearchParams, ...names: string[]): boolean =>
  names.some((name) => query.get(name) === '1' || query.get(name) === 'true')

const wishesOf = (query: URLSearchParams): StreamWishes => ({
  stdin: isWanted(query, 'input', 'stdin'),
  stdout: isWanted(query, 'output', 'stdout'),
  stderr: isWanted(query, 'error', 'stderr'),
  tty: isWanted(query, 'tty'),
})

function logOptions(query: URLSearchParams, now: number): LogOptions {
  const number = (name: string): number | undefined => {
    const text = query.get(name)
    return text === null || !/^\d+$/.test(text) ? undefined : Number(text)
  }
  const sinceSeconds = number('sinceSeconds')
  const sinceTime = query.get('sinceTime')
  return {
    previous: query.get('previous') === 'true',
    timestamps: query.get('timestamps') === 'true',
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
    since:
      sinceSeconds === undefined
        ? sinceTime === null
          ? undefined
          : millisOfInstant(parseTime(sinceTime))
        : now - sinceSeconds * 1000,
  }
}
