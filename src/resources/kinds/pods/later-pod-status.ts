/**
 * What releases after the default one report of a pod. Fields of a release whose gate is off were dropped before.
 * Mirrors pkg/apis/core/validation: validatePodExtendedResourceClaimStatus, validateNodeAllocatableResourceClaimStatus, validateVolumeStatus,
 * validateContainerStatusAllocatedResourcesStatus.
 */
import { duplicate, invalid, required, tooLong } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { checkDns1123Label, checkSubdomainName, isLongerThan } from '../../../api/names.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { ContainerStatus, Pod, PodSpec, PodStatus, ResourceHealth } from '../../../catalog/types/core-v1.ts'
import { addMessages, type Errors } from '../../checks/checks.ts'
import type { PodOptions } from './pod-options.ts'
import { isNativeResource } from './resource-requirements.ts'

interface RequestMapping {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

interface NodeResourceClaim {
  readonly resourceClaimName?: string
  readonly containers?: readonly string[] | null
  readonly resources?: Readonly<Record<string, string>> | null
}

interface LaterStatus {
  readonly extendedResourceClaimStatus?: {
    readonly requestMappings?: readonly RequestMapping[] | null
    readonly resourceClaimName?: string
  }
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeResourceClaim[]
}

export const hasNodeResourceClaims = ({ status }: Pod): boolean =>
  ((status as PodStatus & LaterStatus).nodeAllocatableResourceClaimStatuses?.length ?? 0) > 0

const statusPath = FieldPath.of('status')
const maxMessage = 1024
const maxImage = 256

export function validateLaterStatus(errors: Errors, { spec, status }: Pod, options: PodOptions): void {
  validateExtendedClaim(errors, spec, status, options)
  validateNodeResources(errors, spec, status)
  for (const name of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const) {
    status[name]?.forEach((container, i) => {
      validateImageVolumes(errors, container, statusPath.child(name).index(i))
    })
  }
}

/** The claim that was made for extended resources, and which requests of it they come from. */
function validateExtendedClaim(
  errors: Errors,
  { initContainers = [], containers }: PodSpec,
  status: PodStatus,
  { mappingsByRequest }: PodOptions,
): void {
  const { extendedResourceClaimStatus: extended } = status as PodStatus & LaterStatus
  if (extended === undefined) return
  const at = statusPath.child('extendedResourceClaimStatus')
  const mappings = extended.requestMappings ?? []
  if (mappings.length === 0)
    errors.push(required(at.child('requestMappings'), 'at least one request mapping is required'))
  const requests = new Map(
    [...initContainers, ...(containers ?? [])].map((each) => [each.name, each.resources?.requests]),
  )
  const seen = new Set<string>()
  mappings.forEach((mapping, i) => {
    const itemAt = at.child('requestMappings').index(i)
    const { containerName, resourceName, requestName } = mapping
    if (!requests.has(containerName)) {
      const why = 'must match the name of an entry in spec.initContainers.name or spec.containers.name'
      errors.push(invalid(itemAt.child('containerName'), containerName, why))
    } else if (!Object.hasOwn(requests.get(containerName) ?? {}, resourceName)) {
      const why =
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests'
      errors.push(invalid(itemAt.child('resourceName'), resourceName, why))
    }
    addMessages(errors, at.child('requestName'), requestName, checkDns1123Label(requestName))
    const keys = ['containerName', 'resourceName', ...(mappingsByRequest ? (['requestName'] as const) : [])] as const
    const key = JSON.stringify(keys.map((name) => mapping[name]))
    if (seen.has(key)) for (const name of keys) errors.push(duplicate(itemAt.child(name), mapping[name]))
    seen.add(key)
  })
  const { resourceClaimName: claim = '' } = extended
  if (claim === '') errors.push(required(at.child('resourceClaimName')))
  else addMessages(errors, at.child('resourceClaimName'), claim, checkSubdomainName(claim))
}

/** What claims take of a node's own resources. */
function validateNodeResources(errors: Errors, spec: PodSpec, status: PodStatus): void {
  const { nodeAllocatableResourceClaimStatuses: claims = [] } = status as PodStatus & LaterStatus
  const known = new Set(
    [...(spec.resourceClaims ?? []), ...(status.resourceClaimStatuses ?? [])].map((each) => each.resourceClaimName),
  )
  claims.forEach(({ resourceClaimName: name = '', containers, resources }, i) => {
    const at = statusPath.child('nodeAllocatableResourceClaimStatuses').index(i)
    if (name === '') errors.push(required(at.child('resourceClaimName'), 'must not be empty'))
    if (!known.has(name)) errors.push(invalid(at.child('resourceClaimName'), name, 'no mapping found in pod reference'))
    if ((containers ?? []).length === 0) errors.push(required(at.child('containers'), 'must not be empty'))
    const names = keysOf(resources ?? {})
    if (names.length === 0) errors.push(required(at.child('resources'), 'must not be empty'))
    for (const resource of names) {
      const where = at.child('resources').key(resource)
      if (!isNativeResource(resource)) errors.push(invalid(where, resource, 'must be a node allocatable resource name'))
      const amount = Quantity.parse(resources?.[resource] ?? '0')
      if (amount.sign() < 0) errors.push(invalid(where, amount.toString(), 'must be non-negative'))
    }
  })
}

/** Which image a volume was made of. */
function validateImageVolumes(errors: Errors, { volumeMounts = [] }: ContainerStatus, at: FieldPath): void {
  volumeMounts.forEach((mount, i) => {
    const { image } =
      (mount as { readonly volumeStatus?: { readonly image?: { readonly imageRef?: string } } }).volumeStatus ?? {}
    if (image === undefined) return
    const where = at.child('volumeMounts').index(i).child('volumeStatus', 'imageVolumeStatus', 'imageRef')
    const { imageRef = '' } = image
    if (imageRef === '') errors.push(required(where, 'imageRef must not be empty'))
    if (isLongerThan(imageRef, maxImage)) errors.push(tooLong(where, maxImage))
  })
}

/** Why a device is as healthy as it is. */
export function validateHealthMessage(errors: Errors, device: ResourceHealth, at: FieldPath): void {
  const { message } = device as ResourceHealth & { readonly message?: string }
  if (message === undefined) return
  if (message === '') errors.push(required(at, 'must be non-empty if specified'))
  else if (isLongerThan(message, maxMessage)) errors.push(tooLong(at, maxMessage))
}
