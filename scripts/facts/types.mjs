// The types of the API, from the Go structs: JSON tags, markers and Protobuf tags, in the text form that
// src/catalog/parse-type.ts reads. One text a package.
import { isPredeclared, jsonTag, markers, tagValue } from './go-packages.mjs'

/** Types that travel beside the resources. No OpenAPI document has them, so they carry no marks of one. */
const machineryRoots = {
  'core.v1':
    'PodLogOptions PodExecOptions PodAttachOptions PodPortForwardOptions PodProxyOptions NodeProxyOptions ServiceProxyOptions RangeAllocation PodStatusResult SerializedReference',
  'meta.v1':
    'ListOptions GetOptions CreateOptions UpdateOptions PatchOptions ApplyOptions Table TableColumnDefinition TableRow TableRowCondition TableOptions PartialObjectMetadata PartialObjectMetadataList TypeMeta List RootPaths GroupVersionKind GroupVersionResource GroupKind GroupResource GroupVersion Timestamp',
  'machinery.runtime': 'TypeMeta Unknown',
  'apidiscovery.v2': 'APIGroupDiscoveryList',
  'admission.v1': 'AdmissionReview',
  'apiserver.audit.v1': 'Event EventList Policy PolicyList',
  'imagepolicy.v1alpha1': 'ImageReview',
  'apiextensions.v1': 'ConversionReview',
}

/** What every OpenAPI document has beside the kinds. */
const documentRoots = {
  'meta.v1': 'APIGroup APIGroupList APIResourceList APIVersions DeleteOptions Patch Status WatchEvent',
  'machinery.version': 'Info',
}

/** Types with a JSON form of their own, which src/catalog/parse-type.ts knows by name. */
const special = new Set([
  ...['apiextensions.v1.JSON', 'apiextensions.v1.JSONSchemaPropsOrArray', 'apiextensions.v1.JSONSchemaPropsOrBool'],
  ...['apiextensions.v1.JSONSchemaPropsOrStringArray', 'machinery.api.resource.Quantity', 'meta.v1.FieldsV1'],
  ...['meta.v1.MicroTime', 'meta.v1.Time', 'machinery.runtime.RawExtension', 'machinery.util.intstr.IntOrString'],
])
const scalars = {
  string: 'string',
  bool: 'boolean',
  int: 'integer:int32',
  int32: 'integer:int32',
  int64: 'integer:int64',
  uint: 'integer:int32',
  uint8: 'integer:int32',
  float64: 'number:double',
}
const zeroes = { string: '', boolean: false, integer: 0, number: 0 }
/** Serialized as a string although they are structs. */
const strings = new Set(['meta.v1.Duration'])

/** Upstream's own OpenAPI: not everything that is marked as an enumeration is one there. */
const openApi = 'pkg/generated/openapi/zz_generated.openapi.go'

const api = 'staging/src/k8s.io/api/'
const machinery = 'staging/src/k8s.io/apimachinery/pkg/'
const apiserver = 'staging/src/k8s.io/apiserver/pkg/apis/'
const elsewhere = {
  'meta.v1': `${machinery}apis/meta/v1`,
  'apiextensions.v1': 'staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1',
  'apiregistration.v1': 'staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/v1',
}

function folderOf(name) {
  if (elsewhere[name] !== undefined) return elsewhere[name]
  if (name.startsWith('machinery.')) return machinery + name.slice('machinery.'.length).replaceAll('.', '/')
  if (name.startsWith('apiserver.')) return apiserver + name.slice('apiserver.'.length).replaceAll('.', '/')
  return api + name.replace('.', '/')
}

function packageName(folder) {
  const known = Object.entries(elsewhere).find(([, each]) => each === folder)
  if (known !== undefined) return known[0]
  if (folder.startsWith(api)) return folder.slice(api.length).replace('/', '.')
  if (folder.startsWith(apiserver)) return `apiserver.${folder.slice(apiserver.length).replaceAll('/', '.')}`
  if (folder.startsWith(machinery)) return `machinery.${folder.slice(machinery.length).replaceAll('/', '.')}`
  return folder
}

/** `rbac.v1` of `rbac.authorization.k8s.io`, `v1`. */
export function packageOfVersion(group, version) {
  if (group === '') return `core.${version}`
  if (group === 'internal.apiserver.k8s.io') return `apiserverinternal.${version}`
  return `${group.split('.')[0]}.${version}`
}

/**
 * `texts`: from the name of a package to the text of its types; `names` of all types; `declared` and `validation`: the
 * defaults and the rules that markers declare. `kinds`: `{ group, version, kind }` of what is served.
 */
