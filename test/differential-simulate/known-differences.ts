/** Where the simulation differs from the reference on purpose, or by chance of time. What no rule explains is a fault. */
import type { Place } from '../differential/compare.ts'
import { isMap, type Json } from '../differential/json.ts'

export interface KnownDifference {
  readonly name: string
  readonly reason: string
  readonly matches: (place: Place) => boolean
}

/** The fields of a line of `eventTally`, where the place is one. */
interface EventFacts {
  readonly reason: string
  readonly kind: string
  readonly message: string
  readonly isReferences: boolean
  readonly isSimulations: boolean
}

function eventOf({ path, reference, server }: Place): EventFacts | undefined {
  if (path[0] !== 'events') return undefined
  const [, reason = '', kind = '', , , , , ...message] = String(path[1]).split(' | ')
  return {
    reason,
    kind,
    message: message.join(' | '),
    isReferences: reference !== undefined,
    isSimulations: server !== undefined,
  }
}

/** An event that only the reference, or only the simulation, tells of. */
const toldBy =
  (side: 'reference' | 'simulation', fits: (event: EventFacts) => boolean) =>
  (place: Place): boolean => {
    const event = eventOf(place)
    if (event === undefined || (event.isReferences && event.isSimulations)) return false
    return event.isReferences === (side === 'reference') && fits(event)
  }

const oldState = /the object has been modified|^delete Pod \S+ .* not found$|is out of sync \(stored: /

const unboundClaim =
  /pod has unbound immediate PersistentVolumeClaims|waiting for ephemeral volume controller|error getting PVC/

const isQuotaOwner = (entry: Json | undefined): boolean =>
  isMap(entry) && (entry['manager'] === 'kube-apiserver' || entry['manager'] === 'kube-controller-manager')

export const knownDifferences: readonly KnownDifference[] = [
  {
    name: 'description of kube-root-ca.crt',
    reason: 'Descriptions for people are in words of our own.',
    matches: ({ path }) => path.join('.').endsWith('metadata.annotations.kubernetes.io/description'),
  },
  {
    name: 'how often an event happened',
    reason: 'How often a controller looks again until something has happened is a matter of time.',
    matches: (place) => {
      const event = eventOf(place)
      return event?.isReferences === true && event.isSimulations
    },
  },
  {
    name: 'writes from an old state',
    reason:
      'The reference looks at caches that lag behind its own writes, and tells of what was refused; it tries again with success.',
    matches: toldBy('reference', ({ message }) => oldState.test(message)),
  },
  {
    name: 'combined events',
    reason: 'More than ten alike are combined: how many there are before a back-off ends them is a matter of time.',
    matches: toldBy('reference', ({ message }) => message.startsWith('(combined from similar events)')),
  },
  {
    name: 'steps of a rollout',
    reason:
      'Pods that become ready at once make one step, and one after the other several: older sets are written so often.',
    matches: (place) => {
      const at = place.path.join('.')
      const isCount = at.endsWith('.metadata.generation') || at.endsWith('.status.observedGeneration')
      if (at.startsWith('objects.apps/v1/replicasets.')) return isCount
      const event = eventOf(place)
      return event?.reason === 'ScalingReplicaSet' && event.isReferences !== event.isSimulations
    },
  },
  {
    name: 'a claim waits for no time',
    reason:
      'A pod is scheduled before the binder looks at its claim: there is nothing yet to wait for in the reference.',
    matches: toldBy('reference', ({ reason }) => ['WaitForFirstConsumer', 'WaitForPodScheduled'].includes(reason)),
  },
  {
    name: 'a pod before its claim',
    reason:
      'A claim that is made for a pod, or bound at once, is there and bound before the pod is looked at, or after that.',
    matches: (place) => {
      const event = eventOf(place)
      return event?.reason === 'FailedScheduling' && unboundClaim.test(event.message)
    },
  },
  {
    name: 'a budget before its pods',
    reason: 'A budget that is there before the first pod tells of it.',
    matches: (place) => eventOf(place)?.reason === 'NoPods',
  },
  {
    name: 'misscheduled pods that are gone',
    reason: 'Who ever changed their number owns it; a pod that goes at once is never counted.',
    matches: ({ path }) => path.includes('managedFields') && path.at(-1) === 'f:numberMisscheduled',
  },
  {
    name: 'volumes are attached',
    reason: 'The simulation attaches as a CSI driver would, and the reference has none.',
    matches: toldBy('simulation', ({ reason }) => reason === 'SuccessfulAttachVolume'),
  },
  {
    name: 'time of the last change of endpoints',
    reason: 'It goes with the next write that no pod gave rise to; the simulation writes endpoints fewer times.',
    matches: ({ path, reference, server }) =>
      ['v1/endpoints', 'discovery.k8s.io/v1/endpointslices'].includes(String(path[1])) &&
      JSON.stringify([path, reference ?? server]).includes('endpoints.kubernetes.io/last-change-trigger-time'),
  },
  {
    name: 'owner of the status of a quota',
    reason: 'Quotas are added up in every server, which writes as itself.',
    matches: ({ path, reference, server }) =>
      path[1] === 'v1/resourcequotas' &&
      path.includes('managedFields') &&
      (isQuotaOwner(reference) || isQuotaOwner(server) || String(path.at(-1)) === 'manager' || path.includes('f:used')),
  },
]

export const explanationOf = (place: Place): KnownDifference | undefined =>
  knownDifferences.find(({ matches }) => matches(place))
