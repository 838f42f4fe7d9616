/** Sends audit events to a webhook, as an EventList. What cannot be delivered after several attempts is lost. */
import type { ReviewClient } from '../../auth/webhook/webhook-client.ts'
import type { AuditEvent } from './event.ts'
import type { AuditSink, OnLost } from './sink.ts'

export function webhookSink(client: Pick<ReviewClient, 'deliver' | 'close'>, onLost: OnLost): AuditSink {
  return {
    async process(events) {
      try {
        await client.deliver(eventList(events))
        return true
      } catch (error) {
        onLost('webhook', error instanceof Error ? error.message : String(error), events.length)
        return false
      }
    },
    close() {
      client.close()
      return Promise.resolve()
    },
  }
}

const eventList = (events: readonly AuditEvent[]): string =>
  `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${events.map(({ item }) => item).join(',')}]}`
