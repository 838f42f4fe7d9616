/** Keeps the status of validating policies: which generation was checked, and what the check found. */
import type { JsonObject } from '../../api/json.ts'
import type { ObjectChange, ObjectSource } from '../../api/object-source.ts'
import type { Clock, Pausable } from '../../lib/clock.ts'
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

export class PolicyStatusController implements Pausable {
  readonly #options: PolicyStatusOptions
  readonly #timers = new Map<string, () => void>()
  readonly #checks = new Set<Promise<void>>()
  #isPaused = false
  readonly #stop: () => void

  constructor(options: PolicyStatusOptions) {
    this.#options = options
    options.clock.queues?.add(this)
    this.#stop = options.policies.subscribe((change) => this.#onChange(change))
  }

  close(): void {
    this.#stop()
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
    this.#options.clock.queues?.delete(this)
  }

  /** What is left alone for its moment is no work yet. */
  get isIdle(): boolean {
    return this.#checks.size === 0
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    await Promise.all(this.#checks)
  }

  resume(): void {
    this.#isPaused = false
  }

  hurry(): void {
    if (this.#isPaused) return
    for (const [name, cancel] of this.#timers) {
      cancel()
      this.#begin(name)
    }
  }

  #onChange({ type, object }: ObjectChange<Policy>): void {
    if (type !== 'DELETED' && !isChecked(object)) this.#schedule(object.metadata.name ?? '')
  }

  #schedule(name: string): void {
    if (this.#timers.has(name)) return
    const later = (): void => {
      // Its moment begins again where nothing may be begun.
      if (this.#isPaused) this.#timers.set(name, this.#options.clock.setTimeout(later, delayMs))
      else this.#begin(name)
    }
    this.#timers.set(name, this.#options.clock.setTimeout(later, delayMs))
  }

  #begin(name: string): void {
    this.#timers.delete(name)
    const check = this.#check(name)
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => this.#checks.delete(check))
    this.#checks.add(check)
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
