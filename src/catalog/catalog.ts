/**
 * The built-in types by name (`core.v1.Pod`) and by kind. Everything is read on first use, synchronously, and then
 * kept: a schema is the same object for the life of the process, so that what is compiled from it can be cached by it.
 */
import type { GroupVersionKind } from '../api/group-version.ts'
import { isLaterRelease, releaseFacts } from '../api/release-facts.ts'
import type { AnySchema, ObjectSchema, ScalarKind, Schema } from '../schema/schema.ts'
import { packages } from './data/packages.ts'
import { derivedFrom, olderTypeText } from './older/older-types.ts'
import { CatalogType, type TypeHome } from './parse-type.ts'

const scalar = (kind: ScalarKind): Schema => ({ kind })
const raw = (name: string): AnySchema => ({ kind: 'any', name })

/** The text of a package of types; undefined where there is none. */
type PackageText = (packageName: string) => string | undefined

/** A group is known by its whole name: `apps.example.com` and `rbac.authorization.example` belong to others. */
function packageOf(group: string): string {
  const odd = oddPackages.get(group)
  if (odd !== undefined || !group.endsWith(ownDomain)) return odd ?? ''
  const name = group.slice(0, -ownDomain.length)
  return oddNames.has(name) ? '' : name
}

/** The built-in types of one release. Two servers of different releases in one process have a catalogue each. */
export class TypeCatalog {
  readonly #text: PackageText
  readonly #release: number | undefined
  readonly #packageNames: readonly string[]
  /** The types of a package: text until first used. */
  readonly #packages = new Map<string, Map<string, string | CatalogType>>()
  readonly #olderTypes = new Map<string, CatalogType>()
  readonly #specialTypes: ReadonlyMap<string, Schema>

  constructor(packageNames: readonly string[], text: PackageText, release?: number) {
    this.#packageNames = packageNames
    this.#text = text
    this.#release = release
    this.#specialTypes = specialTypesOf((name) => this.typeSchema(name))
  }

  /** Any built-in type by its name, also those that are not objects (`meta.v1.Time`). */
  readonly schemaOf = (name: string): Schema => {
    const schema = this.#specialTypes.get(name) ?? this.#findType(name) ?? this.#findSpecial(name)
    if (schema === undefined) throw new Error(`the catalogue has no type ${name}`)
    return schema
  }

  /** A built-in object type by its name: `core.v1.Pod`. A name that the catalogue does not have is a mistake and throws. */
  readonly typeSchema = (name: string): ObjectSchema => {
    const schema = this.schemaOf(name)
    if (schema.kind !== 'object') throw new Error(`${name} is not an object type`)
    return schema
  }

  /** A built-in object type as the catalogue has it; undefined where there is none. */
  readonly typeNamed = (name: string): CatalogType | undefined => this.#findType(name);

  /** The names of all built-in object types, package by package. */
  *typeNames(): Generator<string> {
    for (const name of this.#packageNames) {
      for (const type of this.#loadPackage(name)?.keys() ?? []) yield `${name}.${type}`
    }
  }

  /** The type of a built-in kind; undefined when there is none. */
  readonly schemaForKind = ({ group, version, kind }: GroupVersionKind): ObjectSchema | undefined => {
    const packageName = `${packageOf(group)}.${version}`
    const type = this.#findType(`${packageName}.${kind}`)
    if (type?.isKind) return type
    if (!isMachineryGroup(group, version) && !everywhere.has(kind)) return undefined
    const shared = this.#findType(`meta.v1.${kind}`)
    return shared?.isKind || everywhere.has(kind) ? shared : undefined
  }

  /** Whether any version of a group has the kind. */
  hasKind(group: string, kind: string): boolean {
    const versions = `${packageOf(group)}.`
    return this.#packageNames.some(
      (name) => name.startsWith(versions) && this.#findType(`${name}.${kind}`)?.isKind === true,
    )
  }

