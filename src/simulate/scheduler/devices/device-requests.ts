/** Requests of a claim in one shape, alternatives among them. Mirrors dynamic-resource-allocation/structured: requestAccessor. */

import type { Toleration } from '../../../catalog/types/core-v1.ts'
import type { DeviceRequest, DeviceSelector } from '../../../catalog/types/resource-v1beta1.ts'
import type { DeviceClass, ResourceClaim } from '../../objects.ts'

export interface Request {
  readonly name: string
  /** Of the request that this is an alternative in; '' for none. */
  readonly parent: string
  readonly deviceClassName: string
  readonly mode: string
  readonly count: number
  readonly adminAccess: boolean | undefined
  readonly selectors: readonly DeviceSelector[]
  readonly tolerations: readonly Toleration[]
}

/** A request, and the alternatives by which it can be met, in order; one where it has none. */
export interface RequestChoice {
  readonly name: string
  readonly alternatives: readonly Request[]
}

export const choicesOf = ({ spec }: ResourceClaim): RequestChoice[] =>
  (spec.devices?.requests ?? []).map((request) => {
    const { name, firstAvailable = [] } = request
    const alternatives =
      firstAvailable.length > 0 ? firstAvailable.map((each) => requestOf(each, name)) : [requestOf(request, '')]
    return { name, alternatives }
  })

function requestOf(request: DeviceRequest, parent: string): Request {
  const { name, deviceClassName = '', allocationMode = 'ExactCount', count = 1, adminAccess } = request
  const { selectors = [], tolerations = [] } = request
  return { name, parent, deviceClassName, mode: allocationMode, count, adminAccess, selectors, tolerations }
}

/** As results name it. */
export const fullName = ({ name, parent }: Request): string => (parent === '' ? name : `${parent}/${name}`)

export interface ResolvedRequest extends Request {
  readonly deviceClass: DeviceClass
}
