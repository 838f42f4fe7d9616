/**
 * Defaults of services and of the other core kinds that depend on other fields.
 * Mirrors pkg/apis/core/v1: SetDefaults_Service, SetDefaults_ReplicationController, SetDefaults_LimitRangeItem,
 * SetDefaults_NodeStatus, SetDefaults_Namespace, SetDefaults_ResourceList.
 */
import { keysOf } from '../../api/key-lists.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { mapItems } from '../../lib/map-items.ts'
import type {
  LimitRangeItem,
  Namespace,
  NodeSpec,
  NodeStatus,
  ReplicationController,
  Service,
  ServicePort,
  ServiceSpec,
} from '../types/core-v1.ts'
import { type DefaultingContext, fill, fillMaps, rule, ruleInSteps, type TypeRules, unitedInSteps } from './rule.ts'

function defaultService(service: Service, { enabled }: DefaultingContext): Service {
  const spec = defaultServiceSpec(service.spec)
  const changed = spec === service.spec ? service : { ...service, spec }
  return spec.type === 'LoadBalancer' && enabled('LoadBalancerIPMode') ? defaultIngressMode(changed) : changed
}

function defaultServiceSpec(given: ServiceSpec): ServiceSpec {
  let spec = given
  if (spec.sessionAffinity === 'None' && spec.sessionAffinityConfig !== undefined) {
    const { sessionAffinityConfig: _, ...rest } = spec
    spec = rest
  }
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec = { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } }
  }
  if (spec.ports !== undefined) {
    const ports = mapItems(spec.ports, defaultTargetPort)
    if (ports !== spec.ports) spec = { ...spec, ports }
  }
  const { type = '' } = spec
  const isExposed = type === 'NodePort' || type === 'LoadBalancer'
  if (isExposed || (type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0)) {
    spec = fill(spec, { externalTrafficPolicy: 'Cluster' })
  }
  if (isExposed || type === 'ClusterIP') spec = fill(spec, { internalTrafficPolicy: 'Cluster' })
  return type === 'LoadBalancer' ? fill(spec, { allocateLoadBalancerNodePorts: true }) : spec
}

const defaultTargetPort = (port: ServicePort): ServicePort =>
  port.targetPort === 0 || port.targetPort === '' ? { ...port, targetPort: port.port } : port

function defaultIngressMode(service: Service): Service {
  const { ingress } = service.status.loadBalancer
  if (ingress === undefined) return service
  const modes = mapItems(ingress, (point) => (point.ip ? fill(point, { ipMode: 'VIP' }) : point))
  if (modes === ingress) return service
  return { ...service, status: { ...service.status, loadBalancer: { ...service.status.loadBalancer, ingress: modes } } }
}

function defaultReplicationController(controller: ReplicationController): ReplicationController {
  const labels = controller.spec.template?.metadata.labels
  if (labels === undefined) return controller
  const spec = fillMaps(controller.spec, { selector: labels })
  const metadata = fillMaps(controller.metadata, { labels })
  return spec === controller.spec && metadata === controller.metadata ? controller : { ...controller, metadata, spec }
}

const nameLabel = 'kubernetes.io/metadata.name'

function* labelNamespace(namespace: Namespace): Steps<Namespace> {
  const { name, labels } = namespace.metadata
  if (name === undefined || labels?.[nameLabel] === name) return namespace
  const more = yield* unitedInSteps([labels, { [nameLabel]: name }])
  return { ...namespace, metadata: { ...namespace.metadata, labels: more } }
}

const defaultNodeStatus = (status: NodeStatus): NodeStatus =>
  status.capacity === undefined ? status : fill(status, { allocatable: status.capacity })

function* defaultLimitRangeItem(item: LimitRangeItem): Steps<LimitRangeItem> {
  if (item.type !== 'Container') return item
  const limits = yield* unitedInSteps([item.max, item.default])
  const requests = yield* unitedInSteps([item.min, limits, item.defaultRequest])
  const same = hasKeysOf(item.default, limits) && hasKeysOf(item.defaultRequest, requests)
  return same ? item : { ...item, default: limits, defaultRequest: requests }
}

const hasKeysOf = (amounts: Record<string, string> | undefined, all: Record<string, string>): boolean =>
  keysOf(amounts ?? {}).length === keysOf(all).length

/** One range and all of them: the first of all is the one, and the one wins where they differ. */
function samePodRanges(spec: NodeSpec): NodeSpec {
  const { podCIDR = '', podCIDRs = [] } = spec
  const first = podCIDRs[0] ?? ''
  if (first === podCIDR) return spec
  return podCIDR === '' ? { ...spec, podCIDR: first } : { ...spec, podCIDRs: [podCIDR] }
}

export const coreRules: Readonly<Record<string, TypeRules>> = {
  'core.v1.Service': { after: rule<Service>(defaultService) },
  'core.v1.ReplicationController': { before: rule<ReplicationController>(defaultReplicationController) },
  'core.v1.Namespace': { after: ruleInSteps<Namespace>(labelNamespace) },
  'core.v1.NodeSpec': { before: rule<NodeSpec>(samePodRanges) },
  'core.v1.NodeStatus': { after: rule<NodeStatus>(defaultNodeStatus) },
  'core.v1.LimitRangeItem': { after: ruleInSteps<LimitRangeItem>(defaultLimitRangeItem) },
}
