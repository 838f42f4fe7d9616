/** Makes a case that shows a difference smaller, as long as it still shows one of the same cluster. */
import type { Case, Step } from './case.ts'
import { clusterKey } from './clusters.ts'
import type { Difference } from './execute.ts'
import { type Json, pathsOf, valueAt, withValueAt } from './json.ts'

const mostTries = 120

export async function shrink(
  found: Difference,
  execute: (each: Case) => Promise<Difference | undefined>,
): Promise<Difference> {
  const key = clusterKey(found)
  let best = withoutLaterSteps(found)
  let tries = 0
  for (let improved = true; improved && tries < mostTries; ) {
    improved = false
    for (const smaller of reductions(best.case)) {
      if (++tries > mostTries) break
      const difference = await execute(smaller)
      if (difference === undefined || clusterKey(difference) !== key) continue
      best = withoutLaterSteps(difference)
      improved = true
      break
    }
  }
  return best
}

const withoutLaterSteps = (difference: Difference): Difference => ({
  ...difference,
  case: { ...difference.case, steps: difference.case.steps.slice(0, difference.step + 1) },
})

/** Fewer steps first, then fewer members of bodies, large ones first, then a shorter query and fewer headers. */
function* reductions(each: Case): Generator<Case> {
  const { steps } = each
  for (let i = 1; i < steps.length - 1; i++) yield { ...each, steps: steps.filter((_, at) => at !== i) }
  for (const [i, step] of steps.entries()) {
    for (const smaller of smallerSteps(step))
      yield { ...each, steps: steps.map((other, at) => (at === i ? smaller : other)) }
  }
}

const needed = new Set(['apiVersion', 'kind', 'metadata', 'metadata.name', 'metadata.namespace'])

function* smallerSteps(step: Step): Generator<Step> {
  if (step.during !== undefined) {
    for (let i = 0; i < step.during.length; i++) yield { ...step, during: step.during.filter((_, at) => at !== i) }
  }
  if (step.body !== undefined) for (const body of smallerBodies(step.body)) yield { ...step, body }
  const [path = '', query] = step.path.split('?')
  // Without its selector a deletion would take away what other cases, and the server itself, need.
  if (query !== undefined) {
    const options = query.split('&')
    for (let i = 0; i < options.length; i++) {
      if (options[i]?.startsWith('labelSelector=')) continue
      const rest = options.filter((_, at) => at !== i).join('&')
      yield { ...step, path: rest === '' ? path : `${path}?${rest}` }
    }
  }
  const { accept, ...others } = step.headers ?? {}
  if (accept !== undefined) yield { ...step, headers: others }
}

function* smallerBodies(body: Json): Generator<Json> {
  const paths = [...pathsOf(body)].filter((path) => !needed.has(path.join('.')))
  const size = (at: (typeof paths)[number]): number => JSON.stringify(valueAt(body, at) ?? null).length
  for (const path of paths.sort((a, b) => size(b) - size(a))) {
    const smaller = withValueAt(body, path, undefined)
    if (smaller !== undefined) yield smaller
  }
}
