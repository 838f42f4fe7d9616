/** The nodes of the simulation and their kubelets, as one part of it. */

import type { KubeObject } from '../../api/object.ts'
import type { Controller } from '../../controllers/controller.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { SimulatedController } from '../framework/controller.ts'
import { reconciler } from '../framework/reconciler.ts'
import type { Pod } from '../objects.ts'
import { StageKeeper } from '../stages/stage-keeper.ts'
import { KubeletEndpoint } from './kubelet/kubelet-endpoint.ts'
import { portAnswer } from './kubelet/port-answers.ts'
import { KubeletClients } from './kubelet-actors.ts'
import { metricsAnswer } from './metrics/metrics-api.ts'
import { installMetrics, metricsAddress, metricsPort } from './metrics/metrics-objects.ts'
import { ResourceUsages } from './metrics/resource-usages.ts'
import { containerUsages } from './metrics/usage.ts'
import { NodeKeeper } from './node-keeper.ts'
import { PodKeeper } from './pod-keeper.ts'
import { type PodPattern, readPattern } from './script/pod-pattern.ts'
import { readScript } from './script/pod-script.ts'
import { PodScripts } from './script/pod-scripts.ts'

export interface RunningNodes extends Controller {
  readonly scripts: PodScripts
  /** Throws a `ScriptError` for what is not understood. The result ends the script. */
  addScript(pods: string | PodPattern, script: unknown): () => void
  readonly pods: PodKeeper
  readonly nodes: NodeKeeper
  readonly kubelet: KubeletEndpoint
  /** What an address and a port of the simulated network lead to. */
  reach(host: string, port: number): Reached | undefined
}

/** The server of kubelets, a port that answers with a text, or something that is there and does not answer. */
export type Reached =
  | { readonly kind: 'kubelet' | 'silence' }
  | { readonly kind: 'port'; readonly answer: (request: string) => string }

const kubeletPort = 10_250

export const simulatedNodes: SimulatedController = { name: 'nodes', start: startNodes }

function startNodes(context: SimulationContext): RunningNodes {
  const scripts = new PodScripts(context.settings.missingImages)
  const kubelets = new KubeletClients(context)
  const { settings } = context
  const shape = { cpu: settings.cpu, memory: settings.memory, pods: settings.pods, zones: settings.zones, labels: {} }
  const nodes: NodeKeeper = new NodeKeeper(context, {
    count: settings.nodes,
    shape,
    heartbeatMs: settings.heartbeat * 1000,
    kubelets,
    isStaged: () => stages.isStaged('v1/Node'),
    onChange: (node) => pods.refreshNode(node),
  })
  const pods: PodKeeper = new PodKeeper(context, {
    scripts,
    kubelets,
    working: (node) => nodes.working(node),
    isStaged: () => stages.isStaged('v1/Pod'),
    onGone: (uid) => kubelet.forget(uid),
  })
  const stages: StageKeeper = new StageKeeper(context, {
    cluster: {
      nodeAddress: (node) => nodes.addressOf(node),
      podAddress: ({ node, hostNetwork, uid }) => (hostNetwork ? nodes.addressOf(node) : pods.addressFor(uid, node)),
    },
    sets: settings.stages,
    isOurs: (object) => isOurs(nodes, object),
    onChange(kind) {
      if (kind === 'v1/Pod') pods.refresh()
      if (kind === 'v1/Node') nodes.refresh()
    },
  })
  const usages = new ResourceUsages(context, (node) => nodes.working(node))
  const metrics = {
    now: () => context.clock.now(),
    nodes: () => nodes.all(),
    pods: (namespace?: string) => pods.all(namespace),
    podsOn: (node: string) => pods.podsOn(node),
    usages: (pod: Pod) => containerUsages(pod, pods.runOf(pod), { scripts, usages }),
  }
  const kubelet: KubeletEndpoint = new KubeletEndpoint({
    clock: context.clock,
    scripts,
    find: (namespace, name) => pods.get(namespace, name),
    runOf: (pod) => pods.runOf(pod),
    podsOn: (node) => pods.podsOn(node),
    nodeAt: (address) => nodes.at(address),
    onChange: (pod, listener) => pods.onChange(pod, listener),
    metrics: (path, query) => metricsAnswer(metrics, path, query),
  })
  const reach = (host: string, port: number): Reached | undefined => {
    if (host === metricsAddress && port === metricsPort) return { kind: 'kubelet' }
    const node = nodes.at(host)
    if (node !== undefined)
      return { kind: port === kubeletPort && nodes.working(node) !== undefined ? 'kubelet' : 'silence' }
    const pod = pods.at(host)
    if (pod === undefined) return undefined
    const answer = portAnswer(scripts, pod, port)
    return answer === undefined ? { kind: 'silence' } : { kind: 'port', answer }
  }
  const installing = reconciler(context, {
    name: 'simulated-metrics',
    reconcile: () => installMetrics(context.writer('metrics-server')),
  })
  installing.add('metrics')
  return {
    scripts,
    kubelet,
    reach,
    addScript(given, said) {
      const pattern = readPattern(given)
      const script = readScript(said)
      const since = context.clock.now()
      // Pods that replace the evicted ones are not evicted, too.
      const only = script.evict === undefined ? undefined : new Set(pods.matching(pattern))
      return scripts.add({ pattern, script, since, only })
    },
    pods,
    nodes,
    async stop() {
      await Promise.all([installing.stop(), stages.stop(), nodes.stop(), pods.stop()])
    },
  }
}

/** Pods and nodes are, where their kubelet is simulated and works; everything else is. */
function isOurs(nodes: NodeKeeper, object: KubeObject): boolean {
  if (object.apiVersion !== 'v1') return true
  if (object.kind === 'Node') return nodes.working(object.metadata.name ?? '') !== undefined
  if (object.kind !== 'Pod') return true
  return nodes.working((object as Pod).spec.nodeName ?? '') !== undefined
}
