/**
 * What KWOK's ResourceUsage (of the pod of its name) and ClusterResourceUsage (of the pods that it selects) say that containers
 * use. Of several cluster-wide ones the first by name counts, as in a list of them.
 */
import type { JsonObject } from '../../../api/json.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { Container } from '../../../catalog/types/core-v1.ts'
import { compileOnce } from '../../../lib/memo.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { Informer } from '../../framework/informer.ts'
import type { EventRecorder } from '../../framework/recorder.ts'
import type { Node, Pod } from '../../objects.ts'
import { stageGroup } from '../../stages/stage.ts'
import type { PodRun } from '../pod-life/pod-run.ts'
import { UsageError, type UsageExpression, type UsageSubject, usageExpression } from './usage-expression.ts'

export const usageResources = { namespaced: 'resourceusages', cluster: 'clusterresourceusages' } as const

type ResourceName = 'cpu' | 'memory'

interface UsageValue {
  readonly value?: string | number
  readonly expression?: string
}

interface UsageObject extends Pick<Pod, 'metadata'> {
  readonly apiVersion: string
  readonly kind: string
  readonly spec?: {
    readonly selector?: { readonly matchNamespaces?: readonly string[]; readonly matchNames?: readonly string[] }
    readonly usages?: readonly {
      readonly containers?: readonly string[]
      readonly usage?: Readonly<Partial<Record<ResourceName, UsageValue>>>
    }[]
  }
}

const compiled = compileOnce('usage-expression', ({ expression = '' }: UsageValue): UsageExpression => {
  try {
    return usageExpression(expression)
  } catch (error) {
    return () => {
      throw error
    }
  }
})

export class ResourceUsages {
  readonly #context: SimulationContext
  readonly #recorder: EventRecorder
  readonly #own: Informer<UsageObject>
  readonly #cluster: Informer<UsageObject>
  readonly #nodeOf: (name: string) => Node | undefined

  constructor(context: SimulationContext, nodeOf: (name: string) => Node | undefined) {
    this.#context = context
    this.#recorder = context.recorder('kwok-controller')
    this.#own = context.informer<UsageObject>(stageGroup, usageResources.namespaced)
    this.#cluster = context.informer<UsageObject>(stageGroup, usageResources.cluster)
    this.#nodeOf = nodeOf
  }

  /** Undefined where none says anything of the container. */
  usageOf(
    pod: Pod,
    container: Container,
    { run, resource }: { run: PodRun; resource: ResourceName },
  ): Quantity | undefined {
    for (const object of this.#concerning(pod)) {
      const value = valueFor(object, container.name, resource)
      if (value === undefined) continue
      try {
        return this.#amount(value, { pod, container, run, resource })
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
        const message = `The ${resource} usage of container ${container.name} cannot be told: ${error.message}`
        this.#recorder.event(object, { type: 'Warning', reason: 'InvalidResourceUsage', message })
      }
    }
    return undefined
  }

  #concerning({ metadata }: Pod): readonly UsageObject[] {
    const { namespace = '', name = '' } = metadata
    const own = this.#own.get(namespace, name)
    const selected = this.#cluster.list().filter(({ spec }) => {
      const { matchNamespaces = [], matchNames = [] } = spec?.selector ?? {}
      if (matchNamespaces.length > 0 && !matchNamespaces.includes(namespace)) return false
      return matchNames.length === 0 || matchNames.includes(name)
    })
    return own === undefined ? selected : [own, ...selected]
  }

  #amount(said: UsageValue, of: { pod: Pod; container: Container; run: PodRun; resource: ResourceName }): Quantity {
    const value = String(said.value ?? '')
    if (value !== '') {
      const problem = Quantity.check(value)
      if (problem !== undefined) throw new UsageError(problem)
      return Quantity.parse(value)
    }
    const amount = compiled(said)(this.#subject(of))
    return of.resource === 'cpu'
      ? Quantity.ofMilli(Math.round(amount * 1000))
      : Quantity.of(Math.round(amount), 'BinarySI')
  }

  #subject({ pod, container, run }: { pod: Pod; container: Container; run: PodRun }): UsageSubject {
    const { clock } = this.#context
    const state = run.containers.get(container.name)?.state
    const node = this.#nodeOf(pod.spec.nodeName ?? '')
    return {
      pod: pod as unknown as JsonObject,
      node: (node ?? {}) as unknown as JsonObject,
      container: container as unknown as JsonObject,
      startedAt: state?.kind === 'running' ? state.startedAt : clock.now(),
      now: clock.now(),
      random: () => clock.random('resource usage'),
    }
  }
}

/** The first of the usages that names the container, or none at all. */
function valueFor({ spec }: UsageObject, container: string, resource: ResourceName): UsageValue | undefined {
  const usage = spec?.usages?.find(
    ({ containers = [] }) => containers.length === 0 || containers.includes(container),
  )?.usage
  const said = usage?.[resource]
  return (said?.value ?? '') === '' && (said?.expression ?? '') === '' ? undefined : said
}
