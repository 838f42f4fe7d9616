/**
 * The containers of a pod: those that run, those that come first, and those for debugging.
 * Mirrors pkg/apis/core/validation: validateContainers, validateInitContainers, validateEphemeralContainers.
 */

import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { RenderedValue } from '../../../api/golang/literal.ts'
import { goNamed } from '../../../api/golang/literal.ts'
import { checkDns1123Label, checkPortName, checkPortNumber } from '../../../api/names.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import {
  duplicateAs,
  goStruct,
  goStructs,
  invalidAs,
  notSupportedAs,
  podSyntaxText,
} from '../../../catalog/golang/pod-syntax.ts'
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  EphemeralContainer,
  PodSpec,
} from '../../../catalog/types/core-v1.ts'
import { duplicateFinder } from '../../../lib/repeats.ts'
import { addMessages, type Errors, isUnset, requireOneOf } from '../../checks/checks.ts'
import { validateEnv, validateEnvFrom } from './env.ts'
import { type LifecycleContext, validateLifecycleAndProbes } from './handlers.ts'
import { validateDevices, validateMounts } from './mounts.ts'
import { type PodOptions, restartsContainer } from './pod-options.ts'
import { type RequirementRules, validateRequirements } from './resource-requirements.ts'
import { validateInitRestart, validateRestartRules } from './restart-rules.ts'
import { type ContainerSecurity, validateSecurityContext } from './security-context.ts'
import { type KnownVolumes, pullPolicies } from './volumes.ts'

const messagePolicies = ['File', 'FallbackToLogsOnError']
const protocols = ['SCTP', 'TCP', 'UDP']
const resizeResources = ['cpu', 'memory']
const resizePolicies = ['NotRequired', 'RestartContainer']

/** What the rules of containers need to know of their pod. */
export interface PodFrame {
  readonly spec: PodSpec
  readonly volumes: KnownVolumes
  readonly options: PodOptions
  readonly life: LifecycleContext
  readonly requirements: RequirementRules
  readonly security: ContainerSecurity
}

export function validateContainers(errors: Errors, frame: PodFrame, at: FieldPath): void {
  const { containers } = frame.spec
  if (containers === null || containers === undefined || containers.length === 0) {
    errors.push(required(at))
    return
  }
  const isRepeated = duplicateFinder(containers, ({ name }) => name)
  eachItem(errors, containers, (errors, container, i) => {
    const itemAt = at.index(i)
    validateCommon(errors, container, frame, itemAt)
    if (isRepeated(i)) errors.push(duplicate(itemAt.child('name'), container.name))
    validateLifecycleAndProbes(errors, container, itemAt, frame.life)
    if (frame.options.restartRules) validateRestartRules(errors, container, itemAt, frame.options)
    else if (container.restartPolicy !== undefined) {
      errors.push(forbidden(itemAt.child('restartPolicy'), 'may not be set for non-init containers'))
    }
  })
  validateHostPorts(errors, containers, at)
}

const onlySidecars = 'may not be set for init containers without restartPolicy=Always'
const lifeFields = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const

export function validateInitContainers(errors: Errors, frame: PodFrame, at: FieldPath): void {
  const { initContainers } = frame.spec
  if (initContainers === undefined) return
  const names = new Set((frame.spec.containers ?? []).map(({ name }) => name))
  eachItem(errors, initContainers, (errors, container, i) => {
    const itemAt = at.index(i)
    const { name, restartPolicy, resizePolicy } = container
    validateCommon(errors, container, frame, itemAt)
    validateInitRestart(errors, container, itemAt, frame.options)
    if (names.has(name)) errors.push(duplicate(itemAt.child('name'), name))
    else if (name !== '') names.add(name)
    // They run one by one: only a container's own ports can collide.
    validateHostPorts(errors, [container], at)
    if (restartPolicy === 'Always') validateLifecycleAndProbes(errors, container, itemAt, frame.life)
    else {
      for (const field of lifeFields) {
        if (container[field] !== undefined) errors.push(forbidden(itemAt.child(field), onlySidecars))
      }
    }
    if (!frame.options.sidecarResizePolicy && resizePolicy !== undefined && resizePolicy.length > 0) {
      const why = 'must not be set for init containers'
      errors.push(invalidAs(itemAt.child('resizePolicy'), () => printResizePolicy(resizePolicy), why))
    }
    if (restartPolicy !== 'Always' && !frame.options.initRestartsByResize) {
      validateInitResize(errors, resizePolicy ?? [], itemAt.child('resizePolicy'))
    }
  })
}

