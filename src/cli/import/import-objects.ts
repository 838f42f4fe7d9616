/**
 * From one cluster's API into the store of a server that is not in use: objects keep their uids, their status and who
 * manages what, as no request could write them.
 */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { entryKey } from '../../cache/snapshot.ts'
import { anyVersion } from '../../registry/convert.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ServerLayers } from '../../server/test-seams.ts'
import { type ImportReader, ReadFailure } from './cluster-reader.ts'
import { type ImportSettings, importedObject, withoutForeignOwners } from './imported-object.ts'
import { sourceItems } from './source-items.ts'

export interface ImportCounts {
  readonly objects: number
  /** By resource, what was not read and why. */
  readonly skipped: ReadonlyMap<string, string>
  /** How many references to owners that did not come along were left out. */
  readonly unlinked: number
}

interface Found {
  readonly registry: Registry
  readonly object: KubeObject
}

type Registries = ServerLayers['resources']['registries']

/** Events are over; the others every server makes for itself. */
const notTaken: ReadonlySet<string> = new Set([
  'events',
  'events.events.k8s.io',
  'apiservices.apiregistration.k8s.io',
  'componentstatuses',
  'leases.coordination.k8s.io',
])
const servedMs = 30_000
const writesAtATime = 50

export async function importObjects(
  reader: ImportReader,
  registries: Registries,
  settings: ImportSettings & { note(text: string): void },
): Promise<ImportCounts> {
  const skipped = new Map<string, string>()
  const offered = await discover(reader)
  const definitions = await readAll(reader, [registries.need('apiextensions.k8s.io', 'customresourcedefinitions')], {
    offered,
    settings,
    skipped,
  })
  await writeAll(definitions)
  await untilServed(registries, definitions)
  const others = [...registries.all()].filter(({ definition }) => {
    const name = nameOf(definition)
    return definition.resource !== 'customresourcedefinitions' && !notTaken.has(name)
  })
  const found = await readAll(reader, others, { offered, settings, skipped })
  for (const name of unknownResources(offered, registries)) skipped.set(name, 'no such kind here')
  const uids = new Set([...definitions, ...found].map(({ object }) => String(object.metadata.uid)))
  const linked = found.map(({ registry, object }) => ({ registry, object: withoutForeignOwners(object, uids) }))
  await writeAll(linked)
  const unlinked = linked.filter(({ object }, i) => object !== found[i]?.object).length
  return { objects: definitions.length + found.length, skipped, unlinked }
}

const nameOf = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  group === '' ? resource : `${resource}.${group}`

/** The resources that can be listed, by group version. */
type Offered = ReadonlyMap<string, ReadonlySet<string>>

async function discover(reader: ImportReader): Promise<Offered> {
  const { groups } = (await reader.get('/apis')) as { groups?: { versions: { groupVersion: string }[] }[] }
  const versions = (groups ?? []).flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion))
  const offered = new Map<string, ReadonlySet<string>>()
  for (const apiVersion of ['v1', ...versions]) {
    const found = await reader.get(rootOf(apiVersion)).catch((error: unknown) => {
      // An aggregated server that is down keeps nothing else from being read.
      if (error instanceof ReadFailure && error.status !== 401) return {}
      throw error
    })
    const { resources = [] } = found as { resources?: { name: string; verbs?: string[] }[] }
    const listed = resources.filter(({ name, verbs = [] }) => !name.includes('/') && verbs.includes('list'))
    offered.set(apiVersion, new Set(listed.map(({ name }) => name)))
  }
  return offered
}

const rootOf = (apiVersion: string): string => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`)

function unknownResources(offered: Offered, registries: Registries): string[] {
  const names = [...offered].flatMap(([apiVersion, resources]) => {
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
    return [...resources].map((resource) => ({ group, resource }))
  })
  const unknown = names.filter(({ group, resource }) => registries.get(group, resource) === undefined)
  return [...new Set(unknown.map(nameOf))].filter((name) => !notTaken.has(name))
}

interface Reading {
  readonly offered: Offered
  readonly settings: ImportSettings & { note(text: string): void }
  readonly skipped: Map<string, string>
}

async function readAll(reader: ImportReader, registries: readonly Registry[], reading: Reading): Promise<Found[]> {
  const { offered, settings, skipped } = reading
  const found: Found[] = []
  for (const registry of registries) {
    const { definition } = registry
    const version = sharedVersion(registry, offered)
    if (version === undefined) continue
    const read = await sourceItems(reader, { definition, root: rootOf(version) }, settings.namespaces)
    const own = read.items.flatMap((item) => importedObject(item, settings) ?? [])
    found.push(...own.map((object) => ({ registry, object: hubForm(registry, object) })))
    if (own.length > 0) settings.note(`${nameOf(definition)}: ${own.length}\n`)
    if (read.skipped !== undefined) skipped.set(nameOf(definition), read.skipped)
  }
  return found
}

/** A version that both have; of custom resources the stored one, into which the cluster converts. */
function sharedVersion({ definition }: Registry, offered: Offered): string | undefined {
  const { hub, versions, resource } = definition
  const all = [hub.apiVersion, ...versions.map(({ apiVersion }) => apiVersion)]
  return all.find((apiVersion) => offered.get(apiVersion)?.has(resource) === true)
}

function hubForm({ definition }: Registry, object: KubeObject): KubeObject {
  const version = anyVersion(definition, object.apiVersion)
  return version === undefined ? object : definition.model.versions.toWorking(definition, version, object)
}

async function writeAll(found: readonly Found[]): Promise<void> {
  for (let i = 0; i < found.length; i += writesAtATime) {
    await Promise.all(found.slice(i, i + writesAtATime).map(write))
  }
}

/** In place of what a new server has made of the same name. */
async function write({ registry: { storage, definition }, object }: Found): Promise<void> {
  if ((await storage.create(object)) !== undefined) return
  const { namespace = '', name = '' } = object.metadata
  const key = entryKey(definition.namespaced ? namespace : '', name)
  for (let attempt = 0; attempt < 10; attempt++) {
    const current = await storage.newest(key)
    if (current === undefined) {
      if ((await storage.create(object)) !== undefined) return
    } else if ('written' in (await storage.replace(current, object))) return
  }
  throw new Error(`${definition.resource} ${key} cannot be written: somebody else writes it again and again`)
}

async function untilServed(registries: Registries, definitions: readonly Found[]): Promise<void> {
  const end = Date.now() + servedMs
  const waiting = definitions
    .filter(({ object }) => isEstablished(object))
    .map(({ object }) => object['spec'] as JsonObject)
  const isServed = (spec: JsonObject): boolean =>
    registries.get(String(spec['group']), String((spec['names'] as JsonObject)['plural'])) !== undefined
  while (!waiting.every(isServed)) {
    if (Date.now() > end) throw new Error('not all custom resource definitions are served')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function isEstablished(definition: KubeObject): boolean {
  const { conditions = [] } = (definition['status'] ?? {}) as { conditions?: { type: string; status: string }[] }
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True')
}
