/**
 * The plugin of resource quotas: namespaces without a quota cost a look into a set.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/resourcequota: QuotaAdmission.
 */

import type { KubeObject } from '../../api/object.ts'
import type { ObjectChange } from '../../api/object-source.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { evaluatorOf } from './evaluators.ts'
import type { QuotaEnforcer } from './quota-enforcer.ts'

export function resourceQuota(cluster: Cluster, enforcer: QuotaEnforcer): AdmissionPlugin {
  const namespaces = new QuotaCounts(cluster)
  return {
    name: 'ResourceQuota',
    handles: ({ operation, group, resource, subresource }) =>
      evaluatorOf(group, resource)?.handles(operation, subresource) === true,
    validate(request) {
      if (request.namespace === '' || request.object === undefined) return
      if (enforcer.limitsByDefault) return enforcer.check(request)
      return whenReady(namespaces.has(request.namespace), (has) => (has ? enforcer.check(request) : undefined))
    },
  }
}

/** How many quotas each namespace has. */
class QuotaCounts {
  readonly #cluster: Cluster
  #counts: Map<string, number> | undefined

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  has(namespace: string): Awaitable<boolean> {
    if (this.#counts !== undefined) return this.#counts.has(namespace)
    return whenReady(this.#cluster.view('', 'resourcequotas').source(), (source) => {
      if (this.#counts === undefined) {
        this.#counts = new Map()
        source.subscribe((change) => this.#onChange(change))
      }
      return this.#counts.has(namespace)
    })
  }

  #onChange({ type, object }: ObjectChange<KubeObject>): void {
    const namespace = object.metadata.namespace ?? ''
    const before = this.#counts!.get(namespace) ?? 0
    const count = type === 'ADDED' ? before + 1 : type === 'DELETED' ? before - 1 : before
    if (count > 0) this.#counts!.set(namespace, count)
    else this.#counts!.delete(namespace)
  }
}
