/**
 * Nothing is made in a namespace that is missing or ending, and the namespaces that the server itself needs stay.
 * A namespace is taken as missing only after everything written so far was seen.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle: Lifecycle.
 * Mirrors plugin/pkg/admission/namespace/autoprovision: Provision.
 * Mirrors plugin/pkg/admission/namespace/exists: Exists.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError, forbidden, notFound } from '../../api/status-error.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/fault.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import type { AdmissionPlugin } from '../plugin.ts'

const namespaces = { group: '', resource: 'namespaces' }
const isNamespace = ({ resource }: AdmissionRequest): boolean =>
  resource.resource === 'namespaces' && resource.group === ''
const isAccessReview = ({ resource }: AdmissionRequest): boolean =>
  resource.group === 'authorization.k8s.io' && resource.resource === 'localsubjectaccessreviews'

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

/** How long, and for how many namespaces, a deletion that passed here makes the next lookups live. */
const deletedMs = 30_000
const maxDeleted = 100

/** Namespaces whose deletion may not have arrived in the cache. Mirrors lifecycle: forceLiveLookupCache. */
class RecentDeletions {
  readonly #until = new Map<string, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(name: string): void {
    this.#until.delete(name)
    this.#until.set(name, this.#clock.now() + deletedMs)
    for (const oldest of this.#until.keys()) {
      if (this.#until.size <= maxDeleted) break
      this.#until.delete(oldest)
    }
  }

  has(name: string): boolean {
    if (this.#until.size === 0) return false
    return (this.#until.get(name) ?? 0) > this.#clock.now()
  }
}

export function namespaceLifecycle(cluster: Cluster, clock: Clock): AdmissionPlugin {
  const deletions = new RecentDeletions(clock)
  return {
    name: 'NamespaceLifecycle',
    handles: ({ operation, group, resource }) =>
      operation === 'CREATE' ||
      operation === 'UPDATE' ||
      (operation === 'DELETE' && group === '' && resource === 'namespaces'),
    mutate(request) {
      if (isNamespace(request)) {
        if (request.operation === 'DELETE' && immortal.has(request.name)) {
          throw forbidden(namespaces, request.name, 'this namespace may not be deleted')
        }
        if (request.operation === 'DELETE') deletions.add(request.name)
        return undefined
      }
      if (request.namespace === '' || isAccessReview(request)) return undefined
      const { namespace: name } = request
      const found = deletions.has(name) ? cluster.liveNamespace(name) : cluster.namespace(name)
      return whenReady(found, (namespace) => {
        if (namespace === undefined) throw notFound(namespaces, name)
        if (request.operation === 'CREATE' && isTerminating(namespace)) throw terminating(request)
        return undefined
      })
    },
  }
}

const isTerminating = (namespace: KubeObject): boolean =>
  (namespace['status'] as { phase?: string } | undefined)?.phase === 'Terminating'

function terminating(request: AdmissionRequest): ApiError {
  const { namespace } = request
  const { status } = denied(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  return new ApiError({ ...status, details: { ...status.details, causes: [cause] } })
}

export function namespaceExists(cluster: Cluster): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    handles: ({ operation }) => operation !== 'CONNECT',
    validate(request) {
      if (request.namespace === '' || isNamespace(request)) return
      return whenReady(cluster.namespace(request.namespace), (namespace) => {
        if (namespace === undefined) throw notFound(namespaces, request.namespace)
      })
    },
  }
}

export function namespaceAutoProvision(
  cluster: Cluster,
  createNamespace: (name: string) => Promise<void>,
): AdmissionPlugin {
  const provide = async (request: AdmissionRequest): Promise<undefined> => {
    try {
      await createNamespace(request.namespace)
    } catch (error) {
      throw denied(request, reasonOf(error))
    }
  }
  return {
    name: 'NamespaceAutoProvision',
    handles: ({ operation }) => operation === 'CREATE',
    mutate(request) {
      if (request.dryRun || request.namespace === '' || isNamespace(request)) return undefined
      return whenReady(cluster.namespace(request.namespace), (namespace) =>
        namespace === undefined ? provide(request) : undefined,
      )
    },
  }
}
