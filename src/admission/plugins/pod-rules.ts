/**
 * Small plugins about pods alone: tolerations, pull policies, anti-affinity.
 * Mirrors plugin/pkg/admission/alwayspullimages: AlwaysPullImages.
 * Mirrors plugin/pkg/admission/antiaffinity: Plugin.
 * Mirrors plugin/pkg/admission/defaulttolerationseconds: Plugin.
 * Mirrors plugin/pkg/admission/extendedresourcetoleration: plugin.
 */
import { aggregateText } from '../../api/aggregate-text.ts'
import { quote } from '../../api/golang/quote.ts'
import { markInterned, memoizeInterned } from '../../api/interned.ts'
import type { JsonObject } from '../../api/json.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { PodSpec, Toleration } from '../../catalog/types/core-v1.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'
import { containersOf, mapContainers, withSpec } from '../pod.ts'

const writes = ['CREATE', 'UPDATE'] as const

export interface TolerationSeconds {
  readonly notReady: number
  readonly unreachable: number
}

/** Pods stay for a while on a node that is not ready or cannot be reached. */
export function defaultTolerationSeconds({ notReady, unreachable }: TolerationSeconds): AdmissionPlugin {
  const standard: readonly Toleration[] = [
    toleration('node.kubernetes.io/not-ready', notReady),
    toleration('node.kubernetes.io/unreachable', unreachable),
  ]
  const complete = memoizeInterned('tolerations', (present: Toleration[]) => {
    const missing = standard.filter(
      (wanted) =>
        !present.some(
          ({ key = '', effect = '' }) =>
            (key === wanted.key || key === '') && (effect === 'NoExecute' || effect === ''),
        ),
    )
    return missing.length === 0 ? present : [...present, ...missing]
  })
  return {
    name: 'DefaultTolerationSeconds',
    handles: handling(writes, '', 'pods'),
    mutate({ object }) {
      const pod = object as PodObject
      const present = pod.spec.tolerations ?? none
      const tolerations = complete(present)
      return tolerations === present ? undefined : withSpec(pod, { tolerations })
    },
  }
}

/** Of the many pods that tolerate nothing. */
const none: Toleration[] = markInterned([])

const toleration = (key: string, tolerationSeconds: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
})

/** Pods that request an extended resource tolerate the taint of the same name. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  handles: handling(writes, '', 'pods'),
  mutate({ object }) {
    const pod = object as PodObject
    const names = new Set<string>()
    for (const { container, list } of containersOf(pod.spec)) {
      if (list === 'ephemeralContainers') continue
      for (const name of Object.keys(container.resources?.requests ?? {})) if (isExtendedResource(name)) names.add(name)
    }
    const present = pod.spec.tolerations ?? []
    const known = new Set(present.map(tolerationIdentity))
    const missing = [...names]
      .sort()
      .map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }) satisfies Toleration)
      .filter((wanted) => !known.has(tolerationIdentity(wanted)))
    if (missing.length === 0) return undefined
    return withSpec(pod, { tolerations: [...present, ...missing] })
  },
}

const tolerationIdentity = ({ key, operator, effect, value = '' }: Toleration): string =>
  JSON.stringify([key, operator, effect, value])

export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.')
}

const policyLists = ['initContainers', 'containers', 'ephemeralContainers'] as const

/** Images are pulled each time, so that a private image needs credentials on every node. */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  handles: handling(writes, '', 'pods'),
  mutate(request) {
    const pod = request.object as PodObject
    if (!bringsImages(pod, request.oldObject as PodObject | undefined)) return undefined
    const spec: PodSpec = mapContainers(pod.spec, policyLists, (container) => ({
      ...container,
      imagePullPolicy: 'Always',
    }))
    return { ...pod, spec }
  },
  validate(request) {
    const pod = request.object as PodObject
    if (!bringsImages(pod, request.oldObject as PodObject | undefined)) return
    const reasons = [...containersOf(pod.spec)]
      .filter(({ container }) => container.imagePullPolicy !== 'Always')
      .map(
        ({ container, list, index }) =>
          `spec.${list}[${index}].imagePullPolicy: Unsupported value: ${quote(container.imagePullPolicy ?? '')}: supported values: "Always"`,
      )
    if (reasons.length > 0) throw denied(request, aggregateText(reasons))
  },
}

/** An update that names no new image is left alone. */
function bringsImages(pod: PodObject, old: PodObject | undefined): boolean {
  if (old === undefined) return true
  const known = new Set([...containersOf(old.spec)].map(({ container }) => container.image))
  return [...containersOf(pod.spec)].some(({ container }) => !known.has(container.image))
}

const hostname = 'kubernetes.io/hostname'

/** Required anti-affinity over more than a node would let one pod close off whole zones. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  handles: handling(writes, '', 'pods'),
  validate(request) {
    const { affinity } = (request.object as PodObject).spec
    const rules = affinity?.['podAntiAffinity'] as JsonObject | undefined
    const terms = (rules?.['requiredDuringSchedulingIgnoredDuringExecution'] ?? []) as JsonObject[]
    for (const { topologyKey } of terms) {
      if (topologyKey === hostname) continue
      throw denied(
        request,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${topologyKey} but only key ${hostname} is allowed`,
      )
    }
  },
}
