/** Quotas in memory, for tests: a write gets through only from the newest version, as in any store. */
import type { StringMap } from '../../api/object.ts'
import type { Quota, QuotaStore } from '../quota/quota-object.ts'
import { LiveSource } from './live-source.ts'
import { testObject } from './test-cluster.ts'

export class MemoryQuotas implements QuotaStore {
  readonly source = new LiveSource<Quota>()
  /** Called with how many writes there were, before the next one is tried. */
  beforeWrite: (tried: number) => void = () => {}
  tried = 0
  #revision = 0

  constructor(quotas: Iterable<Quota> = []) {
    for (const quota of quotas) this.put(quota)
  }

  /** As another writer writes it. */
  put(quota: Quota): Quota {
    const written = { ...quota, metadata: { ...quota.metadata, resourceVersion: String(++this.#revision) } }
    this.source.put(written)
    return written
  }

  list(namespace: string): readonly Quota[] {
    return [...this.source.list(namespace)]
  }

  async write(quota: Quota, status: Quota['status']): Promise<{ written: Quota } | { current: Quota | undefined }> {
    this.beforeWrite(this.tried++)
    const { namespace = '', name = '', resourceVersion } = quota.metadata
    const current = this.source.get(namespace, name)
    if (current?.metadata.resourceVersion !== resourceVersion) return { current }
    return { written: this.put({ ...quota, ...(status === undefined ? {} : { status }) }) }
  }

  used(namespace = 'ns', name = 'q'): StringMap | undefined {
    return this.source.get(namespace, name)?.status?.used
  }
}

/** A quota of these limits, the status of which has what is used unless that is undefined. */
export const testQuota = (hard: StringMap, used?: StringMap, more: Partial<Quota> = {}): Quota => {
  const { metadata, spec, ...rest } = more
  return {
    ...testObject('ResourceQuota', 'q', {}, { namespace: 'ns', ...metadata }),
    spec: { hard, ...spec },
    ...(used === undefined ? {} : { status: { hard, used } }),
    ...rest,
  }
}
