/** Each check of the Pod Security Standards: what violates it, in which version, and in which words. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { PodLike } from './check.ts'
import { securityChecks } from './checks.ts'

interface Given {
  /** Of the container `c`. */
  readonly container?: JsonObject
  readonly spec?: JsonObject
  readonly annotations?: Record<string, string>
  readonly relaxed?: boolean
}

const podOf = ({ container = {}, spec = {}, annotations = {}, relaxed = false }: Given): PodLike => ({
  metadata: { name: 'p', annotations },
  spec: { containers: [{ name: 'c', ...container }], ...spec } as never,
  relaxed,
})

/** What a check says of a pod, in the newest version or in the one that is named. */
function said(id: string, given: Given, version = Infinity): string | undefined {
  const check = securityChecks.find((each) => each.id === id)!.versions.findLast(([since]) => since <= version)![1]
  const found = check(podOf(given))
  return found && `${found.reason}: ${found.detail}`
}

const ofContainer = (securityContext: JsonObject): Given => ({ container: { securityContext } })
const ofPod = (securityContext: JsonObject): Given => ({ spec: { securityContext } })
const ofBoth = (pod: JsonObject, container: JsonObject): Given => ({ ...ofPod(pod), ...ofContainer(container) })
const sidecar = (securityContext: JsonObject): JsonObject => ({ initContainers: [{ name: 'i', securityContext }] })
const windows = (given: Given): Given => ({ ...given, spec: { ...given.spec, os: { name: 'windows' } } })

const seccomp = (type: string): JsonObject => ({ seccompProfile: { type } })
const mustNotSeccomp = 'must not set securityContext.seccompProfile.type to "Unconfined"'
const mustSeccomp = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
const escalation =
  'allowPrivilegeEscalation != false: container "c" must set securityContext.allowPrivilegeEscalation=false'
const dropAll = 'unrestricted capabilities: container "c" must set securityContext.capabilities.drop=["ALL"]'
const dropped = (add: string[] = []): Given => ofContainer({ capabilities: { drop: ['ALL'], add } })
const apparmor = 'container.apparmor.security.beta.kubernetes.io/c'

