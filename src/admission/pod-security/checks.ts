/**
 * The Pod Security Standards as a table of checks: the level that asks for each, since which version it reads how, and
 * which weaker check it stands in for.
 * Mirrors k8s.io/pod-security-admission/policy: CheckAllowPrivilegeEscalation, CheckAppArmorProfile,
 * CheckCapabilitiesBaseline, CheckCapabilitiesRestricted, CheckHostNamespaces, CheckHostPathVolumes, CheckHostPorts,
 * CheckPrivileged, CheckProcMount, CheckRestrictedVolumes, CheckRunAsNonRoot, CheckRunAsUser, CheckSELinuxOptions,
 * CheckSeccompBaseline; of later releases also CheckHostProbesAndHostLifecycle, CheckProcMountBaseline, CheckProcMountRestricted.
 */
import { quote } from '../../api/golang/quote.ts'
import type { JsonObject } from '../../api/json.ts'
import type { Container, Volume } from '../../catalog/types/core-v1.ts'
import {
  badSetters,
  type Check,
  containersText,
  namesWhere,
  nestedObject,
  type PodLike,
  plural,
  quoted,
  sortedNames,
  type VersionedCheck,
} from './check.ts'
import { seccompAnnotations, seccompBaseline, seccompRestricted } from './seccomp-checks.ts'

const privileged: Check = (pod) => {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.['privileged'] === true)
  if (names.length === 0) return undefined
  return { reason: 'privileged', detail: `${containersText(names)} must not set securityContext.privileged=true` }
}

const hostNamespaces: Check = ({ spec }) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true)
  if (used.length === 0) return undefined
  return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') }
}

const hostPathVolumes: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter((volume) => volume['hostPath'] !== undefined).map(({ name }) => name)
  if (names.length === 0) return undefined
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)}` }
}

const hostPorts: Check = (pod) => {
  const ports = new Set<string>()
  const names = namesWhere(pod, (container) => {
    const used = (container.ports ?? []).filter(({ hostPort }) => (hostPort ?? 0) !== 0)
    for (const { hostPort } of used) ports.add(String(hostPort))
    return used.length > 0
  })
  if (names.length === 0) return undefined
  const uses = plural('uses', 'use', names.length)
  const list = sortedNames(ports)
  return {
    reason: 'hostPort',
    detail: `${containersText(names)} ${uses} ${plural('hostPort', 'hostPorts', list.length)} ${list.join(', ')}`,
  }
}

const handlers = ['livenessProbe', 'readinessProbe', 'startupProbe', 'postStart', 'preStop']

function hostsOf(container: Container): string[] {
  const owner: JsonObject = { ...container, ...container.lifecycle }
  return handlers.flatMap((handler) =>
    ['httpGet', 'tcpSocket'].flatMap((way) => {
      const host = nestedObject(nestedObject(owner[handler])?.[way])?.['host']
      return host == null || host === '' ? [] : [String(host)]
    }),
  )
}

const hostProbesAndHostLifecycle: Check = (pod) => {
  const hosts = new Set<string>()
  const names = namesWhere(pod, (container) => {
    const used = hostsOf(container)
    for (const host of used) hosts.add(host)
    return used.length > 0
  })
  if (names.length === 0) return undefined
  const bad = sortedNames(names)
  const what = plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts.size)
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(bad)} ${plural('uses', 'use', bad.length)} ${what} ${quoted(sortedNames(hosts))}`,
  }
}

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/'
const isAllowedAppArmor = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/')

const appArmorProfile: Check = (pod) => {
  const values = new Set<string>()
  const setters: string[] = []
  const settings = badSetters(pod, (context) => {
    const type = nestedObject(context['appArmorProfile'])?.['type']
    if (type === undefined || type === 'RuntimeDefault' || type === 'Localhost') return false
    values.add(String(type))
    return true
  })
  if (settings !== undefined) setters.push(settings)
  const annotations = Object.entries(pod.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort()
  if (annotations.length > 0) setters.push(plural('annotation', 'annotations', annotations.length))
  if (setters.length === 0) return undefined
  const all = [...sortedNames(values), ...annotations]
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', all.length),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(all)}`,
  }
}

