/**
 * What there is of a resource in the cluster: all of it, or that of the namespaces that are wanted, each asked for by itself, so that
 * rights in a namespace are enough.
 */
import type { JsonObject } from '../../api/json.ts'
import { formatTime } from '../../api/time.ts'
import { ConfigError } from '../../config/config-error.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Registry } from '../../registry/registry.ts'
import { type ImportReader, ReadFailure } from './cluster-reader.ts'

export interface SourceItems {
  readonly items: readonly JsonObject[]
  /** Why there may be more. */
  readonly skipped: string | undefined
}

interface Source {
  readonly definition: Registry['definition']
  /** `/api/v1`, `/apis/apps/v1`. */
  readonly root: string
}

export async function sourceItems(
  reader: ImportReader,
  { definition, root }: Source,
  namespaces: ReadonlySet<string> | undefined,
): Promise<SourceItems> {
  const { resource, group, namespaced } = definition
  if (namespaces === undefined || (!namespaced && resource !== 'namespaces')) {
    const hint = namespaced ? ' in all namespaces; --namespaces reads those that you name' : ''
    return collect([''], () => reader.list(`${root}/${resource}`), hint)
  }
  if (group === '' && resource === 'namespaces') return collect(namespaces, (name) => namespaceOf(reader, name))
  return collect(namespaces, (name) => reader.list(`${root}/namespaces/${encodeURIComponent(name)}/${resource}`))
}

/** Resources that may not be read are skipped; that none may be read is an error. */
async function collect(
  names: Iterable<string>,
  read: (name: string) => Promise<JsonObject[]>,
  hint = '',
): Promise<SourceItems> {
  const items: JsonObject[] = []
  const skipped: string[] = []
  for (const name of names) {
    try {
      items.push(...(await read(name)))
    } catch (error) {
      if (!(error instanceof ReadFailure) || error.status === 401) throw error
      const where = name === '' ? hint : ` in namespace ${name}`
      skipped.push(error.status === 403 ? `may not be read${where}` : error.message)
    }
  }
  return { items, skipped: skipped.length === 0 ? undefined : skipped.join('; ') }
}

/** A namespace that may not be read is made anew: what is in it needs one. */
async function namespaceOf(reader: ImportReader, name: string): Promise<JsonObject[]> {
  try {
    return [await reader.get(`/api/v1/namespaces/${encodeURIComponent(name)}`)]
  } catch (error) {
    if (!(error instanceof ReadFailure)) throw error
    if (error.status === 404) throw new ConfigError(`there is no namespace ${JSON.stringify(name)} in the cluster`)
    if (error.status !== 403) throw error
    const seconds = Math.floor(systemClock.now() / 1000)
    const metadata = { name, uid: systemClock.uuid(), creationTimestamp: formatTime({ seconds, nanos: 0 }) }
    return [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata,
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
    ]
  }
}
