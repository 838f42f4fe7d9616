/**
 * Conversion of objects between API versions, without a server: of files, for people who move to another release. What
 * a version fills in is filled in, as a server of that version would.
 */
import { formatGroupVersion, type GroupVersion, parseGroupVersion } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { newestRelease } from '../api/release-facts.ts'
import { typesAt } from '../catalog/catalog.ts'
import { type DefaultingContext, defaultObject } from '../catalog/defaults/defaults.ts'
import { type ApiCatalog, catalogAt, defaultRelease, removedResources, successorOf } from '../catalog/releases.ts'
import { type CatalogResource, findResource } from '../catalog/resources.ts'
import type { StoredShape } from '../registry/resource-definition.ts'
import { decodeValue } from '../schema/canonicalize.ts'
import { olderConversionFor } from './conversions/older/older-conversions.ts'
import { conversionFor, conversionHub } from './conversions.ts'
import { type HubParts, olderVersion } from './older-version.ts'

export interface ConversionSettings {
  /** The minor number of the release whose versions and types are meant. */
  readonly release: number
  readonly defaulting: DefaultingContext
  /** Kinds whose older version is that of the store, by `resource.group`. */
  readonly stored: Readonly<Record<string, StoredShape>>
}

export type ConversionResult =
  | { readonly object: KubeObject; readonly unknownFields: readonly string[]; readonly problem?: undefined }
  | { readonly problem: string }

/** The resource of a kind, of a release, an earlier or a later one. */
export function resourceOfKind(apiVersion: string, kind: string, release: number): CatalogResource | undefined {
  const version = parseGroupVersion(apiVersion)
  if (version === undefined) return undefined
  const isIt = (each: CatalogResource): boolean =>
    each.subresource === '' && each.kind === kind && each.group === version.group && each.version === version.version
  return (
    presentAt(release).resources.find(isIt) ??
    [...removedResources()].find(isIt) ??
    [defaultRelease, newestRelease].flatMap((each) => catalogAt(each).resources).find(isIt)
  )
}

/** Earlier releases convert among the versions of the default one. */
const presentAt = (release: number): ApiCatalog => catalogAt(Math.max(release, defaultRelease))

/** The version that objects of a resource should be in today: undefined when there is none. */
export function presentVersion(resource: CatalogResource, release: number): CatalogResource | undefined {
  const successor = isRemoved(resource, release) ? successorOf(resource, release) : resource
  if (successor === undefined) return undefined
  const group = presentAt(release).groups.find((each) => each.group === successor.group)
  const served = group?.versions.filter((each) => each.served) ?? []
  const [preferred] = served.flatMap(
    ({ version }) => findResource({ group: successor.group, version }, successor.resource, release) ?? [],
  )
  return preferred ?? successor
}

const isRemoved = (resource: CatalogResource, release: number): boolean =>
  findResource(resource, resource.resource, release) === undefined

/** `target` undefined: the present version. */
export function convertObject(
  object: KubeObject,
  from: CatalogResource,
  target: GroupVersion | undefined,
  settings: ConversionSettings,
): ConversionResult {
  const to = target === undefined ? presentVersion(from, settings.release) : inVersion(from, target, settings.release)
  if (to === undefined) {
    const wanted = target === undefined ? 'any version of today' : formatGroupVersion(target)
    return { problem: `${from.kind} of ${formatGroupVersion(from)} cannot be converted to ${wanted}` }
  }
  const source = partsOf(from, settings)
  const decoded = decodeValue(object, source.schema, { empties: 'written' })
  if (decoded.error !== undefined) return { problem: decoded.error }
  const unknownFields = decoded.strict.map(({ path }) => path)
  const whole = named(decoded.object, source)
  const filled = source.withDefaults?.(whole) ?? whole
  const goal = partsOf(to, settings)
  if (goal.apiVersion === source.apiVersion) return { object: filled as KubeObject, unknownFields }
  return { object: goal.fromHub(source.toHub(filled as KubeObject)), unknownFields }
}

/** The same resource in another version: it keeps its objects in the same place. */
function inVersion(
  from: CatalogResource,
  { group, version }: GroupVersion,
  release: number,
): CatalogResource | undefined {
  const place = placeOf(from)
  const isIt = (each: CatalogResource): boolean =>
    each.subresource === '' && each.group === group && each.version === version && placeOf(each) === place
  return presentAt(release).resources.find(isIt) ?? [...removedResources()].find(isIt)
}

const placeOf = ({ storage, group, resource }: CatalogResource): string => storage?.keyPrefix ?? `${group}/${resource}`

interface ConvertibleVersion extends HubParts {
  toHub(object: KubeObject): KubeObject
  fromHub(object: KubeObject): KubeObject
}

function partsOf(resource: CatalogResource, settings: ConversionSettings): ConvertibleVersion {
  const own = plainParts(resource, settings)
  const { release } = settings
  const successor = isRemoved(resource, release) ? successorOf(resource, release) : resource
  if (successor === undefined) {
    const conversion = olderConversionFor(resource)
    return { ...own, ...olderVersion(own, own, { ...conversion }) }
  }
  const hubResource = hubOf(successor, release)
  const hub = plainParts(hubResource, settings)
  if (isRemoved(resource, release)) {
    const shape = settings.stored[`${successor.resource}.${successor.group}`]
    const conversion = olderConversionFor(resource)
    const whole = shape === undefined ? conversion : { ...conversion, toHub: shape.fromStored, fromHub: shape.toStored }
    return { ...own, ...olderVersion(own, hub, whole) }
  }
  const conversion = conversionFor(resource, release)
  return {
    ...own,
    toHub: conversion?.toHub ?? ((object) => named(object, hub)),
    fromHub: conversion?.fromHub ?? ((object) => named(object, own)),
  }
}

/** The version that conversions of today go through. */
function hubOf(resource: CatalogResource, release: number): CatalogResource {
  const pinned = conversionHub(resource)
  const stored = pinned === undefined ? resource.storage?.groupVersion : parseGroupVersion(pinned)
  const hub = stored && findResource(stored, resource.resource, release)
  return hub ?? resource
}

function plainParts(resource: CatalogResource, { defaulting, release }: ConversionSettings): HubParts {
  const schema = typesAt(release).schemaForKind(resource)
  if (schema === undefined) throw new Error(`the catalogue has no type for ${resource.resource}`)
  return {
    apiVersion: formatGroupVersion(resource),
    kind: resource.kind,
    schema,
    withDefaults: (object) => defaultObject(object, schema, defaulting),
  }
}

const named = (object: JsonObject, { apiVersion, kind }: HubParts): KubeObject =>
  ({ ...object, apiVersion, kind }) as KubeObject
