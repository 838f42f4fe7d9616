/**
 * The table of Pod.
 * Mirrors pkg/printers/internalversion: printPod.
 */

import { humanDuration } from '../../../api/human-duration.ts'
import type { JsonObject, JsonValue } from '../../../api/json.ts'
import type { RowCondition, TableDefinition } from '../../../api/table.ts'
import {
  at,
  condition,
  defineTable,
  isDeleting,
  kindAgeColumn,
  kindNameColumn,
  listValue,
  number,
  objects,
  size,
  textAt,
  textValue,
} from '../../columns/cells.ts'

interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly status: string
  readonly restarts: number
  /** When a container last ended, in milliseconds; 0 if none did. */
  readonly lastRestart: number
}

const terminated = (container: JsonObject): JsonValue | undefined => at(container, 'state', 'terminated')

const exitText = (state: JsonValue | undefined): string => {
  const reason = textValue(at(state, 'reason'))
  if (reason !== '') return reason
  const signal = number(at(state, 'signal'))
  return signal ? `Signal:${signal}` : `ExitCode:${number(at(state, 'exitCode'))}`
}

/** Restarts of some containers, and when the last of them ended. */
class Restarts {
  count = 0
  last = 0

  add(container: JsonObject): void {
    this.count += Number(number(container['restartCount']))
    const finished = Date.parse(textValue(at(container, 'lastState', 'terminated', 'finishedAt')))
    if (finished > this.last) this.last = finished
  }
}

interface InitProgress {
  /** Undefined when all init containers are done. */
  readonly status: string | undefined
  readonly ready: number
  readonly all: Restarts
  /** Of those that run beside the main containers. */
  readonly sidecars: Restarts
}

function sidecarNames(pod: JsonObject): Set<JsonValue | undefined> {
  const inits = objects(at(pod, 'spec', 'initContainers'))
  return new Set(inits.filter((init) => init['restartPolicy'] === 'Always').map((init) => init['name']))
}

function initProgress(pod: JsonObject, sidecars: ReadonlySet<JsonValue | undefined>): InitProgress {
  const all = new Restarts()
  const beside = new Restarts()
  let ready = 0
  for (const [i, container] of objects(at(pod, 'status', 'initContainerStatuses')).entries()) {
    const isSidecar = sidecars.has(container['name'])
    all.add(container)
    if (isSidecar) beside.add(container)
    const ended = terminated(container)
    if (ended && !number(at(ended, 'exitCode'))) continue
    if (isSidecar && container['started'] === true) {
      if (container['ready'] === true) ready++
      continue
    }
    return { status: initStatus(pod, container, i), ready, all, sidecars: beside }
  }
  return { status: undefined, ready, all, sidecars: beside }
}

function initStatus(pod: JsonObject, container: JsonObject, position: number): string {
  const ended = terminated(container)
  if (ended) return `Init:${exitText(ended)}`
  const waiting = textValue(at(container, 'state', 'waiting', 'reason'))
  if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`
  return `Init:${position}/${size(at(pod, 'spec', 'initContainers'))}`
}

function summarize(pod: JsonObject, showsFailure: boolean): PodSummary {
  const sidecars = sidecarNames(pod)
  const init = initProgress(pod, sidecars)
  const total = size(at(pod, 'spec', 'containers')) + sidecars.size
  let status = init.status ?? initialStatus(pod)
  let restarts = init.all
  let ready = init.ready
  if (init.status === undefined || condition(pod, 'Initialized')?.['status'] === 'True') {
    restarts = init.sidecars
    let running = 0
    let failure = ''
    for (const container of objects(at(pod, 'status', 'containerStatuses')).toReversed()) {
      restarts.add(container)
      const state = containerStatus(container)
      if (state !== undefined) status = state
      if (showsFailure && hasFailed(container)) failure = state ?? ''
      else if (container['ready'] === true && at(container, 'state', 'running')) running++
    }
    ready += running
    if (status === 'Completed') status = completedStatus(pod, running > 0, failure)
  }
  return { ready, total, status: deletionStatus(pod) ?? status, restarts: restarts.count, lastRestart: restarts.last }
}

/** Of a pod some of whose containers may run still, or have failed. */
function completedStatus(pod: JsonObject, isRunning: boolean, failure: string): string {
  if (isRunning && condition(pod, 'Ready')?.['status'] === 'True') return 'Running'
  if (failure !== '') return failure
  return isRunning ? 'NotReady' : 'Completed'
}

/** What waits with a reason has not ended, whatever else its state says. */
const hasFailed = (container: JsonObject): boolean =>
  textValue(at(container, 'state', 'waiting', 'reason')) === '' &&
  Number(number(at(terminated(container), 'exitCode'))) !== 0

function initialStatus(pod: JsonObject): string {
  if (condition(pod, 'PodScheduled')?.['reason'] === 'SchedulingGated') return 'SchedulingGated'
  return textValue(at(pod, 'status', 'reason')) || textValue(at(pod, 'status', 'phase'))
}

function containerStatus(container: JsonObject): string | undefined {
  const waiting = textValue(at(container, 'state', 'waiting', 'reason'))
  if (waiting !== '') return waiting
  const ended = terminated(container)
  return ended ? exitText(ended) : undefined
}

function deletionStatus(pod: JsonObject): string | undefined {
  if (!isDeleting(pod)) return undefined
  if (at(pod, 'status', 'reason') === 'NodeLost') return 'Unknown'
  const phase = at(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating'
}

function restartsText({ restarts, lastRestart }: PodSummary, now: number): string {
  return restarts !== 0 && lastRestart !== 0 ? `${restarts} (${humanDuration(now - lastRestart)} ago)` : `${restarts}`
}

function readinessGates(pod: JsonObject): string {
  const gates = objects(at(pod, 'spec', 'readinessGates'))
  if (gates.length === 0) return '<none>'
  const met = gates.filter((gate) => condition(pod, textValue(gate['conditionType']))?.['status'] === 'True')
  return `${met.length}/${gates.length}`
}

const completed = (reason: string, message: string): RowCondition[] => [
  { type: 'Completed', status: 'True', reason, message },
]

const succeeded = completed('Succeeded', 'The pod has completed successfully.')

const failed = completed('Failed', 'The pod failed.')

const columns = defineTable('Pod', [
  kindNameColumn,
  { name: 'Ready', cell: () => '' },
  { name: 'Status', cell: () => '' },
  { name: 'Restarts', cell: () => '' },
  kindAgeColumn,
  { name: 'IP', cell: (pod) => textValue(at(listValue(at(pod, 'status', 'podIPs'))[0], 'ip'), '<none>'), wide: true },
  { name: 'Node', cell: textAt('spec.nodeName', '<none>'), wide: true },
  { name: 'Nominated Node', cell: textAt('status.nominatedNodeName', '<none>'), wide: true },
  { name: 'Readiness Gates', cell: readinessGates, wide: true },
])

const podTableWith = (showsFailure: boolean): TableDefinition => ({
  columns: columns.columns,
  /** Readiness, status and restarts come from one look at the containers. */
  cells(pod, now) {
    const cells = columns.cells(pod, now)
    const summary = summarize(pod, showsFailure)
    cells.splice(1, 3, `${summary.ready}/${summary.total}`, summary.status, restartsText(summary, now))
    return cells
  },
  conditions(pod) {
    const phase = at(pod, 'status', 'phase')
    return phase === 'Succeeded' ? succeeded : phase === 'Failed' ? failed : undefined
  },
})

export const podTable: TableDefinition = podTableWith(false)

/** A container that failed shows, though others completed. */
export const podTableWithFailures: TableDefinition = podTableWith(true)
