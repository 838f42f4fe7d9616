import { describe, expect, it } from 'vitest'
import { ApiError } from '../../api/status-error.ts'
import { systemClock } from '../../lib/clock.ts'
import { testCluster, testRequest } from '../testing/test-cluster.ts'
import { formatViolations, newestStandard, violationsOf } from './evaluate.ts'
import { podSecurity } from './pod-security.ts'
import { policyOf, privilegedPolicy } from './policy.ts'

const pod = (spec: object, container: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'x', ...container }], ...spec },
})
const judge = (level: 'baseline' | 'restricted', minor: number | undefined, given: ReturnType<typeof pod>) =>
  formatViolations(
    violationsOf({ level, minor }, { metadata: given.metadata, spec: given.spec as never, relaxed: false }, 33),
  )

describe('the checks of a level', () => {
  it.each<[string, 'baseline' | 'restricted', number | undefined, ReturnType<typeof pod>, string]>([
    ['a plain pod', 'baseline', undefined, pod({}), ''],
    [
      'host ports',
      'baseline',
      undefined,
      pod({}, { ports: [{ hostPort: 80 }, { hostPort: 81 }] }),
      'hostPort (container "c" uses hostPorts 80, 81)',
    ],
    [
      'sysctls of old',
      'baseline',
      26,
      pod({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } }),
      'forbidden sysctls (net.ipv4.tcp_rmem)',
    ],
    [
      'sysctls of today',
      'baseline',
      32,
      pod({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } }),
      '',
    ],
    [
      'a user of SELinux',
      'baseline',
      undefined,
      pod({ securityContext: { seLinuxOptions: { user: 'u', type: 'odd' } } }),
      'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "odd"; user may not be set)',
    ],
    [
      'an annotation, in quotes as it is',
      'baseline',
      undefined,
      {
        ...pod({ securityContext: { appArmorProfile: { type: 'Unconfined' } } }),
        metadata: { name: 'p', annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } },
      } as ReturnType<typeof pod>,
      'forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
    ],
    ['before capabilities were restricted', 'restricted', 7, pod({ securityContext: { runAsNonRoot: true } }), ''],
    [
      'volumes',
      'restricted',
      7,
      pod({ securityContext: { runAsNonRoot: true }, volumes: [{ name: 'v', nfs: {} }] }),
      'restricted volume types (volume "v" uses restricted volume type "nfs")',
    ],
  ])('%s', (_, level, minor, given, expected) => {
    expect(judge(level, minor, given)).toBe(expected)
  })
})

describe('the latest version', () => {
  it.each<[number, readonly string[]]>([
    [33, []],
    [34, ['ProbeHostPodSecurityStandards']],
    [35, ['release:userNamespaceStandards']],
  ])('v1.%i', (expected, gates) => {
    expect(newestStandard((name) => gates.includes(name))).toBe(expected)
  })

  const probed = pod({}, { livenessProbe: { httpGet: { host: 'h', port: 1 } } })
  const rooted = pod(
    { hostUsers: false },
    {
      securityContext: {
        runAsUser: 0,
        procMount: 'Unmasked',
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      },
    },
  )
  const unmasked = 'procMount (container "c" must not set securityContext.procMount to "Unmasked")'
  const asRoot =
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
    'runAsUser=0 (container "c" must not set runAsUser=0)'
  const host = 'probe or lifecycle host (container "c" uses probe or lifecycle host "h")'
  it.each<['baseline' | 'restricted', number | undefined, number, ReturnType<typeof pod>, string]>([
    ['baseline', undefined, 33, probed, ''],
    ['baseline', 34, 33, probed, ''],
    ['baseline', 33, 34, probed, ''],
    ['baseline', undefined, 34, probed, host],
    ['baseline', 99, 34, probed, host],
    ['baseline', undefined, 35, probed, host],
    ['baseline', 35, 34, rooted, unmasked],
    ['baseline', 34, 35, rooted, unmasked],
    ['baseline', 35, 35, rooted, ''],
    ['restricted', undefined, 34, rooted, `${unmasked}, ${asRoot}`],
    ['restricted', 34, 35, rooted, `${unmasked}, ${asRoot}`],
    ['restricted', undefined, 35, rooted, unmasked],
  ])('%s:v1.%s of a server of v1.%i', (level, minor, newest, given, expected) => {
    const like = { metadata: given.metadata, spec: given.spec as never, relaxed: false }
    expect(formatViolations(violationsOf({ level, minor }, like, newest))).toBe(expected)
  })
})

describe('labels', () => {
  it('that cannot be read enforce the strictest and warn of nothing', () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'odd', 'pod-security.kubernetes.io/warn': 'odd' }
    const { policy, errors } = policyOf(labels, privilegedPolicy)
    expect(policy.enforce.level).toBe('restricted')
    expect(policy.warn.level).toBe('privileged')
    expect(errors).toHaveLength(2)
  })
})

describe('exemptions', () => {
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'ns', labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
  }
  const plugin = (configuration: object) =>
    podSecurity(testCluster({ namespaces: [namespace] }), configuration as never, { clock: systemClock })
  const request = testRequest({ object: pod({ hostNetwork: true }) as never })

  it('none', async () => {
    await expect(async () => plugin({}).validate?.(request)).rejects.toThrow(ApiError)
  })

  it.each([{ namespaces: ['ns'] }, { usernames: ['somebody'] }])('%o', async (exemptions) => {
    await plugin({ exemptions }).validate?.(request)
  })
})