const standardCapabilities: ReadonlySet<string> = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
)

const capabilitiesOf = (container: Container, list: 'add' | 'drop'): string[] => {
  const capabilities = nestedObject(container.securityContext?.['capabilities'])?.[list]
  return Array.isArray(capabilities) ? capabilities.map(String) : []
}

/** Containers that add what is not allowed, in words. */
function addedCapabilities(pod: PodLike, isAllowed: (name: string) => boolean): string | undefined {
  const forbidden = new Set<string>()
  const names = namesWhere(pod, (container) => {
    const bad = capabilitiesOf(container, 'add').filter((name) => !isAllowed(name))
    for (const name of bad) forbidden.add(name)
    return bad.length > 0
  })
  if (names.length === 0) return undefined
  return `${containersText(names)} must not include ${quoted(sortedNames(forbidden))} in securityContext.capabilities.add`
}

const capabilitiesBaseline: Check = (pod) => {
  const detail = addedCapabilities(pod, (name) => standardCapabilities.has(name))
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail }
}

const capabilitiesRestricted: Check = (pod) => {
  const keeping = namesWhere(pod, (container) => !capabilitiesOf(container, 'drop').includes('ALL'))
  const details: string[] = []
  if (keeping.length > 0) details.push(`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`)
  const added = addedCapabilities(pod, (name) => name === 'NET_BIND_SERVICE')
  if (added !== undefined) details.push(added)
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

const procMount: Check = (pod) => {
  if (pod.relaxed) return undefined
  const types = new Set<string>()
  const names = namesWhere(pod, ({ securityContext }) => {
    const type = securityContext?.['procMount']
    if (type == null || type === 'Default') return false
    types.add(String(type))
    return true
  })
  if (names.length === 0) return undefined
  return {
    reason: 'procMount',
    detail: `${containersText(names)} must not set securityContext.procMount to ${quoted(sortedNames(types))}`,
  }
}

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t']

const seLinuxOptions =
  (allowed: readonly string[]): Check =>
  (pod) => {
    const types = new Set<string>()
    const fields = new Set<string>()
    const setters = badSetters(pod, (context) => {
      const options = nestedObject(context['seLinuxOptions'])
      if (options === undefined) return false
      const type = String(options['type'] ?? '')
      const isBadType = !allowed.includes(type)
      if (isBadType) types.add(type)
      const set = ['user', 'role'].filter((field) => Boolean(options[field]))
      for (const field of set) fields.add(field)
      return isBadType || set.length > 0
    })
    if (setters === undefined) return undefined
    const data: string[] = []
    if (types.size > 0) data.push(`${plural('type', 'types', types.size)} ${quoted(sortedNames(types))}`)
    for (const field of ['user', 'role']) if (fields.has(field)) data.push(`${field} may not be set`)
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
    }
  }

const sysctlsByVersion: readonly (readonly [number, string])[] = [
  [
    0,
    'kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start',
  ],
  [27, 'net.ipv4.ip_local_reserved_ports'],
  [
    29,
    'net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes',
  ],
  [32, 'net.ipv4.tcp_rmem net.ipv4.tcp_wmem'],
]

const sysctls =
  (allowed: ReadonlySet<string>): Check =>
  ({ spec }) => {
    const used = spec.securityContext?.['sysctls']
    const bad = (Array.isArray(used) ? used : []).map((each) => String(nestedObject(each)?.['name'] ?? ''))
    const forbidden = bad.filter((name) => !allowed.has(name))
    return forbidden.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: forbidden.join(', ') }
  }

const sysctlVersions = sysctlsByVersion.map(([minor], i): readonly [number, Check] => [
  minor,
  sysctls(new Set(sysctlsByVersion.slice(0, i + 1).flatMap(([, names]) => names.split(' ')))),
])

