/** One request on its way through the pipeline and the handlers: what is known about it, in one place. */

import type { LatencySource } from './admission.ts'
import type { AuditTrail } from './audit-trail.ts'
import type { Exchange } from './exchange.ts'
import { checkQualifiedName } from './names.ts'
import type { RequestInfo } from './request-info.ts'
import type { UserInfo } from './user.ts'
import { Warnings } from './warnings.ts'

/**
 * The seats of flow control that a request holds while it runs. One that only waits, for its client to read or to send
 * or for its turn, lends them: other flows may take them when they find none.
 */
export interface Seats {
  lend(): void
  /** Undefined: it has its seats. Else it must not go on before this resolves. */
  regain(): Promise<void> | undefined
  /** As `regain`, and lends them no longer. */
  keep(): Promise<void> | undefined
}

/** Where flow control put a request. */
export interface FlowPlacement {
  readonly flow: {
    readonly level: { readonly name: string }
    readonly schema: { readonly name: string }
    /** The user or the namespace. */
    readonly distinguisher: string
  }
  /** Absent where its level has no queues, as for exempt requests. */
  readonly queue: { readonly index: number } | undefined
  readonly maxSeats: number
}

export class RequestContext {
  /** Replaced by auditing where answers wait for their events. */
  exchange: Exchange
  readonly info: RequestInfo
  /** Set by authentication, changed by impersonation. */
  user: UserInfo
  /** A test wants a read that may be stale to show the state of this revision. */
  readAt: number | undefined
  #warnings: Warnings | undefined
  /** Names the request in logs, here and at the servers that it is passed on to. */
  auditId = ''
  /** Set when the request is audited. */
  audit: AuditTrail | undefined
  /** What authentication says of the credential, before it is known whether the request is audited. */
  credentialAnnotations: Readonly<Record<string, string>> | undefined

  /** When something was last measured, by the clock of `performance`. */
  mark = 0
  /** Set when it has passed the filters: errors of these know fewer encodings than the resources do. */
  isPastFilters = false
  /** The bytes of its body, once that was read. */
  bodyBytes = 0
  /** Absent where nothing limits how many run. */
  seats: Seats | undefined
  /** Absent where flow control is off, and for requests that it does not limit. */
  placement: FlowPlacement | undefined
  /** Set once it has waited for something. */
  waits: Readonly<Record<LatencySource, number>> | undefined

  constructor(exchange: Exchange, info: RequestInfo, user: UserInfo) {
    this.exchange = exchange
    this.info = info
    this.user = user
  }

  /** A header with one value; a repeated header's first one. */
  header(name: string): string | undefined {
    const value = this.exchange.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  /** Tells the client something in a `Warning` header, once. */
  warn(text: string): void {
    if (text === '') return
    this.#warnings ??= new Warnings()
    this.#warnings.add(text, this.exchange)
  }

  /** Notes time in which others were waited for: what is measured of the server itself is without it. */
  waited(what: LatencySource, ms: number): void {
    const known = this.waits ?? noWaits
    // Webhooks that validate are asked together, so that the slowest counts.
    const total = what === 'mutating-webhook' ? known[what] + ms : Math.max(known[what], ms)
    this.waits = { ...known, [what]: total }
  }

  /** For the audit log, when the request is in it. What was said first stays. */
  annotate(key: string, value: string, from?: 'Request'): void {
    this.audit?.annotate(key, value, from)
  }

  /** What admission says, in part in a webhook's words: a key must be a qualified one. Mirrors admission: AddAnnotation. */
  annotateAdmission(key: string, value: string, from?: 'Request'): void {
    if (this.audit !== undefined && key.includes('/') && checkQualifiedName(key).length === 0)
      this.audit.annotate(key, value, from)
  }
}

const noWaits: Readonly<Record<LatencySource, number>> = {
  'mutating-webhook': 0,
  'validating-webhook': 0,
  'apf-queue-wait': 0,
}
