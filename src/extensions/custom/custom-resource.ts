/** A custom resource as the same kind of definition that built-in resources have. */

import type { FieldGetter } from '../../api/field-label.ts'
import type { JsonObject } from '../../api/json.ts'
import { compileJsonPath } from '../../api/json-path.ts'
import type { KubeObject } from '../../api/object.ts'
import { hasChange } from '../../api/release-changes.ts'
import { defaultRelease, isLaterRelease } from '../../api/release-facts.ts'
import { unknownError } from '../../api/status-error.ts'
import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from '../../catalog/types/apiextensions-v1.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { inTurns, runToEnd, type Steps } from '../../lib/in-turns.ts'
import { unstructuredModel } from '../../registry/model/unstructured-model.ts'
import type { CustomConversion } from '../../registry/model/unstructured-versions.ts'
import type { RemoteConversion, ResourceDefinition, ResourceVersion } from '../../registry/resource-definition.ts'
import type { ScaleSubresource, SubresourceDefinition } from '../../registry/subresource.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
import { customStrategies } from './custom-strategy.ts'
import { CustomVersion } from './custom-version.ts'
import { coerceMetadata } from './object-meta.ts'
import { customScale } from './scale.ts'
import { compareVersions } from './version-order.ts'

export interface CustomResource {
  readonly group: string
  readonly names: CustomResourceDefinitionNames
  readonly namespaced: boolean
  readonly preserveUnknown: boolean
  /** Without their schemas. */
  readonly versions: readonly Omit<CustomResourceDefinitionVersion, 'schema'>[]
  readonly schemaOf: (version: string) => JsonObject | undefined
  readonly ratcheting: boolean
  /** The minor number of the release that is served; the default one unless it is given. */
  readonly release?: number
  /** The definition is being deleted: nothing new may come. */
  readonly isTerminating: () => boolean
  readonly remoteConversion?: RemoteConversion
}

const verbs = new Set(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const)
const statusVerbs = new Set(['get', 'update', 'patch'] as const)

export function customResource(source: CustomResource): ResourceDefinition {
  const { group, names, namespaced, preserveUnknown, schemaOf, remoteConversion, release = defaultRelease } = source
  const { plural, kind, singular = kind.toLowerCase(), listKind = `${kind}List` } = names
  const custom: ReadonlyMap<string, CustomVersion> = new Map(
    source.versions.map((version) => {
      const load = (): JsonObject | undefined => schemaOf(version.name)
      const schemaOfOther = (apiVersion: string): ObjectSchema | undefined => custom.get(apiVersion)?.schema
      const made = new CustomVersion({
        group,
        kind,
        version,
        namespaced,
        preserveUnknown,
        load,
        schemaOfOther,
        release: isLaterRelease(release) ? release : undefined,
      })
      return [made.apiVersion, made] as const
    }),
  )
  const all = [...custom.values()]
  const storage = all.find(({ facts }) => facts.storage)
  if (storage === undefined) throw new Error(`${plural}.${group} has no storage version`)
  const isRemote = remoteConversion !== undefined && all.length > 1
  const strategies = customStrategies({
    kind,
    ratcheting: source.ratcheting,
    release,
    isTerminating: source.isTerminating,
    resource: { group, resource: plural },
    versionOf: (apiVersion) => custom.get(apiVersion),
  })
  const resetByStatus = hasChange(release, 'statusResetsMetadata') ? ['spec', 'metadata'] : ['spec']
  const status: SubresourceDefinition = {
    type: 'part',
    verbs: statusVerbs,
    strategy: strategies.status,
    resetFields: new Map(all.map(({ apiVersion }) => [apiVersion, resetByStatus])),
    resetsEveryVersion: hasChange(release, 'statusResetsEveryVersion'),
  }
  const versionOf = (version: CustomVersion): ResourceVersion => {
    const scale = version.facts.subresources?.scale
    const subresources = new Map<string, SubresourceDefinition>([
      ...(version.hasStatus ? [['status', status] as const] : []),
      ...(scale === undefined ? [] : [['scale', customScale(scale, asRead(version))] as const]),
    ])
    const conversion =
      version === storage || isRemote
        ? {}
        : {
            toHub: (object: KubeObject) => storage.revive(object),
            fromHub: (object: KubeObject) => version.adopt(object),
          }
    return version.toResourceVersion({ subresources, deprecation: deprecationOf(version, all, source), conversion })
  }
  const made = new Map(all.map((version) => [version.apiVersion, versionOf(version)]))
  const served = all
    .filter(({ facts }) => facts.served)
    .sort((a, b) => compareVersions(a.name, b.name))
    .map(({ apiVersion }) => made.get(apiVersion) as ResourceVersion)
  // What is stored in several versions is not the text of any of them: then no answer is the stored bytes.
  const hub = isRemote ? versionOf(storage) : (made.get(storage.apiVersion) as ResourceVersion)
  const fields = selectableFields(all)
  return {
    group,
    resource: plural,
    singular,
    kind,
    listKind,
    namespaced,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    versions: served,
    hub,
    storage: {
      prefix: `/registry/${group}/${plural}`,
      apiVersion: storage.apiVersion,
      encoding: 'json',
      revive: reviver(custom, storage, isRemote),
      fields,
    },
    strategy: strategies.main,
    subresources: new Map([...served].reverse().flatMap((version) => [...(version.subresources ?? [])])),
    createOnUpdate: false,
    unconditionalUpdate: false,
    garbageCollection: 'background',
    returnsDeleted: false,
    // What is selected by is known in the version of the request alone.
    indexes: isRemote ? [] : [...fields.keys()],
    model: unstructuredModel(
      customConversion({
        custom,
        storage,
        versions: [...made.values()],
        remote: isRemote ? remoteConversion : undefined,
      }),
    ),
    ...(isRemote ? { remoteConversion: coercing(custom, remoteConversion) } : {}),
  }
}

