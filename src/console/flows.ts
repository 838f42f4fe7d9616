/** `/console/v1/flows`: priority levels, their queues and what is in them. */
import type { FlowRequest } from '../pipeline/fairness/flow-request.ts'
import type { PriorityLevel } from '../pipeline/fairness/priority-level.ts'
import { answerJson } from './answers.ts'
import { streamEverySecond } from './every-second.ts'
import { Query } from './query.ts'
import type { ConsoleServices, Endpoint } from './services.ts'

const maxRequests = 100

export function flowsEndpoint(services: ConsoleServices): Endpoint {
  const { flowControl } = services
  const levels = (): object[] => flowControl?.levels().map(shownLevel) ?? []
  return {
    path: '/console/v1/flows',
    methods: {
      GET(context) {
        const query = new Query(context, ['follow'])
        if (query.flag('follow')) streamEverySecond(context, services, () => ({ type: 'FLOWS', levels: levels() }))
        else answerJson(context, { enabled: flowControl !== undefined, levels: levels() })
      },
    },
  }
}

function shownLevel({ name, settings, limits, current, queues }: PriorityLevel): object {
  const { waiting, executing, dispatched, refused, timedOut, cancelled } = queues
  const running = [...queues.running()]
  const views = queues.queues()
  return {
    name,
    type: settings.exempt ? 'Exempt' : 'Limited',
    seats: current,
    nominalSeats: limits.nominal,
    seatsInUse: running.reduce((sum, { work }) => sum + work.seats, 0),
    executing,
    waiting,
    dispatched,
    rejected: refused,
    timedOut,
    cancelled,
    queues: views
      .map((view, index) => ({
        index,
        waiting: view.waiting.length,
        executing: view.executing,
        seatsInUse: view.seatsInUse,
      }))
      .filter((view) => view.waiting > 0 || view.executing > 0),
    requests: [...running, ...views.flatMap((view) => view.waiting)].slice(0, maxRequests).map(shownRequest),
  }
}

function shownRequest({ state, flow, work, context, arrivedAt, startedAt, queue }: FlowRequest): object {
  const isWaiting = state === 'waiting' || state === 'new'
  return {
    state: isWaiting ? 'waiting' : state,
    flowSchema: flow.schema.name,
    distinguisher: flow.distinguisher,
    user: context.user.name,
    verb: context.info.verb,
    path: context.info.path,
    ageMs: Math.round(performance.now() - (isWaiting ? arrivedAt : startedAt)),
    seats: work.seats,
    ...(queue === undefined ? {} : { queue: queue.index }),
  }
}
