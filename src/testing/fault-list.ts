/** The faults that a test has asked for: which requests they hit, how often, and by what chance. */
import { seededRandom } from '../lib/seeded-random.ts'
import { mapErrorsOf } from '../lib/stack-map.ts'
import type { Chaos, ChaosOptions, Fault, FaultSpec, Faults } from './api/faults.ts'
import type { RecordedRequest } from './api/requests.ts'
import { startChaos } from './chaos.ts'
import { type CheckMatch, checkKnown, matchFields } from './known-matches.ts'
import { requestMatcher, textPattern } from './request-match.ts'
import type { TestErrors } from './test-errors.ts'

/** What a request can be hit by; a webhook call is none of them. */
const kinds = ['error', 'latency', 'cut', 'watch', 'expiredContinue', 'stale', 'webhook'] as const

interface Given {
  readonly index: number
  readonly seed: number
  readonly revision: number
  readonly errors: TestErrors
  remove(fault: Fault): void
}

/** One fault, and how far it has come. */
export class ActiveFault implements Fault {
  readonly spec: Readonly<FaultSpec>
  readonly label: string
  /** The store's revision when it was added. */
  readonly revision: number
  #hits = 0
  #seen = 0
  readonly #matches: (request: RecordedRequest) => boolean
  readonly #errors: TestErrors
  readonly #urlFits: (url: string) => boolean
  readonly #random: () => number
  readonly #remove: (fault: ActiveFault) => void

  constructor(spec: FaultSpec, given: Given) {
    this.spec = spec
    this.label = spec.label ?? `fault-${given.index}`
    this.revision = given.revision
    const { where: _, ...facts } = spec
    this.#matches = requestMatcher(facts)
    this.#errors = given.errors
    this.#urlFits = spec.webhookUrl === undefined ? () => true : textPattern(spec.webhookUrl)
    this.#random = seededRandom(given.seed)
    this.#remove = given.remove
  }

  /** For those who only look. */
  get seenHits(): number {
    return this.#hits
  }

  /** Throws what `where` has thrown. */
  get hits(): number {
    this.#errors.check()
    return this.#hits
  }

  remove(): void {
    this.#remove(this)
  }

  /** Whether it is for `where` to say if a request is hit, which looks at bodies. */
  asksWhere(request: RecordedRequest, applies: boolean): boolean {
    return this.spec.where !== undefined && this.spec.webhook === undefined && applies && this.#matches(request)
  }

  #isMeant(request: RecordedRequest): boolean {
    const { where } = this.spec
    if (!this.#matches(request)) return false
    if (where === undefined) return true
    try {
      return where(request)
    } catch (error) {
      this.#errors.add(`where of ${this.label}, asked about ${request.method} ${request.path},`, error)
      return false
    }
  }

  /** Counts the request in; true when it is hit. */
  hitsRequest(request: RecordedRequest, applies: boolean): boolean {
    return this.spec.webhook === undefined && applies && this.#isMeant(request) && this.#isTurn()
  }

  hitsCall(review: RecordedRequest, url: string): boolean {
    return this.spec.webhook !== undefined && this.#urlFits(url) && this.#isMeant(review) && this.#isTurn()
  }

  #isTurn(): boolean {
    const { skip = 0, times = Number.POSITIVE_INFINITY, share = 1 } = this.spec
    if (++this.#seen <= skip || this.#hits >= times) return false
    if (share < 1 && this.#random() >= share) return false
    this.#hits++
    return true
  }
}

export interface FaultListOptions {
  readonly seed: number
  /** The store's revision now. */
  readonly revision: () => number
  readonly errors: TestErrors
  readonly check: CheckMatch
}

export class FaultList implements Faults {
  readonly #seed: number
  readonly #revision: () => number
  readonly #errors: TestErrors
  readonly #check: CheckMatch
  #faults: readonly ActiveFault[] = []
  /** Called for every new fault. */
  onAdd: ((fault: ActiveFault) => void) | undefined
  #count = 0

  constructor({ seed, revision, errors, check }: FaultListOptions) {
    this.#seed = seed
    this.#revision = revision
    this.#errors = errors
    this.#check = check
  }

  chaos(options: ChaosOptions): Chaos {
    return startChaos(options, (spec, seed) => this.#add(spec, seed))
  }

  add(spec: FaultSpec): Fault {
    return this.#add(spec, undefined)
  }

  /** Without a seed of its own: by that of the server, and by which fault it is. */
  #add(spec: FaultSpec, seed: number | undefined): Fault {
    checkSpec(spec)
    this.#check(spec)
    const fault = new ActiveFault(
      { ...spec },
      {
        index: ++this.#count,
        seed: seed ?? this.#seed * 31 + this.#count,
        revision: this.#revision(),
        errors: this.#errors,
        remove: (which) => {
          this.#faults = this.#faults.filter((each) => each !== which)
        },
      },
    )
    this.#faults = [...this.#faults, fault]
    this.onAdd?.(fault)
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

  /** Whether a body is needed to decide which fault hits a request. */
  wantsBody(request: RecordedRequest, applies: (spec: FaultSpec) => boolean): boolean {
    return this.#faults.some((fault) => fault.asksWhere(request, applies(fault.spec)))
  }

  forCall(review: RecordedRequest, url: string): ActiveFault | undefined {
    return this.#faults.find((fault) => fault.hitsCall(review, url))
  }
}

mapErrorsOf(FaultList.prototype, ['add', 'chaos'])

/** A mistake in a fault would let a test pass that tests nothing. */
function checkSpec(spec: FaultSpec): void {
  const known = [...kinds, ...matchFields, 'label', 'skip', 'times', 'share', 'webhookUrl']
  for (const key of Object.keys(spec)) checkKnown('field of a fault', key, known)
  if (kinds.every((kind) => spec[kind] === undefined)) {
    throw new TypeError(`a fault says what goes wrong: one of ${kinds.join(', ')}`)
  }
  const { share = 1 } = spec
  if (!(share >= 0 && share <= 1)) throw new RangeError(`share is from 0 to 1, not ${share}`)
}
