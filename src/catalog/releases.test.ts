import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { formatGroupVersion } from '../api/group-version.ts'
import { schemaForKind } from './catalog.ts'
import { catalogAt, defaultRelease, findKnownResource, isIntroduced, removedResources } from './releases.ts'
import { groups, resources } from './resources.ts'

const served = (release: number): Set<string> =>
  new Set(
    catalogAt(release)
      .resources.filter((each) => each.served && isIntroduced(each, release))
      .map((each) => `${formatGroupVersion(each)}/${each.resource}`),
  )

describe('the catalogue of a release', () => {
  it('is what the facts say for the default one', () => {
    expect(catalogAt(defaultRelease)).toMatchObject({ groups: groups(), resources: [...resources()] })
  })

  it.each([
    ['resource.k8s.io/v1/deviceclasses', [34, 35, 36]],
    ['storage.k8s.io/v1/volumeattributesclasses', [34, 35, 36]],
    ['admissionregistration.k8s.io/v1/mutatingadmissionpolicies', [36]],
  ])('%s is served in %j', (name, releases) => {
    expect([33, 34, 35, 36].filter((release) => served(release).has(name))).toEqual(releases)
  })

  it.each([
    [36, 35, 'resource.k8s.io/v1/resourceclaims', 'v1'],
    [36, 33, 'resource.k8s.io/v1/resourceclaims', 'v1beta2'],
    [36, 33, 'resource.k8s.io/v1beta1/deviceclasses', 'v1beta2'],
    [35, 32, 'resource.k8s.io/v1/resourceslices', 'v1beta1'],
    [35, 32, 'networking.k8s.io/v1/ipaddresses', 'v1beta1'],
    [36, 33, 'storage.k8s.io/v1/volumeattributesclasses', 'v1beta1'],
    [36, 36, 'storage.k8s.io/v1/volumeattributesclasses', 'v1'],
    // These are stored in a version that the source names.
    [35, 35, 'storage.k8s.io/v1/volumeattributesclasses', 'v1beta1'],
    [36, 36, 'admissionregistration.k8s.io/v1/mutatingadmissionpolicies', 'v1beta1'],
    // The oldest server has never heard of these.
    [36, 33, 'storagemigration.k8s.io/v1beta1/storageversionmigrations', 'v1beta1'],
    [36, 33, 'v1/events', 'v1'],
    [36, 33, 'v1/pods', 'v1'],
    [33, 30, 'resource.k8s.io/v1beta1/resourceclaims', 'v1beta1'],
  ])('at 1.%i, for servers from 1.%i on, %s are stored as %s', (release, oldest, name, version) => {
    const { resources: all } = catalogAt(release, oldest)
    const found = all.find((each) => each.subresource === '' && `${formatGroupVersion(each)}/${each.resource}` === name)
    const hash = createHash('sha256').update(
      `${formatGroupVersion({ group: found?.group ?? '', version })}/${found?.kind}`,
    )
    expect(found?.storage).toMatchObject({
      groupVersion: { version },
      hash: hash.digest().subarray(0, 8).toString('base64'),
      keyPrefix: catalogAt(release).resources.find(({ resource }) => resource === found?.resource)?.storage?.keyPrefix,
    })
  })

  it('has types of its own for a release, and its own only', () => {
    const pod = (release: number) => catalogAt(release).types.typeSchema('core.v1.PodSpec')
    expect([33, 34].map((release) => pod(release).fields.has('hostnameOverride'))).toEqual([false, true])
    expect(pod(34)).toBe(pod(34))
    expect(pod(34).release).toBe(34)
    expect(pod(33).release).toBeUndefined()
    const meta = (release: number) => catalogAt(release).types.typeSchema('meta.v1.ObjectMeta')
    expect([33, 34].map((release) => meta(release).fields.get('creationTimestamp')?.emit)).toEqual([true, false])
  })

  it.each([34, 35, 36])('has a type for every kind of 1.%i, and every field can be read', (release) => {
    const { resources: all, types } = catalogAt(release)
    for (const each of all)
      expect(types.schemaForKind({ ...each.kindVersion, kind: each.kind }), each.kind).toBeDefined()
    for (const name of types.typeNames()) expect(() => types.typeNamed(name)?.fields, name).not.toThrow()
  })

  /** The removal table: what was served until a release, and what took its place since when. */
  it.each([
    [32, 'flowcontrol.apiserver.k8s.io/v1beta3/flowschemas', 'flowcontrol.apiserver.k8s.io/v1/flowschemas', 29],
    [29, 'flowcontrol.apiserver.k8s.io/v1beta2/flowschemas', 'flowcontrol.apiserver.k8s.io/v1beta3/flowschemas', 26],
    [27, 'storage.k8s.io/v1beta1/csistoragecapacities', 'storage.k8s.io/v1/csistoragecapacities', 24],
    [26, 'flowcontrol.apiserver.k8s.io/v1beta1/flowschemas', 'flowcontrol.apiserver.k8s.io/v1beta2/flowschemas', 23],
    [26, 'autoscaling/v2beta2/horizontalpodautoscalers', 'autoscaling/v2/horizontalpodautoscalers', 23],
    [25, 'batch/v1beta1/cronjobs', 'batch/v1/cronjobs', 21],
    [25, 'discovery.k8s.io/v1beta1/endpointslices', 'discovery.k8s.io/v1/endpointslices', 21],
    [25, 'events.k8s.io/v1beta1/events', 'events.k8s.io/v1/events', 19],
    [25, 'autoscaling/v2beta1/horizontalpodautoscalers', 'autoscaling/v2/horizontalpodautoscalers', 23],
    [25, 'policy/v1beta1/poddisruptionbudgets', 'policy/v1/poddisruptionbudgets', 21],
    [25, 'policy/v1beta1/podsecuritypolicies', undefined, 0],
    [25, 'node.k8s.io/v1beta1/runtimeclasses', 'node.k8s.io/v1/runtimeclasses', 20],
    [
      22,
      'admissionregistration.k8s.io/v1beta1/mutatingwebhookconfigurations',
      'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      16,
    ],
    [
      22,
      'apiextensions.k8s.io/v1beta1/customresourcedefinitions',
      'apiextensions.k8s.io/v1/customresourcedefinitions',
      16,
    ],
    [22, 'apiregistration.k8s.io/v1beta1/apiservices', 'apiregistration.k8s.io/v1/apiservices', 10],
    [22, 'authentication.k8s.io/v1beta1/tokenreviews', 'authentication.k8s.io/v1/tokenreviews', 6],
    [22, 'authorization.k8s.io/v1beta1/subjectaccessreviews', 'authorization.k8s.io/v1/subjectaccessreviews', 6],
    [
      22,
      'certificates.k8s.io/v1beta1/certificatesigningrequests',
      'certificates.k8s.io/v1/certificatesigningrequests',
      19,
    ],
    [22, 'coordination.k8s.io/v1beta1/leases', 'coordination.k8s.io/v1/leases', 14],
    [22, 'extensions/v1beta1/ingresses', 'networking.k8s.io/v1/ingresses', 19],
    [22, 'networking.k8s.io/v1beta1/ingresses', 'networking.k8s.io/v1/ingresses', 19],
    [22, 'networking.k8s.io/v1beta1/ingressclasses', 'networking.k8s.io/v1/ingressclasses', 19],
    [22, 'rbac.authorization.k8s.io/v1beta1/roles', 'rbac.authorization.k8s.io/v1/roles', 8],
    [22, 'scheduling.k8s.io/v1beta1/priorityclasses', 'scheduling.k8s.io/v1/priorityclasses', 14],
    [22, 'storage.k8s.io/v1beta1/csidrivers', 'storage.k8s.io/v1/csidrivers', 19],
    [22, 'storage.k8s.io/v1beta1/csinodes', 'storage.k8s.io/v1/csinodes', 17],
    [22, 'storage.k8s.io/v1beta1/storageclasses', 'storage.k8s.io/v1/storageclasses', 6],
    [22, 'storage.k8s.io/v1beta1/volumeattachments', 'storage.k8s.io/v1/volumeattachments', 13],
  ])('1.%i removed %s in favour of %s', (removed, old, present, since) => {
    expect(served(removed - 1).has(old)).toBe(true)
    expect(served(removed).has(old)).toBe(false)
    if (present === undefined) return
    expect(served(removed).has(present)).toBe(true)
    expect(served(Math.max(since, 16)).has(present)).toBe(true)
    if (since > 16) expect(served(since - 1).has(present)).toBe(false)
  })

  it.each([
    'extensions/v1beta1/networkpolicies',
    'extensions/v1beta1/daemonsets',
    'extensions/v1beta1/deployments',
    'extensions/v1beta1/replicasets',
    'extensions/v1beta1/podsecuritypolicies',
    'apps/v1beta2/daemonsets',
    'apps/v1beta1/deployments',
    'apps/v1beta2/deployments',
    'apps/v1beta1/statefulsets',
    'apps/v1beta2/statefulsets',
    'apps/v1beta2/replicasets',
  ])('1.16 serves %s to those only who ask for it, 1.18 to nobody', (old) => {
    const knows = (release: number) =>
      catalogAt(release).resources.some((each) => `${formatGroupVersion(each)}/${each.resource}` === old)
    expect([served(16).has(old), knows(16), knows(17), knows(18)]).toEqual([false, true, true, false])
  })

  it('orders groups and versions by their priorities', () => {
    const order = (release: number) => catalogAt(release).groups.map(({ group }) => group)
    expect(order(16).slice(0, 4)).toEqual(['', 'apiregistration.k8s.io', 'extensions', 'apps'])
    const late = order(20)
    expect(late.indexOf('extensions')).toBe(late.indexOf('networking.k8s.io') + 1)
    const autoscaling = catalogAt(20).groups.find(({ group }) => group === 'autoscaling')
    expect(autoscaling?.versions.map(({ version }) => version)).toEqual(['v2', 'v1', 'v2beta1', 'v2beta2'])
  })

  it('has a type for everything that was removed', () => {
    for (const resource of removedResources()) {
      const { kindVersion, kind } = resource
      expect(schemaForKind({ ...kindVersion, kind }), `${formatGroupVersion(kindVersion)} ${kind}`).toBeDefined()
    }
  })

  it.each([
    [21, 'v1beta1'],
    [22, 'v1'],
  ])('1.%i evicts with policy/%s', (release, version) => {
    const eviction = catalogAt(release).resources.find(({ subresource }) => subresource === 'eviction')
    expect(eviction?.kindVersion).toEqual({ group: 'policy', version })
  })

  it('finds subresources of versions that were removed', () => {
    const version = { group: 'extensions', version: 'v1beta1' }
    expect(findKnownResource(version, 'deployments/scale')?.kindVersion).toEqual(version)
    expect(findKnownResource(version, 'networkpolicies/status')).toBeUndefined()
  })
})
