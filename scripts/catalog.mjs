// Makes what src has of the facts: `npm run catalog` writes every file that `catalogFiles` makes from facts/. The text form of
// types is described in src/catalog/parse-type.ts, which reads it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const banner = '// Made by scripts/catalog.mjs. Do not edit.\n'
const data = 'src/catalog/data'

/** Folders in which every file is made. */
export const madeFolders = [data, 'src/catalog/types']

/** From the path of a file to its text. */
export function catalogFiles(facts = join(root, 'facts')) {
  const read = (name) => readFileSync(join(facts, name), 'utf8')
  const packages = new Map(
    readdirSync(join(facts, 'types'))
      .sort()
      .map((file) => [file.replace(/\.txt$/, ''), read(`types/${file}`)]),
  )
  const tags = readdirSync(join(facts, 'releases'))
    .sort()
    .map((file) => read(`releases/${file}`).split('\n', 1)[0])
  return new Map([
    ...typeData(packages),
    ...interfaces(packages),
    [
      `${data}/resources.ts`,
      `${banner}export const groupsJson = ${template(read('groups.json'))}\nexport const resourcesJson = ${template(read('resources.json'))}\n`,
    ],
    [
      `${data}/field-selectors.ts`,
      `${banner}export const fieldSelectorsJson = ${template(read('field-selectors.json'))}\n`,
    ],
    [`${data}/defaults.ts`, `${banner}export const defaultsJson = ${template(read('defaults.json'))}\n`],
    [`${data}/internal-types.ts`, `${banner}export const internalTypesText = \`\\\n${read('internal-types.txt')}\`\n`],
    [
      `${data}/scheme-versions.ts`,
      `${banner}export const schemeVersionsText = \`\\\n${read('scheme-versions.txt')}\`\n`,
    ],
    ['src/api/release.ts', releaseText(read('release.txt').trim(), tags)],
    ['src/api/golang/positions.ts', positionsText(read('positions.txt'))],
    ['src/config/feature-gate-table.ts', `${banner}export const featureGateTable = \`\\\n${read('gates.txt')}\`\n`],
    ['src/config/later-feature-gates.ts', laterGatesText(facts, read)],
    [
      'src/config/older-feature-gate-table.ts',
      `${banner}export const olderFeatureGateTable = \`\n${withoutComments(read('older-gates.txt'))}\`\n`,
    ],
  ])
}

const withoutComments = (text) =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')

function releaseText(release, later) {
  const [major, minor] = release.slice(1).split('.')
  return `${banner}
/** The release of the reference whose behaviour is served. */
export const servedRelease = '${release}'
export const servedMajor = ${major}
export const servedMinor = ${minor}

/** The releases after it that can be served, too, by their minor number. */
export const laterReleases: Readonly<Record<number, string>> = {
${later.map((tag) => `  ${tag.split('.')[1]}: '${tag}',\n`).join('')}}
`
}

/** Gates that no release up to the default one has: code may ask for them, and they are off. */
function laterGatesText(facts, read) {
  const known = new Set(gateNames(`${read('gates.txt')}${read('older-gates.txt')}`))
  const later = new Set(readdirSync(join(facts, 'releases')).flatMap((file) => addedGates(read(`releases/${file}`))))
  const names = [...later].filter((name) => !known.has(name)).sort()
  return `${banner}
/** Feature gates that came after the default release. */
export const laterFeatureGates = \`\\\n${names.join('\n')}\`\n`
}

const gateNames = (text) => text.split('\n').map((line) => line.split(' ', 1)[0])

function addedGates(delta) {
  const [, section = ''] = delta.split('\n=gates.txt\n')
  const lines = section.split('\n=', 1)[0].split('\n')
  return gateNames(lines.flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : [])).join('\n'))
}

function positionsText(text) {
  const entries = text
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  return `${banner}
/** Where the reference makes its schemes: messages name a scheme by its position. */
export const schemePositions = {
${entries.map(([name, position]) => `  ${name}: '${position}',\n`).join('')}}
`
}

// ---- types -------------------------------------------------------------------------------------------------------

function typeData(packages) {
  const files = []
  const imports = []
  const entries = []
  for (const [name, text] of packages) {
    const file = name.replaceAll('.', '-')
    const variable = file.replace(/-(.)/g, (_, char) => char.toUpperCase())
    files.push([`${data}/${file}.ts`, `${banner}export const ${variable} = \`${escapeTemplate(text)}\`\n`])
    imports.push(`import { ${variable} } from './${file}.ts'\n`)
    entries.push(`  ['${name}', ${variable}],\n`)
  }
  const body = `export const packages: ReadonlyMap<string, string> = new Map([\n${entries.join('')}])\n`
  return [...files, [`${data}/packages.ts`, `${banner}${imports.join('')}\n${body}`]]
}

