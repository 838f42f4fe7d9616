/** The definitions of the built-in resources: the catalogue's facts joined with the rules of each kind. */
import { formatGroupVersion, parseGroupVersion } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { checksWholeInStatus } from '../api/release-changes.ts'
import {
  type DefaultingContext,
  defaultObject,
  defaultObjectInSteps,
  defaultPart,
  hasDefaults,
} from '../catalog/defaults/defaults.ts'
import { catalogAt, defaultRelease, findKnownResource, removedResources, successorOf } from '../catalog/releases.ts'
import { type CatalogResource, findResource } from '../catalog/resources.ts'
import { typedModel } from '../registry/model/typed-model.ts'
import type { ResourceDefinition, ResourceVersion, StorageDefinition, Verb } from '../registry/resource-definition.ts'
import type { Strategy } from '../registry/strategy.ts'
import type { SubresourceDefinition } from '../registry/subresource.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { tableOfKind } from './columns/tables.ts'
import { connections } from './connect-subresources.ts'
import { olderConversionFor } from './conversions/older/older-conversions.ts'
import type { OlderConversion } from './conversions/older/parts.ts'
import { conversionFor, conversionHub } from './conversions.ts'
import { declaredRules } from './declared-rules.ts'
import { withDeclaredRules } from './declared-strategy.ts'
import { deprecationOf } from './deprecation.ts'
import { withEnforcedRules } from './enforced-rules.ts'
import { withGatedFields } from './gated-fields.ts'
import type { KindRules, KindServices, MakeKindRules } from './kind-rules.ts'
import { rulesFor } from './kinds.ts'
import { withNamedTexts } from './named-texts.ts'
import { olderVersion } from './older-version.ts'
import { statusOnly, withStatus } from './plain-rules.ts'
import { withRepeatCounts } from './repeated-errors.ts'
import { withReleaseChecks } from './single-checks.ts'

export interface DefinitionOptions {
  readonly services: KindServices
  /** Whether a version of a resource is served. */
  readonly isServed: (resource: CatalogResource) => boolean
  readonly defaulting: DefaultingContext
  readonly eventTtlSeconds: number
  /** The minor number of the release that is emulated; absent for the newest. */
  readonly release?: number
  /** That of the oldest server that must read what is stored. */
  readonly oldest?: number
  /** Rules of kinds that need more than the others, by `resource.group`. */
  readonly moreRules?: Readonly<Record<string, MakeKindRules>>
}

/** All built-in resources that have objects and are served in at least one version. */
export function builtInDefinitions(options: DefinitionOptions): ResourceDefinition[] {
  const families = new Map<string, CatalogResource[]>()
  for (const resource of catalogAt(options.release ?? defaultRelease, options.oldest).resources) {
    if (resource.subresource !== '' || !(options.isServed(resource) || isAllocationRecord(resource))) continue
    const key = resource.storage?.keyPrefix ?? (isComputed(resource) ? resource.resource : undefined)
    if (key === undefined) continue
    families.set(key, [...(families.get(key) ?? []), resource])
  }
  return [...families.values()].flatMap((family) => defineFamily(family, options))
}

function defineFamily(family: readonly CatalogResource[], options: DefinitionOptions): ResourceDefinition[] {
  const made = byGroup(family).map((versions) => define(versions, family, options))
  if (made.length === 1) return made
  const all = made.flatMap(({ versions }) => versions)
  return made.map((each) => {
    const others = all.filter(
      (version) => !each.versions.includes(version) && version.apiVersion !== each.hub.apiVersion,
    )
    const otherGroups = made.map(({ group }) => group).filter((group) => group !== each.group)
    return { ...each, otherGroups, inOtherGroups: () => others }
  })
}

/** What the server itself keeps its books in is there whether or not anybody is served it. */
const isAllocationRecord = ({ group, resource, version }: CatalogResource): boolean =>
  group === 'networking.k8s.io' && version === 'v1' && (resource === 'ipaddresses' || resource === 'servicecidrs')

/** Has objects although nothing of it is stored: those are made on every read. */
const isComputed = ({ verbs, resource, group }: CatalogResource): boolean =>
  verbs.includes('list') && rulesFor(group, resource) !== undefined

/** Resources of two groups that share their objects (events) are two definitions over one prefix. */
function byGroup(family: readonly CatalogResource[]): CatalogResource[][] {
  const groups = new Map<string, CatalogResource[]>()
  for (const resource of family) groups.set(resource.group, [...(groups.get(resource.group) ?? []), resource])
  return [...groups.values()]
}

