/**
 * Limit ranges of a namespace: what a container gets that asks for nothing, and the bounds of what may be asked for.
 * Mirrors plugin/pkg/admission/limitranger: LimitRanger, PodMutateLimitFunc, PodValidateLimitFunc,
 * PersistentVolumeClaimValidateLimitFunc.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { aggregateText } from '../../api/aggregate-text.ts'
import { copyObject } from '../../api/json.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { Quantity } from '../../api/quantity.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { Container, LimitRange as CoreLimitRange, LimitRangeItem, PodSpec } from '../../catalog/types/core-v1.ts'
import { whenReady } from '../../lib/awaitable.ts'
import { inTurns, type Steps } from '../../lib/in-turns.ts'
import { pushAll } from '../../lib/push-all.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import type { AdmissionPlugin, RequestShape } from '../plugin.ts'
import { type Amounts, amountsOf, containersOfStep, podAmountsInSteps } from '../pod-resources.ts'

type LimitRange = KubeObject & Pick<CoreLimitRange, 'spec'>

const annotation = 'kubernetes.io/limit-ranger'

/** Containers of a pod never change but by a resize, so that other updates have nothing to check. */
function handles({ operation, group, resource, subresource }: RequestShape): boolean {
  if (group !== '') return false
  if (resource === 'pods') {
    return operation === 'CREATE' ? subresource === '' : operation === 'UPDATE' && subresource === 'resize'
  }
  return (
    resource === 'persistentvolumeclaims' && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')
  )
}

export function limitRanger(cluster: Cluster): AdmissionPlugin {
  const ranges = cluster.view<LimitRange>('', 'limitranges')
  return {
    name: 'LimitRanger',
    handles,
    mutate(request) {
      const { object, oldObject, resource } = request
      if (object === undefined || resource.resource !== 'pods' || isGoing(oldObject)) return undefined
      return whenReady(ranges.list(request.namespace), (list) =>
        list.length === 0 ? undefined : inTurns(withAllDefaults(list, object as PodObject)),
      )
    },
    validate(request) {
      const { object, oldObject } = request
      if (object === undefined || isGoing(oldObject)) return undefined
      return whenReady(ranges.list(request.namespace), (list) =>
        list.length === 0 ? undefined : inTurns(refuseOutside(list, request, object)),
      )
    },
  }
}

const isGoing = (old: KubeObject | undefined): boolean => old?.metadata.deletionTimestamp != null

function* refuseOutside(ranges: readonly LimitRange[], request: AdmissionRequest, object: KubeObject): Steps<void> {
  for (const range of ranges) {
    const limits = range.spec.limits ?? []
    const isPod = request.resource.resource === 'pods'
    const reasons = isPod ? yield* podReasons(limits, object as PodObject) : claimReasons(limits, object)
    if (reasons.length > 0) throw denied(request, aggregateText(reasons))
  }
}

function* withAllDefaults(ranges: Iterable<LimitRange>, pod: PodObject): Steps<PodObject> {
  let filled = pod
  for (const range of ranges) filled = yield* withDefaults(range, filled)
  return filled
}

