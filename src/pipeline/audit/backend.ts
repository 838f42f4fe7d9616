/** Where audit events go. */
import type { JsonObject } from '../../api/json.ts'

export interface AuditBackend {
  /** Takes one event. Never throws and never waits: what cannot be kept is counted and dropped. */
  write(event: JsonObject): void
  /** Sends what is still held, as far as that is possible. */
  close(): Promise<void>
}

export interface TruncateOptions {
  /** Bytes of JSON. */
  readonly maxEventSize: number
}

/** Leaves the bodies out of events that are too large, and leaves out events that are too large without them. */
export function truncating(inner: AuditBackend, { maxEventSize }: TruncateOptions): AuditBackend {
  return {
    write(event) {
      if (sizeOf(event) <= maxEventSize) return inner.write(event)
      const { requestObject: _request, responseObject: _response, ...rest } = event
      const annotations = typeof rest['annotations'] === 'object' ? rest['annotations'] : {}
      const truncated = { ...rest, annotations: { ...annotations, 'audit.k8s.io/truncated': 'true' } }
      if (sizeOf(truncated) <= maxEventSize) inner.write(truncated)
    },
    close: () => inner.close(),
  }
}

const sizeOf = (event: JsonObject): number => Buffer.byteLength(JSON.stringify(event))
