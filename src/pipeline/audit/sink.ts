/** The contract of audit sinks, and their decorators. */
import type { Awaitable } from '../../lib/awaitable.ts'
import type { AuditEvent } from './event.ts'

export interface AuditSink {
  /** Takes events. False: they were lost, which the backend has logged. Never throws, never rejects. */
  process(events: readonly AuditEvent[]): Awaitable<boolean>
  /** Sends what is still held, as far as that is possible. */
  close(): Promise<void>
}

/** Called when a sink loses events. */
export type OnLost = (plugin: string, why: string, count: number) => void

/** Leaves the bodies out of events that are too large, and leaves out events that are too large without them. */
export function truncating(inner: AuditSink, maxEventBytes: number, onLost: OnLost): AuditSink {
  const fits = (event: AuditEvent): boolean => Buffer.byteLength(event.text) <= maxEventBytes
  return {
    process(events) {
      const kept = events
        .map((event) => (event.hasBodies && !fits(event) ? event.withoutBodies() : event))
        .filter((event) => fits(event))
      const lost = events.length - kept.length
      if (lost > 0) onLost('truncate', 'event is too large even after truncating', lost)
      return kept.length === 0 || inner.process(kept)
    },
    close: () => inner.close(),
  }
}

/** Lets requests go on whatever becomes of their events. */
export function ignoringErrors(inner: AuditSink): AuditSink {
  return {
    process(events) {
      const result = inner.process(events)
      return result instanceof Promise ? result.then(() => true) : true
    },
    close: () => inner.close(),
  }
}

/** Every event goes to each of them. */
export function unionSink(sinks: readonly AuditSink[]): AuditSink {
  const [only] = sinks
  if (sinks.length === 1 && only !== undefined) return only
  return {
    process(events) {
      const results = sinks.map((sink) => sink.process(events))
      const late = results.filter((result) => result instanceof Promise)
      const atOnce = results.every((result) => result !== false)
      return late.length === 0 ? atOnce : Promise.all(late).then((each) => atOnce && each.every(Boolean))
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()))
    },
  }
}
