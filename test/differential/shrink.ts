/** Makes a case that shows a difference smaller, as long as it still shows one of the same cluster. */
import { type Case, type Hook, type Step, sentinel } from './case.ts'
import { clusterKey } from './clusters.ts'
import type { Difference } from './execute.ts'
import { type Json, type JsonPath, pathsOf, valueAt, withValueAt } from './json.ts'

const mostTries = 400

export async function shrink(
  found: Difference,
  execute: (each: Case) => Promise<Difference | undefined>,
  isLate: () => boolean = () => false,
): Promise<Difference> {
  const key = clusterKey(found)
  let best = withoutLaterSteps(found)
  let tries = 0
  // What did not help is not tried again before everything else was: a pass goes on where it found something.
  for (let improved = true; improved && tries < mostTries; ) {
    improved = false
    const tried = new Set<string>()
    for (let reduction = next(best.case, tried); reduction && tries < mostTries; reduction = next(best.case, tried)) {
      if (isLate()) return best
      tries++
      tried.add(reduction.name)
      const difference = await execute(reduction.case)
      if (difference === undefined || clusterKey(difference) !== key) continue
      best = withoutLaterSteps(difference)
      improved = true
    }
  }
  return best
}

interface Reduction {
  /** What it leaves out. */
  readonly name: string
  readonly case: Case
}

function next(each: Case, tried: ReadonlySet<string>): Reduction | undefined {
  for (const reduction of reductions(each)) if (!tried.has(reduction.name)) return reduction
  return undefined
}

const withoutLaterSteps = (difference: Difference): Difference => ({
  ...difference,
  case: { ...difference.case, steps: difference.case.steps.slice(0, difference.step + 1) },
})

/** Fewer steps first, then fewer members of bodies, large ones first, then a shorter query and fewer headers. */
function* reductions(each: Case): Generator<Reduction> {
  const { steps } = each
  const at = (i: number, smaller: Step): Case => ({
    ...each,
    steps: steps.map((other, place) => (place === i ? smaller : other)),
  })
  for (const [i, step] of steps.slice(0, -1).entries()) {
    if (isFixed(step) || step.needed) continue
    yield { name: `step ${i} of ${steps.length}`, case: { ...each, steps: steps.filter((_, place) => place !== i) } }
  }
  for (const [i, step] of steps.entries()) {
    if (isFixed(step)) continue
    for (const { name, step: smaller } of smallerSteps(step)) yield { name: `${i} ${name}`, case: at(i, smaller) }
  }
  for (const [hook, behaviour] of Object.entries(each.hooks ?? {})) {
    if (hook === sentinel) continue
    for (const { name, hook: smaller } of smallerHooks(behaviour))
      yield { name: `${hook} ${name}`, case: { ...each, hooks: { ...each.hooks, [hook]: smaller } } }
  }
}

/** Without them the servers would be compared before they noticed what came before. */
const isFixed = (step: Step): boolean =>
  step.until !== undefined ||
  step.pause !== undefined ||
  step.settle === true ||
  JSON.stringify(step.body ?? '').includes(sentinel)

/** A hook answers with less; which hooks there are follows from the requests. */
function* smallerHooks(hook: Hook): Generator<{ name: string; hook: Hook }> {
  if (hook.body !== undefined)
    for (const { name, body } of smallerBodies(hook.body)) yield { name, hook: { ...hook, body } }
  const { headers, delay, ...rest } = hook
  if (headers !== undefined || delay !== undefined) yield { name: 'extras', hook: rest }
}

/** Without its selector a webhook or policy would meet the objects of other cases. */
const isGuard = (path: JsonPath): boolean => path.includes('objectSelector')

const needed = new Set(['apiVersion', 'kind', 'metadata', 'metadata.name', 'metadata.namespace'])

function* smallerSteps(step: Step): Generator<{ name: string; step: Step }> {
  for (let i = 0; i < (step.during ?? []).length; i++)
    yield {
      name: `during ${i} of ${step.during?.length}`,
      step: { ...step, during: (step.during ?? []).filter((_, at) => at !== i) },
    }
  if (step.body !== undefined)
    for (const { name, body } of smallerBodies(step.body)) yield { name, step: { ...step, body } }
  yield* smallerQueries(step)
  const { accept, ...others } = step.headers ?? {}
  if (accept !== undefined) yield { name: 'accept', step: { ...step, headers: others } }
}

/** Without its selector a deletion would take away what other cases, and the server itself, need. */
function* smallerQueries(step: Step): Generator<{ name: string; step: Step }> {
  const [path = '', query] = step.path.split('?')
  const options = query?.split('&') ?? []
  for (const [i, option] of options.entries()) {
    if (option.startsWith('labelSelector=')) continue
    const rest = options.filter((_, at) => at !== i).join('&')
    yield { name: `?${option}`, step: { ...step, path: rest === '' ? path : `${path}?${rest}` } }
  }
}

function* smallerBodies(body: Json): Generator<{ name: string; body: Json }> {
  const paths = [...pathsOf(body)].filter((path) => !needed.has(path.join('.')) && !isGuard(path))
  const size = new Map(paths.map((path) => [path, JSON.stringify(valueAt(body, path) ?? null).length]))
  for (const path of paths.sort((a, b) => (size.get(b) ?? 0) - (size.get(a) ?? 0))) {
    const smaller = withValueAt(body, path, undefined)
    if (smaller !== undefined) yield { name: path.join('.'), body: smaller }
  }
}
