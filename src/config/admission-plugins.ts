/** The admission plugins that exist, in the order in which they run, and which of them the flags leave on. */

import { nearestNames } from './nearest-names.ts'

/** `+` marks those that are on by default. */
const orderedPlugins = `
AlwaysAdmit NamespaceAutoProvision NamespaceLifecycle+ NamespaceExists LimitPodHardAntiAffinityTopology LimitRanger+
ServiceAccount+ NodeRestriction TaintNodesByCondition+ AlwaysPullImages ImagePolicyWebhook PodSecurity+ PodNodeSelector
Priority+ DefaultTolerationSeconds+ PodTolerationRestriction EventRateLimit ExtendedResourceToleration
DefaultStorageClass+ StorageObjectInUseProtection+ PodGroupProtection+ OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize+
RuntimeClass+ CertificateApproval+ CertificateSigning+ ClusterTrustBundleAttest+ CertificateSubjectRestriction+
DefaultIngressClass+ DenyServiceExternalIPs PodTopologyLabels+ PodGroupWorkloadExists+ NodeDeclaredFeatureValidator+ JobValidation+
PodResizeValidator+ MutatingAdmissionPolicy+ MutatingAdmissionWebhook+
ValidatingAdmissionPolicy+ ValidatingAdmissionWebhook+ ResourceQuota+ AlwaysDeny
`

const plugins: ReadonlyMap<string, boolean> = new Map(
  orderedPlugins
    .trim()
    .split(/\s+/)
    .map((word) => [word.replace('+', ''), word.endsWith('+')]),
)

/** Plugins that earlier releases had, with the minor number of the release that removed them. They are not built in. */
const removedIn: ReadonlyMap<string, number> = new Map([
  ['PodPreset', 20],
  ['DenyEscalatingExec', 21],
  ['DenyExecOnPrivileged', 21],
  ['PodSecurityPolicy', 25],
  ['SecurityContextDeny', 30],
  ['PersistentVolumeLabel', 31],
])

/** Plugins that came with a later release than the default one. */
const addedIn: ReadonlyMap<string, number> = new Map([
  ['NodeDeclaredFeatureValidator', 35],
  ['PodGroupProtection', 36],
  ['PodGroupWorkloadExists', 36],
  ['JobValidation', 36],
  ['PodResizeValidator', 36],
])

export const admissionPluginNames: ReadonlySet<string> = new Set(plugins.keys())

export interface AdmissionPluginFlags {
  readonly enable: readonly string[]
  readonly disable: readonly string[]
  /** The deprecated `--admission-control`: exactly these and no others. */
  readonly only: readonly string[]
}

/** The plugins to run, in order. */
export function enabledAdmissionPlugins({ enable, disable, only }: AdmissionPluginFlags): string[] {
  const isOn = (name: string, byDefault: boolean) =>
    only.length > 0 ? only.includes(name) : enable.includes(name) || (byDefault && !disable.includes(name))
  return [...plugins].filter(([name, byDefault]) => isOn(name, byDefault)).map(([name]) => name)
}

/** `release`: the minor number of the release that the server behaves as. */
export function validateAdmissionPlugins({ enable, disable, only }: AdmissionPluginFlags, release: number): string[] {
  const errors: string[] = []
  if (only.length > 0 && (enable.length > 0 || disable.length > 0)) {
    errors.push('admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive')
  }
  const overlap = enable.filter((name) => disable.includes(name))
  if (overlap.length > 0) {
    errors.push(`[${overlap.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`)
  }
  const isRemoved = (name: string): boolean => release < (removedIn.get(name) ?? 0)
  const unknown = (flag: string, names: readonly string[]) =>
    names
      .filter((name) => !plugins.has(name) || release < (addedIn.get(name) ?? 0))
      .map((name) =>
        isRemoved(name)
          ? `${flag} plugin ${JSON.stringify(name)} was removed in v1.${removedIn.get(name)}, and is not there when an earlier release is emulated either`
          : `${flag} plugin ${JSON.stringify(name)} is unknown${hintOf(name)}`,
      )
  return [
    ...errors,
    ...unknown('enable-admission-plugins', enable),
    // What is not there is off.
    ...unknown(
      'disable-admission-plugins',
      disable.filter((name) => !isRemoved(name)),
    ),
    ...unknown('admission-control', only),
  ]
}

function hintOf(name: string): string {
  const near = nearestNames(name, plugins.keys())
  return near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`
}