function validateInitResize(errors: Errors, policies: readonly ContainerResizePolicy[], at: FieldPath): void {
  const why = "must not be set to 'RestartContainer' for non-sidecar initContainers"
  eachItem(errors, policies, (errors, policy, i) => {
    if (restartsContainer(policy)) errors.push(invalid(at.index(i).child('restartPolicy'), policy.restartPolicy, why))
  })
}

const printResizePolicy = (policies: readonly ContainerResizePolicy[]): RenderedValue =>
  goStructs('core.ContainerResizePolicy', policies, ({ resourceName, restartPolicy }) =>
    goStruct('core.ContainerResizePolicy', {
      ResourceName: podSyntaxText(resourceName),
      RestartPolicy: podSyntaxText(restartPolicy),
    }),
  )

const notForDebugging = 'cannot be set for an Ephemeral Container'

export function validateEphemeralContainers(errors: Errors, frame: PodFrame, at: FieldPath): void {
  const { ephemeralContainers, containers, initContainers } = frame.spec
  if (ephemeralContainers === undefined || ephemeralContainers.length === 0) return
  const others = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name))
  const names = new Set(others)
  eachItem(errors, ephemeralContainers, (errors, container, i) => {
    const itemAt = at.index(i)
    const { name, targetContainerName = '' } = container
    validateCommon(errors, container, frame, itemAt)
    validateImagePadding(errors, container, itemAt)
    if (names.has(name)) errors.push(duplicate(itemAt.child('name'), name))
    else names.add(name)
    if (targetContainerName !== '' && !others.has(targetContainerName)) {
      errors.push(notFound(itemAt.child('targetContainerName'), targetContainerName))
    }
    validateDebugging(errors, container, itemAt)
  })
}

/** What a container for debugging cannot have, in the order of the type. */
const debuggingForbids = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const

function validateDebugging(errors: Errors, container: EphemeralContainer, at: FieldPath): void {
  for (const field of debuggingForbids) {
    const value = container[field]
    const isSet = field === 'resources' ? Object.keys(value ?? {}).length > 0 : value !== undefined
    if (isSet) errors.push(forbidden(at.child(field), notForDebugging))
  }
  eachItem(errors, container.volumeMounts ?? [], (errors, { subPath, subPathExpr }, i) => {
    const mountAt = at.child('volumeMounts').index(i)
    if (!isUnset(subPath)) errors.push(forbidden(mountAt.child('subPath'), notForDebugging))
    if (!isUnset(subPathExpr)) errors.push(forbidden(mountAt.child('subPathExpr'), notForDebugging))
  })
}

/** Pods, but not templates of them, want images without blanks around them. */
export function validateImagePadding(errors: Errors, { image = '' }: Container, at: FieldPath): void {
  if (image.trim() !== image) {
    errors.push(invalid(at.child('image'), image, 'must not have leading or trailing whitespace'))
  }
}

