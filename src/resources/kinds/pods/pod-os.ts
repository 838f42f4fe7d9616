/**
 * What a pod of one operating system cannot have of the other.
 * Mirrors pkg/apis/core/validation: validateOS, validateWindows, validateLinux.
 */
import { forbidden, invalid, notSupported, ofNamedText, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { PodSecurityContext, PodSpec, SecurityContext } from '../../../catalog/types/core-v1.ts'
import type { Errors } from '../../checks/checks.ts'
import { visitContainers } from './pod-options.ts'

const systems = ['linux', 'windows']

export function validateOs(errors: Errors, spec: PodSpec, at: FieldPath): void {
  const { os } = spec
  if (os === undefined) return
  if (os.name === '') errors.push(required(at.child('os', 'name'), 'cannot be empty'))
  else if (!systems.includes(os.name)) errors.push(ofNamedText(notSupported(at.child('os'), os.name, systems)))
  else if (os.name === 'linux') validateLinux(errors, spec, at)
  else validateWindows(errors, spec, at)
}

function validateLinux(errors: Errors, spec: PodSpec, at: FieldPath): void {
  const why = 'windows options cannot be set for a linux pod'
  if (spec.securityContext?.windowsOptions !== undefined) {
    errors.push(forbidden(at.child('securityContext', 'windowsOptions'), why))
  }
  visitContainers(spec, at, ({ securityContext }, path) => {
    if (securityContext?.windowsOptions === undefined) return
    errors.push(forbidden(path().child('securityContext', 'windowsOptions'), why))
  })
}

/** Fields of the pod, or with a leading dot of its security context, in the reference's order. */
const notOnWindows = [
  '.appArmorProfile',
  '.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  '.seccompProfile',
  '.fsGroup',
  '.fsGroupChangePolicy',
  '.sysctls',
  'shareProcessNamespace',
  '.runAsUser',
  '.runAsGroup',
  '.supplementalGroups',
  '.supplementalGroupsPolicy',
  '.seLinuxChangePolicy',
]

const containersNotOnWindows = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const satisfies readonly (keyof SecurityContext)[]

function validateWindows(errors: Errors, spec: PodSpec, at: FieldPath): void {
  const why = 'cannot be set for a windows pod'
  for (const field of notOnWindows) {
    const inContext = field.startsWith('.')
    const value = inContext
      ? spec.securityContext?.[field.slice(1) as keyof PodSecurityContext]
      : spec[field as keyof PodSpec]
    // The two flags count only when they are true.
    if (value === undefined || (value === false && (field === 'hostPID' || field === 'hostIPC'))) continue
    errors.push(forbidden(inContext ? at.child('securityContext', field.slice(1)) : at.child(field), why))
  }
  visitContainers(spec, at, ({ securityContext }, path) => {
    if (securityContext === undefined) return
    for (const field of containersNotOnWindows) {
      if (securityContext[field] !== undefined) errors.push(forbidden(path().child('securityContext', field), why))
    }
  })
}

/** Containers that are processes of the host: all or none, on its network, and only where that is allowed. */
export function validateHostProcesses(errors: Errors, spec: PodSpec, at: FieldPath, allowPrivileged: boolean): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess
  let count = 0
  let ofHost = 0
  visitContainers(spec, at, ({ securityContext }, path) => {
    count++
    const own = securityContext?.windowsOptions?.hostProcess
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`
      errors.push(invalid(path().child('securityContext', 'windowsOptions', 'hostProcess'), own, why))
    }
    if (own ?? ofPod ?? false) ofHost++
  })
  if (ofHost === 0) return
  if (ofHost !== count) {
    const why = 'If pod contains any hostProcess containers then all containers must be HostProcess containers'
    errors.push(invalid(at, '', why))
  }
  if (spec.hostNetwork !== true) {
    const why = 'hostNetwork must be true if pod contains any hostProcess containers'
    errors.push(invalid(at.child('hostNetwork'), false, why))
  }
  if (!allowPrivileged) errors.push(forbidden(at, 'hostProcess containers are disallowed by cluster policy'))
}