function* withDefaults({ spec }: LimitRange, pod: PodObject): Steps<PodObject> {
  const requests: StringMap = {}
  const limits: StringMap = {}
  for (const limit of spec.limits ?? []) {
    if (limit.type !== 'Container') continue
    Object.assign(requests, limit.defaultRequest)
    Object.assign(limits, limit.default)
  }
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return pod
  const notes: string[] = []
  const fill =
    (what: string) =>
    (container: Container): Container =>
      fillContainer(container, { requests, limits }, (part, names) => {
        notes.push(`${names.sort().join(', ')} ${part} for ${what} ${container.name}`)
      })
  const containers = yield* eachInSteps(pod.spec.containers, fill('container'))
  const initContainers = yield* eachInSteps(pod.spec.initContainers, fill('init container'))
  if (notes.length === 0) return pod
  const filled: PodSpec = copyObject(pod.spec)
  if (containers !== undefined) filled.containers = containers
  if (initContainers !== undefined) filled.initContainers = initContainers
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` }
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec: filled }
}

function* eachInSteps(
  containers: readonly Container[] | null | undefined,
  change: (container: Container) => Container,
): Steps<Container[] | undefined> {
  if (containers === null || containers === undefined) return undefined
  const changed: Container[] = []
  for (const container of containers) {
    if (changed.length % containersOfStep === containersOfStep - 1) yield
    changed.push(change(container))
  }
  return changed
}

function fillContainer(
  container: Container,
  standard: { readonly requests: StringMap; readonly limits: StringMap },
  note: (part: 'request' | 'limit', names: string[]) => void,
): Container {
  const resources = container.resources ?? {}
  const added = (given: StringMap, own: StringMap | undefined): string[] =>
    Object.keys(given).filter((name) => own === undefined || !Object.hasOwn(own, name))
  const newRequests = added(standard.requests, resources.requests)
  const newLimits = added(standard.limits, resources.limits)
  if (newRequests.length > 0) note('request', newRequests)
  if (newLimits.length > 0) note('limit', newLimits)
  if (newRequests.length === 0 && newLimits.length === 0) return container
  const requests = { ...standard.requests, ...resources.requests }
  const limits = { ...standard.limits, ...resources.limits }
  return {
    ...container,
    resources: {
      ...resources,
      ...(Object.keys(limits).length > 0 ? { limits } : {}),
      ...(Object.keys(requests).length > 0 ? { requests } : {}),
    },
  }
}

function* podReasons(limits: readonly LimitRangeItem[], { spec }: PodObject): Steps<string[]> {
  const reasons: string[] = []
  for (const limit of limits) {
    if (limit.type === 'Container') {
      for (const [i, { resources }] of [...(spec.containers ?? []), ...(spec.initContainers ?? [])].entries()) {
        if (i % containersOfStep === containersOfStep - 1) yield
        pushAll(reasons, boundsOf(limit, boundedOf(limit, resources?.requests), boundedOf(limit, resources?.limits)))
      }
    } else if (limit.type === 'Pod') {
      const requests = yield* podAmountsInSteps(spec, 'requests')
      pushAll(reasons, boundsOf(limit, requests, yield* podAmountsInSteps(spec, 'limits')))
    }
  }
  return reasons
}

/** Of the names that the limit says something of: a container may have very many others. */
function boundedOf({ min, max, maxLimitRequestRatio }: LimitRangeItem, list: StringMap | undefined): Amounts {
  const bounded: Amounts = new Map()
  if (list === undefined) return bounded
  for (const bounds of [min, max, maxLimitRequestRatio])
    for (const name of Object.keys(bounds ?? {}))
      if (Object.hasOwn(list, name)) bounded.set(name, Quantity.parse(String(list[name])))
  return bounded
}

function boundsOf(limit: LimitRangeItem, requests: Amounts, limits: Amounts): string[] {
  const check = (bounds: StringMap | undefined, judge: Judge): string[] =>
    Object.entries(bounds ?? {}).flatMap(([name, bound]) => {
      const observed = { name, type: limit.type, request: requests.get(name), limit: limits.get(name) }
      return judge(Quantity.parse(bound), observed) ?? []
    })
  return [
    ...check(limit.min, belowMin),
    ...check(limit.max, aboveMax),
    ...check(limit.maxLimitRequestRatio, aboveRatio),
  ]
}

function claimReasons(limits: readonly LimitRangeItem[], claim: KubeObject): string[] {
  const { resources } = claim['spec'] as { resources?: { requests?: StringMap } }
  const requests = amountsOf(resources?.requests)
  return limits.flatMap((limit) => {
    if (limit.type !== 'PersistentVolumeClaim') return []
    const check = (bounds: StringMap | undefined, judge: Judge): string[] =>
      Object.entries(bounds ?? {}).flatMap(([name, bound]) => {
        const observed = { name, type: limit.type, request: requests.get(name), limit: undefined }
        return judge(Quantity.parse(bound), observed) ?? []
      })
    return [...check(limit.min, belowMin), ...check(limit.max, requestAboveMax)]
  })
}

interface Observed {
  readonly name: string
  readonly type: string
  readonly request: Quantity | undefined
  readonly limit: Quantity | undefined
}

type Judge = (bound: Quantity, observed: Observed) => string | undefined

const belowMin: Judge = (bound, { name, type, request, limit }) => {
  const rule = `minimum ${name} usage per ${type} is ${bound}`
  if (request === undefined) return `${rule}.  No request is specified`
  if (request.compare(bound) < 0) return `${rule}, but request is ${request}`
  return limit !== undefined && limit.compare(bound) < 0 ? `${rule}, but limit is ${limit}` : undefined
}

const requestAboveMax: Judge = (bound, { name, type, request }) => {
  const rule = `maximum ${name} usage per ${type} is ${bound}`
  if (request === undefined) return `${rule}.  No request is specified`
  return request.compare(bound) > 0 ? `${rule}, but request is ${request}` : undefined
}

const aboveMax: Judge = (bound, { name, type, request, limit }) => {
  const rule = `maximum ${name} usage per ${type} is ${bound}`
  if (limit === undefined) return `${rule}.  No limit is specified`
  if (limit.compare(bound) > 0) return `${rule}, but limit is ${limit}`
  return request !== undefined && request.compare(bound) > 0 ? `${rule}, but request is ${request}` : undefined
}

const aboveRatio: Judge = (bound, { name, type, request, limit }) => {
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`
  if (request === undefined || request.isZero()) return `${rule}, but no request is specified or request is 0`
  if (limit === undefined || limit.isZero()) return `${rule}, but no limit is specified or limit is 0`
  const ratio = limit.milliValue() / request.milliValue()
  return ratio * 1000 > bound.milliValue() ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined
}
