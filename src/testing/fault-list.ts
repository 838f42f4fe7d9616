/** The faults that a test has asked for: which requests they hit, how often, and by what chance. */
import { seededRandom } from '../lib/seeded-random.ts'
import type { Fault, FaultSpec, Faults, RecordedRequest } from './api.ts'
import { requestMatcher, textPattern } from './request-match.ts'

/** What a request can be hit by; a webhook call is none of them. */
const kinds = ['error', 'latency', 'cut', 'watch', 'expiredContinue', 'stale', 'webhook'] as const

/** One fault, and how far it has come. */
export class ActiveFault implements Fault {
  readonly spec: Readonly<FaultSpec>
  readonly label: string
  /** The store's revision when it was added. */
  readonly revision: number
  hits = 0
  #seen = 0
  readonly #matches: (request: RecordedRequest) => boolean
  readonly #urlFits: (url: string) => boolean
  readonly #random: () => number
  readonly #remove: (fault: ActiveFault) => void

  constructor(spec: FaultSpec, given: { index: number; seed: number; revision: number; remove(fault: Fault): void }) {
    this.spec = spec
    this.label = spec.label ?? `fault-${given.index}`
    this.revision = given.revision
    this.#matches = requestMatcher(spec)
    this.#urlFits = spec.webhookUrl === undefined ? () => true : textPattern(spec.webhookUrl)
    this.#random = seededRandom(given.seed * 31 + given.index)
    this.#remove = given.remove
  }

  remove(): void {
    this.#remove(this)
  }

  /** Counts the request in; true when it is hit. */
  hitsRequest(request: RecordedRequest, applies: boolean): boolean {
    return this.spec.webhook === undefined && applies && this.#matches(request) && this.#isTurn()
  }

  hitsCall(review: RecordedRequest, url: string): boolean {
    return this.spec.webhook !== undefined && this.#matches(review) && this.#urlFits(url) && this.#isTurn()
  }

  #isTurn(): boolean {
    const { skip = 0, times = Number.POSITIVE_INFINITY, share = 1 } = this.spec
    if (++this.#seen <= skip || this.hits >= times) return false
    if (share < 1 && this.#random() >= share) return false
    this.hits++
    return true
  }
}

export class FaultList implements Faults {
  readonly #seed: number
  readonly #revision: () => number
  #faults: readonly ActiveFault[] = []
  #count = 0

  constructor(seed: number, revision: () => number) {
    this.#seed = seed
    this.#revision = revision
  }

  add(spec: FaultSpec): Fault {
    checkSpec(spec)
    const fault = new ActiveFault(
      { ...spec },
      {
        index: ++this.#count,
        seed: this.#seed,
        revision: this.#revision(),
        remove: (which) => {
          this.#faults = this.#faults.filter((each) => each !== which)
        },
      },
    )
    this.#faults = [...this.#faults, fault]
    return fault
  }

  list(): readonly ActiveFault[] {
    return this.#faults
  }

  clear(): void {
    this.#faults = []
  }

  /** The first fault that hits a request. `applies` says whether one of its kind can happen to it. */
  forRequest(request: RecordedRequest, applies: (spec: FaultSpec) => boolean): ActiveFault | undefined {
    return this.#faults.find((fault) => fault.hitsRequest(request, applies(fault.spec)))
  }

  forCall(review: RecordedRequest, url: string): ActiveFault | undefined {
    return this.#faults.find((fault) => fault.hitsCall(review, url))
  }
}

/** A mistake in a fault would let a test pass that tests nothing. */
function checkSpec(spec: FaultSpec): void {
  const known = new Set<string>([
    ...kinds,
    ...['label', 'skip', 'times', 'share', 'webhookUrl', 'where'],
    ...['verb', 'resource', 'namespace', 'name', 'user', 'userAgent', 'path'],
  ])
  for (const key of Object.keys(spec)) if (!known.has(key)) throw new TypeError(`a fault has no ${JSON.stringify(key)}`)
  if (kinds.every((kind) => spec[kind] === undefined)) {
    throw new TypeError(`a fault says what goes wrong: one of ${kinds.join(', ')}`)
  }
  const { share = 1 } = spec
  if (!(share >= 0 && share <= 1)) throw new RangeError(`share is from 0 to 1, not ${share}`)
}