const windowsHostProcess: Check = (pod) => {
  const setters = badSetters(pod, (context) => nestedObject(context['windowsOptions'])?.['hostProcess'] === true)
  if (setters === undefined) return undefined
  return { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` }
}

const allowPrivilegeEscalation: Check = (pod) => {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.['allowPrivilegeEscalation'] !== false)
  if (names.length === 0) return undefined
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

const freeVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

const sourceOf = (volume: Volume): string => Object.keys(volume).find((key) => key !== 'name') ?? 'unknown'

const restrictedVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !freeVolumes.some((source) => Object.hasOwn(volume, source)))
  if (bad.length === 0) return undefined
  const types = sortedNames(bad.map(sourceOf))
  const volumes = `${plural('volume', 'volumes', bad.length)} ${quoted(bad.map(({ name }) => name))}`
  const what = plural('restricted volume type', 'restricted volume types', types.length)
  return {
    reason: 'restricted volume types',
    detail: `${volumes} ${plural('uses', 'use', bad.length)} ${what} ${quoted(types)}`,
  }
}

const runAsNonRoot: Check = (pod) => {
  if (pod.relaxed) return undefined
  const reason = 'runAsNonRoot != true'
  const setters = badSetters(pod, (context) => context['runAsNonRoot'] === false)
  if (setters !== undefined) return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` }
  if (pod.spec.securityContext?.['runAsNonRoot'] === true) return undefined
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.['runAsNonRoot'] == null)
  if (names.length === 0) return undefined
  return { reason, detail: `pod or ${containersText(names)} must set securityContext.runAsNonRoot=true` }
}

const runAsUser: Check = (pod) => {
  if (pod.relaxed) return undefined
  const setters = badSetters(pod, (context) => context['runAsUser'] === 0)
  return setters === undefined ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` }
}

const unlessWindows =
  (check: Check): Check =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod)

/** Root is harmless in a user namespace of its own, which later versions of the standards know. */
const unlessUserNamespace =
  (check: Check): Check =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod)

/** In the order in which violations are reported: by level, then by name. */
export const securityChecks: readonly VersionedCheck[] = [
  { id: 'appArmorProfile', level: 'baseline', versions: [[0, appArmorProfile]] },
  { id: 'capabilities_baseline', level: 'baseline', versions: [[0, capabilitiesBaseline]] },
  { id: 'hostNamespaces', level: 'baseline', versions: [[0, hostNamespaces]] },
  { id: 'hostPathVolumes', level: 'baseline', versions: [[0, hostPathVolumes]] },
  { id: 'hostPorts', level: 'baseline', versions: [[0, hostPorts]] },
  { id: 'hostProbesAndHostLifecycle', level: 'baseline', versions: [[34, hostProbesAndHostLifecycle]] },
  { id: 'privileged', level: 'baseline', versions: [[0, privileged]] },
  {
    id: 'procMount',
    level: 'baseline',
    versions: [
      [0, procMount],
      [35, unlessUserNamespace(procMount)],
    ],
  },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    versions: [
      [0, seLinuxOptions(seLinuxTypes)],
      [31, seLinuxOptions([...seLinuxTypes, 'container_engine_t'])],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    versions: [
      [0, seccompAnnotations],
      [19, seccompBaseline],
    ],
  },
  { id: 'sysctls', level: 'baseline', versions: sysctlVersions },
  { id: 'windowsHostProcess', level: 'baseline', versions: [[0, windowsHostProcess]] },
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      [8, allowPrivilegeEscalation],
      [25, unlessWindows(allowPrivilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    versions: [
      [22, capabilitiesRestricted],
      [25, unlessWindows(capabilitiesRestricted)],
    ],
    overrides: 'capabilities_baseline',
  },
  { id: 'procMount_restricted', level: 'restricted', versions: [[35, procMount]], overrides: 'procMount' },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    versions: [[0, restrictedVolumes]],
    overrides: 'hostPathVolumes',
  },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    versions: [
      [0, runAsNonRoot],
      [35, unlessUserNamespace(runAsNonRoot)],
    ],
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    versions: [
      [23, runAsUser],
      [35, unlessUserNamespace(runAsUser)],
    ],
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    versions: [
      [19, seccompRestricted],
      [25, unlessWindows(seccompRestricted)],
    ],
    overrides: 'seccompProfile_baseline',
  },
]
