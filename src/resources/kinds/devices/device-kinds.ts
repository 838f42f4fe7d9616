/**
 * The kinds of `resource.k8s.io`. They are stored in an older shape than the one that their rules are worded in, and
 * are put into the newer one to be checked.
 * Mirrors pkg/apis/resource/validation: ValidateDeviceClass, ValidateDeviceClassUpdate.
 * Mirrors pkg/registry/resource/resourceclaim: resourceclaimStrategy, resourceclaimStatusStrategy.
 * Mirrors pkg/registry/resource/resourceclaimtemplate: resourceClaimTemplateStrategy.
 * Mirrors pkg/registry/resource/deviceclass: deviceClassStrategy.
 * Mirrors pkg/registry/resource/resourceslice: resourceSliceStrategy.
 */

import { limitErrors } from '../../../api/error-limit.ts'
import { type FieldError, forbidden, internal, invalid } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { quote } from '../../../api/golang/quote.ts'
import { equalButRaw } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { rulesInSteps } from '../../../api/rules-in-steps.ts'
import { goDump } from '../../../catalog/golang/dump.ts'
import { invalidAs } from '../../../catalog/golang/pod-syntax.ts'
import type {
  DeviceClassSpec,
  ResourceClaimSpec,
  ResourceClaimStatus,
  ResourceClaimTemplateSpec,
  ResourceSliceSpec,
} from '../../../catalog/types/resource-v1beta2.ts'
import { type Awaitable, whenReady } from '../../../lib/awaitable.ts'
import { inTurns } from '../../../lib/in-turns.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { nextGeneration } from '../../../registry/object-meta.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import { type Errors, immutableMessage, repeatedCheck } from '../../checks/checks.ts'
import { keepMetadataForStatus } from '../../checks/status-metadata.ts'
import type { KindRules, KindServices } from '../../kind-rules.ts'
import { statusOnly, withStatus } from '../../plain-rules.ts'
import { isExtendedResourceName } from '../pods/resource-requirements.ts'
import { validateClaimTemplateMeta } from '../pods/volumes.ts'
import { allocatedIds, deviceId, validateClaimStatus } from './claim-status.ts'
import { statusAccessErrors } from './claim-status-access.ts'
import { checkConfiguration, checkList, checkSelectors, maxConfigurations, taintEffects } from './device-checks.ts'
import { requestNamesOf, validateDeviceClaim } from './device-claim.ts'
import {
  claimConversion,
  claimTemplateConversion,
  decodedClaim,
  decodedClaimTemplate,
  sliceConversion,
  withBasics,
} from './device-conversion.ts'
import { dropDisabledInClaim, dropDisabledInSlice, dropDisabledInTemplate } from './disabled-device-fields.ts'
import { validateSlice } from './resource-slice.ts'

type Claim = KubeObject & { spec: ResourceClaimSpec; status: ResourceClaimStatus }
type Template = KubeObject & { spec: ResourceClaimTemplateSpec }
type DeviceClass = KubeObject & { spec: DeviceClassSpec }
type Slice = KubeObject & { spec: ResourceSliceSpec }

const specPath = FieldPath.of('spec')

/** Of opaque configurations. */
const rawKeys: ReadonlySet<string> = new Set(['parameters'])
const same = (a: unknown, b: unknown): boolean => equalButRaw(a, b, rawKeys)

const changedSpec = (spec: unknown, goType: string): FieldError[] => [
  invalidAs(specPath, () => goDump(`resource.${goType}`, spec), immutableMessage),
]

