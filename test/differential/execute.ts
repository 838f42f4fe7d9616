/** Sends the steps of a case to both servers, and stops at the first step whose answers, calls or audit events differ. */
import { setTimeout as delay } from 'node:timers/promises'
import type { AuditSide, AuditSink } from './audit-sink.ts'
import { type Case, contentTypes, type Step } from './case.ts'
import { compare, type Place } from './compare.ts'
import type { Answer, Endpoint } from './endpoint.ts'
import type { HookServer } from './hook-server.ts'
import { valueAt } from './json.ts'
import { decoded, normalised, normalisedCalls, normalisedEvents, type Observed } from './normalise.ts'
import { Side } from './side.ts'

export interface Difference {
  readonly case: Case
  /** The index of the step whose answers differ. */
  readonly step: number
  readonly reference: Observed
  readonly server: Observed
  readonly places: readonly Place[]
}

export interface Pair {
  readonly reference: Endpoint
  readonly server: Endpoint
  readonly namespace: string
  readonly hooks: Readonly<Record<AuditSide, HookServer>>
  /** Where both servers send their audit events, if they do. */
  readonly audit?: AuditSink | undefined
}

/** Distinguishes the names of runs that share servers. */
const run = Date.now().toString(36).slice(-5)
let executions = 0

function newNames(namespace: string): Record<'name' | 'plain' | 'octet' | 'namespace', string> {
  const number = executions++
  const id = `${run}-${number.toString(36).padStart(4, '0')}`
  return {
    name: `d-${id}`,
    plain: `d${id.replace('-', '')}`,
    octet: `${(number >> 8) & 255}.${number & 255}`,
    namespace,
  }
}

/** Resolves to the first difference, or undefined. */
export async function execute(each: Case, pair: Pair): Promise<Difference | undefined> {
  const names = newNames(pair.namespace)
  const audited = each.audited === true && pair.audit !== undefined
  const side = (name: AuditSide): Side => new Side({ endpoint: pair[name], hooks: pair.hooks[name], names, audited })
  const [reference, server] = [side('reference'), side('server')]
  for (const { hooks } of [reference, server]) hooks.register(names.plain, each.hooks ?? {})
  try {
    return await firstDifference({ each, reference, server, audit: audited ? pair.audit : undefined })
  } finally {
    await Promise.all([cleanUp(reference, each), cleanUp(server, each)])
    for (const { hooks } of [reference, server]) hooks.remove(names.plain)
  }
}

interface Execution {
  readonly each: Case
  readonly reference: Side
  readonly server: Side
  readonly audit: AuditSink | undefined
}

async function firstDifference(execution: Execution): Promise<Difference | undefined> {
  const { each, reference, server } = execution
  const records: StepRecord[] = []
  for (const [i, step] of each.steps.entries()) {
    const [theirs, ours] = await Promise.all([observe(reference, step), observe(server, step)])
    if (step.until !== undefined && theirs.status === ours.status) continue
    const found = differenceAt(each, i, [theirs, ours])
    if (found !== undefined) return found
    if (step.needed && theirs.status >= 300) break
    if (step.during === undefined && !step.settle)
      records.push({ step: i, observed: theirs, ids: [reference.auditId, server.auditId] })
  }
  return unlikeEvents(execution, records)
}

/** A step that both servers answered alike. */
interface StepRecord {
  readonly step: number
  readonly observed: Observed
  readonly ids: readonly [string, string]
}

/** Events come in batches: they are asked for when all is done. */
async function unlikeEvents(
  { each, reference, server, audit }: Execution,
  records: readonly StepRecord[],
): Promise<Difference | undefined> {
  if (audit === undefined) return undefined
  for (const { step, observed, ids } of records) {
    const [theirs, ours] = await Promise.all([audit.events('reference', ids[0]), audit.events('server', ids[1])])
    const found = differenceAt(each, step, [
      { ...observed, events: normalisedEvents(theirs, reference.maskFor(each.steps[step])) },
      { ...observed, events: normalisedEvents(ours, server.maskFor(each.steps[step])) },
    ])
    if (found !== undefined) return found
  }
  return undefined
}

function differenceAt(each: Case, step: number, [reference, server]: [Observed, Observed]): Difference | undefined {
  const places = compare(reference, server)
  return places.length === 0 ? undefined : { case: each, step, reference, server, places }
}

/** A connection that breaks is an observation, too. */
async function observe(side: Side, step: Step): Promise<Observed> {
  try {
    const answer = await side.take(step)
    return { ...normalised(answer, side.maskFor(step)), calls: normalisedCalls(side.calls(), side.maskFor(step)) }
  } catch (error) {
    return {
      status: 0,
      contentType: '',
      headers: {},
      layout: '',
      warnings: [],
      body: `no answer: ${(error as Error).message}`,
    }
  }
}

/** Policies and webhooks that were removed just before may refuse it for a while. */
async function removed(side: Side, remove: Step): Promise<Answer | undefined> {
  for (let tries = 0; ; tries++) {
    const answer = await side.take(remove).catch(() => undefined)
    const done = answer === undefined || answer.status < 300 || answer.status === 404 || answer.status === 405
    if (done || tries === mostRemovals) return answer
    await delay(250)
  }
}

const mostRemovals = 8

/** A policy that was removed just before may put the finalizers back for a while. */
async function release(side: Side, path: string): Promise<void> {
  const headers = { 'content-type': contentTypes.mergePatch }
  for (let tries = 0; tries < mostRemovals; tries++) {
    const step = { method: 'PATCH', path, headers, body: { metadata: { finalizers: null } } }
    const answer = await side.take(step).catch(() => undefined)
    if (answer === undefined || answer.status === 404) return
    const finalizers = valueAt(decoded(answer.contentType, answer.body), ['metadata', 'finalizers'])
    if (answer.status < 300 && finalizers === undefined) return
    await delay(250)
  }
}

async function cleanUp(side: Side, { cleanup }: Case): Promise<void> {
  for (const path of cleanup) {
    const remove = { method: 'DELETE', path, body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } }
    const answer = await removed(side, remove)
    const left =
      answer !== undefined &&
      answer.status < 300 &&
      valueAt(decoded(answer.contentType, answer.body), ['metadata', 'finalizers'])
    if (!left || path.includes('/customresourcedefinitions/')) continue
    await release(side, path)
  }
}
