/** Keeps what is noted for the audit log, for a test to look at, whether requests are audited or not. */
import type { AuditTrail } from '../api/audit-trail.ts'
import type { Steps } from '../lib/in-turns.ts'

export class AnnotationTrail implements AuditTrail {
  readonly wantsResponse = false
  readonly #annotations = new Map<string, string>()

  get annotations(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#annotations)
  }

  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value)
  }

  impersonatedAs(): void {}
  requestObject(): void {}
  *requestObjectInSteps(): Steps<void> {}
  *requestPatch(): Steps<void> {}
  responseObject(): void {}
  *responseObjectInSteps(): Steps<void> {}
  panicked(): void {}
}