export function typeTexts(checkout, kinds) {
  const reader = new TypeReader(checkout)
  for (const [name, roots] of Object.entries(documentRoots)) reader.addAll(name, roots.split(' '), true)
  for (const { group, version, kind } of kinds) {
    const name = packageOfVersion(group, version)
    const machine = machineryRoots[name]?.split(' ') ?? []
    const names = [kind, `${kind}List`].filter((each) => reader.has(name, each) && !machine.includes(each))
    reader.addAll(name, names, true)
  }
  for (const [name, roots] of Object.entries(machineryRoots)) reader.addAll(name, roots.split(' '), false)
  const { declared, validation } = reader
  return { texts: reader.texts(), names: reader.names(), declared, validation: `${validation.sort().join('\n')}\n` }
}

class TypeReader {
  #checkout
  /** By full name: `{ text, documented }`. */
  #made = new Map()
  /** `[type, field, value]` */
  declared = []
  /** Lines `type.field +k8s:…` */
  validation = []
  /** `function.field` of the enumerations in upstream's OpenAPI. */
  #enumerated

  constructor(checkout) {
    this.#checkout = checkout
    this.#enumerated = enumeratedFields(checkout.read(openApi))
  }

  has(packageOf, name) {
    return this.#checkout.package(folderOf(packageOf))?.types.has(name) === true
  }

  addAll(packageOf, names, documented) {
    for (const name of names) {
      const declared = this.#checkout.package(folderOf(packageOf))?.types.get(name)
      if (declared === undefined) throw new Error(`there is no type ${packageOf}.${name}`)
      this.#add(declared, documented)
    }
  }

  names() {
    return new Set(this.#made.keys())
  }

  texts() {
    const byPackage = new Map()
    for (const name of [...this.#made.keys()].sort()) {
      const home = name.slice(0, name.lastIndexOf('.'))
      byPackage.set(home, (byPackage.get(home) ?? '') + this.#made.get(name).text)
    }
    return byPackage
  }

  #add(declared, documented) {
    const target = declared.alias ? this.#aliased(declared) : declared
    const home = packageName(target.file.package.folder)
    const name = `${home}.${target.name}`
    if (special.has(name) || strings.has(name) || this.#made.has(name)) return
    const made = { text: '' }
    this.#made.set(name, made)
    if (!hasJson(this.#structOf(target))) {
      made.text = this.#messageText(target)
      return
    }
    const fields = this.#fieldsOf(target, { home, documented, owner: name, shownIn: target })
    const marks = []
    if (this.#isKind(target)) marks.push('K')
    if (documented && (markers(target.doc, 'structType')[0] ?? markers(target.doc, 'mapType')[0]) === 'atomic') {
      marks.push('A')
    }
    const union = documented && markers(target.doc, 'union').length > 0 ? unionMark(fields) : undefined
    if (union !== undefined) marks.push(union)
    made.text = `@${[target.name, ...marks].join('\t')}\n${fields.map((field) => `${field.cells.join('\t')}\n`).join('')}`
  }

  /** A type that exists in Protobuf only, from the message of its package. */
  #messageText({ name, file }) {
    const proto = this.#checkout.read(`${file.package.folder}/generated.proto`)
    const body = new RegExp(`^message ${name} \\{\\n(.*?)^\\}`, 'ms').exec(proto)?.[1] ?? ''
    const fields = [...body.matchAll(/^ {2}optional (\S+) (\S+) = (\d+);$/gm)].map(([, type, field, number]) => {
      const text = { bytes: 'string:byte' }[type] ?? (scalars[type] === undefined ? `.${type}` : scalars[type])
      return `${field}\t${text}\t#${number}\n`
    })
    return `@${name}\n${fields.join('')}`
  }

  #aliased(declared) {
    const { file, type } = declared
    return this.#checkout.resolveType(file, type.name)?.declared ?? declared
  }

  #isKind(declared) {
    return this.#structOf(declared).type.fields.some(({ name, embedded }) => embedded && name === 'TypeMeta')
  }

  /** The fields in the order of JSON; those of embedded structs stand in its place. */
  #fieldsOf(declared, context, path = []) {
    const { file, type } = this.#structOf(declared)
    return type.fields.flatMap((field) => {
      const [key, ...options] = (jsonTag(field.tag) ?? '').split(',')
      if (key === '-' || (field.name.match(/^[a-z]/) && !field.embedded)) return []
      const number = tagValue(field.tag, 'protobuf')?.split(',')[1]
      const numbers = number === undefined || number === '-' ? path : [...path, number]
      if (field.embedded && key === '') {
        const inner = this.#checkout.resolveType(file, field.type.name ?? field.type.to.name)
        return this.#fieldsOf(
          inner.declared,
          { ...context, owner: undefined },
          number === undefined ? [...path, undefined] : numbers,
        )
      }
      return [this.#field(field, { ...context, file, key, options, numbers: number === undefined ? [] : numbers })]
    })
  }

  #structOf(declared) {
    if (declared.type.kind === 'struct') return declared
    const next = this.#checkout.resolveType(declared.file, declared.type.name)
    return this.#structOf(next.declared)
  }

