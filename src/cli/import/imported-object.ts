/** Objects of another cluster as they are kept here. */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'

export interface ImportSettings {
  readonly withSecretValues: boolean
  /** Undefined: all. */
  readonly namespaces: ReadonlySet<string> | undefined
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
/** Says that a secret has lost its values on its way here. */
const leftOut = 'pilothouse.dev/values-left-out'

/** Undefined: it is not for here. */
export function importedObject(given: JsonObject, settings: ImportSettings): KubeObject | undefined {
  const metadata = isJsonObject(given['metadata']) ? given['metadata'] : {}
  if (!isMeant(given, metadata, settings) || isServersOwn(given, metadata)) return undefined
  // The version is given by the store.
  const { resourceVersion: _, selfLink: __, ...kept } = metadata
  const object = { ...given, metadata: kept } as JsonObject
  const isSecret = given['kind'] === 'Secret' && given['apiVersion'] === 'v1'
  return (isSecret && !settings.withSecretValues ? withoutValues(object, kept) : object) as KubeObject
}

function isMeant({ kind }: JsonObject, { name, namespace }: JsonObject, { namespaces }: ImportSettings): boolean {
  if (namespaces === undefined) return true
  if (kind === 'Namespace') return namespaces.has(String(name))
  return namespace === undefined || namespaces.has(String(namespace))
}

/** Every server has its own of these. */
const serversOwn: ReadonlySet<string> = new Set(['Service', 'Endpoints', 'EndpointSlice'])

function isServersOwn({ kind }: JsonObject, { name, namespace }: JsonObject): boolean {
  return serversOwn.has(String(kind)) && namespace === 'default' && name === 'kubernetes'
}

/** The keys stay. What was applied may hold the values as well. */
function withoutValues(secret: JsonObject, metadata: JsonObject): JsonObject {
  const given = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {}
  const { [lastApplied]: _, ...annotations } = given
  const data = isJsonObject(secret['data']) ? secret['data'] : {}
  const blank = Object.fromEntries(Object.keys(data).map((key) => [key, '']))
  const { stringData: __, ...rest } = secret
  return {
    ...rest,
    metadata: { ...metadata, annotations: { ...annotations, [leftOut]: 'true' } },
    ...(secret['data'] === undefined ? {} : { data: blank }),
  }
}

/** Owners that did not come along would have their dependents collected: such references go. */
export function withoutForeignOwners(object: KubeObject, uids: ReadonlySet<string>): KubeObject {
  const owners = object.metadata['ownerReferences'] as readonly { uid: string }[] | undefined
  if (owners === undefined || owners.every(({ uid }) => uids.has(uid))) return object
  const { ownerReferences: _, ...metadata } = object.metadata
  const kept = owners.filter(({ uid }) => uids.has(uid))
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, ownerReferences: kept } } as KubeObject
}
