/**
 * Hints from a service's `trafficDistribution`: traffic stays in the zone, or on the node, of its endpoint.
 * Mirrors k8s.io/endpointslice/trafficdist: ReconcileHints.
 */
import { equalSemantic } from '../../../api/json.ts'
import type { Endpoint, EndpointHints } from '../../../catalog/types/discovery-v1.ts'
import type { EndpointSlice } from '../../objects.ts'
import type { FamilyPlan } from './slice-plan.ts'

export const isReadyEndpoint = ({ conditions }: Endpoint): boolean => conditions.ready === true

/** The plan with the hints that `hintsOf` gives each endpoint; slices in which only hints change become updates. */
function assign(plan: FamilyPlan, hintsOf: (endpoint: Endpoint) => EndpointHints | undefined): FamilyPlan {
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => withHints(endpoint, hintsOf(endpoint))),
  })
  const differs = ({ endpoints }: EndpointSlice) =>
    (endpoints ?? []).some((endpoint) => !equalSemantic(endpoint.hints, hintsOf(endpoint)))
  return {
    ...plan,
    create: plan.create.map(hinted),
    update: [...plan.update, ...plan.unchanged.filter(differs)].map(hinted),
    unchanged: plan.unchanged.filter((slice) => !differs(slice)),
  }
}

export function withHints({ hints: _, ...endpoint }: Endpoint, hints: EndpointHints | undefined): Endpoint {
  return hints === undefined ? endpoint : { ...endpoint, hints }
}

export const withoutAllHints = (plan: FamilyPlan): FamilyPlan => assign(plan, () => undefined)

/** What is not ready keeps what it has. */
export const withTrafficHints = (plan: FamilyPlan, trafficDistribution: string): FamilyPlan =>
  assign(plan, (endpoint) => {
    if (!isReadyEndpoint(endpoint)) return endpoint.hints
    const { zone, nodeName } = endpoint
    const forNode = trafficDistribution === 'PreferSameNode' ? nodeName : undefined
    if (zone === undefined && forNode === undefined) return undefined
    return {
      ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
      ...(forNode === undefined ? {} : { forNodes: [{ name: forNode }] }),
    }
  })
