/**
 * Brings objects through the stages that users write for their kinds. An object is looked at when it changes: the stage it is in
 * is drawn and, after the stage's delay, played; what it writes is the next change. A kind that has stages is left alone by
 * whatever else would simulate it.
 *
 * Bounds: an object that is played `maxPlays` times in a row without a delay rests for a minute, and an event says so; there are
 * at most `maxStages`.
 */
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import type { StageSet } from '../../config/simulate-options.ts'
import type { Controller } from '../../controllers/controller.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { Informer } from '../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../framework/reconciler.ts'
import { stageSets } from './default-stages.ts'
import { type ResourceOfKind, stageResource } from './resource-of-kind.ts'
import { type Stage, stageGroup } from './stage.ts'
import { stageDefinition } from './stage-definition.ts'
import type { StageCluster } from './stage-functions.ts'
import { StagePlayer } from './stage-player.ts'
import { type CompiledStage, compileStage, drawStage } from './stage-selection.ts'

export interface StageKeeperOptions {
  readonly cluster: StageCluster
  /** Names of the sets that are there from the start. */
  readonly sets: readonly StageSet[]
  /** Whether an object is the simulation's: pods of its nodes, and these. */
  readonly isOurs: (object: KubeObject) => boolean
  /** Called when a kind gets its first stage, or loses its last one. */
  readonly onChange: (kind: string) => void
}

/** What is known of an object: the stage that it is in, and when that is played. */
interface Plan {
  readonly version: string | undefined
  readonly stage: CompiledStage | undefined
  readonly delayMs: number
  readonly dueAt: number
}

interface StagedKind {
  readonly resource: ResourceOfKind
  readonly informer: Informer<KubeObject>
  readonly stages: readonly CompiledStage[]
  readonly end: () => void
}

const maxStages = 1000
const maxPlays = 50
/** Plays that lie further apart are not in a row. */
const gapMs = 10_000
const restMs = 60_000
const concurrency = 16

export class StageKeeper implements Controller {
  readonly #context: SimulationContext
  readonly #options: StageKeeperOptions
  readonly #stages: Informer<Stage>
  readonly #definitions: Informer<KubeObject>
  readonly #player: StagePlayer
  readonly #queue: Reconciler
  readonly #ends: (() => void)[]
  readonly #kinds = new Map<string, StagedKind>()
  /** Kinds that stages name, known or not. */
  #named: ReadonlySet<string> = new Set()
  readonly #plans = new Map<string, Plan>()
  readonly #plays = new Map<string, { last: number; count: number }>()

