/** What runs and waits, as text in columns: for people who look inside, in the reference's layout. */

import { formatDuration } from '../../api/duration.ts'
import { formatGroupVersion } from '../../api/group-version.ts'
import type { RequestContext } from '../../api/request-context.ts'
import type { FlowControl } from './flow-control.ts'
import type { FlowRequest } from './flow-request.ts'
import type { PriorityLevel } from './priority-level.ts'

export type FlowDump = 'dump_priority_levels' | 'dump_queues' | 'dump_requests'

export interface DumpOptions {
  /** Milliseconds since 1970 at the zero of the clock that requests are timed by. */
  readonly timeOrigin: number
  readonly details: boolean
}

export function dumpFlows(control: FlowControl, dump: FlowDump, options: DumpOptions): string {
  switch (dump) {
    case 'dump_priority_levels':
      return columns([levelHeaders, ...control.levels().map(levelRow)])
    case 'dump_queues':
      return columns([queueHeaders, ...control.levels().flatMap(queueRows)])
    case 'dump_requests': {
      const headers = options.details ? [...requestHeaders, ...detailHeaders] : requestHeaders
      return columns([headers, ...control.levels().flatMap((level) => requestRows(level, options))])
    }
  }
}

const levelHeaders = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
]

function levelRow({ name, queues, isLeaving }: PriorityLevel): string[] {
  const active = queues.queues().filter(({ waiting }) => waiting.length > 0).length
  const { idle, waiting, executing, dispatched, refused, timedOut, cancelled } = queues
  return [name, active, idle, isLeaving, waiting, executing, dispatched, refused, timedOut, cancelled].map(String)
}

const queueHeaders = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
]

const seatSeconds = (value: number): string => `${value.toFixed(8)}ss`

function queueRows({ name, queues }: PriorityLevel): string[][] {
  return queues
    .queues()
    .map((queue, index) => [
      name,
      String(index),
      String(queue.waiting.length),
      String(queue.executing),
      String(queue.seatsInUse),
      seatSeconds(queue.nextR),
      String(queue.seatsSum),
      String(queue.maxSeatsSum),
      seatSeconds(queue.workSum),
    ])
}

const requestHeaders = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  // Spelled as in the reference: tools look for it.
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
]
const detailHeaders = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource']

/** Queue by queue what waits and then what runs, and at last what runs without a queue. */
function requestRows(level: PriorityLevel, options: DumpOptions): string[][] {
  const running = [...level.queues.running()]
  const row = (request: FlowRequest, position: number): string[] => [
    level.name,
    ...requestRow(request, position, options),
    ...(options.details ? detailRow(request.context) : []),
  ]
  const inQueues = level.queues
    .queues()
    .flatMap(({ waiting }, index) => [
      ...waiting.map((request, position) => row(request, position)),
      ...running.filter(({ queue }) => queue?.index === index).map((request) => row(request, -1)),
    ])
  return [...inQueues, ...running.filter(({ queue }) => queue === undefined).map((request) => row(request, -1))]
}

function requestRow(request: FlowRequest, position: number, { timeOrigin }: DumpOptions): string[] {
  const { flow, work, queue, arrivedAt, startedAt, state } = request
  return [
    flow.schema.name,
    String(queue?.index ?? -1),
    String(position),
    flow.distinguisher,
    time(timeOrigin + arrivedAt),
    String(work.seats),
    String(work.finalSeats),
    formatDuration(BigInt(Math.round(work.lingerMs * 1e6))),
    state === 'waiting' ? '0001-01-01T00:00:00Z' : time(timeOrigin + startedAt),
  ]
}

function detailRow({ user, info }: RequestContext): string[] {
  const { verb, path, namespace, name, group, version, resource, subresource } = info
  return [user.name, verb, path, namespace, name, formatGroupVersion({ group, version }), resource, subresource]
}

/** With as many digits of the second as say something. */
const time = (ms: number): string => new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z')

/** Every cell but the last ends in a comma and is padded to its column, which is eight wide at least. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    row.slice(0, -1).forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 8, cell.length + 2)
    })
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i < row.length - 1 ? `${cell},`.padEnd(widths[i] ?? 0) : cell)).join('')
  return rows.map((row) => `${line(row)}\n`).join('')
}
