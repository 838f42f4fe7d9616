// What became of each condition over time: from the versions that are still kept, or else from its last transition alone.

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface Stretch {
  readonly from: number
  readonly to: number
  /** Undefined: not known. */
  readonly status: string | undefined
  readonly reason: string
}

export interface Lane {
  readonly type: string
  readonly stretches: readonly Stretch[]
}

export interface Sight {
  readonly from: number
  readonly to: number
}

/** Conditions that have a type, whatever else an object has in that place. */
export function conditionsOf(status: unknown): Condition[] {
  const given: unknown = (status as { conditions?: unknown } | undefined)?.conditions
  if (!Array.isArray(given)) return []
  return given.filter((each): each is Condition => typeof each?.type === 'string')
}

interface Moment {
  readonly at: number
  readonly status: string | undefined
  readonly reason: string
}

/** `versions` are the conditions of earlier ones, oldest first, and of the present one last. */
export function conditionLanes(versions: readonly (readonly Condition[])[], { from, to }: Sight): Lane[] {
  const now = versions.at(-1) ?? []
  return now.map(({ type }) => {
    const moments: Moment[] = [{ at: from, status: undefined, reason: '' }]
    for (const conditions of versions) {
      const found = conditions.find((each) => each.type === type)
      const at = Date.parse(found?.lastTransitionTime ?? '')
      if (found === undefined || Number.isNaN(at)) continue
      const last = moments.at(-1) as Moment
      if (last.status === found.status && last.reason === (found.reason ?? '')) continue
      // A reason may change without a transition: it is part of the same stretch.
      if (last.status === found.status) moments[moments.length - 1] = { ...last, reason: String(found.reason ?? '') }
      else moments.push({ at: Math.max(at, last.at), status: String(found.status), reason: String(found.reason ?? '') })
    }
    return { type, stretches: stretchesOf(moments, to) }
  })
}

/** A state that lasted for less than the clock tells is left out, but never the present one: it may begin in this second, or in a clock's future. */
function stretchesOf(moments: readonly Moment[], to: number): Stretch[] {
  return moments
    .map(({ at, status, reason }, index) => ({
      from: at,
      to: moments[index + 1]?.at ?? Math.max(to, at),
      status,
      reason,
    }))
    .filter(({ from, to: end }, index) => end > from || index === moments.length - 1)
}