function define(
  served: CatalogResource[],
  family: readonly CatalogResource[],
  options: DefinitionOptions,
): ResourceDefinition {
  const [main] = served as [CatalogResource, ...CatalogResource[]]
  // The rules of a removed version are those of the one that took its place.
  const { group, resource } = successorOf(main, options.release) ?? main
  const makeRules = options.moreRules?.[`${resource}.${group}`] ?? rulesFor(group, resource)
  const rules = makeRules?.(options.services) ?? plainRules(main, options.release)
  const hubGroupVersion = hubVersion(main, family, options.release)
  const hubResource = served.find((each) => formatGroupVersion(each) === hubGroupVersion)
  const hub = withResets(
    hubResource === undefined ? hubOnly(main, hubGroupVersion, options, rules) : version(hubResource, options, rules),
    rules,
    options.services,
  )
  const declared = { kind: `${main.group}/${main.kind}`, schema: hub.schema }
  const release = options.release ?? defaultRelease
  const common = subresources(served, withReleaseParts(rules, declared, { ...options, release }), options.release)
  const versions = served
    .filter(options.isServed)
    .map((each) =>
      withSubresources(
        servedVersion(each, hub, options, rules),
        ownSubresources(each, common, { rules, release: options.release }),
      ),
    )
  const isEvent = main.resource === 'events'
  // Nothing ever lies under the prefix of what is computed.
  const storage = main.storage ?? { keyPrefix: `/registry/${main.resource}`, groupVersion: main }
  return {
    group: main.group,
    resource: main.resource,
    singular: main.singular,
    kind: main.kind,
    listKind: `${main.kind}List`,
    namespaced: main.namespaced,
    shortNames: main.shortNames,
    categories: main.categories,
    verbs: new Set(main.verbs as Verb[]),
    versions,
    hub,
    storage: {
      prefix: storage.keyPrefix,
      apiVersion: formatGroupVersion(storage.groupVersion),
      encoding: jsonInStore.has(main.group) ? 'json' : 'protobuf',
      fields: new Map(Object.entries(rules.fields ?? {})),
      ...(isEvent ? { ttlSeconds: options.eventTtlSeconds } : {}),
      ...storedShape(main, hub, rules),
      older: storedByEarlier({ main, hub, options, rules }),
    },
    strategy: withDeclaredRules(
      withReleaseChecks(
        withReleaseRules(rules.strategy as Strategy, declared, options.services),
        declared.kind,
        release,
      ),
      declaredRules(hub.schema.name),
      options.services,
    ),
    subresources: common,
    createOnUpdate: main.createOnUpdate,
    unconditionalUpdate: main.unconditionalUpdate,
    garbageCollection: main.garbageCollection.toLowerCase() as ResourceDefinition['garbageCollection'],
    returnsDeleted: rules.returnsDeleted ?? false,
    model: typedModel,
    indexes: rules.indexes ?? [],
    ...(rules.virtualObjects === undefined ? {} : { virtualObjects: rules.virtualObjects }),
  }
}

/** Of a kind whose stored version is neither served nor the hub, and has another shape than the hub. */
function storedShape(
  { storage, resource }: CatalogResource,
  hub: ResourceVersion,
  { stored }: KindRules,
): Pick<StorageDefinition, 'shape'> {
  if (stored !== undefined) return { shape: stored }
  if (storage === undefined || conversionHub({ ...storage.groupVersion, resource }) === undefined) return {}
  const conversion = conversionFor({ ...storage.groupVersion, resource })
  if (conversion === undefined) return {}
  const complete = (object: KubeObject): KubeObject => (hub.withDefaults?.(object) ?? object) as KubeObject
  return {
    shape: {
      toStored: conversion.fromHub,
      fromStored(object) {
        const version = parseGroupVersion(object.apiVersion)
        const own = version && conversionFor({ ...version, resource })
        return complete(own?.toHub(object) ?? { ...object, apiVersion: hub.apiVersion })
      },
    },
  }
}

interface DeclaredKind {
  readonly kind: string
  readonly schema: ObjectSchema
}

/** What the facts of a later release say of a kind, whatever its own rules are: fields behind gates, and declared rules that count. */
const withReleaseRules = (strategy: Strategy, declared: DeclaredKind, services: KindServices): Strategy =>
  withRepeatCounts(
    withEnforcedRules(
      withGatedFields(withNamedTexts(strategy, declared.schema, services), declared.schema, services),
      declared,
      services,
    ),
    services,
  )

