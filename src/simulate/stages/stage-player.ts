/** Plays a stage on an object: its steps, one after the other, through the server's own verbs. */

import { isJsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status-error.ts'
import type { Actor } from '../../registry/own-writes.ts'
import type { SimulationContext } from '../framework/context.ts'
import { keyOf } from '../framework/reconciler.ts'
import type { EventRecorder } from '../framework/recorder.ts'
import type { Writer } from '../framework/writer.ts'
import type { ResourceOfKind } from './resource-of-kind.ts'
import type { StagePatch, StageStep } from './stage.ts'
import { StageError } from './stage-expression.ts'
import type { StageCluster } from './stage-functions.ts'
import { patched, rendered, Templates, withFinalizers } from './stage-patch.ts'
import type { CompiledStage } from './stage-selection.ts'

const stageActor = (name = 'system:kwok'): Actor => ({
  user: { name, groups: ['system:authenticated'], extra: new Map() },
  fieldManager: 'kwok',
})

export interface StagePlayerOptions {
  readonly cluster: StageCluster
  readonly resourceOf: (apiVersion: string, kind: string) => ResourceOfKind | undefined
}

export class StagePlayer {
  readonly #context: SimulationContext
  readonly #options: StagePlayerOptions
  readonly #writer: Writer
  readonly #templates = new Templates()
  readonly #startedAt: number
  readonly recorder: EventRecorder

  constructor(context: SimulationContext, options: StagePlayerOptions) {
    this.#context = context
    this.#options = options
    this.#writer = context.writer(stageActor())
    this.#startedAt = context.clock.now()
    this.recorder = context.recorder('kwok', { actor: stageActor() })
  }

  /** The object as it is afterwards; undefined: it is gone. Throws what a step fails with. */
  async play(stage: CompiledStage, object: KubeObject, resource: ResourceOfKind): Promise<KubeObject | undefined> {
    let current: KubeObject | undefined = object
    for (const step of stage.steps) {
      if (step.event !== undefined) this.#record(object, step.event)
      if (current !== undefined) current = await this.#step(step, current, resource)
    }
    return current
  }

  #record(object: KubeObject, { type, reason = '', message = '' }: NonNullable<StageStep['event']>): void {
    this.recorder.event(object, { type: type === 'Warning' ? 'Warning' : 'Normal', reason, message })
  }

  async #step(step: StageStep, object: KubeObject, resource: ResourceOfKind): Promise<KubeObject | undefined> {
    let current = object
    const { finalizers } = step
    if (finalizers !== undefined) {
      current = await this.#update(current, resource, { change: (each) => withFinalizers(each, finalizers) })
    }
    if (step.delete === true) {
      await this.#delete(current, resource)
      return undefined
    }
    if (step.patch !== undefined) current = await this.#patch(current, resource, step.patch)
    if (step.apply !== undefined) await this.#apply(current, step.apply)
    return current
  }

  async #patch(object: KubeObject, resource: ResourceOfKind, patch: StagePatch): Promise<KubeObject> {
    const value = this.#rendered(patch, object)
    return this.#update(object, resource, {
      change: (current) => patched(current, patch, value),
      subresource: patch.subresource,
      writer: this.#writerOf(patch),
    })
  }

  #rendered({ template = '' }: StagePatch, object: KubeObject) {
    const { clock } = this.#context
    const stream = `stage ${keyOf(object)}`
    const facts = {
      now: clock.now(),
      random: () => clock.random(stream),
      uuid: () => clock.uuid(),
      startedAt: this.#startedAt,
      cluster: this.#options.cluster,
    }
    return rendered(this.#templates, template, object, facts)
  }

  #writerOf({ impersonation }: StagePatch): Writer {
    const name = impersonation?.username
    return name === undefined || name === '' ? this.#writer : this.#context.writer(stageActor(name))
  }

  #update(
    { metadata }: KubeObject,
    { group, resource }: ResourceOfKind,
    { change, subresource, writer = this.#writer }: ObjectChange,
  ): Promise<KubeObject> {
    const { namespace = '', name = '', uid } = metadata
    const target = { namespace, name, ...(subresource === undefined || subresource === '' ? {} : { subresource }) }
    return writer.update<KubeObject>(group, resource, target, (current) =>
      current.metadata.uid === uid ? change(current) : undefined,
    )
  }

  async #delete({ metadata }: KubeObject, { group, resource }: ResourceOfKind): Promise<void> {
    const { namespace = '', name = '', uid = '' } = metadata
    const isPod = group === '' && resource === 'pods'
    const options = { preconditions: { uid }, ...(isPod ? { gracePeriodSeconds: 0 } : {}) }
    await this.#writer.delete(group, resource, { namespace, name }, options)
  }

  /** Makes another object, or changes it if it is there. */
  async #apply(object: KubeObject, patch: StagePatch): Promise<void> {
    const value = this.#rendered(patch, object)
    if (!isJsonObject(value)) throw new StageError('an apply gives an object')
    const wanted = value as KubeObject
    const resource = this.#options.resourceOf(wanted.apiVersion, wanted.kind)
    if (resource === undefined) throw new StageError(`nothing is known of ${wanted.apiVersion} ${wanted.kind}`)
    const { namespace = object.metadata.namespace, name = '' } = wanted.metadata ?? {}
    const metadata = resource.namespaced ? { ...wanted.metadata, namespace } : wanted.metadata
    const complete = { ...wanted, metadata } as KubeObject
    const writer = this.#writerOf(patch)
    const { subresource } = patch
    try {
      if (subresource === undefined || subresource === '') {
        await writer.create(resource.group, resource.resource, complete)
        return
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 409) throw error
    }
    const target = { namespace: namespace ?? '', name, ...(subresource === undefined ? {} : { subresource }) }
    await writer.update<KubeObject>(resource.group, resource.resource, target, (current) =>
      patched(current, { type: 'merge' }, complete),
    )
  }
}

interface ObjectChange {
  readonly change: (current: KubeObject) => KubeObject
  readonly subresource?: string | undefined
  readonly writer?: Writer
}
