import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { pluginOutcome, testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { denyServiceExternalIps } from './network.ts'
import { ownerReferencesPermissionEnforcement } from './owner-references.ts'
import { persistentVolumeClaimResize } from './storage.ts'

async function outcome(plugin: AdmissionPlugin, request: Partial<AdmissionRequest>): Promise<string> {
  const answer = await pluginOutcome(plugin, testRequest(request))
  return typeof answer === 'string' ? answer : 'passed'
}

describe('DenyServiceExternalIPs', () => {
  const service = (...externalIPs: string[]) => testObject('Service', 'x', { spec: { externalIPs } })
  const refused = 'services "x" is forbidden: Use of external IPs is denied by admission control'
  it.each<[string, KubeObject, KubeObject | undefined, string]>([
    ['none', service(), undefined, 'passed'],
    ['a new service', service('1.2.3.4'), undefined, refused],
    ['the same', service('1.2.3.4'), service('1.2.3.4'), 'passed'],
    ['fewer', service(), service('1.2.3.4'), 'passed'],
    ['others', service('1.2.3.5'), service('1.2.3.4'), refused],
  ])('%s', async (_, object, oldObject, expected) => {
    const resource = { group: '', version: 'v1', resource: 'services' }
    expect(await outcome(denyServiceExternalIps, { resource, object, oldObject })).toBe(expected)
  })
})

describe('PersistentVolumeClaimResize', () => {
  const classes = [
    testObject('StorageClass', 'grows', { allowVolumeExpansion: true }),
    testObject('StorageClass', 'stays', { allowVolumeExpansion: false }),
    testObject('StorageClass', 'silent'),
  ]
  const plugin = persistentVolumeClaimResize(testCluster({ 'storageclasses.storage.k8s.io': classes }))
  const claim = (storage: string, storageClassName?: string, phase = 'Bound', annotations = {}) =>
    testObject(
      'PersistentVolumeClaim',
      'x',
      { spec: { storageClassName, resources: { requests: { storage } } }, status: { phase } },
      { annotations },
    )
  const fixed =
    'persistentvolumeclaims "x" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
  const byAnnotation = { 'volume.beta.kubernetes.io/storage-class': 'grows' }
  it.each<[string, KubeObject, KubeObject, string]>([
    ['of the same size', claim('1024Mi', 'stays'), claim('1Gi', 'stays'), 'passed'],
    ['that shrinks', claim('1Gi', 'stays'), claim('2Gi', 'stays'), 'passed'],
    ['that grows', claim('2Gi', 'grows'), claim('1Gi', 'grows'), 'passed'],
    [
      'whose class is annotated',
      claim('2Gi', '', 'Bound', byAnnotation),
      claim('1Gi', '', 'Bound', byAnnotation),
      'passed',
    ],
    ['whose class stays', claim('2Gi', 'stays'), claim('1Gi', 'stays'), fixed],
    ['whose class says nothing', claim('2Gi', 'silent'), claim('1Gi', 'silent'), fixed],
    ['whose class is gone', claim('2Gi', 'gone'), claim('1Gi', 'gone'), fixed],
    ['without a class', claim('2Gi'), claim('1Gi'), fixed],
    ['that changes its class', claim('2Gi', 'grows'), claim('1Gi', 'stays'), fixed],
    [
      'that is not bound',
      claim('2Gi', 'grows', 'Pending'),
      claim('1Gi', 'grows', 'Pending'),
      'persistentvolumeclaims "x" is forbidden: Only bound persistent volume claims can be expanded',
    ],
  ])('a claim %s', async (_, object, oldObject, expected) => {
    const resource = { group: '', version: 'v1', resource: 'persistentvolumeclaims' }
    expect(await outcome(plugin, { operation: 'UPDATE', resource, object, oldObject })).toBe(expected)
  })
})

describe('OwnerReferencesPermissionEnforcement', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }
  const blocking = { ...owner, blockOwnerDeletion: true }
  const owned = (...ownerReferences: object[]) => testObject('Pod', 'x', {}, { ownerReferences })
  const resources = (_group: string, _version: string, kind: string) =>
    kind === 'Node' ? [{ resource: 'nodes', namespaced: false }] : []
  const rights = (...verbs: string[]) => {
    const asked: string[] = []
    const cluster = testCluster(
      {},
      {
        allowed: ({ verb, resource, subresource, namespace, name }) => {
          asked.push(`${verb} ${resource}/${subresource} ${namespace}/${name}`)
          return verbs.includes(verb)
        },
      },
    )
    return { asked, plugin: ownerReferencesPermissionEnforcement(cluster, resources) }
  }
  const update = (object: KubeObject, oldObject: KubeObject) => ({ operation: 'UPDATE', object, oldObject }) as const

  it.each<[string, string[], Partial<AdmissionRequest>, string, string[]]>([
    ['no owner', [], { object: owned() }, 'passed', []],
    ['owners that stay', [], update(owned(blocking), owned(blocking)), 'passed', []],
    ['an owner of something new', [], { object: owned(owner) }, 'passed', []],
    ['a new owner', ['delete'], update(owned(owner), owned()), 'passed', ['delete pods/ ns/x']],
    [
      'an owner without the right',
      [],
      update(owned(owner), owned()),
      `pods "x" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
      ['delete pods/ ns/x'],
    ],
    ['a blocking owner', ['update'], { object: owned(blocking) }, 'passed', ['update */finalizers /*']],
    [
      'a blocking owner without the right',
      ['delete'],
      { object: owned(blocking) },
      `pods "x" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`,
      ['update */finalizers /*', 'update nodes/finalizers /n'],
    ],
    [
      'an owner of no kind',
      ['delete'],
      { object: owned({ ...blocking, kind: 'None' }) },
      'pods "x" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind None: no matches for kind "None" in version "v1"',
      ['update */finalizers /*'],
    ],
    [
      'an owner that blocks no longer',
      ['delete'],
      update(owned(owner), owned(blocking)),
      'passed',
      ['delete pods/ ns/x'],
    ],
  ])('%s', async (_, verbs, request, expected, questions) => {
    const { asked, plugin } = rights(...verbs)
    expect(await outcome(plugin, request)).toBe(expected)
    expect(asked).toEqual(questions)
  })

  it('leaves the status of pods alone', () => {
    const shape = { operation: 'UPDATE', group: '', resource: 'pods' } as const
    expect(rights().plugin.handles({ ...shape, subresource: 'status' })).toBe(false)
    expect(rights().plugin.handles({ ...shape, subresource: '' })).toBe(true)
  })
})
