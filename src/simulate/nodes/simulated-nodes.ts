/** The nodes of the simulation and their kubelets, as one part of it. */
import type { Controller } from '../../controllers/controller.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { SimulatedController } from '../framework/controller.ts'
import { KubeletClients } from './kubelet-actors.ts'
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
}

export const simulatedNodes: SimulatedController = { name: 'nodes', start: startNodes }

function startNodes(context: SimulationContext): RunningNodes {
  const scripts = new PodScripts()
  const kubelets = new KubeletClients(context)
  const { settings } = context
  const shape = { cpu: settings.cpu, memory: settings.memory, pods: settings.pods, zones: settings.zones, labels: {} }
  const nodes: NodeKeeper = new NodeKeeper(context, {
    count: settings.nodes,
    shape,
    heartbeatMs: settings.heartbeat * 1000,
    kubelets,
    isStaged: () => false,
    onChange: (node) => pods.refreshNode(node),
  })
  const pods = new PodKeeper(context, {
    scripts,
    kubelets,
    working: (node) => nodes.working(node),
    isStaged: () => false,
  })
  return {
    scripts,
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
      await Promise.all([nodes.stop(), pods.stop()])
    },
  }
}
