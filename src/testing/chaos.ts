/** Faults of many kinds at once, by chance, and the same for the same seed: what a bad day at a cluster looks like. */
import type { Chaos, ChaosKind, ChaosOptions, Fault, FaultSpec } from './api/faults.ts'

const kinds: Readonly<Record<ChaosKind, readonly FaultSpec[]>> = {
  conflicts: [{ verb: ['update', 'patch'], error: 409 }],
  errors: [{ error: 500 }, { error: 503 }, { error: 504 }],
  throttling: [{ error: { code: 429, retryAfter: 1 } }],
  latency: [{ latency: 200 }],
  cuts: [{ cut: 'before' }, { cut: 'after' }],
  watches: [
    { verb: 'watch', watch: { kind: 'cut', afterEvents: 3 } },
    { verb: 'watch', watch: { kind: 'expired', afterEvents: 2 } },
    { verb: 'watch', watch: 'without bookmarks' },
  ],
  staleReads: [{ verb: ['get', 'list', 'watch'], stale: 5 }],
  pages: [{ verb: 'list', expiredContinue: true }],
}

const chaosKinds = Object.keys(kinds) as readonly ChaosKind[]

/** `add` takes a seed of its own: chaos is the same whatever faults there were before. */
export function startChaos(
  { seed, share = 0.1, only = chaosKinds, match = {} }: ChaosOptions,
  add: (spec: FaultSpec, seed: number) => Fault,
): Chaos {
  if (!Number.isSafeInteger(seed)) throw new TypeError(`chaos needs a whole number as its seed, not ${seed}`)
  if (!(share >= 0 && share <= 1)) throw new RangeError(`share is from 0 to 1, not ${share}`)
  const unknown = only.find((kind) => !Object.hasOwn(kinds, kind))
  if (unknown !== undefined) throw new TypeError(`there is no chaos of ${unknown}: ${chaosKinds.join(', ')}`)
  const specs = only.flatMap((kind) => kinds[kind].map((spec, i) => ({ label: `chaos-${kind}-${i + 1}`, spec })))
  const faults = specs.flatMap(({ label, spec }, i) => {
    const verb = commonVerbs(spec.verb, match.verb)
    return verb === null
      ? []
      : [
          add(
            { ...match, ...spec, ...(verb === undefined ? {} : { verb }), label, share: share / specs.length },
            seed * 101 + i,
          ),
        ]
  })
  return {
    seed,
    get hits() {
      return faults.reduce((sum, { hits }) => sum + hits, 0)
    },
    stop: () => {
      for (const fault of faults) fault.remove()
    },
  }
}

type Verbs = FaultSpec['verb']

/** The verbs of both; null when there are none. */
function commonVerbs(a: Verbs, b: Verbs): Verbs | null {
  if (a === undefined || b === undefined) return a ?? b
  const wanted = [b].flat()
  const both = [a].flat().filter((verb) => wanted.includes(verb))
  return both.length === 0 ? null : both
}