const escapeTemplate = (text) => text.replace(/[\\`]|\$\{/g, (match) => `\\${match}`)

/** The text as a template: a line stays a line, so that differences are readable. */
const template = (text) => `\`${escapeTemplate(text)}\``

// ---- interfaces --------------------------------------------------------------------------------------------------

const specialTypes = {
  'machinery.api.resource.Quantity': 'string',
  'machinery.util.intstr.IntOrString': 'number | string',
  'meta.v1.Time': 'string',
  'meta.v1.MicroTime': 'string',
  'machinery.runtime.RawExtension': 'JsonValue',
  'apiextensions.v1.JSON': 'JsonValue',
  'apiextensions.v1.JSONSchemaPropsOrArray': 'JSONSchemaProps | JSONSchemaProps[] | null',
  'apiextensions.v1.JSONSchemaPropsOrBool': 'JSONSchemaProps | boolean',
  'apiextensions.v1.JSONSchemaPropsOrStringArray': 'JSONSchemaProps | string[] | null',
  'meta.v1.FieldsV1': 'JsonValue',
}
const scalarTypes = {
  string: 'string',
  boolean: 'boolean',
  'integer:int32': 'number',
  'integer:int64': 'number',
  'number:double': 'number',
  'string:byte': 'string',
  any: 'JsonValue',
}

function interfaces(packages) {
  const types = new Map([...packages].map(([name, text]) => [name, parseTypes(text)]))
  return [...types].map(([name, members]) => {
    const context = { home: name, types, imports: new Map() }
    const body = [...members].map(([type, fields]) => interfaceText(type, fields, context)).join('\n')
    const head = [...context.imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, names]) => importText(file, names))
    return [
      `src/catalog/types/${name.replaceAll('.', '-')}.ts`,
      `${banner}${head.join('')}${head.length > 0 ? '\n' : ''}${body}`,
    ]
  })
}

/** From a type's name to `[{ name, type, flags }]`. */
function parseTypes(text) {
  const types = new Map()
  for (const part of text.split(/^@/m).slice(1)) {
    const [head, ...lines] = part.trimEnd().split('\n')
    const fields = lines.map((line) => {
      const [name, type, flags = ''] = line.split('\t')
      return { name, type, flags: /^[rpe]+$/.test(flags) ? flags : '' }
    })
    types.set(head.split('\t')[0], fields)
  }
  return types
}

function importText(file, names) {
  const specifiers = [...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  const line = `import type { ${specifiers.join(', ')} } from '${file}'\n`
  return line.length <= 121
    ? line
    : `import type {\n${specifiers.map((name) => `  ${name},\n`).join('')}} from '${file}'\n`
}

function interfaceText(name, fields, context) {
  const lines = fields.map((field) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : `'${field.name}'`
    const always = field.flags.includes('e')
    const text = tsType(field.type, context)
    return `  ${key}${always ? '' : '?'}: ${always && mayBeNull(field) ? `${text} | null` : text}\n`
  })
  return lines.length > 0
    ? `export type ${name} = {\n${lines.join('')}}\n`
    : `export type ${name} = Record<string, never>\n`
}

/** What Go writes as `null` when it is zero. */
const mayBeNull = ({ type, flags }) =>
  flags.includes('p') || /^[[{]/.test(type) || /^(string:byte|meta\.v1\.(Micro)?Time|\.(Micro)?Time)$/.test(type)

function tsType(text, context) {
  if (text.startsWith('[')) {
    const item = tsType(text.slice(1, -1), context)
    return item.includes(' ') ? `(${item})[]` : `${item}[]`
  }
  if (text.startsWith('{')) return `Record<string, ${tsType(text.slice(1, -1), context)}>`
  const full = text.startsWith('.') ? context.home + text : text
  const known = scalarTypes[full] ?? specialTypes[full]
  if (known === undefined) return namedType(full, context)
  if (known === 'JsonValue') addImport(context.imports, '../../api/json.ts', 'JsonValue')
  return known
}

function namedType(full, { home, types, imports }) {
  const dot = full.lastIndexOf('.')
  const [from, name] = [full.slice(0, dot), full.slice(dot + 1)]
  if (from === home) return name
  const clash = types.get(home).has(name)
  const prefix = from.replace(/^\w/, (c) => c.toUpperCase()).replace(/\.(\w)/g, (_, c) => c.toUpperCase())
  const local = clash ? `${prefix}${name}` : name
  addImport(imports, `./${from.replaceAll('.', '-')}.ts`, clash ? `${name} as ${local}` : local)
  return local
}

function addImport(imports, file, name) {
  if (!imports.has(file)) imports.set(file, new Set())
  imports.get(file).add(name)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const folder of madeFolders) {
    rmSync(join(root, folder), { recursive: true, force: true })
    mkdirSync(join(root, folder), { recursive: true })
  }
  for (const [file, text] of catalogFiles()) writeFileSync(join(root, file), text)
}
