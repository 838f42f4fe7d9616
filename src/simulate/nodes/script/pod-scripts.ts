/** The scripts that are in force, and what they make of a pod: those of the testing library, then that of the pod's own annotation. */

import type { JsonValue } from '../../../api/json.ts'
import { SideTable } from '../../../lib/memo.ts'
import type { Pod } from '../../objects.ts'
import {
  type Behaviours,
  type ContainerBehaviour,
  type ContainerExit,
  type ContainerInstance,
  type Eviction,
  plainBehaviour,
} from '../pod-life/behaviour.ts'
import { commandLife } from './command.ts'
import { globMatches, type PodPattern, podMatches } from './pod-pattern.ts'
import { type PodScript, readScript, ScriptError, scriptAnnotation } from './pod-script.ts'

export interface ActiveScript {
  readonly pattern: PodPattern
  readonly script: PodScript
  /** Since when. */
  readonly since: number
  /** Pods that it is about, by uid; absent: all that match, now and later. */
  readonly only?: ReadonlySet<string> | undefined
}

/** Scripts that are in force at a time; more are refused. */
const maxScripts = 1000
/** Restart counts that are remembered for one script that acts a number of times. */
const maxCounted = 10_000

export class PodScripts implements Behaviours {
  readonly #scripts = new Set<ActiveScript>()
  readonly #counted = new SideTable<ActiveScript, Map<string, number>>()
  readonly #annotations = new SideTable<object, AnnotatedScript>()
  readonly #listeners = new Set<(script: ActiveScript) => void>()
  readonly #missingImages: readonly string[]

  /** `missingImages`: patterns of images whose pull fails. */
  constructor(missingImages: readonly string[] = []) {
    this.#missingImages = missingImages
  }

