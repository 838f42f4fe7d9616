/**
 * Plugins about nodes: new ones wait until they are ready, and pods learn where theirs is.
 * Mirrors plugin/pkg/admission/nodetaint: Plugin.
 */

import type { KubeObject, StringMap } from '../../api/object.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { Taint } from '../../catalog/types/core-v1.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'

const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: handling(['CREATE'], '', 'nodes'),
  mutate({ object }) {
    if (object === undefined) return undefined
    const spec = (object['spec'] ?? {}) as { taints?: Taint[] }
    const taints = spec.taints ?? []
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return undefined
    return { ...object, spec: { ...spec, taints: [...taints, { ...notReady }] } }
  },
}

/** Zone and region of the node become labels of the pod: of the pod itself, or of the binding that places it. */
export function podTopologyLabels(cluster: Cluster): AdmissionPlugin {
  const nodes = cluster.view('', 'nodes')
  const isOn = cluster.gate('PodTopologyLabelsAdmission')
  const domain = cluster.gate('release:kubernetesTopologyLabels') ? 'topology.kubernetes.io' : 'topology.k8s.io'
  const copied = [`${domain}/zone`, `${domain}/region`]
  return {
    name: 'PodTopologyLabels',
    handles: ({ operation, group, resource, subresource }) =>
      isOn &&
      operation === 'CREATE' &&
      group === '' &&
      resource === 'pods' &&
      (subresource === '' || subresource === 'binding'),
    mutate(request) {
      const { object } = request
      if (object === undefined) return undefined
      const isPod = request.subresource === ''
      const target = object['target'] as { kind?: string; name?: string } | undefined
      if (!isPod && target?.kind !== 'Node') return undefined
      const name = isPod ? (object as PodObject).spec.nodeName : target?.name
      if (!name) return undefined
      return whenReady(nodes.find('', name), (node) => labelled(object, node?.metadata.labels, copied))
    },
  }
}

function labelled(object: KubeObject, of: StringMap | undefined, copied: readonly string[]): KubeObject | undefined {
  const labels: StringMap = {}
  for (const name of copied) {
    const value = of?.[name]
    if (value !== undefined) labels[name] = value
  }
  if (Object.keys(labels).length === 0) return undefined
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } }
}
