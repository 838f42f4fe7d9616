/**
 * Services: what each type has, what changes with the type, and what is allocated for them.
 * Mirrors pkg/registry/core/service: svcStrategy, serviceStatusStrategy.
 * Mirrors pkg/api/service: GetWarningsForService.
 */
import { checkDns1035Name, checkLabelName, type NameCheck } from '../../../../api/names.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { ServiceAllocation } from './service-allocation.ts'
import { dropTypeDependent } from './service-draft.ts'
import { changeSpec, type ServiceObject } from './service-object.ts'
import {
  loadBalancerIngressOf,
  serviceWarnings,
  statusWarnings,
  validateService,
  validateServiceStatus,
  validateServiceUpdate,
} from './service-validation.ts'

export function serviceRules(services: KindServices): KindRules<ServiceObject> {
  const validateName: NameCheck = (name, prefix) =>
    services.gate('RelaxedServiceNameValidation') ? checkLabelName(name, prefix) : checkDns1035Name(name, prefix)
  const allocation = new ServiceAllocation(services)
  return {
    strategy: withStatus<ServiceObject>(
      {
        validateMetadata: (metadata) => metadata.validate({ validateName }),
        validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate({ validateName })],
        beginCreate: (draft, context) => allocation.beginCreate(draft, context),
        beginUpdate: (draft, old, context) => allocation.beginUpdate(draft, old, context),
        repair: () => allocation.repair(),
        onUnknownOutcome: () => allocation.doubt(),
        afterDelete: (service, context) => allocation.release(service, context),
        prepareForCreate(draft, context) {
          dropDisabled(draft, undefined, context)
        },
        prepareForUpdate(draft, old, context) {
          dropDisabled(draft, old, context)
          dropTypeDependent(draft, old)
        },
        beforeStore: dropUnused,
        validate: (service, context) => validateService(service, undefined, context),
        validateUpdate: validateServiceUpdate,
        warningsOnCreate: serviceWarnings,
        warningsOnUpdate: (service, _, context) => serviceWarnings(service, context),
      },
      () => ({ loadBalancer: {} }),
    ),
    parts: {
      status: statusOnly<ServiceObject>({
        prepareForUpdate: dropIpModes,
        validateUpdate: validateServiceStatus,
        warningsOnUpdate: statusWarnings,
      }),
    },
    fields: {
      'spec.clusterIP': (object) => (object as ServiceObject).spec?.clusterIP ?? '',
      'spec.type': (object) => (object as ServiceObject).spec?.type ?? '',
    },
    returnsDeleted: true,
  }
}

function dropDisabled(draft: ServiceObject, old: ServiceObject | undefined, { gate }: WriteContext): void {
  if (gate('ServiceTrafficDistribution') || old?.spec.trafficDistribution !== undefined) return
  if (draft.spec.trafficDistribution !== undefined) changeSpec(draft, { trafficDistribution: undefined })
}

/** Where there is no traffic inside the cluster its policy is shown to admission, and nowhere else. */
function dropUnused(draft: ServiceObject): void {
  const { type, internalTrafficPolicy } = draft.spec
  if (type === 'ExternalName' && internalTrafficPolicy !== undefined)
    changeSpec(draft, { internalTrafficPolicy: undefined })
}

function dropIpModes(draft: ServiceObject, old: ServiceObject, { gate }: WriteContext): void {
  const { status } = draft
  if (status === undefined || gate('LoadBalancerIPMode')) return
  if (
    loadBalancerIngressOf(draft).length === 0 ||
    loadBalancerIngressOf(old).some(({ ipMode }) => ipMode !== undefined)
  )
    return
  const ingress = loadBalancerIngressOf(draft).map(({ ipMode: _, ...point }) => point)
  draft.status = { ...status, loadBalancer: { ...status.loadBalancer, ingress } }
}
