/**
 * Gives services of type LoadBalancer an address, as a cloud would: charts that wait for one go on. No traffic goes there.
 * Services of a class (`loadBalancerClass`) are left to others.
 * Mirrors k8s.io/cloud-provider/controllers/service: Controller.
 */
import { equalSemantic } from '../../../api/json.ts'
import type { LoadBalancerIngress } from '../../../catalog/types/core-v1.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { Service } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'
import { CidrPool } from '../node-ipam/cidr-pool.ts'

const finalizer = 'service.kubernetes.io/load-balancer-cleanup'
/** Unrouted addresses: RFC 2544 reserves them for benchmarks of devices. */
const addressRange = '198.18.0.0/16'

export function wantsBalancer({ metadata, spec }: Service): boolean {
  const isMeant = spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined
  return isMeant && metadata.deletionTimestamp === undefined
}

export const hasBalancer = ({ metadata }: Service): boolean => metadata.finalizers?.includes(finalizer) === true

export const serviceLoadBalancerController: SimulatedController = {
  name: 'service-lb-controller',
  start(context) {
    const services = context.informer<Service>('', 'services')
    const writer = context.writer('service-controller')
    const recorder = context.recorder('service-controller')
    const pool = new CidrPool(addressRange, 32)
    const given = new Map<string, string>()
    // The first address is the range's own.
    pool.occupy(addressRange.replace('/16', '/32'))

    const setFinalizer = (service: Service, has: boolean): Promise<Service> =>
      writer.update<Service>('', 'services', splitKey(keyOf(service)), (current) => {
        if (hasBalancer(current) === has) return undefined
        const others = (current.metadata.finalizers ?? []).filter((each) => each !== finalizer)
        return { ...current, metadata: { ...current.metadata, finalizers: has ? [...others, finalizer] : others } }
      })
    const setIngress = (service: Service, ingress: LoadBalancerIngress[]): Promise<Service> =>
      writer.update<Service>('', 'services', { ...splitKey(keyOf(service)), subresource: 'status' }, (current) =>
        equalSemantic(current.status?.loadBalancer?.ingress, ingress)
          ? undefined
          : { ...current, status: { ...current.status, loadBalancer: ingress.length === 0 ? {} : { ingress } } },
      )
    const addressFor = (service: Service): string | undefined => {
      const key = keyOf(service)
      const known = given.get(key) ?? service.spec?.loadBalancerIP ?? pool.allocate()?.replace('/32', '')
      if (known !== undefined) given.set(key, known)
      return known
    }
    const release = (key: string): void => {
      const address = given.get(key)
      if (address !== undefined) pool.release(`${address}/32`)
      given.delete(key)
    }
    const ensure = async (service: Service): Promise<void> => {
      const ip = addressFor(service)
      if (ip === undefined) {
        const message = 'Error syncing load balancer: failed to ensure load balancer: no address is left'
        recorder.event(service, { type: 'Warning', reason: 'SyncLoadBalancerFailed', message })
        return
      }
      if (service.status?.loadBalancer?.ingress?.[0]?.ip === ip && hasBalancer(service)) return
      recorder.event(service, { type: 'Normal', reason: 'EnsuringLoadBalancer', message: 'Ensuring load balancer' })
      await setFinalizer(service, true)
      await setIngress(service, [{ ip, ipMode: 'VIP' }])
      recorder.event(service, { type: 'Normal', reason: 'EnsuredLoadBalancer', message: 'Ensured load balancer' })
    }
    const queue = reconciler(context, {
      name: 'service',
      async reconcile(key) {
        const { namespace, name } = splitKey(key)
        const service = services.get(namespace, name)
        if (service === undefined) release(key)
        else if (wantsBalancer(service)) await ensure(service)
        else if (hasBalancer(service)) {
          recorder.event(service, { type: 'Normal', reason: 'DeletingLoadBalancer', message: 'Deleting load balancer' })
          await setIngress(service, [])
          await setFinalizer(service, false)
          release(key)
          recorder.event(service, { type: 'Normal', reason: 'DeletedLoadBalancer', message: 'Deleted load balancer' })
        }
      },
    })
    const subscription = services.subscribe(({ type, object }) => {
      const ip = object.status?.loadBalancer?.ingress?.[0]?.ip
      if (type === 'ADDED' && ip !== undefined && hasBalancer(object)) {
        pool.occupy(`${ip}/32`)
        given.set(keyOf(object), ip)
      }
      if (wantsBalancer(object) || hasBalancer(object)) queue.add(keyOf(object))
    })
    return runningController([subscription], [queue])
  },
}