  constructor(context: SimulationContext, options: StageKeeperOptions) {
    this.#context = context
    this.#options = options
    this.#stages = context.informer<Stage>(stageGroup, 'stages')
    this.#definitions = context.informer<KubeObject>('apiextensions.k8s.io', 'customresourcedefinitions')
    this.#player = new StagePlayer(context, {
      cluster: options.cluster,
      resourceOf: (apiVersion, kind) => stageResource(this.#definitions, apiVersion, kind),
    })
    this.#queue = reconciler(context, { name: 'stages', concurrency, reconcile: (key) => this.#reconcile(key) })
    this.#ends = [
      this.#stages.subscribe(() => this.#queue.add(rebuildKey)),
      this.#definitions.subscribe(() => {
        if (this.#named.size > this.#kinds.size) this.#queue.add(rebuildKey)
      }),
    ]
    this.#queue.add(installKey)
  }

  /** Whether stages, and nothing else, decide what becomes of a kind: `v1/Pod`. */
  isStaged(kind: string): boolean {
    return this.#named.has(kind)
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) end()
    for (const { end } of this.#kinds.values()) end()
    await this.#queue.stop()
  }

  #reconcile(key: string): Promise<{ requeueAfter: number } | undefined> {
    if (key === installKey) return this.#install()
    if (key === rebuildKey) {
      this.#rebuild()
      return Promise.resolve(undefined)
    }
    return this.#look(key)
  }

  async #install(): Promise<undefined> {
    const name = stageDefinition.metadata.name ?? ''
    const writer = this.#context.writer('kwok-controller')
    if (this.#definitions.get('', name) === undefined) {
      await unlessThere(() => writer.create('apiextensions.k8s.io', 'customresourcedefinitions', stageDefinition))
    }
    // Stages are served a moment later: until then this fails, and is tried again.
    for (const set of this.#options.sets) {
      for (const stage of stageSets[set]) await unlessThere(() => writer.create(stageGroup, 'stages', stage))
    }
  }

  /** Compiles all stages anew, and looks at all objects of their kinds. */
  #rebuild(): void {
    const byKind = new Map<string, CompiledStage[]>()
    for (const stage of this.#stages.list().slice(0, maxStages)) {
      const { apiGroup = 'v1', kind } = stage.spec.resourceRef
      const name = `${apiGroup}/${kind}`
      byKind.set(name, [...(byKind.get(name) ?? []), ...this.#compiled(stage)])
    }
    const before = this.#named
    this.#named = new Set(byKind.keys())
    for (const [kind, { end }] of this.#kinds) {
      end()
      this.#kinds.delete(kind)
    }
    this.#plans.clear()
    for (const [kind, stages] of byKind) this.#watch(kind, stages)
    for (const kind of new Set([...before, ...this.#named])) {
      if (before.has(kind) !== this.#named.has(kind)) this.#options.onChange(kind)
    }
  }

  #compiled(stage: Stage): CompiledStage[] {
    try {
      const compiled = compileStage(stage)
      return compiled === undefined ? [] : [compiled]
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#player.recorder.event(stage, { type: 'Warning', reason: 'InvalidStage', message })
      this.#context.logger.warn({ stage: stage.metadata.name, reason: message }, 'a stage cannot be used')
      return []
    }
  }

  #watch(kind: string, stages: readonly CompiledStage[]): void {
    const at = kind.lastIndexOf('/')
    const resource = stageResource(this.#definitions, kind.slice(0, at), kind.slice(at + 1))
    if (resource === undefined) return
    const informer = this.#context.informer<KubeObject>(resource.group, resource.resource)
    const staged: StagedKind = {
      resource,
      informer,
      stages,
      end: informer.subscribe((change) => {
        const key = `${kind}|${keyOf(change.object)}`
        if (change.type === 'DELETED') this.#forget(key)
        else this.#queue.add(key)
      }),
    }
    this.#kinds.set(kind, staged)
  }

  #forget(key: string): void {
    this.#plans.delete(key)
    this.#plays.delete(key)
  }

  async #look(key: string): Promise<{ requeueAfter: number } | undefined> {
    const at = key.indexOf('|')
    const staged = this.#kinds.get(key.slice(0, at))
    const { namespace, name } = splitKey(key.slice(at + 1))
    const object = staged?.informer.get(namespace, name)
    if (staged === undefined || object === undefined || !this.#options.isOurs(object)) return undefined
    const { clock } = this.#context
    const plan = this.#planOf(key, object, staged)
    if (plan.stage === undefined) return undefined
    if (plan.dueAt > clock.now()) return { requeueAfter: plan.dueAt - clock.now() }
    const resting = this.#countPlay(key, object, plan)
    if (resting !== undefined) return { requeueAfter: resting }
    await this.#play(key, object, { staged, stage: plan.stage })
    return undefined
  }

  /** A stage that was drawn stays so until the object changes. */
  #planOf(key: string, object: KubeObject, { stages }: StagedKind): Plan {
    const known = this.#plans.get(key)
    const version = object.metadata.resourceVersion
    if (known !== undefined && known.version === version) return known
    const { clock } = this.#context
    const now = clock.now()
    const random = (): number => clock.random(`stage ${key}`)
    let plan: Plan = { version, stage: undefined, delayMs: 0, dueAt: 0 }
    try {
      const stage = drawStage(stages, object, { now, random })
      const delayMs = stage?.delayMs(object, now, random) ?? 0
      plan = { version, stage, delayMs, dueAt: now + delayMs }
    } catch (error) {
      this.#fail(object, 'a stage', error)
    }
    this.#plans.set(key, plan)
    return plan
  }

  /** Undefined: it may be played; otherwise how long it rests. */
  #countPlay(key: string, object: KubeObject, { stage, delayMs }: Plan): number | undefined {
    const now = this.#context.clock.now()
    const counted = this.#plays.get(key)
    const isInARow = counted !== undefined && delayMs === 0 && now - counted.last < gapMs
    const count = isInARow ? counted.count + 1 : 1
    this.#plays.set(key, { last: now, count })
    if (count <= maxPlays) return undefined
    const message = `Stage ${JSON.stringify(stage?.name)} and others were played ${maxPlays} times in a row: the next one waits for a minute. A stage must write what no longer matches it, or have a delay.`
    this.#player.recorder.event(object, { type: 'Warning', reason: 'StageLoop', message })
    return restMs
  }

  async #play(
    key: string,
    object: KubeObject,
    { staged, stage }: { staged: StagedKind; stage: CompiledStage },
  ): Promise<void> {
    // Whatever becomes of it, this state is not played again.
    this.#plans.set(key, { version: object.metadata.resourceVersion, stage: undefined, delayMs: 0, dueAt: 0 })
    try {
      const after = await this.#player.play(stage, object, staged.resource)
      if (after === undefined || !stage.isImmediate) return
      if (after.metadata.resourceVersion === object.metadata.resourceVersion) this.#plans.delete(key)
      this.#queue.add(key)
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return
      this.#fail(object, `Stage ${JSON.stringify(stage.name)}`, error)
    }
  }

  #fail(object: KubeObject, what: string, error: unknown): void {
    const message = `${what} failed: ${error instanceof Error ? error.message : String(error)}`
    this.#player.recorder.event(object, { type: 'Warning', reason: 'StageFailed', message })
  }
}

async function unlessThere(create: () => Promise<unknown>): Promise<void> {
  try {
    await create()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error
  }
}

const installKey = ' install'
const rebuildKey = ' rebuild'