function validateCommon(errors: Errors, container: Container, frame: PodFrame, at: FieldPath): void {
  const { name, ports, env, envFrom, resources, resizePolicy, securityContext } = container
  const { options, volumes } = frame
  if (isUnset(name)) errors.push(required(at.child('name')))
  else {
    const messages = checkDns1123Label(name)
    if (messages.length > 0) addMessages(errors, at.child('name'), name, messages)
  }
  if (isUnset(container.image)) errors.push(required(at.child('image')))
  requireOneOf(errors, container.terminationMessagePolicy, messagePolicies, at, 'terminationMessagePolicy')
  if (ports !== undefined) validatePorts(errors, ports, at.child('ports'))
  if (env !== undefined) validateEnv(errors, env, at.child('env'), options)
  if (envFrom !== undefined) validateEnvFrom(errors, envFrom, at.child('envFrom'), options.relaxedEnv)
  if (container.volumeMounts !== undefined) validateMounts(errors, container, volumes, at.child('volumeMounts'))
  if (container.volumeDevices !== undefined) validateDevices(errors, container, volumes, at.child('volumeDevices'))
  requireOneOf(errors, container.imagePullPolicy, pullPolicies, at, 'imagePullPolicy')
  if (resources !== undefined) validateRequirements(errors, resources, at.child('resources'), frame.requirements)
  if (resizePolicy !== undefined) {
    validateResizePolicy(errors, resizePolicy, at.child('resizePolicy'), frame.spec.restartPolicy)
  }
  if (securityContext !== undefined) {
    validateSecurityContext(errors, securityContext, at.child('securityContext'), frame.security)
  }
}

function validatePorts(errors: Errors, ports: readonly ContainerPort[], at: FieldPath): void {
  const names = new Set<string>()
  eachItem(errors, ports, (errors, { name = '', containerPort, hostPort = 0, protocol = '' }, i) => {
    if (name !== '') {
      const messages = checkPortName(name)
      if (messages.length > 0) addMessages(errors, at.index(i).child('name'), name, messages)
      else if (names.has(name)) errors.push(duplicate(at.index(i).child('name'), name))
      else names.add(name)
    }
    if (containerPort === 0) errors.push(required(at.index(i).child('containerPort')))
    else validatePortNumber(errors, containerPort, at, i, 'containerPort')
    if (hostPort !== 0) validatePortNumber(errors, hostPort, at, i, 'hostPort')
    if (protocol === '') errors.push(required(at.index(i).child('protocol')))
    else if (!protocols.includes(protocol)) {
      errors.push(notSupported(at.index(i).child('protocol'), protocol, protocols))
    }
  })
}

function validatePortNumber(errors: Errors, port: number, at: FieldPath, i: number, name: string): void {
  const messages = checkPortNumber(port)
  if (messages.length > 0) addMessages(errors, at.index(i).child(name), port, messages)
}

/** Two containers cannot have the same port of the host. */
function validateHostPorts(errors: Errors, containers: readonly Container[], at: FieldPath): void {
  let taken: Set<string> | undefined
  eachItem(errors, containers, (errors, { ports = [] }, c) => {
    ports.forEach(({ protocol = '', hostIP = '', hostPort = 0 }, p) => {
      if (hostPort === 0) return
      const key = `${protocol}/${hostIP}/${hostPort}`
      taken ??= new Set()
      if (taken.has(key)) errors.push(duplicate(at.index(c).child('ports').index(p).child('hostPort'), key))
      else taken.add(key)
    })
  })
}

function validateResizePolicy(
  errors: Errors,
  policies: readonly ContainerResizePolicy[],
  at: FieldPath,
  podRestartPolicy: string | undefined,
): void {
  const seen = new Set<string>()
  eachItem(errors, policies, (errors, { resourceName, restartPolicy }, i) => {
    if (seen.has(resourceName)) {
      errors.push(duplicateAs(at.index(i), () => goNamed(resourceName)))
    }
    seen.add(resourceName)
    if (resourceName === '') errors.push(required(at))
    else if (!resizeResources.includes(resourceName)) {
      errors.push(notSupportedAs(at, () => goNamed(resourceName), resizeResources))
    }
    if (restartPolicy === '') errors.push(required(at))
    else if (!resizePolicies.includes(restartPolicy)) errors.push(notSupported(at, restartPolicy, resizePolicies))
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(invalid(at, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'"))
    }
  })
}