  #field(field, context) {
    const { key, options, documented, numbers } = context
    const pointer = field.type.kind === 'pointer'
    const type = pointer ? field.type.to : field.type
    const shape = this.#shape(type, context)
    const omits = options.includes('omitempty') || options.includes('omitzero')
    const required = markers(field.doc, 'required').length > 0
    const optional = !required && (omits || markers(field.doc, 'optional').length > 0)
    const emits = !omits || (!pointer && shape.isStruct && !options.includes('omitzero'))
    const cells = [key, this.#relative(context.home, shape.text)]
    const flags = (documented && !optional ? 'r' : '') + (pointer ? 'p' : '') + (emits ? 'e' : '')
    if (flags !== '') cells.push(flags)
    if (documented) cells.push(...this.#documentMarks(field, { ...context, shape, pointer, omits }))
    const gates = documented ? markers(field.doc, 'featureGate').map((text) => text.split(' ', 1)[0]) : []
    if (gates.length > 0) cells.push(`G${gates.join(',')}`)
    if (shape.goName !== undefined) cells.push(`T${shape.goName}`)
    if (numbers.length > 0 && !numbers.includes(undefined)) {
      cells.push(
        `#${numbers.join('.')}${shape.message === undefined ? '' : `:${this.#relative(context.home, shape.message)}`}`,
      )
    }
    const discriminator = markers(field.doc, 'unionDiscriminator').length > 0
    return { key, goName: field.name, doc: field.doc, discriminator, pointer, cells }
  }

  #documentMarks(field, { shape, pointer, omits, file, owner, key, shownIn }) {
    const cells = []
    if (owner !== undefined) this.#noteRules(`${owner}.${key}`, field.doc)
    const list = markers(field.doc, 'listType')[0]
    if (list !== undefined) cells.push(`L${list === 'map' ? markers(field.doc, 'listMapKey').join(',') : `:${list}`}`)
    const map = markers(field.doc, 'mapType')[0] ?? markers(field.doc, 'structType')[0]
    if (map !== undefined) cells.push(`M${map}`)
    const patch = markers(field.doc, 'patchStrategy')[0] ?? tagValue(field.tag, 'patchStrategy')
    const mergeKey = markers(field.doc, 'patchMergeKey')[0] ?? tagValue(field.tag, 'patchMergeKey')
    if (patch !== undefined) cells.push(`P${patch}${mergeKey === undefined ? '' : `:${mergeKey}`}`)
    if (shape.enum !== undefined && this.#enumerated.has(`${openApiName(shownIn)}.${key}`))
      cells.push(`E${shape.enum.join('|')}`)
    const fallback = this.#default(field, { shape, pointer, omits, file })
    if (fallback !== undefined) cells.push(`D${JSON.stringify(fallback)}`)
    if (owner !== undefined && markers(field.doc, 'default').length > 0 && fallback !== undefined)
      this.declared.push([owner, key, fallback])
    return cells
  }

  #noteRules(place, doc) {
    const rules = doc
      .map((line) => line.trim())
      .filter((line) => /^\+k8s:(?!(conversion|deepcopy|openapi|prerelease|deprecated))/.test(line))
    this.validation.push(...rules.map((rule) => `${place} ${rule}`))
  }

  /** As OpenAPI has it: a marker, or the zero value of what is always written. Structs have none here. */
  #default(field, { shape, pointer, omits, file }) {
    const marker = markers(field.doc, 'default')[0]
    if (marker !== undefined && !shape.isStruct) return this.#markedDefault(marker, file)
    if (pointer || omits || shape.zero === undefined) return undefined
    return shape.zero
  }

