/**
 * What of the API a pod refers to: the mirror pod of a node must not lead it to objects that it could not read otherwise.
 * Mirrors pkg/api/pod: HasAPIObjectReference.
 */
import { quote } from '../../api/golang/quote.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { PodSpec, Volume } from '../../catalog/types/core-v1.ts'
import { referencedNames } from '../pod.ts'

/** Why a node must not create its mirror pod with this spec; `everyVolume`: every type of volume counts. */
export function referenceRefusal(spec: PodSpec, node: string, everyVolume: boolean): string | undefined {
  const refers = (what: string): string => `node ${quote(node)} can not create pods that reference ${what}`
  const reference = everyVolume ? directReference(spec, 'serviceaccounts') : referenceIn(spec)
  if (reference !== undefined) return refers(reference)
  if (!everyVolume) return undefined
  if (hasClaims(spec)) return refers('resourceclaims')
  for (const volume of spec.volumes ?? []) {
    const found = volumeReference(volume)
    if (found === unknown) {
      return `error checking mirror pod for API references: unknown source for projected volume ${quote(volume.name)}`
    }
    if (found !== undefined) return refers(found)
  }
  return undefined
}

/** The first reference of those that count before v1.34. */
function referenceIn(spec: PodSpec): string | undefined {
  const direct = directReference(spec, 'a service account')
  if (direct !== undefined) return direct
  const volumes = spec.volumes ?? []
  const trusts = volumes.some(({ projected }) => projected?.sources?.some((source) => source['clusterTrustBundle']))
  if (trusts) return 'clustertrustbundles'
  if (volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)) return 'persistentvolumeclaims'
  return hasClaims(spec) ? 'resourceclaims' : undefined
}

function directReference(spec: PodSpec, account: string): string | undefined {
  if (spec.serviceAccountName) return account
  for (const name of referencedNames(spec, 'secret')) if (name !== '') return 'secrets'
  for (const name of referencedNames(spec, 'configMap')) if (name !== '') return 'configmaps'
  return undefined
}

const hasClaims = (spec: PodSpec): boolean => Array.isArray(spec['resourceClaims']) && spec['resourceClaims'].length > 0

const ofVolumes = {
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
}

const ofSources = {
  configMap: 'configmaps (via projected volumes)',
  secret: 'secrets (via projected volumes)',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
}

const unknown = Symbol('a source of a type that is not known')

function volumeReference(volume: Volume): string | typeof unknown | undefined {
  const { projected, ...sources } = volume as JsonObject
  const whole = firstOf(ofVolumes, sources)
  if (whole !== undefined || !isJsonObject(projected)) return whole
  for (const source of (projected['sources'] ?? []) as JsonObject[]) {
    const found = firstOf(ofSources, source)
    if (found !== undefined) return found
    if (!isSet(source['downwardAPI'])) return unknown
  }
  return undefined
}

const isSet = (value: JsonValue | undefined): boolean => value !== undefined && value !== null

function firstOf(texts: Readonly<Record<string, string>>, given: JsonObject): string | undefined {
  for (const [field, text] of Object.entries(texts)) if (isSet(given[field])) return text
  return undefined
}
