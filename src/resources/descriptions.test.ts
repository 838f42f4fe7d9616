/**
 * The descriptions of the built-in types hold what the facts hold. Sentences in a fixed form are compared with them:
 *
 * - `Default: X.` is what defaulting gives, and stands wherever it gives something but an empty object. More may follow
 *   X after a blank (`Default: 1 when …`). A default that depends on the object, or is a list of objects, reads
 *   `Default: the …`. What an absent value means to whoever reads it is no default: `Absent means …`.
 * - `One of: A, B, C.` lists all values of an enumeration, the empty one as `""`, and stands wherever there is one.
 * - `Immutable.`, or `Immutable …`: an update cannot change it, or not always.
 * - `Needs the gate X.` stands wherever a field belongs to a gate that is not generally available yet.
 *
 * What came with a later release is looked at as its newest one has it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import { newestRelease } from '../api/release-facts.ts'
import { type TypeCatalog, typeNamed, typeNames, typesAt } from '../catalog/catalog.ts'
import { describedField, describedType, descriptionGroup, parseDescriptions } from '../catalog/descriptions.ts'
import { olderPackages } from '../catalog/older/older-packages.ts'
import { defaultRelease } from '../catalog/releases.ts'
import { resolveFeatureGates } from '../config/feature-gates.ts'
import type { Field, Schema } from '../schema/schema.ts'
import { observedDefaults } from './test-defaults.ts'
import { isCalledImmutable, isImmutable } from './test-immutability.ts'

const folder = path.join(import.meta.dirname, '../../facts/descriptions')
const source = path.join(import.meta.dirname, '..')
const files = readdirSync(folder).filter((file) => file.endsWith('.txt'))
const longest = 320

/** Types that are no objects, and so have no fields. */
const plainTypes = [
  'machinery.api.resource.Quantity',
  'machinery.util.intstr.IntOrString',
  'meta.v1.Time',
  'meta.v1.MicroTime',
  'meta.v1.FieldsV1',
  'meta.v1.Patch',
  'machinery.runtime.RawExtension',
  'apiextensions.v1.JSON',
  'apiextensions.v1.JSONSchemaPropsOrArray',
  'apiextensions.v1.JSONSchemaPropsOrBool',
  'apiextensions.v1.JSONSchemaPropsOrStringArray',
]

/** All object types, those of earlier releases among them. */
const current = new Set(typeNames())
const older = olderTypeNames()

/** The newest first: fields are those of the newest release that has the type. */
const laterCatalogs = Array.from({ length: newestRelease - defaultRelease }, (_, i) => typesAt(newestRelease - i))
const types = new Set([...current, ...older, ...laterCatalogs.flatMap((catalog) => [...catalog.typeNames()])])

function olderTypeNames(): string[] {
  const found = new Set<string>()
  const visit = (schema: Schema): void => {
    if (schema.kind === 'list') visit(schema.items)
    if (schema.kind === 'map') visit(schema.values)
    if (schema.kind !== 'object' || schema.name === undefined || found.has(schema.name)) return
    found.add(schema.name)
    for (const field of schema.fields.values()) visit(field.schema)
  }
  for (const [name, { kinds }] of olderPackages) {
    for (const kind of kinds.flatMap((each) => [each, `${each}List`])) {
      const type = typeNamed(`${name}.${kind}`)
      if (type !== undefined) visit(type)
    }
  }
  return [...found]
}

/** A field, with the catalogue that has it. */
interface KnownField {
  readonly field: Field
  readonly catalog: TypeCatalog
  readonly release: number
}

/** Those of the default release as they are there, then what later ones added. */
const knownFields = new Map([...types].map((type) => [type, allFields(type)]))

function allFields(type: string): KnownField[] {
  const found = new Map<string, KnownField>()
  const releases = [defaultRelease, ...laterCatalogs.map((_, i) => newestRelease - i)]
  for (const release of releases) {
    const catalog = typesAt(release)
    for (const field of catalog.typeNamed(type)?.fields.values() ?? []) {
      if (!found.has(field.name)) found.set(field.name, { field, catalog, release })
    }
  }
  return [...found.values()]
}

const fieldsOf = (type: string): KnownField[] => knownFields.get(type) ?? []
/** The newest catalogue that has a type. */
const catalogOf = (type: string): TypeCatalog =>
  [typesAt(defaultRelease), ...laterCatalogs].find((catalog) => catalog.typeNamed(type) !== undefined) ??
  typesAt(defaultRelease)
const packageOf = (type: string): string => type.slice(0, type.lastIndexOf('.'))
const shortOf = (type: string): string => type.slice(type.lastIndexOf('.') + 1)
const fileOf = (type: string): string => descriptionGroup(packageOf(type))

