/** Keeps the status of validating policies: which generation was checked, and what the check found. */
import type { JsonObject } from '../../api/json.ts'
import type { ObjectChange, ObjectSource } from '../../api/object-source.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Policy } from './policy-objects.ts'
import { expressionWarnings, type TypeFinder } from './type-checking.ts'

export interface PolicyStatusOptions {
  readonly policies: ObjectSource<Policy>
  readonly types: TypeFinder
  readonly clock: Clock
  /** Writes the status if the policy is still that one; false when it is not. */
  readonly write: (policy: Policy, status: JsonObject) => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** A new policy is left alone for a moment: its author may not be done. */
const delayMs = 2000

export class PolicyStatusController {
  readonly #options: PolicyStatusOptions
  readonly #timers = new Map<string, () => void>()
  readonly #stop: () => void

  constructor(options: PolicyStatusOptions) {
    this.#options = options
    this.#stop = options.policies.subscribe((change) => this.#onChange(change))
  }

  close(): void {
    this.#stop()
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }

  #onChange({ type, object }: ObjectChange<Policy>): void {
    if (type !== 'DELETED' && !isChecked(object)) this.#schedule(object.metadata.name ?? '')
  }

  #schedule(name: string): void {
    if (this.#timers.has(name)) return
    const cancel = this.#options.clock.setTimeout(() => {
      this.#timers.delete(name)
      this.#check(name).catch((error: unknown) => this.#options.onError(error))
    }, delayMs)
    this.#timers.set(name, cancel)
  }

  async #check(name: string): Promise<void> {
    const policy = this.#options.policies.get('', name)
    if (policy === undefined || isChecked(policy)) return
    const warnings = expressionWarnings(policy.spec, this.#options.types)
    const status: JsonObject = {
      ...(policy['status'] as JsonObject | undefined),
      observedGeneration: policy.metadata.generation ?? 0,
      typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
    }
    if (!(await this.#options.write(policy, status))) this.#schedule(name)
  }
}

const isChecked = ({ metadata, ...policy }: Policy): boolean =>
  (policy['status'] as { observedGeneration?: number } | undefined)?.observedGeneration === metadata.generation
