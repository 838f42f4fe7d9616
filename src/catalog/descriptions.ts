/**
 * What the built-in types and their fields are for, as OpenAPI and `kubectl explain` show it: the lines of
 * `facts/descriptions/GROUP.txt`, one file for all versions of a group. Nothing is read before a description is asked
 * for, and then only the file of its group.
 *
 *     CronJobSpec.suspend: Whether no further jobs are started. Default: false.
 *     IngressBackend.resource@v1beta1: …
 *     *List.items: The {kind} objects of the list.
 *
 * A line for one version beats the one for all of them. Lines that begin with `*`, in `shared.txt`, are templates for what
 * has no line of its own: the fields of kinds, of their lists (`{kind}` is that of the items), and of conditions.
 */
import { readPackageFile } from '../lib/package-file.ts'
import { defaultTypes, type TypeCatalog } from './catalog.ts'
import { derivedFrom } from './older/older-types.ts'

type Descriptions = ReadonlyMap<string, string>

/** What a type is; undefined when no line says so. */
export const describedType = (typeName: string, types = defaultTypes): string | undefined =>
  describe(typeName, '', types)

/** What a field of a type is for; undefined when no line says so. */
export const describedField = (typeName: string, field: string, types = defaultTypes): string | undefined =>
  describe(typeName, `.${field}`, types)

/** What every kind has, for kinds that are not built in: `key` is that of a template, such as `*List.items`. */
export const describedShared = (key: string, kind = ''): string =>
  linesOf('shared').get(key)?.replaceAll('{kind}', kind) ?? ''

function describe(typeName: string, field: string, types: TypeCatalog): string | undefined {
  const dot = typeName.lastIndexOf('.')
  const type = typeName.slice(dot + 1)
  return inPackage(typeName.slice(0, dot), type + field) ?? template(types, typeName, field)
}

function inPackage(packageName: string, key: string): string | undefined {
  const lines = linesOf(descriptionGroup(packageName))
  const version = packageName.slice(packageName.lastIndexOf('.') + 1)
  const own = lines.get(`${key}@${version}`) ?? lines.get(key)
  if (own !== undefined) return own
  for (const base of derivedFrom(packageName)) {
    const found = inPackage(base, key)
    if (found !== undefined) return found
  }
  return undefined
}

function template(types: TypeCatalog, typeName: string, field: string): string | undefined {
  const type = typeName.slice(typeName.lastIndexOf('.') + 1)
  if (type.endsWith('Condition')) return linesOf('shared').get(`*Condition${field}`)
  if (!types.typeNamed(typeName)?.isKind) return undefined
  const keys = type.endsWith('List') ? [`*List${field}`, `*${field}`] : [`*${field}`]
  const key = keys.find((each) => linesOf('shared').has(each))
  return key === undefined ? undefined : describedShared(key, type.replace(/List$/, ''))
}

/** The name of a package's file: `apps.v1` is in `apps`, `apiserver.audit.v1` in `apiserver-audit`. */
export const descriptionGroup = (packageName: string): string =>
  packageName.startsWith('machinery.') ? 'machinery' : packageName.replace(/\.v[^.]*$/, '').replaceAll('.', '-')

const files = new Map<string, Descriptions>()

function linesOf(group: string): Descriptions {
  const known = files.get(group)
  if (known !== undefined) return known
  const lines = parseDescriptions(readGroup(group))
  files.set(group, lines)
  return lines
}

export function parseDescriptions(text: string): Descriptions {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(': ')
      if (colon < 0) throw new Error(`a description has no colon: ${line}`)
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
}

/** Seen from the built program, and from the sources. */
const folders = ['./data/descriptions/', '../../facts/descriptions/']

function readGroup(group: string): string {
  for (const folder of folders) {
    const text = readPackageFile(new URL(`${folder}${group}.txt`, import.meta.url))
    if (text !== undefined) return text
  }
  return ''
}
