/**
 * What may be reported about a pod: its status, checked against what was reported before.
 * Mirrors pkg/apis/core/validation: ValidatePodStatusUpdate.
 */

import {
  duplicate,
  type FieldError,
  forbidden,
  internal,
  invalid,
  maxPairErrors,
  notSupported,
} from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { goNamed } from '../../../api/golang/literal.ts'
import { parseIp } from '../../../api/ip.ts'
import { checkLegacyIp } from '../../../api/ip-validation.ts'
import { checkQualifiedName, checkSubdomainName } from '../../../api/names.ts'
import { goStruct, goStructs, invalidAs, podSyntaxText } from '../../../catalog/golang/pod-syntax.ts'
import type {
  Container,
  ContainerStatus,
  LinuxContainerUser,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
} from '../../../catalog/types/core-v1.ts'
import { addMessages, checkId, type Errors, immutableMessage } from '../../checks/checks.ts'
import { validateHealthMessage, validateLaterStatus } from './later-pod-status.ts'
import type { PodOptions } from './pod-options.ts'
import { givenAmount } from './resource-requirements.ts'
import { mayRestartAfter, mayRestartAll } from './restart-rules.ts'

const statusPath = FieldPath.of('status')
const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized'])

export function validateStatus(errors: Errors, pod: Pod, old: Pod, options: PodOptions): void {
  const { status, spec } = pod
  validateConditions(errors, status.conditions ?? [], statusPath.child('conditions'))
  const { nominatedNodeName = '', observedGeneration = 0 } = status
  if (nominatedNodeName !== (old.status.nominatedNodeName ?? '') && nominatedNodeName !== '') {
    const at = statusPath.child('nominatedNodeName')
    addMessages(errors, at, nominatedNodeName, checkSubdomainName(nominatedNodeName))
    if (options.boundForGood && (old.spec.nodeName ?? '') !== '') {
      errors.push(forbidden(at, 'may not be set on pods that are already bound to a node'))
    }
  }
  if (observedGeneration < 0) {
    errors.push(invalid(statusPath.child('observedGeneration'), observedGeneration, 'must be a non-negative integer'))
  }
  if ((status.qosClass ?? '') !== (old.status.qosClass ?? '')) {
    errors.push(invalid(statusPath.child('qosClass'), status.qosClass ?? '', immutableMessage))
  }
  validateTransitions(errors, status, old, options)
  validateClaimStatuses(errors, pod, options)
  validateLaterStatus(errors, pod, options)
  validateIps(errors, status.podIPs, old.status.podIPs, { name: 'podIPs', type: 'core.PodIP', options })
  validateHostIps(errors, status, old.status, options)
  validateContainerStatuses(errors, status, spec)
}

function validateConditions(errors: Errors, conditions: readonly PodCondition[], at: FieldPath): void {
  conditions.forEach(({ type, observedGeneration = 0 }, i) => {
    if (observedGeneration < 0) {
      const why = 'must be a non-negative integer'
      errors.push(invalid(at.index(i).child('observedGeneration'), observedGeneration, why))
    }
    if (!systemConditions.has(type)) addMessages(errors, at.index(i).child('Type'), type, checkQualifiedName(type))
  })
}

/** The same where containers have policies and rules of their own. Containers for debugging never have. */
function validateRuledTransitions(errors: Errors, status: PodStatus, old: Pod, options: PodOptions): void {
  if (options.restartsAll && mayRestartAll(old.spec)) return
  const { restartPolicy: policy = 'Always', containers, initContainers } = old.spec
  const lists = { containerStatuses: containers ?? [], initContainerStatuses: initContainers ?? [] }
  for (const name of ['containerStatuses', 'initContainerStatuses'] as const) {
    const containersByName = byName(lists[name])
    const alive = new Set(status[name]?.filter(({ state }) => state.terminated === undefined).map((one) => one.name))
    old.status[name]?.forEach(({ name: own, state: { terminated } }, i) => {
      if (terminated === undefined || !alive.has(own)) return
      const container = containersByName.get(own)
      const { exitCode } = terminated
      const byPolicy = policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never'
      if (container !== undefined && (mayRestartAfter(container, exitCode, options) ?? byPolicy)) return
      errors.push(forbidden(statusPath.child(name).index(i).child('state'), endedForGood))
    })
  }
}