  #markedDefault(text, file) {
    const reference = /^ref\((.*)\)$/.exec(text)?.[1]
    if (reference === undefined) return JSON.parse(text)
    const dot = reference.lastIndexOf('.')
    const home = dot < 0 ? file.package : this.#checkout.package(this.#checkout.folderOf(reference.slice(0, dot)))
    const constant = home?.consts.get(reference.slice(dot + 1))
    if (constant === undefined) throw new Error(`no constant ${reference} in ${file.path}`)
    return this.#checkout.evaluate(constant.file, constant.value)
  }

  /** `{ text, isStruct, zero, enum, goName, message }` of a Go type. */
  #shape(type, context) {
    const { file } = context
    if (type.kind === 'slice') return this.#sliceShape(type, context)
    if (type.kind === 'map') {
      const value = this.#shape(stripPointer(type.value), context)
      const key = this.#shape(type.key, context)
      const goName =
        key.goName === undefined && value.goName === undefined
          ? undefined
          : `map[${key.goName ?? 'string'}]${value.goName ?? this.#goName(stripPointer(type.value), file)}`
      return { text: `{${value.text}}`, enum: value.enum, goName, message: value.message }
    }
    if (type.kind === 'interface') return { text: 'any' }
    if (type.kind !== 'name') throw new Error(`a field of kind ${type.kind}`)
    return this.#namedShape(type, context)
  }

  #sliceShape(type, context) {
    if (type.of.kind === 'name' && (type.of.name === 'byte' || type.of.name === 'uint8')) return { text: 'string:byte' }
    const item = this.#shape(stripPointer(type.of), context)
    return { text: `[${item.text}]`, enum: item.enum, goName: item.goName && `[]${item.goName}`, message: item.message }
  }

  #namedShape({ name }, context) {
    const { file, documented } = context
    if (isPredeclared(name)) return { text: scalars[name], zero: zeroes[scalars[name].split(':')[0]] }
    const found = this.#checkout.resolveType(file, name)
    if (found === undefined) throw new Error(`no type ${name} in ${file.path}`)
    const declared = found.declared.alias ? this.#aliased(found.declared) : found.declared
    const full = `${packageName(declared.file.package.folder)}.${declared.name}`
    const goName = `${declared.file.package.name}.${declared.name}`
    if (strings.has(full)) return { text: 'string', isStruct: true, zero: '' }
    if (special.has(full)) return { text: full, isStruct: true }
    if (declared.type.kind === 'interface') return { text: 'any', isStruct: false }
    if (declared.type.kind === 'struct' || this.#isStructName(declared)) {
      this.#add(declared, documented)
      return { text: full, isStruct: true, ...(this.#structOf(declared).type.fields.length === 0 && { zero: {} }) }
    }
    const under = this.#shape(declared.type, { ...context, file: declared.file })
    const made = { ...under, goName, enum: this.#enum(declared) }
    if (under.text.startsWith('[') && tagged(declared, 'protobuf.nullable')) made.message = full
    return made
  }

  #isStructName(declared) {
    if (declared.type.kind !== 'name' || isPredeclared(declared.type.name)) return false
    const next = this.#checkout.resolveType(declared.file, declared.type.name)?.declared
    return next !== undefined && (next.type.kind === 'struct' || this.#isStructName(next))
  }

  #enum(declared) {
    const { file, name } = declared
    if (markers(declared.doc, 'enum').length === 0) return undefined
    const values = [...file.package.consts.values()]
      .filter(({ type, value }) => (type ?? (value?.kind === 'call' ? value.of : undefined))?.name === name)
      .map((constant) => this.#checkout.evaluate(constant.file, constant.value))
    return [...new Set(values)].sort()
  }

  #goName(type, file) {
    if (isPredeclared(type.name)) return type.name
    const { declared } = this.#checkout.resolveType(file, type.name)
    return `${declared.file.package.name}.${declared.name}`
  }

  /** Names of the same package are written with a leading dot instead of it. */
  #relative(home, text) {
    return text.replace(/[a-zA-Z][\w.]*\.[A-Z]\w*/g, (name) => {
      const dot = name.lastIndexOf('.')
      return name.slice(0, dot) === home ? name.slice(dot) : name
    })
  }
}

const hasJson = ({ type }) =>
  type.fields.every(({ tag }) => jsonTag(tag) !== undefined || tagValue(tag, 'protobuf') === undefined)
const stripPointer = (type) => (type.kind === 'pointer' ? type.to : type)
const tagged = (declared, marker) => declared.doc.some((line) => line.trim().startsWith(`+${marker}`))

/** `Udiscriminator:field=Value,…`; a union need not have a discriminator. */
function unionMark(fields) {
  const discriminator = fields.find((field) => field.discriminator)
  const members = fields.filter((field) => field !== discriminator && field.pointer)
  const pairs = members.map(({ key, goName }) => `${key}=${goName}`).sort()
  return `U${discriminator?.key ?? ''}:${pairs.join(',')}`
}

/** The name of the function that makes a type's schema in upstream's OpenAPI. */
const openApiName = ({ name, file }) =>
  [...file.package.folder.split('/').slice(-4), name].join('_').replaceAll(/[.]/g, '').replaceAll('-', '_')

function enumeratedFields(text) {
  const found = new Set()
  let type
  let field
  for (const line of text.split('\n')) {
    type = /^func schema_(\w+)\(/.exec(line)?.[1] ?? type
    field = /^\t{5}"([^"]+)": \{$/.exec(line)?.[1] ?? field
    if (/^\t+Enum: /.test(line)) found.add(`${type}.${field}`)
  }
  return found
}
