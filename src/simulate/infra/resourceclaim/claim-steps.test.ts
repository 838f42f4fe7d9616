import { expect, it } from 'vitest'
import type { Pod, ResourceClaim, Secret, ServiceAccount, ServiceCIDR, StorageVersion } from '../../objects.ts'
import { podOf, time } from '../common/test-objects.ts'
import { isRemovable } from '../service-cidr/service-cidr-controller.ts'
import { cleanerStep, secretNames } from '../serviceaccount-token/legacy-token-cleaner.ts'
import { commonVersion, liveVersions } from '../storageversion-garbage-collector/storageversion-gc.ts'
import { claimNameOf, generatedPrefix, isPodDone, releasedStatus } from './claim-steps.ts'

const claim = (status: object, metadata: object = {}): ResourceClaim =>
  ({
    apiVersion: 'resource.k8s.io/v1beta1',
    kind: 'ResourceClaim',
    metadata: { name: 'c', ...metadata },
    status,
  }) as ResourceClaim

it.each([
  [{ name: 'a', resourceClaimName: 'mine' }, [], { type: 'named', name: 'mine', isOwned: false }],
  [{ name: 'a', resourceClaimTemplateName: 't' }, [], { type: 'missing' }],
  [
    { name: 'a', resourceClaimTemplateName: 't' },
    [{ name: 'a', resourceClaimName: 'x' }],
    { type: 'named', name: 'x', isOwned: true },
  ],
  [{ name: 'a', resourceClaimTemplateName: 't' }, [{ name: 'a' }], { type: 'unneeded' }],
])('the name of claim %j with statuses %j', (wanted, resourceClaimStatuses, expected) => {
  const pod = podOf('p')
  expect(claimNameOf({ ...pod, status: { ...pod.status, resourceClaimStatuses } as never }, wanted)).toEqual(expected)
})

it('cuts names that are too long', () => {
  expect(generatedPrefix('p', 'gpu')).toBe('p-gpu-')
  const prefix = generatedPrefix('p'.repeat(60), 'g'.repeat(20))
  expect(prefix.length).toBeLessThanOrEqual(57)
  expect(prefix).toMatch(/^p+-g+$/)
})

it('gives back what pods that are done had', () => {
  const finalizers = ['resource.kubernetes.io/delete-protection']
  const reservedFor = [{ resource: 'pods', name: 'p', uid: 'uid-p' }]
  const status = { reservedFor, allocation: {} }
  const at = (phase: string) => () => podOf('p', { phase })
  expect(releasedStatus(claim(status, { finalizers }), at('Running'))).toBeUndefined()
  expect(releasedStatus(claim(status, { finalizers }), at('Succeeded'))).toEqual({})
  expect(releasedStatus(claim(status), at('Succeeded'))).toEqual({ allocation: {} })
  expect(releasedStatus(claim(status, { finalizers }), () => undefined)).toEqual({})
  expect(isPodDone(podOf('p', { isDeleting: true, node: '' }))).toBe(true)
  expect(isPodDone(podOf('p', { isDeleting: true }))).toBe(false)
})

const range = (name: string, ...cidrs: string[]): ServiceCIDR =>
  ({ apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name }, spec: { cidrs } }) as ServiceCIDR
const address = (name: string) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: { name, labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
})

it.each([
  ['unused', [], [], true],
  ['used', [], ['10.0.0.5'], false],
  ['used, but also part of another', [range('big', '10.0.0.0/8')], ['10.0.0.5'], true],
  ['used where another overlaps', [range('half', '10.0.0.0/25')], ['10.0.0.5'], true],
  ['used beside another', [range('half', '10.0.0.128/25')], ['10.0.0.5'], false],
])('a range of addresses that is %s may go: %s', (_, others, used, expected) => {
  const own = range('own', '10.0.0.0/24')
  expect(isRemovable(own, [own, ...others], used.map(address))).toBe(expected)
})

const year = 365 * 86_400
it.each([
  ['young', { creationTimestamp: time(2 * year) }, 'keep'],
  ['used of late', { labels: { 'kubernetes.io/legacy-token-last-used': '1972-06-01' } }, 'keep'],
  ['unused', {}, 'invalidate'],
  ['invalid of late', { labels: { 'kubernetes.io/legacy-token-invalid-since': '1972-06-01' } }, 'keep'],
  ['invalid for long', { labels: { 'kubernetes.io/legacy-token-invalid-since': '1971-01-01' } }, 'delete'],
  ['made by hand', { name: 'other' }, 'keep'],
])('a legacy token that is %s', (_, metadata, expected) => {
  const secret = {
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 's', namespace: 'ns', creationTimestamp: time(0), ...metadata },
  } as unknown as Secret
  const account = { secrets: [{ name: 's' }] } as ServiceAccount
  const state = { account: () => account, isMounted: () => false, now: 2.5 * year * 1000 }
  expect(cleanerStep(secret, state)).toBe(expected)
  expect(cleanerStep(secret, { ...state, isMounted: () => true })).toBe('keep')
})

it('finds the Secrets that a pod uses', () => {
  const spec = {
    containers: [{ env: [{ valueFrom: { secretKeyRef: { name: 'a' } } }], envFrom: [{ secretRef: { name: 'b' } }] }],
    volumes: [{ secret: { secretName: 'c' } }, { projected: { sources: [{ secret: { name: 'd' } }] } }],
    imagePullSecrets: [{ name: 'e' }],
  }
  expect(secretNames({ spec } as unknown as Required<Pick<Pod, 'spec'>>)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

it('forgets the versions of servers that are gone', () => {
  const version = (apiServerID: string, encodingVersion: string) => ({ apiServerID, encodingVersion })
  const of = { status: { storageVersions: [version('a', 'v1'), version('b', 'v2')] } } as unknown as StorageVersion
  expect(liveVersions(of, () => true)).toBeUndefined()
  expect(liveVersions(of, (server) => server === 'a')).toEqual([version('a', 'v1')])
  expect(commonVersion([])).toBeUndefined()
  expect(commonVersion([version('a', 'v1') as never])).toBe('v1')
  expect(commonVersion(of.status?.storageVersions ?? [])).toBeUndefined()
})
