/** The nodes of the simulation and their kubelets, as one part of it. */
import type { Controller } from '../../controllers/controller.ts'
import type { SimulationContext } from '../framework/context.ts'
import type { SimulatedController } from '../framework/controller.ts'
import { KubeletClients } from './kubelet-actors.ts'
import { NodeKeeper } from './node-keeper.ts'
import { PodKeeper } from './pod-keeper.ts'
import { PodScripts } from './script/pod-scripts.ts'

export interface RunningNodes extends Controller {
  readonly scripts: PodScripts
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
    pods,
    nodes,
    async stop() {
      await Promise.all([nodes.stop(), pods.stop()])
    },
  }
}
