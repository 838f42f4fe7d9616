/**
 * Who a pod and its containers run as, and what confines them.
 * Mirrors pkg/apis/core/validation: ValidateSecurityContext, validatePodSpecSecurityContext.
 */

import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  ofNamedText,
  required,
  tooLong,
} from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { RenderedValue } from '../../../api/golang/literal.ts'
import { checkDns1123Subdomain } from '../../../api/names.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import { goStruct, invalidAs, podSyntaxPointer, podSyntaxText } from '../../../catalog/golang/pod-syntax.ts'
import type {
  AppArmorProfile,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
  WindowsSecurityContextOptions,
} from '../../../catalog/types/core-v1.ts'
import { checkDescendingPath, checkId, checkOneOf, type Errors } from '../../checks/checks.ts'
import type { PodOptions } from './pod-options.ts'

const procMounts = ['Default', 'Unmasked']
const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']

export interface ContainerSecurity {
  readonly allowPrivileged: boolean
  /** The container's users are those of the host. */
  readonly hostUsers: boolean
}

export function validateSecurityContext(
  errors: Errors,
  context: SecurityContext,
  at: FieldPath,
  { allowPrivileged, hostUsers }: ContainerSecurity,
): void {
  const { privileged, procMount } = context
  if (privileged === true && !allowPrivileged) {
    errors.push(forbidden(at.child('privileged'), 'disallowed by cluster policy'))
  }
  checkId(errors, context.runAsUser, at, 'runAsUser')
  checkId(errors, context.runAsGroup, at, 'runAsGroup')
  if (procMount !== undefined) {
    checkOneOf(errors, procMount, procMounts, at, 'procMount')
    if (hostUsers && procMount === 'Unmasked') {
      errors.push(invalid(at.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'))
    }
  }
  validateSeccomp(errors, context.seccompProfile, at)
  if (context.allowPrivilegeEscalation === false) validateNoEscalation(errors, context, at)
  validateWindowsOptions(errors, context.windowsOptions, at)
  validateAppArmor(errors, context.appArmorProfile, at)
}

function validateNoEscalation(errors: Errors, context: SecurityContext, at: FieldPath): void {
  if (context.privileged === true) {
    const why = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'
    errors.push(invalidAs(at, () => printContext(context), why))
  }
  for (const capability of context.capabilities?.add ?? []) {
    if (capability !== 'CAP_SYS_ADMIN') continue
    const why = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'
    errors.push(invalidAs(at, () => printContext(context), why))
  }
}

const printContext = (context: SecurityContext): RenderedValue =>
  goStruct('core.SecurityContext', {
    Capabilities: podSyntaxPointer('core.Capabilities', context.capabilities),
    Privileged: podSyntaxPointer('bool', context.privileged),
    SELinuxOptions: podSyntaxPointer('core.SELinuxOptions', context.seLinuxOptions),
    WindowsOptions: podSyntaxPointer('core.WindowsSecurityContextOptions', context.windowsOptions),
    RunAsUser: podSyntaxPointer('int64', context.runAsUser),
    RunAsGroup: podSyntaxPointer('int64', context.runAsGroup),
    RunAsNonRoot: podSyntaxPointer('bool', context.runAsNonRoot),
    ReadOnlyRootFilesystem: podSyntaxPointer('bool', context.readOnlyRootFilesystem),
    AllowPrivilegeEscalation: podSyntaxPointer('bool', context.allowPrivilegeEscalation),
    ProcMount: podSyntaxPointer('core.ProcMountType', context.procMount),
    SeccompProfile: podSyntaxPointer('core.SeccompProfile', context.seccompProfile),
    AppArmorProfile: podSyntaxPointer('core.AppArmorProfile', context.appArmorProfile),
  })

const groupChangePolicies = ['Always', 'OnRootMismatch']
const groupsPolicies = ['Merge', 'Strict']
const seLinuxPolicies = ['MountOption', 'Recursive']

export function validatePodSecurity(errors: Errors, spec: PodSpec, at: FieldPath, options: PodOptions): void {
  const context = spec.securityContext ?? {}
  checkId(errors, context.fsGroup, at, 'fsGroup')
  checkId(errors, context.runAsUser, at, 'runAsUser')
  checkId(errors, context.runAsGroup, at, 'runAsGroup')
  eachItem(errors, context.supplementalGroups ?? [], (errors, group, i) => {
    checkId(errors, group, at, `supplementalGroups[${i}]`)
  })
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(invalid(at.child('shareProcessNamespace'), true, why))
  }
  if (context.sysctls !== undefined) validateSysctls(errors, context.sysctls, spec, at.child('sysctls'), options)
  const { fsGroupChangePolicy, supplementalGroupsPolicy, seLinuxChangePolicy } = context
  if (fsGroupChangePolicy !== undefined) {
    checkOneOf(errors, fsGroupChangePolicy, groupChangePolicies, at, 'fsGroupChangePolicy')
  }
  validateSeccomp(errors, context.seccompProfile, at)
  validateWindowsOptions(errors, context.windowsOptions, at)
  validateAppArmor(errors, context.appArmorProfile, at)
  if (supplementalGroupsPolicy !== undefined) {
    checkOneOf(errors, supplementalGroupsPolicy, groupsPolicies, at, 'supplementalGroupsPolicy')
  }
  if (seLinuxChangePolicy !== undefined) {
    const supported = options.onlyRecursiveSeLinux ? ['Recursive'] : seLinuxPolicies
    checkOneOf(errors, seLinuxChangePolicy, supported, at, 'seLinuxChangePolicy')
  }
}

const sysctlPattern = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const sysctlName = new RegExp(`^${sysctlPattern}$`)

function validateSysctls(
  errors: Errors,
  sysctls: readonly Sysctl[],
  spec: PodSpec,
  at: FieldPath,
  { anySysctl }: PodOptions,
): void {
  const names = new Set<string>()
  eachItem(errors, sysctls, (errors, { name }, i) => {
    const nameAt = at.index(i).child('name')
    if (name === '') errors.push(required(nameAt))
    else if (Buffer.byteLength(name) > 253 || !sysctlName.test(name)) {
      errors.push(invalid(nameAt, name, `must have at most 253 characters and match regex ^${sysctlPattern}$`))
    } else if (names.has(name)) errors.push(duplicate(nameAt, name))
    const message = anySysctl ? undefined : hostSysctlMessage(name, spec)
    if (message !== undefined) errors.push(invalid(nameAt, name, message))
    names.add(name)
  })
}

const ipcSysctl = /^kernel\.(sem|shmall|shmmax|shmmni|shm_rmid_forced|shm|msgmax|msgmnb|msgmni|msg)$/

/** A setting of a namespace that the pod shares with its host cannot be the pod's. */
export function hostSysctlMessage(name: string, { hostNetwork, hostIPC }: PodSpec): string | undefined {
  const separator = /[./]/.exec(name)?.[0]
  const swapped = separator === '/' ? name.replace(/[./]/g, (char) => (char === '/' ? '.' : '/')) : name
  const [plain = ''] = swapped.split('*', 1)
  if (hostNetwork && plain.startsWith('net.')) return "may not be specified when 'hostNetwork' is true"
  const isIpc = ipcSysctl.test(plain) || plain.startsWith('fs.mqueue.')
  return hostIPC && isIpc ? "may not be specified when 'hostIPC' is true" : undefined
}

function validateSeccomp(errors: Errors, profile: SeccompProfile | undefined, parent: FieldPath): void {
  if (profile === undefined) return
  const at = parent.child('seccompProfile')
  const { type, localhostProfile } = profile
  if (type === '') errors.push(required(at.child('type'), 'type is required when seccompProfile is set'))
  else checkOneOf(errors, type, profileTypes, at, 'type')
  if (type === 'Localhost') {
    if (localhostProfile === undefined) {
      errors.push(required(at.child('localhostProfile'), 'must be set when seccomp type is Localhost'))
    } else checkDescendingPath(errors, localhostProfile, at.child('localhostProfile'))
  } else if (localhostProfile !== undefined) {
    const shown = goStruct('core.SeccompProfile', {
      Type: podSyntaxText(type),
      LocalhostProfile: podSyntaxPointer('string', localhostProfile),
    })
    const why = 'can only be set when seccomp type is Localhost'
    errors.push(invalidAs(at.child('localhostProfile'), () => shown, why))
  }
}

/** The longest path there is, less its end. */
const maxProfileLength = 4095

export function validateAppArmor(errors: Errors, profile: AppArmorProfile | undefined, parent: FieldPath): void {
  if (profile === undefined) return
  const at = parent.child('appArmorProfile')
  const { type, localhostProfile } = profile
  if (type === '') errors.push(required(at.child('type'), 'type is required when appArmorProfile is set'))
  else if (!profileTypes.includes(type)) errors.push(notSupported(at.child('type'), type, profileTypes))
  else if (type === 'Localhost') validateLocalProfile(errors, localhostProfile, at.child('localhostProfile'))
  else if (localhostProfile !== undefined) {
    const why = 'can only be set when AppArmor type is Localhost'
    errors.push(invalid(at.child('localhostProfile'), localhostProfile, why))
  }
}

function validateLocalProfile(errors: Errors, profile: string | undefined, at: FieldPath): void {
  const missing = 'must be set when AppArmor type is Localhost'
  if (profile === undefined) {
    errors.push(required(at, missing))
    return
  }
  const trimmed = profile.trim()
  if (trimmed !== profile) errors.push(invalid(at, profile, 'must not be padded with whitespace'))
  else if (trimmed === '') errors.push(required(at, missing))
  if (Buffer.byteLength(profile) > maxProfileLength) errors.push(tooLong(at, maxProfileLength))
}

function validateWindowsOptions(
  errors: Errors,
  options: WindowsSecurityContextOptions | undefined,
  parent: FieldPath,
): void {
  if (options === undefined) return
  const at = parent.child('windowsOptions')
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options
  const report = (name: string, value: string, messages: readonly string[]): void => {
    for (const message of messages) errors.push(ofNamedText(invalid(at.child(name), value, message)))
  }
  if (gmsaCredentialSpecName !== undefined) {
    const messages = checkDns1123Subdomain(gmsaCredentialSpecName)
    report('gmsaCredentialSpecName', gmsaCredentialSpecName, messages)
  }
  if (gmsaCredentialSpec !== undefined) {
    const isLong = Buffer.byteLength(gmsaCredentialSpec) > 64 * 1024
    if (gmsaCredentialSpec === '') report('gmsaCredentialSpec', '', ['gmsaCredentialSpec cannot be an empty string'])
    else if (isLong) report('gmsaCredentialSpec', gmsaCredentialSpec, ['gmsaCredentialSpec size must be under 64 KiB'])
  }
  if (runAsUserName !== undefined) {
    report('runAsUserName', runAsUserName, checkWindowsUser(runAsUserName))
  }
}

const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** `DOMAIN\user`, the domain being optional. */
function checkWindowsUser(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (/[\x00-\x1f\x7f]/.test(name)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const user = parts.at(-1) ?? ''
  const domain = parts.length === 2 ? parts[0] : undefined
  const messages: string[] = []
  if (domain !== undefined && Buffer.byteLength(domain) >= 256) {
    messages.push("runAsUserName's Domain length must be under 256 characters")
  }
  if (domain !== undefined && !netBiosName.test(domain) && !dnsName.test(domain)) {
    messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  }
  if (user === '') messages.push("runAsUserName's User cannot be empty")
  else if (Buffer.byteLength(user) > 104) {
    messages.push("runAsUserName's User length must not be longer than 104 characters")
  }
  if (/^[. ]+$/.test(user)) messages.push("runAsUserName's User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    messages.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  }
  return messages
}
