/**
 * An update of a pod may need something of its node: what the node says that it can do must have it.
 * Mirrors plugin/pkg/admission/nodedeclaredfeatures: Plugin.
 */

import { equalSemantic } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { Quantity } from '../../api/quantity.ts'
import { type ApiError, forbidden } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { Container } from '../../catalog/types/core-v1.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'

type Node = KubeObject & { readonly status?: { readonly declaredFeatures?: readonly string[] } }

interface Change {
  readonly pod: PodObject
  readonly old: PodObject
}

/** What an update needs. Releases have different ones: `isKnown`. */
interface Feature {
  readonly name: string
  isKnown(gate: (name: string) => boolean): boolean
  isNeeded(change: Change): boolean
}

const features: readonly Feature[] = [
  {
    name: 'GuaranteedQoSPodCPUResize',
    isKnown: (gate) => !gate('release:noCpuResizeFeature'),
    isNeeded: ({ pod, old }) =>
      old.status.qosClass === 'Guaranteed' &&
      (old.spec.containers ?? []).some((container, i) => !sameCpu(container, pod.spec.containers?.[i])),
  },
  {
    name: 'InPlacePodLevelResourcesVerticalScaling',
    isKnown: () => true,
    isNeeded: ({ pod, old }) => !equalSemantic(pod.spec.resources, old.spec.resources),
  },
  {
    name: 'InPlacePodVerticalScalingInitContainers',
    isKnown: (gate) => gate('release:initResize'),
    isNeeded: ({ pod, old }) =>
      (old.spec.initContainers ?? []).some(
        ({ restartPolicy, resources }, i) =>
          restartPolicy !== 'Always' && !equalSemantic(resources, pod.spec.initContainers?.[i]?.resources),
      ),
  },
]

function sameCpu(one: Container, other: Container | undefined): boolean {
  const [before, after] = [one, other].map((each) => Quantity.parse(each?.resources?.requests?.['cpu'] ?? '0'))
  return before === undefined || after === undefined || before.compare(after) === 0
}

export function nodeDeclaredFeatures(cluster: Cluster): AdmissionPlugin {
  const nodes = cluster.view<Node>('', 'nodes')
  const isOn = cluster.gate('NodeDeclaredFeatures')
  const known = features.filter(({ isKnown }) => isKnown((name) => cluster.gate(name)))
  const handles = handling(['UPDATE'], '', 'pods', ['', 'resize'])
  return {
    name: 'NodeDeclaredFeatureValidator',
    handles: (shape) => isOn && handles(shape),
    validate({ object, oldObject }) {
      if (object === undefined || oldObject === undefined) return undefined
      const change = { pod: object as PodObject, old: oldObject as PodObject }
      const { nodeName = '' } = change.pod.spec
      if (nodeName === '') return undefined
      const needed = known.filter(({ isNeeded }) => isNeeded(change)).map(({ name }) => name)
      if (needed.length === 0) return undefined
      return whenReady(nodes.find('', nodeName), (node) => checkNode(change.pod, node, needed))
    },
  }
}

function checkNode({ metadata, spec }: PodObject, node: Node | undefined, needed: readonly string[]): void {
  const name = JSON.stringify(spec.nodeName)
  const refuse = (why: string): ApiError => forbidden({ group: '', resource: 'pods' }, metadata.name ?? '', why)
  if (node === undefined) throw refuse(`node ${name} not found`)
  const missing = needed.filter((feature) => node.status?.declaredFeatures?.includes(feature) !== true)
  if (missing.length === 0) return
  throw refuse(`pod update requires features ${missing.join(', ')} which are not available on node ${name}`)
}