export function claimRules(services: KindServices): KindRules<Claim> {
  const { deviceSelector: selector } = services
  const newer = (claim: Claim): Awaitable<Claim> => inTurns(rulesInSteps(() => claimConversion.fromHub(claim) as Claim))
  const validate = ({ spec }: Claim, stored: boolean): FieldError[] => {
    const errors: Errors = []
    validateDeviceClaim(errors, spec.devices, specPath.child('devices'), {
      stored,
      selector,
      distinct: services.gate('DRAConsumableCapacity'),
      emptyIsWrong: services.gate('release:emptyAttributeNames'),
      oneWay: services.gate('release:oneWayOfRequest'),
      effects: taintEffects(services.gate),
    })
    return errors
  }
  return {
    decoded: decodedClaim,
    strategy: withStatus<Claim>({
      validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
      prepareForCreate: (draft, { gate }) => dropDisabledInClaim(draft, undefined, gate),
      prepareForUpdate: (draft, old, { gate }) => dropDisabledInClaim(draft, old, gate),
      validateInTurns(hub, old, { namespace }) {
        return whenReady(newer(hub), (claim) => {
          if (old !== undefined) {
            const changed = same(hub.spec, old.spec) ? [] : changedSpec(claim.spec, 'ResourceClaimSpec')
            if (services.gate('release:claimsCheckedWhenMade')) return changed
            return inTurns(
              rulesInSteps(() => limitErrors(() => [...validate(claim, false), ...changed, ...validate(claim, true)])),
            )
          }
          return afterChecks(adminChecks(services, namespace, adminRequest(claim.spec)), () => validate(claim, false))
        })
      },
    }),
    parts: {
      status: statusOnly<Claim>({
        prepareForUpdate(draft, old, context) {
          keepMetadataForStatus(draft, old)
          dropDeallocated(draft, old, context)
          dropDisabledInClaim(draft, old, context.gate)
        },
        validateInTurns(hub, old, context) {
          // The conversion leaves the status as it is.
          const [{ status }, before] = [hub, old ?? hub]
          const isDeleted = hub.metadata.deletionTimestamp != null
          const granted = adminResult(before.status) === undefined ? adminResult(status) : undefined
          const checks = [
            ...adminChecks(services, context.namespace, granted),
            ...(services.gate('DRAResourceClaimGranularStatusAuthorization')
              ? [() => statusAccessErrors(services, { status, old: before.status }, context)]
              : []),
          ]
          return whenReady(newer(hub), ({ spec }) => {
            const names = requestNamesOf(spec.devices)
            return afterChecks(checks, () => validateClaimStatus(status, before.status, { names, isDeleted }))
          })
        },
      }),
    },
    returnsDeleted: true,
  }
}

/** Devices that the claim no longer has are not reported on. */
function dropDeallocated({ status }: Claim, old: Claim, { gate }: WriteContext): void {
  if (!gate('DRAResourceClaimDeviceStatus') && (old.status.devices?.length ?? 0) === 0) return
  const kept = allocatedIds(status)
  const gone = new Set([...allocatedIds(old.status)].filter((id) => !kept.has(id)))
  const devices = (status.devices ?? []).filter((device) => !gone.has(deviceId(device)))
  if (devices.length === 0) delete status.devices
  else status.devices = devices
}

function adminRequest({ devices }: ResourceClaimSpec): FieldPath | undefined {
  const i = (devices.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true)
  return i < 0 ? undefined : FieldPath.of('spec', 'devices', 'requests').index(i).child('adminAccess')
}

function adminResult({ allocation }: ResourceClaimStatus): FieldPath | undefined {
  const i = (allocation?.devices.results ?? []).findIndex(({ adminAccess }) => adminAccess === true)
  return i < 0 ? undefined : FieldPath.of('status', 'allocation', 'devices', 'results').index(i).child('adminAccess')
}

const adminLabel = (gate: KindServices['gate']): string =>
  gate('release:adminAccessLabel') ? 'resource.kubernetes.io/admin-access' : 'resource.k8s.io/admin-access'

type AccessCheck = () => Promise<FieldError[]>

/** Errors of those who may not, then those of the object. */
function afterChecks(checks: readonly AccessCheck[], rules: () => FieldError[]): Awaitable<FieldError[]> {
  const rest = (): Awaitable<FieldError[]> => inTurns(rulesInSteps(() => limitErrors(rules)))
  if (checks.length === 0) return rest()
  return refusals(checks).then(async (errors) => [...errors, ...(await rest())])
}

async function refusals(checks: readonly AccessCheck[]): Promise<FieldError[]> {
  const errors: FieldError[] = []
  for (const check of checks) pushAll(errors, await check())
  return errors
}

/** Devices that are in use by others are for the namespaces of administrators. `at`: where they are asked for. */
const adminChecks = (services: KindServices, namespace: string, at: FieldPath | undefined): AccessCheck[] =>
  at === undefined ? [] : [() => adminErrors(services, namespace, at)]

async function adminErrors(services: KindServices, namespace: string, at: FieldPath): Promise<FieldError[]> {
  const found = (await services.objects('', 'namespaces')).get('', namespace)
  if (found === undefined) {
    const why = `namespaces ${quote(namespace)} not found`
    return [internal(at, `could not retrieve namespace to verify admin access: ${why}`)]
  }
  const label = adminLabel(services.gate)
  if (found.metadata.labels?.[label] === 'true') return []
  return [forbidden(at, `admin access to devices requires the \`${label}: true\` label on the containing namespace`)]
}

