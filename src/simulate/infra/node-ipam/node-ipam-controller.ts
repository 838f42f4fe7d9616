/**
 * Gives every node a range of pod addresses. Mirrors pkg/controller/nodeipam/ipam: rangeAllocator. The reference does so
 * with `--allocate-node-cidrs`; the simulation always has addresses for its pods.
 */
import type { SimulatedController } from '../../framework/controller.ts'
import { reconciler } from '../../framework/reconciler.ts'
import type { Node } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'
import { CidrPool } from './cidr-pool.ts'

/** As kind has it. 24 bits a node make room for 256 nodes of 254 pods; beyond that ranges are smaller. */
const clusterCidr = '10.244.0.0/16'
const nodeMaskBits = 24
const manyNodesMaskBits = 28
const manyNodes = 200

export const nodeIpamController: SimulatedController = {
  name: 'node-ipam-controller',
  start(context) {
    const nodes = context.informer<Node>('', 'nodes')
    const writer = context.writer('node-controller')
    const recorder = context.recorder('cidrAllocator')
    const pool = new CidrPool(clusterCidr, context.settings.nodes > manyNodes ? manyNodesMaskBits : nodeMaskBits)
    const given = new Map<string, string>()
    const queue = reconciler(context, {
      name: 'cidrallocator_node',
      // One at a time: nodes get their ranges in the order of their names, whatever the writes take.
      concurrency: 1,
      async reconcile(name) {
        const node = nodes.get('', name)
        if (node === undefined || node.spec?.podCIDR) return
        const cidr = given.get(name) ?? pool.allocate()
        if (cidr === undefined) {
          const message = `Node ${name} status is now: CIDRNotAvailable`
          recorder.event(node, { type: 'Normal', reason: 'CIDRNotAvailable', message })
          return
        }
        given.set(name, cidr)
        await writer.update<Node>('', 'nodes', { namespace: '', name }, (current) =>
          current.spec?.podCIDR
            ? undefined
            : { ...current, spec: { ...current.spec, podCIDR: cidr, podCIDRs: [cidr] } },
        )
      },
    })
    const subscription = nodes.subscribe(({ type, name, object }) => {
      const cidr = object.spec?.podCIDR
      if (type === 'DELETED') {
        pool.release(given.get(name) ?? cidr ?? '')
        given.delete(name)
      } else if (cidr) {
        pool.occupy(cidr)
        given.set(name, cidr)
      } else {
        queue.add(name)
      }
    })
    return runningController([subscription], [queue])
  },
}