  #loadPackage(name: string): Map<string, string | CatalogType> | undefined {
    const loaded = this.#packages.get(name)
    if (loaded !== undefined) return loaded
    const text = this.#text(name)
    if (text === undefined) return undefined
    const types = new Map<string, string | CatalogType>()
    for (const type of text.slice(1).split('\n@')) types.set(/^\w+/.exec(type)?.[0] ?? '', type)
    this.#packages.set(name, types)
    return types
  }

  #findType(name: string): CatalogType | undefined {
    const dot = name.lastIndexOf('.')
    const types = this.#loadPackage(name.slice(0, dot))
    const short = name.slice(dot + 1)
    const type = types?.get(short)
    if (types === undefined || type === undefined) return this.#findOlderType(name.slice(0, dot), short)
    if (typeof type !== 'string') return type
    const parsed = new CatalogType(type, this.#home(name.slice(0, dot)))
    types.set(short, parsed)
    return parsed
  }

  #home(packageName: string): TypeHome {
    return { packageName, release: this.#release, lookup: this.schemaOf }
  }

  /** A type that only API versions of earlier releases have. */
  #findOlderType(packageName: string, short: string): CatalogType | undefined {
    const name = `${packageName}.${short}`
    const known = this.#olderTypes.get(name)
    if (known !== undefined) return known
    const text = olderTypeText(packageName, short)
    if (text === undefined) return undefined
    const type = new CatalogType(text, this.#home(packageName))
    this.#olderTypes.set(name, type)
    return type
  }

  /** A type that is no object is the same in all versions. */
  #findSpecial(name: string): Schema | undefined {
    const dot = name.lastIndexOf('.')
    const names = [name, ...derivedFrom(name.slice(0, dot)).map((base) => base + name.slice(dot))]
    return names.map((each) => this.#specialTypes.get(each)).find((found) => found !== undefined)
  }
}

function specialTypesOf(typeSchema: (name: string) => ObjectSchema): ReadonlyMap<string, Schema> {
  /** A value that is a JSON schema, or something else in its place. */
  const schemaOr = (name: string): AnySchema => ({
    kind: 'any',
    name,
    get object() {
      return typeSchema('apiextensions.v1.JSONSchemaProps')
    },
  })
  return new Map<string, Schema>([
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
}

const ownDomain = '.k8s.io'

/** Groups that are not called after their package. */
const oddPackages: ReadonlyMap<string, string> = new Map([
  ['', 'core'],
  ['apps', 'apps'],
  ['autoscaling', 'autoscaling'],
  ['batch', 'batch'],
  ['extensions', 'extensions'],
  ['policy', 'policy'],
  ['rbac.authorization.k8s.io', 'rbac'],
  ['flowcontrol.apiserver.k8s.io', 'flowcontrol'],
  ['internal.apiserver.k8s.io', 'apiserverinternal'],
  ['audit.k8s.io', 'apiserver.audit'],
])
const oddNames: ReadonlySet<string> = new Set(oddPackages.values())

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

const isMachineryGroup = (group: string, version: string): boolean =>
  (group === '' || group === 'meta.k8s.io') && version === 'v1'

export const defaultTypes = new TypeCatalog([...packages.keys()], (name) => packages.get(name))
const laterTypes = new Map<number, TypeCatalog>()

/** The types of a release. Those before the default one have its types. */
export function typesAt(release: number): TypeCatalog {
  if (!isLaterRelease(release)) return defaultTypes
  const known = laterTypes.get(release)
  if (known !== undefined) return known
  const facts = releaseFacts(release)
  const text = (name: string): string | undefined => facts.text(`types/${name}.txt`, packages.get(name))
  const added = facts.names.flatMap((name) => /^types\/(.*)\.txt$/.exec(name)?.[1] ?? [])
  const names = [...new Set([...packages.keys(), ...added])].filter((name) => text(name) !== undefined)
  const types = new TypeCatalog(names, text, release)
  laterTypes.set(release, types)
  return types
}

/** The types of the release that a built-in type is of; those of the default one where there is none. */
export const typesOf = (schema: ObjectSchema | undefined): TypeCatalog =>
  schema?.release === undefined ? defaultTypes : typesAt(schema.release)

/** Of the default release: what follows is for types that are the same in all of them, and where no server is concerned. */
export const { schemaOf, typeSchema, typeNamed, schemaForKind } = defaultTypes
export const typeNames = (): Generator<string> => defaultTypes.typeNames()