export function claimTemplateRules(services: KindServices): KindRules<Template> {
  const { deviceSelector: selector } = services
  const validate = ({ spec }: Template, stored: boolean): FieldError[] => {
    const errors: Errors = []
    validateClaimTemplateMeta(errors, spec.metadata, specPath.child('metadata'))
    validateDeviceClaim(errors, spec.spec.devices, specPath.child('spec', 'devices'), {
      stored,
      selector,
      distinct: services.gate('DRAConsumableCapacity'),
      emptyIsWrong: services.gate('release:emptyAttributeNames'),
      oneWay: services.gate('release:oneWayOfRequest'),
      effects: taintEffects(services.gate),
    })
    return errors
  }
  return {
    decoded: decodedClaimTemplate,
    strategy: {
      validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
      prepareForCreate: (draft, { gate }) => dropDisabledInTemplate(draft, undefined, gate),
      prepareForUpdate: (draft, old, { gate }) => dropDisabledInTemplate(draft, old, gate),
      validateInTurns(hub, old, { namespace }) {
        const newer = inTurns(rulesInSteps(() => claimTemplateConversion.fromHub(hub) as Template))
        return whenReady(newer, (template) => {
          if (old !== undefined) {
            const changed = same(hub.spec, old.spec) ? [] : changedSpec(template.spec, 'ResourceClaimTemplateSpec')
            const again = (): FieldError[] =>
              services.gate('release:claimsCheckedWhenMade') ? [] : validate(template, true)
            return inTurns(
              rulesInSteps(() => limitErrors(() => [...validate(template, false), ...changed, ...again()])),
            )
          }
          const checks = adminChecks(services, namespace, adminRequest(template.spec.spec))
          return afterChecks(checks, () => validate(template, false))
        })
      },
    },
    returnsDeleted: true,
  }
}

export function deviceClassRules({ deviceSelector: selector }: KindServices): KindRules<DeviceClass> {
  const validate = ({ spec }: DeviceClass, old?: DeviceClassSpec): FieldError[] => {
    const errors: Errors = []
    const isKept = (key: keyof DeviceClassSpec): boolean => old !== undefined && same(spec[key], old[key])
    checkSelectors(errors, spec.selectors, specPath.child('selectors'), { stored: isKept('selectors'), selector })
    const { extendedResourceName: extended } = spec as DeviceClassSpec & { readonly extendedResourceName?: string }
    if (extended !== undefined && !isExtendedResourceName(extended)) {
      errors.push(invalid(specPath.child('extendedResourceName'), extended, 'must be a valid extended resource name'))
    }
    checkList(errors, spec.config, maxConfigurations, specPath.child('config'), (errors, { opaque }, at) => {
      checkConfiguration(errors, opaque, at, isKept('config'))
    })
    return errors
  }
  return {
    strategy: {
      validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
      prepareForCreate: (draft) => {
        draft.metadata.generation = 1
      },
      prepareForUpdate: (draft, old) => {
        if (!same(draft.spec, old.spec)) draft.metadata.generation = nextGeneration(old.metadata)
      },
      validate: (object) => validate(object),
      validateUpdate: (object, old, context) => [
        ...repeatedCheck(context, 'resource.k8s.io/DeviceClass', validate(object)),
        ...validate(object, old.spec),
      ],
    },
    returnsDeleted: true,
  }
}

function driverWarnings({ spec: { driver } }: Slice, { gate }: WriteContext): string[] {
  if (!gate('release:driverNameWarnings') || driver === driver.toLowerCase()) return []
  return [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`]
}

export function sliceRules(): KindRules<Slice> {
  const newer = (slice: Slice): ResourceSliceSpec => (sliceConversion.fromHub(slice) as Slice).spec
  return {
    decoded: withBasics,
    strategy: {
      prepareForCreate: (draft, { gate }) => {
        draft.metadata.generation = 1
        dropDisabledInSlice(draft, undefined, gate)
      },
      prepareForUpdate: (draft, old, { gate }) => {
        // What is dropped afterwards counts as a change.
        if (!same(draft.spec, old.spec)) draft.metadata.generation = nextGeneration(old.metadata)
        dropDisabledInSlice(draft, old, gate)
      },
      validateInTurns(slice, old, { gate }) {
        const spec = newer(slice)
        const before = old === undefined ? undefined : newer(old)
        return inTurns(rulesInSteps(() => limitErrors(() => validateSlice(spec, gate, before))))
      },
      warningsOnCreate: driverWarnings,
      warningsOnUpdate: (slice, _old, context) => driverWarnings(slice, context),
    },
    fields: {
      'spec.driver': (slice) => (slice as Slice).spec.driver,
      'spec.nodeName': (slice) => (slice as Slice).spec.nodeName ?? '',
    },
    returnsDeleted: true,
  }
}
