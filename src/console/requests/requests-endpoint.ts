/** `/console/v1/requests`: what was asked of late, live, and one request in all its parts. */

import type { RequestContext } from '../../api/request-context.ts'
import { ApiError } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import { TimeSlice } from '../../lib/in-turns.ts'
import { requestAttributes } from '../../pipeline/authorization.ts'
import type { Grants } from '../access/grants.ts'
import { answerJson, answerNoContent, openStream } from '../answers.ts'
import { answerState } from '../every-second.ts'
import { Query } from '../query.ts'
import type { ConsoleServices, Endpoint } from '../services.ts'
import { isoTime } from '../session-endpoints.ts'
import { ReaderRights } from './reader-rights.ts'
import { filterNames, requestFilter } from './request-filter.ts'
import type { RequestRecord } from './request-record.ts'
import { maxRequests, type RequestRing } from './request-ring.ts'
import { detail, summary } from './request-views.ts'

const defaultLimit = 200
/** Lines of one stream that wait for a decision. */
const maxPending = 1000

export function requestsEndpoints(services: ConsoleServices, ring: RequestRing, grants: Grants): Endpoint[] {
  return [
    {
      path: '/console/v1/requests',
      methods: {
        GET: (context) => list(context, services, ring),
        DELETE(context) {
          new Query(context, [])
          ring.clear()
          answerNoContent(context)
        },
      },
    },
    { path: '/console/v1/requests/', methods: { GET: (context) => one(context, { services, ring, grants }) } },
  ]
}

async function list(context: RequestContext, services: ConsoleServices, ring: RequestRing): Promise<void> {
  const query = new Query(context, ['limit', 'before', 'follow', ...filterNames])
  const matches = requestFilter(query)
  if (query.flag('follow')) {
    follow(context, services, { ring, matches })
    return
  }
  ring.look()
  const limit = query.count('limit', defaultLimit, maxRequests)
  const before = query.count('before', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  const rights = new ReaderRights(services.authorizer, context.user)
  const items: object[] = []
  const slice = new TimeSlice()
  for (const record of ring.newest(before)) {
    if (!matches(record)) continue
    if (items.length === limit) break
    items.push(summary(record, await rights.withheld(record)))
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  const { since, kept, forgotten } = ring
  const recording = { ...(since === undefined ? {} : { since: isoTime(since) }), kept, max: maxRequests, forgotten }
  answerJson(context, { recording, items })
}

function follow(
  context: RequestContext,
  services: ConsoleServices,
  { ring, matches }: { readonly ring: RequestRing; readonly matches: (record: RequestRecord) => boolean },
): void {
  const { user } = context
  const stream = openStream(context, services, () => unfollow())
  // Lines stay in their order, although each waits for a decision.
  let sending = Promise.resolve()
  let pending = 0
  const unfollow = ring.follow((record) => {
    if (!matches(record) || !stream.isOpen) return
    if (pending >= maxPending) {
      stream.drop()
      return
    }
    pending++
    sending = sending.then(async () => {
      pending--
      const withheld = await new ReaderRights(services.authorizer, user).withheld(record)
      stream.send({ type: 'REQUEST', request: summary(record, withheld) })
    })
  })
}

interface OneParts {
  readonly services: ConsoleServices
  readonly ring: RequestRing
  readonly grants: Grants
}

async function one(context: RequestContext, { services, ring, grants }: OneParts): Promise<void> {
  const follows = new Query(context, ['follow']).flag('follow')
  ring.look()
  const text = context.info.path.slice('/console/v1/requests/'.length)
  const record = /^[0-9]{1,12}$/.test(text) ? ring.find(Number(text)) : undefined
  if (record === undefined) {
    const message = `there is no request ${JSON.stringify(text)}, or it was forgotten`
    throw new ApiError({ code: 404, reason: 'NotFound', message })
  }
  const look = async (): Promise<object> => {
    const withheld = await new ReaderRights(services.authorizer, context.user).withheld(record)
    const facts = { withheld, authorization: await authorization(record, grants), flow: flow(record) }
    return detail(record, facts)
  }
  // What is over does not change any more.
  const stamp = (): string => (record.isOver ? 'over' : String(record.ageMs))
  return answerState(context, services, { type: 'REQUEST', follows, look, stamp })
}

/** The decision as it was, and the grant that its reason names, if that is still there. */
async function authorization(record: RequestRecord, grants: Grants): Promise<object | undefined> {
  const verdict = record.annotations.get('authorization.k8s.io/decision')
  if (verdict === undefined || record.context === undefined) return undefined
  const said = record.annotations.get('authorization.k8s.io/reason') ?? ''
  const reason = said === '' && verdict === 'allow' ? unsaidReason(record.context.user) : said
  const all = verdict === 'allow' ? await grants.allowing(requestAttributes(record.context)) : []
  const grant = all.find(({ binding }) => reason.includes(`${binding.kind} "${boundName(binding)}"`))
  return { decision: verdict === 'allow' ? 'allow' : 'forbid', reason, ...(grant === undefined ? {} : { grant }) }
}

/** The authorizers give no reason for what needs no rule. */
const unsaidReason = ({ groups }: UserInfo): string =>
  groups.includes('system:masters') ? 'members of the group system:masters are never refused' : ''

const boundName = ({ namespace, name }: { namespace?: string; name: string }): string =>
  namespace === undefined ? name : `${name}/${namespace}`

function flow({ context }: RequestRecord): object | undefined {
  if (context?.placement === undefined) return undefined
  const { flow: found, queue, maxSeats } = context.placement
  return {
    priorityLevel: found.level.name,
    flowSchema: found.schema.name,
    distinguisher: found.distinguisher,
    ...(queue === undefined ? {} : { queue: queue.index }),
    seats: maxSeats,
    queuedMs: context.waits?.['apf-queue-wait'] ?? 0,
  }
}
