/**
 * Asks a backend whether the images of a pod may run (ImageReview). Answers are remembered for a while.
 * Mirrors plugin/pkg/admission/imagepolicy: Plugin.
 */
import type { AdmissionRequest } from '../../api/admission.ts'
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import { denied } from '../denied.ts'
import type { AdmissionPlugin } from '../plugin.ts'

export interface ImagePolicySettings {
  readonly kubeConfigFile: string
  readonly allowTtlMs: number
  readonly denyTtlMs: number
  readonly retryBackoffMs: number
  readonly defaultAllow: boolean
}

/** Throws an Error when the configuration is not usable. */
export function imagePolicySettings(configuration: JsonValue | undefined): ImagePolicySettings {
  const outer = isJsonObject(configuration) ? configuration['imagePolicy'] : undefined
  const config = isJsonObject(outer) ? outer : undefined
  const file = config?.['kubeConfigFile']
  if (config === undefined || typeof file !== 'string' || file === '') {
    throw new Error('ImagePolicyWebhook: imagePolicy.kubeConfigFile must be specified')
  }
  return {
    kubeConfigFile: file,
    allowTtlMs: normalized(config, 'allowTTL', { least: 1, most: 1800, standard: 300 }) * 1000,
    denyTtlMs: normalized(config, 'denyTTL', { least: 1, most: 1800, standard: 30 }) * 1000,
    retryBackoffMs: normalized(config, 'retryBackoff', { least: 1, most: 300_000, standard: 500 }),
    defaultAllow: config['defaultAllow'] === true,
  }
}

/** Absent is the standard, -1 is never. */
function normalized(
  config: JsonObject,
  field: string,
  bounds: { least: number; most: number; standard: number },
): number {
  const value = Number(config[field] ?? 0)
  if (value === 0) return bounds.standard
  if (value === -1) return 0
  if (value >= bounds.least && value <= bounds.most) return value
  throw new Error(`ImagePolicyWebhook: valid value is between ${bounds.least} and ${bounds.most}, got ${value}`)
}

/** Reviews that are remembered; the oldest goes first. */
const maxRemembered = 1024
const failedOpen = 'imagepolicywebhook.image-policy.k8s.io/failed-open'

export function imagePolicyWebhook(
  settings: ImagePolicySettings,
  post: (review: JsonObject) => Promise<JsonObject>,
  clock: Clock,
): AdmissionPlugin {
  const known = new Map<string, { readonly status: JsonObject; readonly until: number }>()
  const statusOf = async (spec: JsonObject): Promise<JsonObject> => {
    const key = JSON.stringify(spec)
    const remembered = known.get(key)
    if (remembered !== undefined && remembered.until > clock.now()) return remembered.status
    const answer = await post({
      kind: 'ImageReview',
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      metadata: { creationTimestamp: null },
      spec,
      status: { allowed: false },
    })
    const status = isJsonObject(answer['status']) ? answer['status'] : {}
    known.delete(key)
    if (known.size >= maxRemembered) known.delete(known.keys().next().value!)
    const ttl = status['allowed'] === true ? settings.allowTtlMs : settings.denyTtlMs
    known.set(key, { status, until: clock.now() + ttl })
    return status
  }
  return {
    name: 'ImagePolicyWebhook',
    handles: ({ operation, group, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      group === '' &&
      resource === 'pods' &&
      (subresource === '' || subresource === 'ephemeralcontainers'),
    async validate(request) {
      let status: JsonObject
      try {
        status = await statusOf(reviewSpec(request))
      } catch (error) {
        if (!settings.defaultAllow) throw denied(request, reasonOf(error))
        request.annotate(failedOpen, 'true')
        return
      }
      const annotations = isJsonObject(status['auditAnnotations']) ? status['auditAnnotations'] : {}
      for (const [key, value] of Object.entries(annotations)) {
        request.annotate(`imagepolicywebhook.image-policy.k8s.io/${key}`, String(value))
      }
      if (status['allowed'] === true) return
      const reason = typeof status['reason'] === 'string' ? status['reason'] : ''
      const why =
        reason === ''
          ? 'one or more images rejected by webhook backend'
          : `image policy webhook backend denied one or more images: ${reason}`
      throw denied(request, why)
    },
  }
}

function reviewSpec({ object, namespace, subresource }: AdmissionRequest): JsonObject {
  const pod = object as PodObject
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec
  const reviewed = subresource === '' ? [...(containers ?? []), ...initContainers] : ephemeralContainers
  const images = reviewed.map(({ image = '' }) => ({ image }))
  const annotations: JsonObject = {}
  for (const [key, value] of Object.entries(pod.metadata.annotations ?? {})) {
    if (key.includes('.image-policy.k8s.io/')) setKey(annotations, key, value)
  }
  return {
    containers: images,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(namespace === '' ? {} : { namespace }),
  }
}
