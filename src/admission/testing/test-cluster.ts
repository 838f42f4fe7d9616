/** Small real parts for the tests of admission: requests, and a cluster over plain maps. */
import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import type { RequestAttributes } from '../../api/request-attributes.ts'
import { ApiError } from '../../api/status-error.ts'
import { Cluster } from '../cluster.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { LiveSource } from './live-source.ts'

type Allows = (attributes: RequestAttributes) => boolean

interface TestClusterOptions {
  readonly gates?: readonly string[]
  readonly allowed?: boolean | Allows
  /** Of every resource, in place of the objects. */
  readonly source?: ObjectSource
}

/** A cluster with these objects by resource: `pods`, `priorityclasses.scheduling.k8s.io`. */
export function testCluster(
  objects: Readonly<Record<string, readonly KubeObject[]>> = {},
  options: TestClusterOptions = {},
): Cluster {
  return new Cluster({
    source: async (group, resource) => {
      if (options.source !== undefined) return options.source
      return new LiveSource(objects[group === '' ? resource : `${resource}.${group}`])
    },
    fresh: () => true,
    resourcesRevision: () => 0,
    authorize: (attributes) => {
      const { allowed = false } = options
      return { allowed: typeof allowed === 'function' ? allowed(attributes) : allowed, reason: '' }
    },
    gate: (name) => options.gates?.includes(name) ?? false,
  })
}

/** An object of any kind. */
export const testObject = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, ...metadata }, ...more }) as KubeObject

/** What a plugin makes of a request: the object after its mutation, or the text of its refusal. */
export async function pluginOutcome(
  plugin: AdmissionPlugin,
  request: AdmissionRequest,
): Promise<KubeObject | string | undefined> {
  try {
    const object = (await plugin.mutate?.(request, undefined as never)) ?? request.object
    await plugin.validate?.({ ...request, object })
    return object
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.message
  }
}

export function testRequest(request: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    operation: 'CREATE',
    resource: { group: '', version: 'v1', resource: 'pods' },
    subresource: '',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    namespace: 'ns',
    name: 'x',
    user: { name: 'somebody', groups: [], extra: new Map() },
    dryRun: false,
    options: {},
    object: undefined,
    oldObject: undefined,
    convert: (object) => object,
    warn: () => {},
    annotate: () => {},
    ...request,
  }
}
