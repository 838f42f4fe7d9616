/** What `kubectl logs` shows of a container: what its script says, what its command would have written, or that nothing runs. */
import { formatMicroTime, instantOfMillis } from '../../../api/time.ts'
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { idle, type PodRun } from '../pod-life/pod-run.ts'
import { commandLife } from '../script/command.ts'
import { globMatches } from '../script/pod-pattern.ts'
import type { PodScripts } from '../script/pod-scripts.ts'

export interface LogOptions {
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
  /** Milliseconds since 1970. */
  readonly since: number | undefined
}

/** As a kubelet refuses. */
export class KubeletRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'KubeletRefusal'
    this.status = status
  }
}

/** The whole text of a container's log. */
export function logText(pod: Pod, container: Container, scripts: PodScripts): string {
  for (const { script } of [...scripts.scriptsOf(pod)].reverse()) {
    if (script.logs === undefined || !globMatches(script.container ?? '*', container.name)) continue
    return typeof script.logs === 'string' ? withNewline(script.logs) : script.logs.map(withNewline).join('')
  }
  const said = commandLife(pod, container)?.output
  if (said !== undefined && said !== '') return said
  const { namespace = '', name = '' } = pod.metadata
  return `Container ${container.name} of pod ${namespace}/${name} is simulated: nothing runs in it, and it has written nothing.\n`
}

const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** When the instance whose log is asked for started. Throws a `KubeletRefusal` where there is none. */
export function loggedSince(pod: Pod, run: PodRun, { name, previous }: { name: string; previous: boolean }): number {
  const { state, last } = run.containers.get(name) ?? idle
  const text = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata.name ?? '')}`
  if (previous) {
    if (last !== undefined) return last.startedAt
    throw new KubeletRefusal(400, `previous terminated ${text} not found`)
  }
  if (state.kind === 'running' || state.kind === 'exited') return state.startedAt
  if (last !== undefined) return last.startedAt
  const reason = state.kind === 'waiting' ? state.reason : 'ContainerCreating'
  const why = state.kind === 'waiting' && state.reason.includes('Image') ? 'trying and failing to pull image' : reason
  throw new KubeletRefusal(400, `${text} is waiting to start: ${why}`)
}

/** All lines were written at the start. */
export function selectLog(text: string, startedAt: number, options: LogOptions): string {
  const { timestamps, tailLines, limitBytes, since } = options
  if (since !== undefined && startedAt < since) return ''
  let lines = text.split('\n')
  const isClosed = lines.at(-1) === ''
  if (isClosed) lines.pop()
  if (tailLines !== undefined) lines = tailLines === 0 ? [] : lines.slice(-tailLines)
  if (timestamps) {
    const time = formatMicroTime(instantOfMillis(startedAt)).replace('Z', '000Z')
    lines = lines.map((line) => `${time} ${line}`)
  }
  const selected = lines.length === 0 ? '' : lines.join('\n') + (isClosed ? '\n' : '')
  if (limitBytes === undefined) return selected
  return Buffer.from(selected).subarray(0, limitBytes).toString('utf8')
}