interface Described extends KnownField {
  readonly type: string
  readonly text: string
}

const described: Described[] = [...types].flatMap((type) =>
  fieldsOf(type).flatMap((known) => {
    const text = describedField(type, known.field.name, known.catalog)
    return text === undefined ? [] : [{ ...known, type, text }]
  }),
)

/** What does not hold, as lines to read. */
const failures = (check: (each: Described) => string | undefined): string[] =>
  described.flatMap((each) => {
    const failure = check(each)
    return failure === undefined ? [] : [`${each.type}.${each.field.name}: ${failure}`]
  })

describe('descriptions of built-in types', () => {
  it('are there for every type and field', () => {
    const missing = [...types, ...plainTypes].flatMap((type) => [
      ...(describedType(type, catalogOf(type)) === undefined ? [type] : []),
      ...fieldsOf(type)
        .filter(({ field, catalog }) => describedField(type, field.name, catalog) === undefined)
        .map(({ field }) => `${type}.${field.name}`),
    ])
    expect(missing).toEqual([])
  })

  test.each(files.filter((file) => file !== 'shared.txt'))('%s names nothing that is not there', (file) => {
    const group = file.slice(0, -'.txt'.length)
    const known = new Set<string>()
    const versions = new Set<string>()
    for (const type of [...types, ...plainTypes]) {
      if (fileOf(type) !== group) continue
      const version = packageOf(type).split('.').at(-1) ?? ''
      versions.add(version)
      for (const key of [shortOf(type), ...fieldsOf(type).map(({ field }) => `${shortOf(type)}.${field.name}`)]) {
        known.add(key).add(`${key}@${version}`)
      }
    }
    const keys = [...lines(file).keys()]
    expect(keys.filter((key) => !known.has(key))).toEqual([])
  })

  test.each(files)('%s has one plain line a field, those of a type together', (file) => {
    const raw = readFileSync(path.join(folder, file), 'utf8')
    const shown = raw.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(shown.length, 'a key stands twice').toBe(lines(file).size)
    const odd = shown.filter((line) => {
      const text = line.slice(line.indexOf(': ') + 2)
      return (
        text.replace(/One of: .*?\.( |$)/, '').length > longest ||
        !/^["`A-Z0-9].*[.`]$/.test(text) ||
        /\s\s|\s$/.test(text)
      )
    })
    expect(odd).toEqual([])
    const owners = [...lines(file).keys()].map((key) => key.replace(/[.@].*/, ''))
    const runs = owners.filter((owner, i) => owner !== owners[i - 1])
    expect(runs.filter((owner, i) => runs.indexOf(owner) !== i)).toEqual([])
  })

  it('say the same only of fields with a word in common', () => {
    const names = new Map<string, Set<string>>()
    for (const [key, text] of files.flatMap((file) => [...lines(file)])) {
      const subject = `${key.includes('.') ? 'field' : 'type'}: ${text}`
      names.set(subject, (names.get(subject) ?? new Set()).add(key.replace(/^.*\.|@.*$/g, '')))
    }
    const unlike = [...names].filter(([, fields]) => commonWords([...fields]).length === 0)
    expect(unlike.map(([text, fields]) => [text, ...fields])).toEqual([])
  })

  it('say another thing of a field than of its type, which clients show below', () => {
    const same = failures(({ field, text }) => {
      const type = objectOf(field.schema)
      return type !== undefined && describedType(type) === text ? `is described as ${type}` : undefined
    })
    expect(same).toEqual([])
  })

  it('state the defaults that defaulting gives, and no others', () => {
    const defaults = observedDefaults()
    const wrong = failures(({ type, field, text }) =>
      current.has(type) ? defaultFailure(text, defaultsOf(defaults, type, field)) : undefined,
    )
    expect(wrong).toEqual([])
  })

  it('list the values of enumerations', () => {
    const literals = sourceText()
    expect(failures(({ field, text }) => valuesFailure(text, enumOf(field.schema), literals))).toEqual([])
  })

  it('call immutable what an update cannot change', () => {
    const seen = new Set<string>()
    const wrong = failures(({ type, field, text, release }) => {
      if (!/(^|\. )Immutable\b/.test(text) || release !== defaultRelease || !current.has(type) || seen.has(text + type))
        return undefined
      seen.add(text + type)
      return isImmutable(type, field.name) ? undefined : 'can be changed'
    })
    expect(wrong).toEqual([])
  })

  it('say so where rules call a field immutable', () => {
    const silent = failures(({ type, field, text }) =>
      current.has(type) && !/immutable|can(not)? (be )?change/i.test(text) && isCalledImmutable(type, field.name)
        ? 'is immutable'
        : undefined,
    )
    expect(silent).toEqual([])
  })

  it('name the gates that fields need', () => {
    const stagesAt = new Map([defaultRelease, ...laterCatalogs.map((_, i) => newestRelease - i)].map(stagesOf))
    const wrong = failures(({ field, text, release }) => {
      const stages = stagesAt.get(release)
      const optional = (gate: string): boolean => stages?.has(gate) === true && stages.get(gate) !== 'ga'
      const named = [...text.matchAll(/\bNeeds the gate (\w+(?: and \w+)?)/g)].flatMap(([, gates = '']) =>
        gates.split(' and '),
      )
      const unknown = named.filter((gate) => !optional(gate))
      if (unknown.length > 0) return `nothing can turn off: ${unknown.join(', ')}`
      // One of several is enough.
      const { gates = [] } = field
      const missing = gates.every(optional) && !gates.every((gate) => named.includes(gate))
      return missing ? `needs the gate ${gates.join(', ')}` : undefined
    })
    expect(wrong).toEqual([])
  })
})

const stagesOf = (release: number): [number, ReadonlyMap<string, string>] => [
  release,
  new Map(
    resolveFeatureGates(new Map(), { major: 1, minor: release })
      .all()
      .map(({ name, stage }) => [name, stage]),
  ),
]

/** `targetSelector` and `selectors` have one. */
function commonWords(names: readonly string[]): string[] {
  const [first = [], ...others] = names.map((name) =>
    name.split(/(?=[A-Z])/).map((word) => word.toLowerCase().replace(/s$/, '')),
  )
  return first.filter((word) => others.every((words) => words.includes(word)))
}

function lines(file: string): ReadonlyMap<string, string> {
  return parseDescriptions(readFileSync(path.join(folder, file), 'utf8'))
}

/** As JSON: those that defaulting gives, and the one that the schema states. */
function defaultsOf(
  observed: ReadonlyMap<string, ReadonlySet<string>>,
  type: string,
  { name, schema }: Field,
): ReadonlySet<string> {
  const stated = schema.default === undefined || isZero(schema.default) ? [] : [JSON.stringify(schema.default)]
  return new Set([...stated, ...[...(observed.get(`${type}.${name}`) ?? [])].filter((each) => !each.startsWith('{'))])
}

const isZero = (value: JsonValue): boolean => value === '' || value === 0 || value === false

function defaultFailure(text: string, defaults: ReadonlySet<string>): string | undefined {
  const stated = [...text.matchAll(/\bDefault: ("[^"]*"|\[[^\]]*\]|\S+)/g)].map(([, value]) =>
    (value ?? '').replace(/[.,;]$/, ''),
  )
  if (stated.length === 0) return defaults.size === 0 ? undefined : `the default is ${[...defaults].join(' or ')}`
  if (defaults.size === 0) return 'there is no default'
  const shown = new Set([...defaults].map(plain))
  const told = defaults.size > 1 || [...defaults].some((each) => each.startsWith('[{'))
  const unknown = stated.filter((value) => !(value === 'the' && told) && !shown.has(value))
  return unknown.length === 0 ? undefined : `the default is ${[...shown].join(' or ')}`
}

/** A default as a text shows it: `Always`, `30`, `[Ingress, Egress]`. */
function plain(json: string): string {
  const value = JSON.parse(json) as JsonValue
  if (Array.isArray(value)) return `[${value.map(String).join(', ')}]`
  return value === '' ? '""' : String(value)
}

function objectOf(schema: Schema): string | undefined {
  if (schema.kind === 'list') return objectOf(schema.items)
  if (schema.kind === 'map') return objectOf(schema.values)
  return 'name' in schema ? schema.name : undefined
}

function enumOf(schema: Schema): readonly JsonValue[] | undefined {
  if (schema.kind === 'list') return enumOf(schema.items)
  if (schema.kind === 'map') return enumOf(schema.values)
  return 'enum' in schema ? schema.enum : undefined
}

function valuesFailure(text: string, values: readonly JsonValue[] | undefined, literals: string): string | undefined {
  const [, list] = /\bOne of: (.+?)\.(?: |$)/.exec(text) ?? []
  const stated = list?.split(', ')
  if (values === undefined) {
    // The rules that know them are code.
    const unknown = stated?.filter((value) => value !== '""' && !literals.includes(`'${value}'`)) ?? []
    return unknown.length === 0 ? undefined : `unknown values: ${unknown.join(', ')}`
  }
  const wanted = values.map((value) => (value === '' ? '""' : String(value))).sort()
  return JSON.stringify(stated?.sort()) === JSON.stringify(wanted) ? undefined : `one of: ${wanted.join(', ')}`
}

function sourceText(): string {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(source, file), 'utf8'))
    .join('\n')
}