  /** The result ends it. */
  add(script: ActiveScript): () => void {
    if (this.#scripts.size >= maxScripts) throw new ScriptError(`no more than ${maxScripts} scripts at a time`)
    this.#scripts.add(script)
    this.#notify(script)
    return () => {
      if (this.#scripts.delete(script)) this.#notify(script)
    }
  }

  clear(): void {
    const all = [...this.#scripts]
    this.#scripts.clear()
    for (const script of all) this.#notify(script)
  }

  get all(): readonly ActiveScript[] {
    return [...this.#scripts]
  }

  /** Called for a script that came or went. */
  onChange(listener: (script: ActiveScript) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(script: ActiveScript): void {
    for (const listener of this.#listeners) listener(script)
  }

  container(instance: ContainerInstance): ContainerBehaviour {
    const { pod, container, role } = instance
    const plain =
      role === 'init' || role === 'main' || role === 'sidecar' ? ownLife(instance) : plainBehaviour(instance)
    let behaviour = this.#isMissing(container.image) ? { ...plain, pullError: missingImage(container.image) } : plain
    for (const each of this.scriptsOf(pod)) {
      const { container: wanted } = each.script
      const isMeant = wanted === undefined ? role !== 'init' : globMatches(wanted, container.name)
      if (isMeant) behaviour = this.#applied(behaviour, each, instance)
    }
    return behaviour
  }

  eviction(pod: Pod): Eviction | undefined {
    for (const { script, since } of this.scriptsOf(pod)) {
      const { evict } = script
      if (evict === undefined) continue
      const { after = 0, resource = 'memory', message } = evict
      return { at: since + after, message: message ?? `The node was low on resource: ${resource}. ` }
    }
    return undefined
  }

  /** Oldest first. */
  scriptsOf(pod: Pod): readonly ActiveScript[] {
    const own = this.#annotated(pod)
    if (this.#scripts.size === 0) return own === undefined ? none : [own]
    const matching = [...this.#scripts].filter(
      ({ pattern, only }) => podMatches(pattern, pod) && (only === undefined || only.has(pod.metadata.uid ?? '')),
    )
    return own === undefined ? matching : [own, ...matching]
  }

  /** What is wrong with the annotation of a pod; undefined: nothing. */
  annotationProblem(pod: Pod): string | undefined {
    return this.#readAnnotation(pod)?.problem
  }

  #annotated(pod: Pod): ActiveScript | undefined {
    return this.#readAnnotation(pod)?.script
  }

  #readAnnotation({ metadata }: Pod): AnnotatedScript | undefined {
    const { annotations } = metadata
    const text = annotations?.[scriptAnnotation]
    if (annotations === undefined || text === undefined) return undefined
    const known = this.#annotations.get(annotations)
    if (known?.text === text) return known
    const read = readAnnotation(text, Date.parse(metadata.creationTimestamp ?? '') || 0)
    this.#annotations.set(annotations, read)
    return read
  }

  #isMissing(image = ''): boolean {
    return this.#missingImages.some((pattern) => globMatches(pattern, image))
  }

  #applied(behaviour: ContainerBehaviour, active: ActiveScript, instance: ContainerInstance): ContainerBehaviour {
    const { script, since } = active
    const { pull, start, ready, stop, unready, exit, runs } = script
    const changed: { -readonly [K in keyof ContainerBehaviour]: ContainerBehaviour[K] } = { ...behaviour }
    if (runs === true) changed.exit = undefined
    if (pull?.takes !== undefined) changed.pullMs = pull.takes
    if (pull?.error !== undefined) changed.pullError = pull.error
    if (start?.takes !== undefined) changed.startMs = start.takes
    if (start?.error !== undefined) changed.startError = start.error
    if (ready?.after !== undefined) changed.readyMs = ready.after
    if (stop?.takes !== undefined) changed.stopMs = stop.takes
    if (stop?.exitCode !== undefined) changed.stopExitCode = stop.exitCode
    if (unready !== undefined) Object.assign(changed, readiness(unready, since, instance.now))
    if (exit !== undefined && !this.#isSpent(active, instance)) changed.exit = exitOf(exit, since, instance)
    return changed
  }

  /** A script that acts a number of times has acted as often in this container. */
  #isSpent(active: ActiveScript, { pod, container, restarts }: ContainerInstance): boolean {
    const times = active.script.exit?.times
    if (times === undefined) return false
    const counted = this.#counted.get(active) ?? new Map<string, number>()
    this.#counted.set(active, counted)
    const key = `${pod.metadata.uid ?? ''}/${container.name}`
    const first = counted.get(key) ?? restarts
    if (!counted.has(key) && counted.size < maxCounted) counted.set(key, restarts)
    return restarts - first >= times
  }
}

/** In the words of containerd. */
const missingImage = (image = ''): string =>
  `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`

const none: readonly ActiveScript[] = []

interface AnnotatedScript {
  readonly text: string
  readonly script?: ActiveScript
  readonly problem?: string
}

function readAnnotation(text: string, since: number): AnnotatedScript {
  try {
    return { text, script: { pattern: { name: '*' }, script: readScript(JSON.parse(text) as JsonValue), since } }
  } catch (error) {
    return { text, problem: error instanceof Error ? error.message : String(error) }
  }
}

/** As its command says, where that is understood. */
function ownLife(instance: ContainerInstance): ContainerBehaviour {
  const plain = plainBehaviour(instance)
  const { startedAt } = instance
  const life = commandLife(instance.pod, instance.container)
  if (life === undefined) return plain
  if (startedAt === undefined || life.ms === Number.POSITIVE_INFINITY) return { ...plain, exit: undefined }
  return { ...plain, exit: { at: startedAt + life.ms, exitCode: life.exitCode } }
}

function exitOf(
  exit: NonNullable<PodScript['exit']>,
  since: number,
  { startedAt }: ContainerInstance,
): ContainerExit | undefined {
  if (startedAt === undefined) return undefined
  const { after = 0, probe, output = 'the script says so' } = exit
  const exitCode = exit.exitCode ?? (probe === undefined ? 1 : 137)
  return {
    at: Math.max(startedAt, since) + after,
    exitCode,
    reason: exit.reason,
    message: exit.message,
    signal: exit.signal,
    probe: probe === undefined ? undefined : { type: probe, output },
  }
}

function readiness(
  { after = 0, for: lasts = Number.POSITIVE_INFINITY, every }: NonNullable<PodScript['unready']>,
  since: number,
  now: number,
): Pick<ContainerBehaviour, 'isUnready' | 'readinessChangesAt'> {
  const first = since + after
  if (now < first) return { readinessChangesAt: first }
  const begin = every === undefined || every <= 0 ? first : first + Math.floor((now - first) / every) * every
  const end = begin + lasts
  const next = every === undefined || every <= 0 ? undefined : begin + every
  if (now < end) return { isUnready: true, readinessChangesAt: Math.min(end, next ?? end) }
  return next === undefined ? {} : { readinessChangesAt: next }
}
