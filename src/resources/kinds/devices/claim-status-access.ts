/**
 * Who may change which part of a claim's status: permissions on subresources that are not served, `resourceclaims/binding` of who
 * allocates, `resourceclaims/driver` of the drivers of devices.
 * Mirrors pkg/registry/resource: AuthorizedForBinding, AuthorizedForDeviceStatus.
 */
import { maxErrors } from '../../../api/error-limit.ts'
import { type FieldError, forbidden } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { equalSemantic } from '../../../api/json.ts'
import { checkSubdomainName } from '../../../api/names.ts'
import type { RequestAttributes } from '../../../api/request-attributes.ts'
import { nodeOfServiceAccount } from '../../../api/service-account-user.ts'
import type { UserInfo } from '../../../api/user.ts'
import type { AllocationResult, ResourceClaimStatus } from '../../../catalog/types/resource-v1beta2.ts'
import { yieldToEventLoop } from '../../../lib/in-turns.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import type { KindServices } from '../../kind-rules.ts'
import { deviceId } from './claim-status.ts'

const statusPath = FieldPath.of('status')

interface Change {
  readonly status: ResourceClaimStatus
  readonly old: ResourceClaimStatus
}

/** The server's own writes need no permission. */
export async function statusAccessErrors(
  { access, gate }: Pick<KindServices, 'access' | 'gate'>,
  change: Change,
  context: WriteContext,
): Promise<FieldError[]> {
  const { user, verb } = context
  if (user === undefined || verb === undefined) return []
  const asked = { user, verb, namespace: context.namespace }
  const errors = await bindingErrors(access, change, asked)
  if (!gate('DRAResourceClaimDeviceStatus') || change.status.allocation === undefined) return errors
  return [...errors, ...(await driverErrors(access, change, asked))]
}

interface Asked {
  readonly user: UserInfo
  readonly verb: string
  readonly namespace: string
}

const attributesOf = (
  { user, verb, namespace }: Asked,
  target: { readonly subresource: string; readonly name: string },
): RequestAttributes => ({
  ...target,
  user,
  verb,
  namespace,
  isResourceRequest: true,
  path: '',
  apiGroup: 'resource.k8s.io',
  apiVersion: '*',
  resource: 'resourceclaims',
})

/** Who allocates does so for claims of every namespace. */
async function bindingErrors(
  access: KindServices['access'],
  { status, old }: Change,
  asked: Asked,
): Promise<FieldError[]> {
  const isKept = (['allocation', 'reservedFor'] as const).every((key) => equalSemantic(status[key], old[key]))
  if (isKept) return []
  const denial = await access.denial(attributesOf({ ...asked, namespace: '' }, { subresource: 'binding', name: '' }))
  if (denial === undefined) return []
  const what = `resource="resourceclaims/binding", verb="${asked.verb}"`
  const why = `changing status.allocation or status.reservedFor requires ${what} permission: ${denial.message}`
  return [forbidden(statusPath.child('allocation'), why)]
}

/** A driver that runs on the node of the claim may have permission for that node alone. */
async function driverErrors(
  access: KindServices['access'],
  { status, old }: Change,
  asked: Asked,
): Promise<FieldError[]> {
  const node = nodeOf(status.allocation)
  const isThere =
    node !== undefined && nodeOfServiceAccount(asked.user) === node && checkSubdomainName(node).length === 0
  const verbs = [...(isThere ? [`associated-node:${asked.verb}`] : []), `arbitrary-node:${asked.verb}`]
  const errors: FieldError[] = []
  for (const driver of changedDrivers(status, old)) {
    // How many there may be is checked afterwards, and an authorizer that answers at once gives no turn to others.
    if (errors.length >= maxErrors) break
    const yielding = yieldToEventLoop()
    if (yielding !== undefined) await yielding
    const denial = await firstDenial(access, verbs, (verb) =>
      attributesOf({ ...asked, verb }, { subresource: 'driver', name: driver }),
    )
    if (denial === undefined) continue
    const what = `resource="resourceclaims/driver", verb="[${verbs.join(' ')}]"`
    errors.push(
      forbidden(statusPath.child('devices'), `changing status.devices requires ${what} permission: ${denial}`),
    )
  }
  return errors
}

/** Undefined where one of the verbs is allowed. */
async function firstDenial(
  access: KindServices['access'],
  verbs: readonly string[],
  attributes: (verb: string) => RequestAttributes,
): Promise<string | undefined> {
  let first: string | undefined
  for (const verb of verbs) {
    const denial = await access.denial(attributes(verb))
    if (denial === undefined) return undefined
    first ??= denial.message
  }
  return first
}

/** Those whose devices were added, changed or removed, in order. */
function changedDrivers({ devices = [] }: ResourceClaimStatus, old: ResourceClaimStatus): string[] {
  const gone = new Map((old.devices ?? []).map((device) => [deviceId(device), device]))
  const drivers = new Set<string>()
  for (const device of devices) {
    const id = deviceId(device)
    if (!equalSemantic(gone.get(id), device)) drivers.add(device.driver)
    gone.delete(id)
  }
  for (const { driver } of gone.values()) drivers.add(driver)
  return [...drivers].sort()
}

/** Where an allocation is for one node alone, which it names. */
function nodeOf(allocation: AllocationResult | undefined): string | undefined {
  const [term, ...others] = allocation?.nodeSelector?.nodeSelectorTerms ?? []
  const { matchExpressions = [], matchFields = [] } = term ?? {}
  const [field, ...more] = matchFields
  if (others.length > 0 || more.length > 0 || matchExpressions.length > 0) return undefined
  if (field?.key !== 'metadata.name' || field.operator !== 'In' || field.values?.length !== 1) return undefined
  return field.values[0]
}
