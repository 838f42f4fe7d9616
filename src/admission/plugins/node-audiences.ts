/**
 * For whom a node may ask for tokens of a pod's account: the audiences that a volume of the pod names, itself or through
 * its storage driver, and those that the node was given a right to.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { aggregateText } from '../../api/aggregate-text.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { notFound } from '../../api/status-error.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { Volume } from '../../catalog/types/core-v1.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'

/** Volumes of drivers that moved out of the server, by the field that asks for them. */
const movedDrivers: Readonly<Record<string, string>> = {
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  awsElasticBlockStore: 'ebs.csi.aws.com',
  cinder: 'cinder.csi.openstack.org',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
  portworxVolume: 'pxd.portworx.com',
}

export async function checkAudience(request: AdmissionRequest, pod: PodObject, cluster: Cluster): Promise<void> {
  const spec = (request.object?.['spec'] ?? {}) as { audiences?: string[] | null }
  const audiences = spec.audiences ?? []
  if (audiences.length > 1) throw denied(request, 'node may only request 0 or 1 audiences')
  const [audience = ''] = audiences
  const quoted = JSON.stringify(audience)
  const { named, problems } = await audienceInVolumes(pod, audience, cluster)
  if (named) return
  if (problems.length > 0) throw denied(request, `error validating audience ${quoted}: ${aggregateText(problems)}`)
  const { user, namespace, name } = request
  const decision = await cluster.authorize({
    user,
    verb: 'request-serviceaccounts-token-audience',
    isResourceRequest: true,
    path: '',
    apiGroup: '',
    apiVersion: 'v1',
    resource: audience,
    subresource: '',
    namespace,
    name,
  })
  if (decision.allowed) return
  const why =
    decision.error === undefined
      ? `${user.name} is not authorized to request tokens for this audience`
      : `error authorizing ${user.name} to request tokens for this audience: ${decision.error}`
  throw denied(request, `audience ${quoted} not found in pod spec volume, ${why}`)
}

interface Search {
  readonly named: boolean
  readonly problems: readonly string[]
}

/** A volume that cannot be followed is a problem only if no other names the audience. */
async function audienceInVolumes(pod: PodObject, audience: string, cluster: Cluster): Promise<Search> {
  const problems: string[] = []
  for (const volume of pod.spec.volumes ?? []) {
    const tokens = (volume.projected?.sources ?? []).map((source) => source['serviceAccountToken'])
    if (tokens.some((token) => token != null && ((token as JsonObject)['audience'] ?? '') === audience)) {
      return { named: true, problems: [] }
    }
    try {
      const driver = await driverOf(pod, volume, cluster)
      if (driver !== '' && (await driverAsksFor(driver, audience, cluster))) return { named: true, problems: [] }
    } catch (error) {
      problems.push(reasonOf(error))
    }
  }
  return { named: false, problems }
}

const objectIn = (object: JsonObject, field: string): JsonObject | undefined => object[field] as JsonObject | undefined

async function driverOf(pod: PodObject, volume: Volume, cluster: Cluster): Promise<string> {
  const { namespace = '', name = '' } = pod.metadata
  const ephemeral = objectIn(volume, 'ephemeral')
  if (ephemeral?.['volumeClaimTemplate'] !== undefined) {
    return driverOfClaim(namespace, `${name}-${volume.name}`, cluster)
  }
  const claim = volume.persistentVolumeClaim
  if (claim !== undefined) return driverOfClaim(namespace, String(claim['claimName'] ?? ''), cluster)
  return driverIn(volume)
}

async function driverOfClaim(namespace: string, name: string, cluster: Cluster): Promise<string> {
  const claim = await found(cluster, 'persistentvolumeclaims', namespace, name)
  const volume = await found(cluster, 'persistentvolumes', '', String(objectIn(claim, 'spec')?.['volumeName'] ?? ''))
  return driverIn(objectIn(volume, 'spec') ?? {})
}

async function found(cluster: Cluster, resource: string, namespace: string, name: string): Promise<KubeObject> {
  const object = await cluster.view('', resource).find(namespace, name)
  if (object === undefined) throw notFound({ group: '', resource: resource.slice(0, -1) }, name)
  return object
}

function driverIn(source: JsonObject): string {
  const csi = objectIn(source, 'csi')
  if (csi !== undefined) return String(csi['driver'] ?? '')
  const moved = Object.keys(movedDrivers).find((field) => source[field] !== undefined)
  return moved === undefined ? '' : (movedDrivers[moved] ?? '')
}

async function driverAsksFor(name: string, audience: string, cluster: Cluster): Promise<boolean> {
  const group = 'storage.k8s.io'
  const driver = await cluster.view(group, 'csidrivers').find('', name)
  if (driver === undefined) throw notFound({ group, resource: 'csidriver' }, name)
  const requests = (objectIn(driver, 'spec')?.['tokenRequests'] ?? []) as JsonObject[]
  return requests.some((each) => (each['audience'] ?? '') === audience)
}