/** What was stored has the defaults of the version that it was stored in. */
/** What the reference does to an object that a scale has changed, when it reads it. */
const asRead = (version: CustomVersion): Required<Pick<ScaleSubresource, 'prune' | 'complete'>> => ({
  prune: (object) => version.adopt(object),
  complete: (object) => version.withDefaults(object) as KubeObject,
})

function reviver(
  custom: ReadonlyMap<string, CustomVersion>,
  storage: CustomVersion,
  keepVersion: boolean,
): (object: KubeObject) => KubeObject {
  return (object) => {
    const own = custom.get(object.apiVersion) ?? storage
    const revived = own.revive(object)
    return keepVersion || own === storage ? revived : storage.adopt(revived)
  }
}

interface ConversionSource {
  readonly custom: ReadonlyMap<string, CustomVersion>
  readonly storage: CustomVersion
  readonly versions: readonly ResourceVersion[]
  readonly remote: RemoteConversion | undefined
}

function customConversion({ custom, storage, versions, remote }: ConversionSource): CustomConversion {
  const convert = (object: KubeObject, apiVersion: string): Awaitable<KubeObject> => {
    if (!custom.has(apiVersion)) throw invalidVersion('to', apiVersion)
    if (!custom.has(object.apiVersion)) throw invalidVersion('from', object.apiVersion)
    if (object.apiVersion === apiVersion) return object
    return remote === undefined ? { ...object, apiVersion } : convertOne(remote, object, apiVersion)
  }
  const toStored = (object: KubeObject): Awaitable<KubeObject> => {
    const converted = convert(object, storage.apiVersion)
    return whenReady(converted, (each) => storage.revive(each))
  }
  const typeMetadata = (metadata: JsonObject): JsonObject => coerceMetadata(metadata, 'drop').value as JsonObject
  return { versions, convert, toStored, typeMetadata }
}

const invalidVersion = (direction: 'from' | 'to', apiVersion: string): Error =>
  unknownError(`request to convert CR ${direction} an invalid group/version: ${apiVersion}`)

async function convertOne(remote: RemoteConversion, object: KubeObject, apiVersion: string): Promise<KubeObject> {
  const [converted] = await remote.convert([object], apiVersion)
  return converted ?? object
}

/** What a conversion answers is held to the schema like everything else. */
function coercing(custom: ReadonlyMap<string, CustomVersion>, remote: RemoteConversion): RemoteConversion {
  return {
    async convert(objects, apiVersion) {
      const converted = await remote.convert(objects, apiVersion)
      const version = custom.get(apiVersion)
      if (version === undefined) return converted
      return inTurns(coerceAll(version, objects, converted))
    },
  }
}

function* coerceAll(
  version: CustomVersion,
  objects: readonly KubeObject[],
  converted: readonly KubeObject[],
): Steps<KubeObject[]> {
  const coerced: KubeObject[] = []
  for (const [i, object] of converted.entries()) {
    coerced.push(object === objects[i] ? object : ((yield* version.coerceInSteps(object, 'drop')).object as KubeObject))
    yield
  }
  return coerced
}

/** The union of what all versions let clients select by: an object has the values, whatever the request's version. */
function selectableFields(versions: readonly CustomVersion[]): ReadonlyMap<string, FieldGetter> {
  const fields = new Map<string, FieldGetter>()
  for (const { facts } of versions) {
    for (const { jsonPath } of facts.selectableFields ?? []) {
      const path = compileJsonPath(jsonPath)
      fields.set(jsonPath.replace(/^\./, ''), (object) => {
        const [value] = runToEnd(path(object))
        return value === undefined || value === null ? '' : String(value)
      })
    }
  }
  return fields
}

function deprecationOf(
  version: CustomVersion,
  all: readonly CustomVersion[],
  { group, names }: CustomResource,
): string | undefined {
  const { deprecated, deprecationWarning } = version.facts
  if (deprecated !== true) return undefined
  if (deprecationWarning !== undefined) return deprecationWarning
  const better = all
    .filter(({ name, facts }) => facts.served && facts.deprecated !== true && compareVersions(name, version.name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name))[0]
  const base = `${group}/${version.name} ${names.kind} is deprecated`
  return better === undefined ? base : `${base}; use ${group}/${better.name} ${names.kind}`
}