const endedForGood = 'may not be transitioned to non-terminated state'

/** A container that ended and is not to be restarted has ended for good. */
function validateTransitions(errors: Errors, status: PodStatus, old: Pod, options: PodOptions): void {
  if (options.restartRules) validateRuledTransitions(errors, status, old, options)
  const { restartPolicy = '', initContainers = [] } = old.spec
  const initByName = byName(initContainers)
  const isSidecar = (name: string): boolean => initByName.get(name)?.restartPolicy === 'Always'
  const never = { policy: 'Never', mayRestart: () => false }
  const lists = [
    ['containerStatuses', { policy: restartPolicy, mayRestart: () => false }],
    ['initContainerStatuses', { policy: restartPolicy, mayRestart: isSidecar }],
    ['ephemeralContainerStatuses', never],
  ] as const
  for (const [name, { policy, mayRestart }] of lists) {
    if (policy === 'Always' || (options.restartRules && name !== 'ephemeralContainerStatuses')) continue
    const running = new Map<string, number>()
    for (const { name: container, state } of status[name] ?? []) {
      if (state.terminated === undefined) running.set(container, (running.get(container) ?? 0) + 1)
    }
    old.status[name]?.forEach((before, i) => {
      const { terminated } = before.state
      if (terminated === undefined || mayRestart(before.name)) return
      if (terminated.exitCode !== 0 && policy === 'OnFailure') return
      for (let n = running.get(before.name) ?? 0; n > 0 && errors.length < maxPairErrors; n--) {
        errors.push(forbidden(statusPath.child(name).index(i).child('state'), endedForGood))
      }
    })
  }
}

function validateClaimStatuses(errors: Errors, { status, spec }: Pod, { claimNamePath }: PodOptions): void {
  const seen = new Set<string>()
  const claims = new Set(spec.resourceClaims?.map((claim) => claim.name))
  status.resourceClaimStatuses?.forEach(({ name, resourceClaimName }, i) => {
    const itemAt = statusPath.child('resourceClaimStatuses').index(i)
    const at = itemAt.child('name')
    if (!claims.has(name)) {
      errors.push(invalid(at, name, 'must match the name of an entry in `spec.resourceClaims`'))
    }
    if (seen.has(name)) errors.push(duplicate(at, name))
    seen.add(name)
    if (resourceClaimName !== undefined) {
      const nameAt = claimNamePath ? itemAt.child('resourceClaimName') : at
      addMessages(errors, nameAt, resourceClaimName, checkSubdomainName(resourceClaimName))
    }
  })
}

interface IpList {
  readonly name: 'podIPs' | 'hostIPs'
  readonly type: string
  readonly options: PodOptions
}

type Ips = readonly { ip: string }[] | undefined

/** New addresses must be good; there is at most one of each family. */
function validateIps(errors: Errors, ips: Ips, old: Ips, { name, type, options }: IpList): void {
  if (ips === undefined) return
  const at = statusPath.child(name)
  const known = new Set((old ?? []).map(({ ip }) => ip))
  ips.forEach(({ ip }, i) => {
    if (!known.has(ip)) addMessages(errors, at.index(i), ip, checkLegacyIp(ip, options.strictIps))
  })
  if (ips.length < 2) return
  const families = ips.map(({ ip }) => parseIp(ip)?.family)
  const bad = families.indexOf(undefined)
  if (bad >= 0) {
    const text = `invalid IP[${bad}]: ${ips[bad]?.ip}`
    errors.push(internal(at, `failed to check for dual stack with error:${text}`))
  }
  const isDual = bad < 0 && new Set(families).size === 2
  if (isDual && ips.length === 2) return
  const shown = goStructs(type, ips, ({ ip }) => goStruct(type, { IP: podSyntaxText(ip) }))
  errors.push(invalidAs(at, () => shown, 'may specify no more than one IP for each IP family'))
}

