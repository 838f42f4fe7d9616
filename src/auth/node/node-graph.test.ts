/** What leads to a node, while pods, volumes, attachments and slices come, change and go. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { MemorySource } from '../testing/memory-source.ts'
import { NodeGraph, type VertexType } from './node-graph.ts'

const object = (kind: string, name: string, spec: JsonObject, metadata: JsonObject = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, ...metadata }, spec }) as KubeObject
const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}): KubeObject =>
  object('Pod', name, { nodeName: 'n', ...spec }, { namespace: 'ns', ...metadata })
const withSecret = (name: string, secretName: string, more: JsonObject = {}): KubeObject =>
  pod(name, { volumes: [{ name: 'v', secret: { secretName } }], ...more })

function world(withSlices = true) {
  const sources = {
    pods: new MemorySource(),
    persistentVolumes: new MemorySource(),
    volumeAttachments: new MemorySource(),
    resourceSlices: new MemorySource(),
  }
  const { resourceSlices, ...others } = sources
  const graph = new NodeGraph(withSlices ? sources : others)
  const reaches = (type: VertexType, name: string, node = 'n', namespace = 'ns'): boolean =>
    graph.reaches(type, namespace, name, node)
  return { graph, reaches, ...sources, resourceSlices }
}

describe('a secret is there for a node', () => {
  it('as long as a pod that uses it runs there', () => {
    const { pods, reaches } = world()
    expect(reaches('secret', 's')).toBe(false)
    pods.put(withSecret('p', 's'))
    expect([reaches('secret', 's'), reaches('secret', 's', 'm'), reaches('secret', 's', 'n', 'other')]).toEqual([
      true,
      false,
      false,
    ])
    pods.delete('ns', 'p')
    expect([reaches('secret', 's'), reaches('pod', 'p')]).toEqual([false, false])
  })

  it('only where the pod runs now', () => {
    const { pods, reaches } = world()
    pods.put(withSecret('p', 's', { nodeName: '' }))
    expect(reaches('secret', 's', '')).toBe(false)
    pods.put(withSecret('p', 's'))
    pods.put(withSecret('p', 's', { nodeName: 'm' }))
    expect([reaches('secret', 's'), reaches('secret', 's', 'm')]).toEqual([false, true])
  })

  it('only while the pod uses it', () => {
    const { pods, reaches } = world()
    pods.put(withSecret('p', 's'))
    pods.put(withSecret('p', 't'))
    expect([reaches('secret', 's'), reaches('secret', 't')]).toEqual([false, true])
    pods.put(withSecret('p', 's'))
    expect([reaches('secret', 's'), reaches('secret', 't')]).toEqual([true, false])
  })

  it('until the last of several pods is gone', () => {
    const { pods, reaches } = world()
    pods.put(withSecret('p', 's'))
    pods.put(withSecret('q', 's'))
    pods.delete('ns', 'p')
    expect(reaches('secret', 's')).toBe(true)
    pods.delete('ns', 'q')
    expect(reaches('secret', 's')).toBe(false)
  })

  it('through a volume of a claim, until its claim is another', () => {
    const { pods, persistentVolumes, reaches } = world()
    const volume = (claim: string): KubeObject =>
      object('PersistentVolume', 'pv', {
        claimRef: { namespace: 'ns', name: claim },
        csi: { nodePublishSecretRef: { name: 's' } },
        azureFile: { secretName: 'a', secretNamespace: 'azure' },
      })
    pods.put(pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }))
    persistentVolumes.put(volume('c'))
    expect([reaches('secret', 's'), reaches('secret', 'a', 'n', 'azure'), reaches('pv', 'pv', 'n', '')]).toEqual([
      true,
      true,
      true,
    ])
    persistentVolumes.put(volume('d'))
    expect([reaches('secret', 's'), reaches('pv', 'pv', 'n', ''), reaches('pvc', 'c')]).toEqual([false, false, true])
    persistentVolumes.put(object('PersistentVolume', 'pv', {}))
    expect(reaches('pv', 'pv', 'n', '')).toBe(false)
  })

  it('twice by volumes of the same claim, until both are gone', () => {
    const { pods, persistentVolumes, reaches } = world()
    const claimRef = { namespace: 'ns', name: 'c' }
    const secretRef = { name: 's', namespace: 'x' }
    pods.put(pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }))
    // One volume names the secret twice: it draws the same edge twice.
    persistentVolumes.put(
      object('PersistentVolume', 'pv', {
        claimRef,
        csi: { nodeStageSecretRef: secretRef, nodePublishSecretRef: secretRef },
      }),
    )
    expect(reaches('secret', 's', 'n', 'x')).toBe(true)
    persistentVolumes.put(object('PersistentVolume', 'pv', { claimRef, csi: { nodeStageSecretRef: secretRef } }))
    expect(reaches('secret', 's', 'n', 'x')).toBe(true)
    persistentVolumes.delete('', 'pv')
    expect(reaches('secret', 's', 'n', 'x')).toBe(false)
  })
})

it('a mirror pod gives its node nothing but itself', () => {
  const { pods, reaches } = world()
  const annotations = { 'kubernetes.io/config.mirror': '' }
  pods.put({ ...withSecret('p', 's'), metadata: { name: 'p', namespace: 'ns', annotations } })
  expect([reaches('pod', 'p'), reaches('secret', 's')]).toEqual([true, false])
})

it.each<[string, JsonObject, VertexType, string]>([
  ['an account', { serviceAccountName: 'a' }, 'serviceaccount', 'a'],
  ['pull secrets', { imagePullSecrets: [{ name: 'a' }] }, 'secret', 'a'],
  ['variables of init containers', { initContainers: [{ envFrom: [{ secretRef: { name: 'a' } }] }] }, 'secret', 'a'],
  [
    'variables of other containers',
    { ephemeralContainers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'a' } } }] }] },
    'configmap',
    'a',
  ],
  ['secrets of storage', { volumes: [{ name: 'v', csi: { nodePublishSecretRef: { name: 'a' } } }] }, 'secret', 'a'],
  ['secrets of old storage', { volumes: [{ name: 'v', rbd: { secretRef: { name: 'a' } } }] }, 'secret', 'a'],
  ['shares', { volumes: [{ name: 'v', azureFile: { secretName: 'a' } }] }, 'secret', 'a'],
  [
    'projected secrets',
    { volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'a' } }] } }] },
    'secret',
    'a',
  ],
  ['volumes of its own', { volumes: [{ name: 'v', ephemeral: {} }] }, 'pvc', 'p-v'],
  ['claims of devices', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'a' }] }, 'resourceclaim', 'a'],
])('a pod uses %s', (_, spec, type, name) => {
  const { pods, reaches } = world()
  pods.put(pod('p', spec))
  expect([reaches(type, name), reaches(type, 'none'), reaches(type, '')]).toEqual([true, false, false])
})

it.each<['volumeattachment' | 'resourceslice', 'volumeAttachments' | 'resourceSlices']>([
  ['volumeattachment', 'volumeAttachments'],
  ['resourceslice', 'resourceSlices'],
])('a %s is there for its node', (type, source) => {
  const given = world()
  const at = (nodeName: string) => given[source].put(object('X', 'x', nodeName === '' ? {} : { nodeName }))
  at('n')
  expect([given.reaches(type, 'x', 'n', ''), given.reaches(type, 'x', 'm', '')]).toEqual([true, false])
  at('m')
  expect([given.reaches(type, 'x', 'n', ''), given.reaches(type, 'x', 'm', '')]).toEqual([false, true])
  at('')
  expect([given.reaches(type, 'x', 'm', ''), given.reaches(type, 'x', '', '')]).toEqual([false, false])
})

it('slices that are not served are there for nobody', () => {
  const { resourceSlices, reaches } = world(false)
  resourceSlices.put(object('ResourceSlice', 'x', { nodeName: 'n' }))
  expect(reaches('resourceslice', 'x', 'n', '')).toBe(false)
})

it('nothing is noted any more when it is closed', () => {
  const { graph, pods, reaches } = world()
  graph.close()
  pods.put(withSecret('p', 's'))
  expect(reaches('secret', 's')).toBe(false)
})

it('knows the secrets of all volumes, and the claim for extended resources', () => {
  const { pods, reaches } = world()
  const volumes = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'].map((type) => ({
    name: type,
    [type]: { secretRef: { name: `s-${type}` } },
  }))
  const status = { extendedResourceClaimStatus: { resourceClaimName: 'extended' } }
  pods.put({ ...pod('p', { volumes }), status } as KubeObject)
  expect(volumes.filter(({ name }) => !reaches('secret', `s-${name}`))).toEqual([])
  expect(reaches('resourceclaim', 'extended')).toBe(true)
})
