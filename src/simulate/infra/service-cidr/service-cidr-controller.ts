/**
 * Keeps ranges of service addresses from going while addresses of theirs are in use.
 * Mirrors pkg/controller/servicecidrs: Controller.
 */
import { cidrContains, cidrContainsCidr, parseCidr, parseIp } from '../../../api/ip.ts'
import type { KubeObject } from '../../../api/object.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { reconciler } from '../../framework/reconciler.ts'
import type { ServiceCIDR } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'

const group = 'networking.k8s.io'
const resource = 'servicecidrs'
const finalizer = 'networking.k8s.io/service-cidr-finalizer'
const managedByLabel = 'ipaddress.kubernetes.io/managed-by'
const allocator = 'ipallocator.k8s.io'
/** So long the allocators have to hear of the deletion before the range goes. */
const deletionGraceMs = 10_000

const ranges = ({ spec }: ServiceCIDR) => (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? [])

/** Whether no address needs the range: another has it, or none of its addresses is in use. */
export function isRemovable(cidr: ServiceCIDR, all: readonly ServiceCIDR[], addresses: readonly KubeObject[]): boolean {
  const others = all.filter(({ metadata }) => metadata.name !== cidr.metadata.name).flatMap(ranges)
  const own = ranges(cidr)
  if (own.every((range) => others.some((other) => cidrContainsCidr(other, range)))) return true
  return !addresses.some(({ metadata }) => {
    if (metadata.labels?.[managedByLabel] !== allocator) return false
    const ip = parseIp(metadata.name ?? '')
    if (ip === undefined || !own.some((range) => cidrContains(range, ip))) return false
    return !others.some((range) => cidrContains(range, ip))
  })
}

/** What is not said of a condition is left to others. */
interface AppliedCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message: string
}

const ready = { type: 'Ready', status: 'True', message: 'Kubernetes Service CIDR is ready' }
const held = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
}

export const serviceCidrController: SimulatedController = {
  name: 'service-cidr-controller',
  start(context) {
    const cidrs = context.informer<ServiceCIDR>(group, resource)
    const addresses = context.informer<KubeObject>(group, 'ipaddresses')
    const writer = context.writer('service-cidrs-controller')
    const setCondition = async (name: string, wanted: AppliedCondition): Promise<void> => {
      const now = formatTime(instantOfMillis(context.clock.now()))
      await writer.apply<ServiceCIDR>(
        group,
        resource,
        { namespace: '', name, subresource: 'status' },
        {
          fieldManager: 'service-cidr-controller',
          configure(current) {
            const found = current.status?.conditions?.find(({ type }) => type === wanted.type)
            if (found?.status === wanted.status && found.message === wanted.message) return undefined
            const lastTransitionTime = found?.status === wanted.status ? found.lastTransitionTime : now
            return { status: { conditions: [{ ...wanted, lastTransitionTime }] } }
          },
        },
      )
    }
    const setFinalizer = async (name: string, has: boolean): Promise<void> => {
      await writer.update<ServiceCIDR>(group, resource, { namespace: '', name }, (current) => {
        const others = (current.metadata.finalizers ?? []).filter((each) => each !== finalizer)
        const finalizers = has ? [...others, finalizer] : others
        if (finalizers.length === (current.metadata.finalizers ?? []).length) return undefined
        return { ...current, metadata: { ...current.metadata, finalizers } }
      })
    }
    const queue = reconciler(context, {
      name: 'ipaddresses',
      async reconcile(name) {
        const cidr = cidrs.get('', name)
        if (cidr === undefined) return undefined
        const { deletionTimestamp } = cidr.metadata
        if (deletionTimestamp === undefined) {
          await setFinalizer(name, true)
          await setCondition(name, ready)
          return undefined
        }
        if (!isRemovable(cidr, cidrs.list(), addresses.list())) {
          await setCondition(name, held)
          return undefined
        }
        const left = Date.parse(deletionTimestamp) + deletionGraceMs - context.clock.now()
        if (left > 0) return { requeueAfter: left }
        await setFinalizer(name, false)
        return undefined
      },
    })
    const subscriptions = [
      cidrs.subscribe(({ type, name }) => {
        if (type !== 'DELETED') queue.add(name)
        // A new range may free another, and one that goes may hold it.
        else for (const { metadata } of cidrs.list()) queue.add(metadata.name ?? '')
        if (type === 'ADDED')
          for (const each of cidrs.list()) if (each.metadata.deletionTimestamp) queue.add(each.metadata.name ?? '')
      }),
      addresses.subscribe(({ type }) => {
        if (type !== 'DELETED') return
        for (const { metadata } of cidrs.list()) if (metadata.deletionTimestamp) queue.add(metadata.name ?? '')
      }),
    ]
    return runningController(subscriptions, [queue])
  },
}
