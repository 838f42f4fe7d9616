/**
 * A pod is only resized to what its node could give it, and only on Linux.
 * Mirrors plugin/pkg/admission/podresize: Plugin.
 */
import type { AdmissionRequest } from '../../api/admission.ts'
import { equalSemantic } from '../../api/json.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { Quantity } from '../../api/quantity.ts'
import { ApiError } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'
import { amountsOf, podAmounts } from '../pod-resources.ts'

type Node = KubeObject & { readonly status?: { readonly allocatable?: StringMap } }

export function podResizeValidator(cluster: Cluster): AdmissionPlugin {
  const nodes = cluster.view<Node>('', 'nodes')
  const isOn = cluster.gate('release:resizeFitsNode') && cluster.gate('InPlacePodVerticalScaling')
  const handles = handling(['UPDATE'], '', 'pods', ['resize'])
  return {
    name: 'PodResizeValidator',
    handles: (shape) => isOn && handles(shape),
    validate(request) {
      const [pod, old] = [request.object as PodObject, request.oldObject as PodObject]
      const { nodeName = '' } = pod.spec
      if (nodeName === '' || equalSemantic(pod.spec, old.spec)) return undefined
      return whenReady(nodes.find('', nodeName), (node) => {
        if (node === undefined) throw denied(request, `node ${JSON.stringify(nodeName)} not found`)
        checkPlatform(request, node)
        checkRoom(request, pod, node)
      })
    },
  }
}

function checkPlatform(request: AdmissionRequest, { metadata }: Node): void {
  const os = metadata.labels?.['kubernetes.io/os']
  if (os === undefined || os === 'linux') return
  const [name, shown] = [metadata.name, os].map((text) => JSON.stringify(text))
  const why = `pod resize is only supported on linux nodes, node ${name} is ${shown}`
  throw withCause(denied(request, why), 'UnsupportedPlatform')
}

function checkRoom(request: AdmissionRequest, { spec }: PodObject, { status }: Node): void {
  const asked = podAmounts(spec, 'requests', { overhead: true })
  const given = amountsOf(status?.allocatable)
  const none = Quantity.parse('0')
  const tooMuch = (['cpu', 'memory'] as const).flatMap((name) => {
    const [requested, allocatable] = [asked.get(name) ?? none, given.get(name) ?? none]
    if (requested.compare(allocatable) <= 0) return []
    const [wanted, there] = [requested, allocatable].map((amount) =>
      name === 'cpu' ? amount.milliValue() : amount.value(),
    )
    return [`${name}, requested: ${wanted}, allocatable: ${there}`]
  })
  if (tooMuch.length === 0) return
  const why = `node didn't have enough allocatable resources: ${tooMuch.join('; ')}`
  throw withCause(denied(request, why), 'NodeCapacity')
}

function withCause({ status, headers }: ApiError, reason: string): ApiError {
  return new ApiError({ ...status, details: { ...status.details, causes: [{ reason }] } }, headers)
}