function validateHostIps(errors: Errors, status: PodStatus, old: PodStatus, options: PodOptions): void {
  const [first] = status.hostIPs ?? []
  if (first === undefined) return
  if (first.ip !== (status.hostIP ?? '')) {
    errors.push(invalid(statusPath.child('hostIPs').index(0).child('ip'), first.ip, 'must be equal to `hostIP`'))
  }
  validateIps(errors, status.hostIPs, old.hostIPs, { name: 'hostIPs', type: 'core.HostIP', options })
}

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const

function validateContainerStatuses(errors: Errors, status: PodStatus, spec: PodSpec): void {
  for (const name of statusLists) {
    status[name]?.forEach(({ user }, i) => {
      const at = statusPath.child(name).index(i).child('user', 'linux')
      if (user?.linux === undefined) return
      if (spec.os?.name === 'windows') errors.push(forbidden(at, 'cannot be set for a windows pod'))
      else validateLinuxUser(errors, user.linux, at)
    })
  }
  validateAllocated(
    errors,
    status.containerStatuses ?? [],
    spec.containers ?? [],
    statusPath.child('containerStatuses'),
  )
  const initAt = statusPath.child('initContainerStatuses')
  validateAllocated(errors, status.initContainerStatuses ?? [], spec.initContainers ?? [], initAt)
  status.ephemeralContainerStatuses?.forEach(({ allocatedResourcesStatus = [] }, i) => {
    if (allocatedResourcesStatus.length === 0) return
    const at = statusPath.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus')
    errors.push(forbidden(at, 'must not be specified in container status'))
  })
}

function validateLinuxUser(errors: Errors, user: LinuxContainerUser, at: FieldPath): void {
  checkId(errors, user.uid, at, 'uid')
  checkId(errors, user.gid, at, 'gid')
  user.supplementalGroups?.forEach((group, i) => {
    checkId(errors, group, at, `supplementalGroups[${i}]`)
  })
}

const healths = ['Healthy', 'Unhealthy', 'Unknown']

/** The health of devices: of resources that the container asked for, each named once. */
function validateAllocated(
  errors: Errors,
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  at: FieldPath,
): void {
  const known = byName(containers)
  statuses.forEach(({ name, allocatedResourcesStatus = [] }, i) => {
    const container = known.get(name)
    const claims = container === undefined ? undefined : claimNames(container)
    allocatedResourcesStatus.forEach(({ name: resource, resources = [] }, j) => {
      const itemAt = at.index(i).child('allocatedResourcesStatus').index(j)
      const problem =
        container === undefined ? undefined : unaskedFor(container, { resource, claims }, itemAt.child('name'))
      if (problem !== undefined) errors.push(problem)
      const seen = new Set<string>()
      resources.forEach((device, k) => {
        const { resourceID, health = '' } = device
        const deviceAt = itemAt.child('resources').index(k)
        validateHealthMessage(errors, device, deviceAt.child('message'))
        if (!healths.includes(health)) errors.push(notSupported(deviceAt.child('health'), health, healths))
        if (seen.has(resourceID)) errors.push(duplicate(deviceAt.child('resourceID'), resourceID))
        seen.add(resourceID)
      })
    })
  })
}

/** The first of each name. */
function byName<T extends { readonly name: string }>(list: readonly T[]): Map<string, T> {
  const found = new Map<string, T>()
  for (const item of list) if (!found.has(item.name)) found.set(item.name, item)
  return found
}

const claimNames = ({ resources }: Container): ReadonlySet<string> =>
  new Set(
    (resources?.claims ?? []).map(({ name, request = '' }) =>
      request === '' ? `claim:${name}` : `claim:${name}/${request}`,
    ),
  )

interface Asked {
  readonly resource: string
  readonly claims: ReadonlySet<string> | undefined
}

function unaskedFor(
  { resources }: Container,
  { resource: name, claims }: Asked,
  at: FieldPath,
): FieldError | undefined {
  if (name.startsWith('claim:')) {
    const why =
      "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
    return claims?.has(name) === true ? undefined : invalidAs(at, () => goNamed(name), why)
  }
  if (givenAmount(resources?.requests, name) !== undefined) return undefined
  return invalidAs(at, () => goNamed(name), "must match one of the container's resource requests")
}
