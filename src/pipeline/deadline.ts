/**
 * Gives every request its time: what the client asks for with `timeout`, up to the server's own limit. A late request
 * gets 504, or its answer is aborted when it has begun. What the request set going goes on: a write that
 * was sent to the store happens.
 */

import { DurationError, parseDuration } from '../api/duration.ts'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest } from '../api/status-error.ts'
import { SideTable } from '../lib/memo.ts'
import type { Filter } from './filter.ts'
import { isLongRunning } from './long-running.ts'
import type { RunningRequests } from './running-requests.ts'

/** `limit` is in milliseconds; 0 for none. */
export function deadline(running: RunningRequests, limit: number, onLateEnd?: OnLateEnd): Filter {
  return (context, next) => {
    if (isLongRunning(context.info)) return next(context)
    const asked = askedTimeout(context)
    const timeout = asked > 0 && (limit === 0 || asked < limit) ? asked : undefined
    if (timeout !== undefined && timeout < leastTimeout) {
      answerTimeout(context)
      return undefined
    }
    const done = next(context)
    if (!context.exchange.complete) {
      const release = running.add(context, timeout)
      if (done instanceof Promise) {
        if (onLateEnd !== undefined) tellLateEnd(context, done, onLateEnd)
        if (context.header('upgrade') !== undefined) releaseUpgraded(context, done, release)
      }
    }
    return done
  }
}

/** No request is answered in less than a microsecond: it is not begun. */
const leastTimeout = 0.001

function releaseUpgraded(context: RequestContext, done: Promise<void>, release: () => void): void {
  const look = (): void => {
    if (context.exchange.upgraded === true) release()
  }
  done.then(look, look)
}

/** Called when a handler ends after its request timed out. */
export type OnLateEnd = (status: 'ok' | 'error') => void

function tellLateEnd(context: RequestContext, done: Promise<void>, onLateEnd: OnLateEnd): void {
  const reportEnd = (status: 'ok' | 'error') => (): void => {
    if (expired.has(context)) onLateEnd(status)
  }
  done.then(reportEnd('ok'), reportEnd('error'))
}

const expired = new SideTable<RequestContext, true>()

/** Whether the request has timed out. */
export const hasTimedOut = (context: RequestContext): boolean => expired.has(context)

/** How long a request has, in milliseconds. */
export function requestTimeout(context: RequestContext, limit: number): number {
  const asked = askedTimeout(context)
  const most = limit === 0 ? Infinity : limit
  return asked > 0 ? Math.min(asked, most) : most
}

/** 0 when nothing is asked for. */
function askedTimeout({ info }: RequestContext): number {
  if (info.query.isEmpty) return 0
  const asked = info.query.get('timeout')
  if (asked === undefined || asked === '') return 0
  try {
    return Number(parseDuration(asked)) / 1e6
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`)
  }
}

const lateHeaders = { 'content-type': 'text/plain; charset=utf-8' }
/** The reference writes this without negotiating, and without a kind. */
const lateBody = `${JSON.stringify({
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within the allotted timeout',
  reason: 'Timeout',
  details: {},
  code: 504,
})}\n`

/** Answers that the request timed out. */
export function answerTimeout(context: RequestContext): void {
  const { exchange } = context
  if (exchange.upgraded === true) return
  expired.set(context, true)
  if (exchange.answered) {
    exchange.cut()
    return
  }
  // Its body may still be on its way, slowly: the rest of it is not awaited.
  exchange.addHeader('Connection', 'close')
  exchange.respond(504, lateHeaders, lateBody)
}
