/**
 * The built-in types by name (`core.v1.Pod`) and by kind. Everything is read on first use, synchronously, and then
 * kept: a schema is the same object for the life of the process, so that what is compiled from it can be cached by it.
 */
import type { GroupVersionKind } from '../api/group-version.ts'
import type { AnySchema, ObjectSchema, ScalarKind, Schema } from '../schema/schema.ts'
import { packages } from './data/packages.ts'
import { derivedFrom, olderTypeText } from './older/older-types.ts'
import { CatalogType } from './parse-type.ts'

const scalar = (kind: ScalarKind): Schema => ({ kind })
const raw = (name: string): AnySchema => ({ kind: 'any', name })

/** A value that is a JSON schema, or something else in its place. */
const schemaOr = (name: string): AnySchema => ({
  kind: 'any',
  name,
  get object() {
    return typeSchema('apiextensions.v1.JSONSchemaProps')
  },
})

const specialTypes: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['machinery.api.resource.Quantity', scalar('quantity')],
  ['machinery.util.intstr.IntOrString', scalar('int-or-string')],
  ['meta.v1.Time', scalar('time')],
  ['meta.v1.MicroTime', scalar('micro-time')],
  ['meta.v1.FieldsV1', raw('meta.v1.FieldsV1')],
  ['machinery.runtime.RawExtension', raw('machinery.runtime.RawExtension')],
  ['apiextensions.v1.JSON', raw('apiextensions.v1.JSON')],
  ['apiextensions.v1.JSONSchemaPropsOrArray', schemaOr('apiextensions.v1.JSONSchemaPropsOrArray')],
  ['apiextensions.v1.JSONSchemaPropsOrBool', schemaOr('apiextensions.v1.JSONSchemaPropsOrBool')],
  ['apiextensions.v1.JSONSchemaPropsOrStringArray', schemaOr('apiextensions.v1.JSONSchemaPropsOrStringArray')],
])

/** The types of a package: text until first used. */
const loadedPackages = new Map<string, Map<string, string | CatalogType>>()

function loadPackage(name: string): Map<string, string | CatalogType> | undefined {
  const loaded = loadedPackages.get(name)
  if (loaded !== undefined) return loaded
  const text = packages.get(name)
  if (text === undefined) return undefined
  const types = new Map<string, string | CatalogType>()
  for (const type of text.slice(1).split('\n@')) types.set(/^\w+/.exec(type)?.[0] ?? '', type)
  loadedPackages.set(name, types)
  return types
}

function findType(name: string): CatalogType | undefined {
  const dot = name.lastIndexOf('.')
  const types = loadPackage(name.slice(0, dot))
  const short = name.slice(dot + 1)
  const type = types?.get(short)
  if (types === undefined || type === undefined) return findOlderType(name.slice(0, dot), short)
  if (typeof type !== 'string') return type
  const parsed = new CatalogType(name.slice(0, dot), type, schemaOf)
  types.set(short, parsed)
  return parsed
}

const olderTypes = new Map<string, CatalogType>()

/** A type that only API versions of earlier releases have. */
function findOlderType(packageName: string, short: string): CatalogType | undefined {
  const name = `${packageName}.${short}`
  const known = olderTypes.get(name)
  if (known !== undefined) return known
  const text = olderTypeText(packageName, short)
  if (text === undefined) return undefined
  const type = new CatalogType(packageName, text, schemaOf)
  olderTypes.set(name, type)
  return type
}

/** A type that is no object is the same in all versions. */
function findSpecial(name: string): Schema | undefined {
  const dot = name.lastIndexOf('.')
  const names = [name, ...derivedFrom(name.slice(0, dot)).map((base) => base + name.slice(dot))]
  return names.map((each) => specialTypes.get(each)).find((found) => found !== undefined)
}

/** Any built-in type by its name, also those that are not objects (`meta.v1.Time`). */
export function schemaOf(name: string): Schema {
  const schema = specialTypes.get(name) ?? findType(name) ?? findSpecial(name)
  if (schema === undefined) throw new Error(`the catalogue has no type ${name}`)
  return schema
}

/** A built-in object type by its name: `core.v1.Pod`. A name that the catalogue does not have is a mistake and throws. */
export function typeSchema(name: string): ObjectSchema {
  const schema = schemaOf(name)
  if (schema.kind !== 'object') throw new Error(`${name} is not an object type`)
  return schema
}

/** A built-in object type as the catalogue has it; undefined where there is none. */
export const typeNamed = (name: string): CatalogType | undefined => findType(name)

/** The names of all built-in object types, package by package. */
export function* typeNames(): Generator<string> {
  for (const name of packages.keys()) {
    for (const type of loadPackage(name)?.keys() ?? []) yield `${name}.${type}`
  }
}

const oddPackages: Readonly<Record<string, string>> = {
  '': 'core',
  'internal.apiserver.k8s.io': 'apiserverinternal',
  'audit.k8s.io': 'apiserver.audit',
}

/** Kinds of the machinery that every group version knows. */
const everywhere = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
])

/** The type of a built-in kind; undefined when there is none. */
export function schemaForKind({ group, version, kind }: GroupVersionKind): ObjectSchema | undefined {
  const packageName = `${oddPackages[group] ?? group.split('.')[0]}.${version}`
  const type = findType(`${packageName}.${kind}`)
  if (type?.isKind) return type
  if (!isMachineryGroup(group, version) && !everywhere.has(kind)) return undefined
  const shared = findType(`meta.v1.${kind}`)
  return shared?.isKind || everywhere.has(kind) ? shared : undefined
}

const isMachineryGroup = (group: string, version: string): boolean =>
  (group === '' || group === 'meta.k8s.io') && version === 'v1'