function withReleaseParts(
  rules: KindRules,
  declared: DeclaredKind,
  { services, release }: Pick<DefinitionOptions, 'services'> & { readonly release: number },
): KindRules {
  if (rules.parts === undefined) return rules
  const repeats = checksWholeInStatus(declared.kind)
  const parts = Object.entries(rules.parts).map(([name, strategy]) => {
    const own = withReleaseRules(strategy as Strategy, declared, services)
    return [name, repeats ? withReleaseChecks(own, declared.kind, release) : own] as const
  })
  return { ...rules, parts: Object.fromEntries(parts) }
}

/** The reference stores these groups as JSON. */
const jsonInStore: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/**
 * The stored version where it is served, or where another one has to be converted to it; otherwise the preferred
 * served one.
 */
function hubVersion(main: CatalogResource, family: readonly CatalogResource[], release: number | undefined): string {
  const stored = main.storage === undefined ? '' : formatGroupVersion(main.storage.groupVersion)
  const successor = family.map((each) => successorOf(each, release)).find((each) => each !== undefined)
  if (successor !== undefined) {
    const { groupVersion } = successor.storage ?? { groupVersion: successor }
    return formatGroupVersion(findResource(groupVersion, successor.resource, release) ?? successor)
  }
  const hub = conversionHub(main)
  if (hub !== undefined) return hub
  const needed = family.some((each) => formatGroupVersion(each) === stored || conversionFor(each) !== undefined)
  return needed ? stored : formatGroupVersion(main)
}

/** The hub of resources that are served in one group and kept in the shape of another (events). */
function hubOnly(
  main: CatalogResource,
  apiVersion: string,
  options: DefinitionOptions,
  rules: KindRules,
): ResourceVersion {
  const groupVersion = parseGroupVersion(apiVersion) ?? main
  const resource = findKnownResource(groupVersion, main.resource, options.release)
  if (resource === undefined) throw new Error(`${apiVersion} has no ${main.resource}`)
  return version(resource, options, successorOf(main, options.release) === undefined ? {} : rules)
}

/** Fields that are reset where a gate is on: no manager owns them. */
function withResets(
  served: ResourceVersion,
  { gatedResets = {} }: KindRules,
  { gate }: DefinitionOptions['services'],
): ResourceVersion {
  const more = Object.entries(gatedResets).flatMap(([name, fields]) => (gate(name) ? fields : []))
  return more.length === 0 ? served : { ...served, resetFields: [...served.resetFields, ...more] }
}

function servedVersion(
  resource: CatalogResource,
  hub: ResourceVersion,
  options: DefinitionOptions,
  rules: KindRules,
): ResourceVersion {
  if (formatGroupVersion(resource) === hub.apiVersion) return hub
  const plain = withResets(version(resource, options, rules), rules, options.services)
  if (resource.lifecycle.removed === undefined || !isOlder(resource, options.release)) return plain
  return { ...plain, ...olderVersion(plain, hub, olderConversion(resource, rules)) }
}

interface StoredOlder {
  readonly main: CatalogResource
  readonly hub: ResourceVersion
  readonly options: DefinitionOptions
  readonly rules: KindRules
}

/** Versions that earlier releases may have stored, and that are not served. Made when something of theirs is read. */
function storedByEarlier({ main, hub, options, rules }: StoredOlder): NonNullable<StorageDefinition['older']> {
  const made = new Map<string, ResourceVersion>()
  return (apiVersion) => {
    const known = made.get(apiVersion)
    if (known !== undefined) return known
    for (const older of removedResources()) {
      const isHere = older.subresource === '' && older.storage?.keyPrefix === main.storage?.keyPrefix
      if (!isHere || formatGroupVersion(older) !== apiVersion) continue
      made.set(apiVersion, servedVersion(older, hub, options, rules))
      break
    }
    return made.get(apiVersion)
  }
}

/** Only earlier releases have it. */
const isOlder = (resource: CatalogResource, release: number | undefined): boolean =>
  findResource(resource, resource.resource, release) === undefined

/** Definitions are stored in an older version, so that their own rules know how to convert them. */
function olderConversion(resource: CatalogResource, { stored }: KindRules): OlderConversion {
  const conversion = olderConversionFor(resource)
  return stored === undefined ? conversion : { ...conversion, toHub: stored.fromStored, fromHub: stored.toStored }
}

