// Makes src/catalog/data and src/catalog/types from the facts of the v1.33 API: `npm run catalog [facts folder]`.
// The catalogue's text forms are described in src/catalog/parse-type.ts, which reads them.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const facts = process.argv[2] ?? process.env.PILOTHOUSE_FACTS ?? join(root, '../shared/facts')
const read = (name) => JSON.parse(readFileSync(join(facts, name), 'utf8'))

const { _legend, ...types } = read('types.json')
const goNames = readGoNames()
const banner = '// Made by scripts/catalog.mjs. Do not edit.\n'
const dataFolder = join(root, 'src/catalog/data')
const typesFolder = join(root, 'src/catalog/types')

const packageOf = (name) => name.slice(0, name.lastIndexOf('.'))
const shortOf = (name) => name.slice(name.lastIndexOf('.') + 1)
const byPackage = new Map()
for (const name of Object.keys(types)) {
  const members = byPackage.get(packageOf(name)) ?? []
  byPackage.set(packageOf(name), [...members, name])
}

/** Lines `Type field go.Type`: the Go names that error texts show where the type itself does not tell them. */
function readGoNames() {
  const names = new Map()
  for (const line of readFileSync(join(here, 'go-type-names.txt'), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [type, field, goType] = line.split(' ')
    names.set(`${type} ${field}`, goType)
  }
  return names
}

// ---- types -------------------------------------------------------------------------------------------------------

function writeTypeData() {
  const imports = []
  const entries = []
  for (const name of [...byPackage.keys()].sort()) {
    const file = name.replaceAll('.', '-')
    const variable = file.replace(/-(.)/g, (_, char) => char.toUpperCase())
    const members = byPackage.get(name).filter((type) => !isSpecial(types[type]))
    if (members.length === 0) continue
    const text = members.map((type) => typeText(type, types[type])).join('')
    writeFileSync(join(dataFolder, `${file}.ts`), `${banner}export const ${variable} = \`${escapeTemplate(text)}\`\n`)
    imports.push(`import { ${variable} } from './${file}.ts'\n`)
    entries.push(`  ['${name}', ${variable}],\n`)
  }
  const body = `export const packages: ReadonlyMap<string, string> = new Map([\n${entries.join('')}])\n`
  writeFileSync(join(dataFolder, 'packages.ts'), `${banner}${imports.join('')}\n${body}`)
}

const escapeTemplate = (text) => text.replace(/[\\`]|\$\{/g, (match) => `\\${match}`)

/** Scalars and raw JSON, which src/catalog/parse-type.ts knows by name, and messages that exist in Protobuf only. */
const isSpecial = (type) => type.fields === undefined && type.pb !== null

const isKind = (type) => type.gvk !== undefined || (type.fields?.kind !== undefined && type.extra !== undefined)

function typeText(name, type) {
  const marks = [isKind(type) && type.fields.kind ? 'K' : '', type.mapType === 'atomic' ? 'A' : ''].filter(Boolean)
  if (type.unions) marks.push(`U${type.unions[0].discriminator}:${unionMembers(type.unions[0])}`)
  const lines = Object.entries(type.fields ?? {}).map(([field, fact]) => fieldText(name, field, fact))
  return `@${[shortOf(name), ...marks].join('\t')}\n${lines.join('')}`
}

const unionMembers = (union) =>
  Object.entries(union['fields-to-discriminateBy'])
    .map(([field, value]) => `${field}=${value}`)
    .join(',')

function fieldText(owner, name, fact) {
  const cells = [name, relative(owner, fact.t)]
  const flags = (fact.req ? 'r' : '') + (fact.ptr ? 'p' : '') + (fact.emit ? 'e' : '')
  if (flags) cells.push(flags)
  if (fact.list) cells.push(`L${fact.list === 'map' ? fact.keys.join(',') : `:${fact.list}`}`)
  if (fact.map) cells.push(`M${fact.map}`)
  if (fact.patch) cells.push(`P${fact.patch}${fact.mergeKey ? `:${fact.mergeKey}` : ''}`)
  if (fact.enum) cells.push(`E${fact.enum.join('|')}`)
  if (fact.def !== undefined && types[fact.t]?.fields === undefined) cells.push(`D${JSON.stringify(fact.def)}`)
  if (fact.gate) cells.push(`G${fact.gate.join(',')}`)
  const goName = goNames.get(`${owner} ${name}`)
  if (goName) cells.push(`T${goName}`)
  if (fact.pb) cells.push(protoText(owner, fact))
  return `${cells.join('\t')}\n`
}

const protoScalars = {
  string: 'string',
  boolean: 'bool',
  'integer:int32': 'int32',
  'integer:int64': 'int64',
  'string:byte': 'bytes',
  'number:double': 'double',
}

/** `#1`, `#2.1`; with the message's name where it is not the field's type. */
function protoText(owner, fact) {
  const path = [fact.pb].flat().join('.')
  const base = fact.t.replace(/[[\]{}]/g, '')
  const shape = fact.t.startsWith('[') ? 'rep' : fact.t.startsWith('{') ? 'map' : undefined
  const plain = (protoScalars[base] ?? base) === fact.pt && shape === fact.pl
  return `#${path}${plain ? '' : `:${relative(owner, fact.pt)}`}`
}

/** Type names of the same package are written with a leading dot instead of the package. */
const relative = (owner, text) =>
  text.replace(/[a-zA-Z][\w.]*\.[A-Z]\w*/g, (name) =>
    packageOf(name) === packageOf(owner) ? `.${shortOf(name)}` : name,
  )

// ---- interfaces --------------------------------------------------------------------------------------------------

const specialTypes = {
  'machinery.api.resource.Quantity': 'string',
  'machinery.util.intstr.IntOrString': 'IntOrString',
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

function writeInterfaces() {
  for (const [name, members] of byPackage) {
    const declared = members.filter((type) => specialTypes[type] === undefined && !types[type].wrapper)
    if (declared.length === 0) continue
    const imports = new Map()
    const body = declared.map((type) => interfaceText(type, imports)).join('\n')
    const head = [...imports].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, names]) => importText(file, names))
    writeFileSync(
      join(typesFolder, `${name.replaceAll('.', '-')}.ts`),
      `${banner}${head.join('')}${head.length ? '\n' : ''}${body}`,
    )
  }
}

function importText(file, names) {
  const specifiers = [...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  const line = `import type { ${specifiers.join(', ')} } from '${file}'\n`
  return line.length <= 121
    ? line
    : `import type {\n${specifiers.map((name) => `  ${name},\n`).join('')}} from '${file}'\n`
}

function interfaceText(owner, imports) {
  const fields = Object.entries(types[owner].fields ?? {}).map(([name, fact]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
    const always = fact.emit === 1
    const text = tsType(owner, fact.t, imports)
    return `  ${key}${always ? '' : '?'}: ${always && mayBeNull(fact) ? `${text} | null` : text}\n`
  })
  const name = shortOf(owner)
  return fields.length
    ? `export type ${name} = {\n${fields.join('')}}\n`
    : `export type ${name} = Record<string, never>\n`
}

/** What Go writes as `null` when it is zero. */
const mayBeNull = ({ t, ptr }) =>
  ptr === 1 || /^[[{]/.test(t) || t === 'string:byte' || ['meta.v1.Time', 'meta.v1.MicroTime'].includes(t)

function tsType(owner, text, imports) {
  if (text.startsWith('[')) {
    const item = tsType(owner, text.slice(1, -1), imports)
    return item.includes(' ') ? `(${item})[]` : `${item}[]`
  }
  if (text.startsWith('{')) return `Record<string, ${tsType(owner, text.slice(1, -1), imports)}>`
  const scalar = scalarTypes[text] ?? specialTypes[text]
  if (scalar !== undefined) {
    if (scalar === 'JsonValue') addImport(imports, '../../api/json.ts', 'JsonValue')
    if (scalar === 'IntOrString') return 'number | string'
    return scalar
  }
  return namedType(owner, text, imports)
}

function namedType(owner, text, imports) {
  if (packageOf(text) === packageOf(owner)) return shortOf(text)
  const clash = types[`${packageOf(owner)}.${shortOf(text)}`] !== undefined
  const local = clash
    ? `${packageOf(text)
        .replace(/^\w/, (c) => c.toUpperCase())
        .replace(/\.(\w)/g, (_, c) => c.toUpperCase())}${shortOf(text)}`
    : shortOf(text)
  addImport(imports, `./${packageOf(text).replaceAll('.', '-')}.ts`, clash ? `${shortOf(text)} as ${local}` : local)
  return local
}

function addImport(imports, file, name) {
  if (!imports.has(file)) imports.set(file, new Set())
  imports.get(file).add(name)
}

// ---- resources, selectors, defaults ------------------------------------------------------------------------------

function writeResources() {
  const { groups, resources } = read('resources.json')
  const groupRows = groups.map(({ g, versions, preferred, prio, on }) => ({
    group: g,
    preferred,
    versions: versions.map((version) => ({
      version,
      served: on.includes(version),
      ...(prio[version] ? { priority: prio[version] } : {}),
    })),
  }))
  const text = `${banner}export const groupsJson = '${jsonRows(groupRows)}'\nexport const resourcesJson = '${jsonRows(resources.map(resourceRow))}'\n`
  writeFileSync(join(dataFolder, 'resources.ts'), text)
}

const allVerbs = 'create,delete,deletecollection,get,list,patch,update,watch'

/** Absent means false, empty or the usual; src/catalog/resources.ts fills it in. */
function resourceRow(fact) {
  const [resource, subresource] = fact.r.split('/')
  const row = {
    group: fact.g,
    version: fact.v,
    resource,
    subresource,
    kind: fact.kind,
    kindVersion: fact.kindGV,
    namespaced: fact.ns || undefined,
    singular: fact.singular === fact.kind.toLowerCase() ? undefined : fact.singular,
    shortNames: fact.short,
    categories: fact.cats,
    verbs: fact.verbs.join(',') === allVerbs ? undefined : fact.verbs,
    served: fact.on ? undefined : false,
    gate: fact.gate,
    storedAs: fact.stored,
    hash: fact.hash,
    keyPrefix: fact.etcd,
    introduced: fact.intro,
    deprecated: fact.depr,
    removed: fact.rem,
    replacement: fact.repl,
    createOnUpdate: fact.createOnUpdate || undefined,
    conditionalUpdate: fact.unconditionalUpdate === false || undefined,
    resetFields: fact.resetFields,
    gc: fact.gc,
  }
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
}

/** JSON with one row a line, for readable differences, as the body of a single-quoted string. */
function jsonRows(rows) {
  const lines = rows.map((row) => JSON.stringify(row).replaceAll('\\', '\\\\').replaceAll("'", "\\'"))
  return `[\\\n${lines.join(',\\\n')}\\\n]`
}

function writeFieldSelectors() {
  const selectors = read('fieldselectors.json').perKind.map(({ g, v, r, labels, alias }) => ({
    group: g,
    version: v,
    resource: r,
    labels,
    alias,
  }))
  writeFileSync(
    join(dataFolder, 'field-selectors.ts'),
    `${banner}export const fieldSelectorsJson = '${jsonRows(selectors)}'\n`,
  )
}

/**
 * The rules that are pure data. Those with a condition or a computed value are code, in src/catalog/defaults/*-rules.ts.
 */
function writeDefaults() {
  const { types: rules, roots } = read('defaults.json')
  const plain = []
  for (const [type, list] of Object.entries(rules)) {
    for (const { f, set, when, gate } of list) {
      if (f === undefined || when !== undefined || isComputed(set)) continue
      plain.push([type, f, set, ...(gate ? [gate] : [])])
    }
  }
  const kinds = Object.entries(roots).flatMap(([version, names]) => names.map((kind) => typeOfKind(version, kind)))
  const text = `${banner}export const plainDefaultsJson = '${jsonRows(plain)}'\nexport const defaultedKindsJson = '${jsonRows(kinds.filter(Boolean))}'\n`
  writeFileSync(join(dataFolder, 'defaults.ts'), text)
}

/** The type of a kind; undefined for kinds of versions that are no longer served. */
function typeOfKind(version, kind) {
  const gvk = version.includes('/') ? `${version}/${kind}` : `/${version}/${kind}`
  return Object.keys(types).find(
    (name) => types[name].gvk?.includes(gvk) || (types[name].extra && name === `core.v1.${kind}`),
  )
}

function isComputed(value) {
  return typeof value === 'string' && value.startsWith('{')
}

for (const folder of [dataFolder, typesFolder]) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
}
writeTypeData()
writeInterfaces()
writeResources()
writeFieldSelectors()
writeDefaults()