describe('what is checked', () => {
  it.each<[string, string, Given, string | undefined]>([
    ['privileged', 'nothing', {}, undefined],
    ['privileged', 'not so', ofContainer({ privileged: false }), undefined],
    [
      'privileged',
      'so',
      ofContainer({ privileged: true }),
      'privileged: container "c" must not set securityContext.privileged=true',
    ],
    [
      'privileged',
      'several',
      { ...ofContainer({ privileged: true }), spec: sidecar({ privileged: true }) },
      'privileged: containers "i", "c" must not set securityContext.privileged=true',
    ],
    ['hostNamespaces', 'none', { spec: { hostNetwork: false } }, undefined],
    [
      'hostNamespaces',
      'all',
      { spec: { hostIPC: true, hostPID: true, hostNetwork: true } },
      'host namespaces: hostNetwork=true, hostPID=true, hostIPC=true',
    ],
    ['hostPathVolumes', 'none', { spec: { volumes: [{ name: 'v', emptyDir: {} }] } }, undefined],
    [
      'hostPathVolumes',
      'one',
      {
        spec: {
          volumes: [
            { name: 'v', emptyDir: {} },
            { name: 'w', hostPath: {} },
          ],
        },
      },
      'hostPath volumes: volume "w"',
    ],
    [
      'hostPathVolumes',
      'two',
      {
        spec: {
          volumes: [
            { name: 'v', hostPath: {} },
            { name: 'w', hostPath: {} },
          ],
        },
      },
      'hostPath volumes: volumes "v", "w"',
    ],
    ['hostPorts', 'none', { container: { ports: [{ hostPort: 0 }, { containerPort: 80 }] } }, undefined],
    ['hostPorts', 'one', { container: { ports: [{ hostPort: 80 }] } }, 'hostPort: container "c" uses hostPort 80'],
    [
      'hostPorts',
      'several',
      {
        container: { ports: [{ hostPort: 80 }] },
        spec: { initContainers: [{ name: 'i', ports: [{ hostPort: 81 }] }] },
      },
      'hostPort: containers "i", "c" use hostPorts 80, 81',
    ],
    ['hostProbesAndHostLifecycle', 'none', { container: { livenessProbe: { httpGet: { host: '' } } } }, undefined],
    [
      'hostProbesAndHostLifecycle',
      'in probes',
      {
        container: { livenessProbe: { httpGet: { host: 'b' } }, startupProbe: { tcpSocket: { host: 'a' } } },
        spec: { initContainers: [{ name: 'd', readinessProbe: { tcpSocket: { host: 'a' } } }] },
      },
      'probe or lifecycle host: containers "c", "d" use probe or lifecycle hosts "a", "b"',
    ],
    [
      'hostProbesAndHostLifecycle',
      'in handlers',
      { container: { lifecycle: { preStop: { httpGet: { host: 'h' } }, postStart: { tcpSocket: { host: 'h' } } } } },
      'probe or lifecycle host: container "c" uses probe or lifecycle host "h"',
    ],
    [
      'procMount',
      'in a user namespace',
      { ...ofContainer({ procMount: 'Unmasked' }), spec: { hostUsers: false } },
      undefined,
    ],
    ['procMount', 'the usual one', ofContainer({ procMount: 'Default' }), undefined],
    ['procMount', 'null', ofContainer({ procMount: null }), undefined],
    [
      'procMount',
      'another',
      ofContainer({ procMount: 'Unmasked' }),
      'procMount: container "c" must not set securityContext.procMount to "Unmasked"',
    ],
    [
      'procMount',
      'another, where it is harmless',
      { ...ofContainer({ procMount: 'Unmasked' }), relaxed: true },
      undefined,
    ],
    ['windowsHostProcess', 'not so', ofContainer({ windowsOptions: { hostProcess: false } }), undefined],
    [
      'windowsHostProcess',
      'so',
      ofBoth({ windowsOptions: { hostProcess: true } }, { windowsOptions: { hostProcess: true } }),
      'hostProcess: pod and container "c" must not set securityContext.windowsOptions.hostProcess=true',
    ],
    [
      'capabilities_baseline',
      'usual ones',
      ofContainer({ capabilities: { add: ['CHOWN', 'NET_BIND_SERVICE'] } }),
      undefined,
    ],
    [
      'capabilities_baseline',
      'others',
      ofContainer({ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'] } }),
      'non-default capabilities: container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add',
    ],
    ['capabilities_restricted', 'none dropped', {}, dropAll],
    ['capabilities_restricted', 'some dropped', ofContainer({ capabilities: { drop: ['CHOWN'] } }), dropAll],
    ['capabilities_restricted', 'all dropped', dropped(), undefined],
    ['capabilities_restricted', 'one that may be added', dropped(['NET_BIND_SERVICE']), undefined],
    [
      'capabilities_restricted',
      'one that may not be added',
      dropped(['CHOWN']),
      'unrestricted capabilities: container "c" must not include "CHOWN" in securityContext.capabilities.add',
    ],
    [
      'capabilities_restricted',
      'both wrong',
      ofContainer({ capabilities: { add: ['CHOWN'] } }),
      `${dropAll}; container "c" must not include "CHOWN" in securityContext.capabilities.add`,
    ],
    ['capabilities_restricted', 'on Windows', windows({}), undefined],
    ['allowPrivilegeEscalation', 'nothing', {}, escalation],
    ['allowPrivilegeEscalation', 'so', ofContainer({ allowPrivilegeEscalation: true }), escalation],
    ['allowPrivilegeEscalation', 'not so', ofContainer({ allowPrivilegeEscalation: false }), undefined],
    ['allowPrivilegeEscalation', 'on Windows', windows({}), undefined],
    ['runAsUser', 'nothing', {}, undefined],
    ['runAsUser', 'somebody', ofBoth({ runAsUser: 1 }, { runAsUser: 2 }), undefined],
    [
      'runAsUser',
      'root',
      ofBoth({ runAsUser: 0 }, { runAsUser: 0 }),
      'runAsUser=0: pod and container "c" must not set runAsUser=0',
    ],
    ['runAsUser', 'root, where it is harmless', { ...ofPod({ runAsUser: 0 }), relaxed: true }, undefined],
    [
      'runAsNonRoot',
      'nothing',
      {},
      'runAsNonRoot != true: pod or container "c" must set securityContext.runAsNonRoot=true',
    ],
    ['runAsNonRoot', 'the pod', ofPod({ runAsNonRoot: true }), undefined],
    ['runAsNonRoot', 'all containers', ofContainer({ runAsNonRoot: true }), undefined],
    [
      'runAsNonRoot',
      'some containers',
      { ...ofContainer({ runAsNonRoot: true }), spec: sidecar({}) },
      'runAsNonRoot != true: pod or container "i" must set securityContext.runAsNonRoot=true',
    ],
    [
      'runAsNonRoot',
      'a container against the pod',
      ofBoth({ runAsNonRoot: true }, { runAsNonRoot: false }),
      'runAsNonRoot != true: container "c" must not set securityContext.runAsNonRoot=false',
    ],
    ['runAsNonRoot', 'nothing, where it is harmless', { relaxed: true }, undefined],
    [
      'restrictedVolumes',
      'free ones',
      {
        spec: {
          volumes: [
            { name: 'v', emptyDir: {} },
            { name: 'w', csi: {} },
          ],
        },
      },
      undefined,
    ],
    [
      'restrictedVolumes',
      'others',
      {
        spec: {
          volumes: [
            { name: 'v', nfs: {} },
            { name: 'w', hostPath: {} },
            { name: 'x', nfs: {} },
          ],
        },
      },
      'restricted volume types: volumes "v", "w", "x" use restricted volume types "hostPath", "nfs"',
    ],
    [
      'restrictedVolumes',
      'one of nothing',
      { spec: { volumes: [{ name: 'v' }] } },
      'restricted volume types: volume "v" uses restricted volume type "unknown"',
    ],
    ['sysctls', 'free ones', ofPod({ sysctls: [{ name: 'net.ipv4.tcp_syncookies' }] }), undefined],
    ['sysctls', 'others', ofPod({ sysctls: [{ name: 'b' }, { name: 'a' }] }), 'forbidden sysctls: b, a'],
    ['seLinuxOptions', 'an allowed type', ofPod({ seLinuxOptions: { type: 'container_t' } }), undefined],
    ['seLinuxOptions', 'none', ofPod({ seLinuxOptions: {} }), undefined],
    [
      'seLinuxOptions',
      'a user',
      ofPod({ seLinuxOptions: { type: 'container_t', user: 'u' } }),
      'seLinuxOptions: pod set forbidden securityContext.seLinuxOptions: user may not be set',
    ],
    [
      'seLinuxOptions',
      'types and a role',
      ofBoth({ seLinuxOptions: { type: 'b' } }, { seLinuxOptions: { type: 'a', role: 'r' } }),
      'seLinuxOptions: pod and container "c" set forbidden securityContext.seLinuxOptions: types "a", "b"; role may not be set',
    ],
    ['appArmorProfile', 'an allowed one', ofPod({ appArmorProfile: { type: 'Localhost' } }), undefined],
    ['appArmorProfile', 'the usual one', ofPod({ appArmorProfile: { type: 'RuntimeDefault' } }), undefined],
    [
      'appArmorProfile',
      'none at all',
      ofContainer({ appArmorProfile: { type: 'Unconfined' } }),
      'forbidden AppArmor profile: container "c" must not set AppArmor profile type to "Unconfined"',
    ],
    [
      'appArmorProfile',
      'allowed annotations',
      {
        annotations: {
          [apparmor]: 'runtime/default',
          [`${apparmor}d`]: 'localhost/x',
          [`${apparmor}e`]: '',
          other: 'unconfined',
        },
      },
      undefined,
    ],
    [
      'appArmorProfile',
      'an annotation',
      { annotations: { [apparmor]: 'unconfined' } },
      `forbidden AppArmor profile: annotation must not set AppArmor profile type to "${apparmor}="unconfined""`,
    ],
    ['seccompProfile_baseline', 'nothing', {}, undefined],
    ['seccompProfile_baseline', 'allowed ones', ofBoth(seccomp('RuntimeDefault'), seccomp('Localhost')), undefined],
    [
      'seccompProfile_baseline',
      'none at all',
      ofBoth(seccomp('Unconfined'), seccomp('Unconfined')),
      `seccompProfile: pod and container "c" ${mustNotSeccomp}`,
    ],
    ['seccompProfile_restricted', 'nothing', {}, `seccompProfile: pod or container "c" ${mustSeccomp}`],
    ['seccompProfile_restricted', 'the pod', ofPod(seccomp('RuntimeDefault')), undefined],
    ['seccompProfile_restricted', 'all containers', ofContainer(seccomp('Localhost')), undefined],
    [
      'seccompProfile_restricted',
      'some containers',
      { ...ofContainer(seccomp('Localhost')), spec: sidecar({}) },
      `seccompProfile: pod or container "i" ${mustSeccomp}`,
    ],
    [
      'seccompProfile_restricted',
      'a container against the pod',
      ofBoth(seccomp('RuntimeDefault'), seccomp('Unconfined')),
      `seccompProfile: container "c" ${mustNotSeccomp}`,
    ],
    ['seccompProfile_restricted', 'on Windows', windows({}), undefined],
  ])('%s: %s', (id, _, given, expected) => {
    expect(said(id, given)).toBe(expected)
  })

  const pod = 'seccomp.security.alpha.kubernetes.io/pod'
  const container = 'container.seccomp.security.alpha.kubernetes.io/'
  it.each<[string, Record<string, string>, string | undefined]>([
    ['none', {}, undefined],
    ['allowed ones', { [pod]: 'runtime/default', [`${container}c`]: 'docker/default' }, undefined],
    ['one of the node', { [pod]: 'localhost/x' }, undefined],
    ['of the pod', { [pod]: 'unconfined' }, `seccompProfile: forbidden annotation ${pod}="unconfined"`],
    ['of another container', { [`${container}d`]: 'unconfined' }, undefined],
    [
      'of both',
      { [pod]: 'unconfined', [`${container}c`]: 'x' },
      `seccompProfile: forbidden annotations ${container}c="x", ${pod}="unconfined"`,
    ],
  ])('seccompProfile_baseline before v1.19: annotations, %s', (_, annotations, expected) => {
    expect(said('seccompProfile_baseline', { annotations }, 18)).toBe(expected)
  })

  it.each<[string, number, Given]>([
    ['allowPrivilegeEscalation', 24, windows({})],
    ['capabilities_restricted', 24, windows({})],
    ['seccompProfile_restricted', 24, windows({})],
    ['seLinuxOptions', 30, ofPod({ seLinuxOptions: { type: 'container_engine_t' } })],
    ['sysctls', 26, ofPod({ sysctls: [{ name: 'net.ipv4.ip_local_reserved_ports' }] })],
    ['sysctls', 28, ofPod({ sysctls: [{ name: 'net.ipv4.tcp_fin_timeout' }] })],
    ['sysctls', 31, ofPod({ sysctls: [{ name: 'net.ipv4.tcp_wmem' }] })],
  ])('%s was violated up to v1.%i by what is allowed since', (id, version, given) => {
    expect(said(id, given, version)).toBeDefined()
    expect(said(id, given, version + 1)).toBeUndefined()
  })
})