function version(
  resource: CatalogResource,
  { defaulting, release = defaultRelease }: DefinitionOptions,
  rules: Completing,
): ResourceVersion {
  const schema = catalogAt(release).types.schemaForKind(resource)
  if (schema === undefined) throw new Error(`the catalogue has no type for ${resource.resource}`)
  const conversion = conversionFor(resource, release)
  const deprecation = deprecationOf(resource, release)
  const { group, kind } = successorOf(resource, release) ?? resource
  const table = tableOfKind(group, kind, release)
  const withDefaults = completion(schema, defaulting, rules)
  const withDefaultsInSteps = completionInSteps(schema, defaulting, rules)
  return {
    group: resource.group,
    version: resource.version,
    kind: resource.kind,
    apiVersion: formatGroupVersion(resource),
    schema,
    ...(table === undefined ? {} : { table }),
    fieldLabels: new Map(
      resource.fieldSelectors.map((label) => [label, resource.fieldSelectorAliases[label] ?? label]),
    ),
    ...(withDefaults === undefined ? {} : { withDefaults, withDefaultsInSteps }),
    completePart: hasDefaults(schema) ? (field, value) => defaultPart(field, value, defaulting) : (_, value) => value,
    ...(conversion === undefined ? {} : conversion),
    resetFields: resource.resetFields['main'] ?? [],
    ...(deprecation === undefined ? {} : { deprecation }),
  }
}

type Completing = Pick<KindRules, 'decoded' | 'decodedInSteps'>

/** What fills in a decoded object: the defaults of its type, then what its kind adds. */
function completion(
  schema: ObjectSchema,
  defaulting: DefaultingContext,
  { decoded }: Completing,
): ResourceVersion['withDefaults'] {
  const defaults = hasDefaults(schema)
    ? (object: JsonObject, before?: JsonObject) => defaultObject(object, schema, defaulting, before)
    : undefined
  if (defaults === undefined || decoded === undefined) return defaults ?? decoded
  return (object, before) => decoded(defaults(object, before))
}

const completionInSteps = (
  schema: ObjectSchema,
  defaulting: DefaultingContext,
  { decoded, decodedInSteps }: Completing,
): ResourceVersion['withDefaultsInSteps'] =>
  function* (object) {
    const full = yield* defaultObjectInSteps(object, schema, defaulting)
    yield
    return decodedInSteps === undefined ? (decoded?.(full) ?? full) : yield* decodedInSteps(full)
  }

function plainRules(resource: CatalogResource, release: number | undefined): KindRules {
  const hasStatus = findKnownResource(resource, `${resource.resource}/status`, release) !== undefined
  return {
    strategy: hasStatus ? withStatus({}) : {},
    ...(hasStatus ? { parts: { status: statusOnly<KubeObject>({}) } } : {}),
  }
}

/** Their `status`, too, is shown as the object only, as all other parts are. */
const plainStatus: ReadonlySet<string> = new Set(['apiservices', 'customresourcedefinitions', 'resourceclaims'])

function subresources(
  served: readonly CatalogResource[],
  rules: KindRules,
  release: number | undefined,
): ReadonlyMap<string, SubresourceDefinition> {
  const found = new Map<string, SubresourceDefinition>()
  for (const [name, strategy] of Object.entries(rules.parts ?? {})) {
    const resetFields = new Map(served.map((main) => [formatGroupVersion(main), main.resetFields[name] ?? []]))
    const [main] = served
    const verbs = main === undefined ? [] : (findKnownResource(main, `${main.resource}/${name}`, release)?.verbs ?? [])
    found.set(name, {
      type: 'part',
      verbs: new Set(verbs as ('get' | 'update' | 'patch')[]),
      strategy: strategy as Strategy,
      resetFields,
      withoutTable: name !== 'status' || main === undefined || plainStatus.has(main.resource),
    })
  }
  if (rules.scale !== undefined) found.set('scale', rules.scale)
  for (const [name, action] of Object.entries(rules.actions ?? {})) found.set(name, action)
  for (const [name, connect] of connections(served, release)) found.set(name, connect)
  return found
}

/** The version itself where it has none of its own: the hub must stay the hub. */
const withSubresources = (made: ResourceVersion, own: Pick<ResourceVersion, 'subresources'>): ResourceVersion =>
  own.subresources === undefined ? made : { ...made, ...own }

/** All subresources of a version that has more than the others. */
function ownSubresources(
  resource: CatalogResource,
  common: ReadonlyMap<string, SubresourceDefinition>,
  { rules, release }: { readonly rules: KindRules; readonly release: number | undefined },
): Pick<ResourceVersion, 'subresources'> {
  const { versionActions = {} } = rules
  const own = Object.entries(versionActions).filter(
    ([name]) => findKnownResource(resource, `${resource.resource}/${name}`, release) !== undefined,
  )
  if (own.length === 0) return {}
  return { subresources: new Map([...common, ...own.map(([name, make]) => [name, make(resource)] as const)]) }
}
