// The defaults that are plain data: `+default` markers, and statements of defaulting functions that set a field to a constant
// when it is unset. A statement with any other condition is a rule of its own, which is code (src/catalog/defaults).
import { jsonTag, nameOf } from './go-packages.mjs'
import { statementsOf, walk } from './go-parser.mjs'

/** Where defaulting functions are, with the package of their types. */
const homes = [
  ['staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1', 'apiextensions.v1'],
  ['staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/v1', 'apiregistration.v1'],
]

/** `{ rules: [[type, path, value, gate?]], kinds: [type] }` for the types that there are. */
export function defaultFacts(checkout, { typeNames, declared }) {
  const rules = []
  const kinds = []
  for (const [folder, name] of [...groupHomes(checkout), ...homes]) {
    const home = checkout.package(folder)
    if (home === undefined) continue
    const reader = new DefaultReader(checkout, typeNames)
    for (const each of home.funcs.filter((one) => one.name.startsWith('SetDefaults_'))) {
      rules.push(...reader.rulesOf(each, name))
    }
    kinds.push(...registered(home, name).filter((type) => typeNames.has(type)))
  }
  rules.push(...declared)
  return { rules: rules.filter(([type]) => typeNames.has(type)), kinds }
}

function groupHomes(checkout) {
  return checkout
    .list('pkg/apis')
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: group }) =>
      checkout
        .list(`pkg/apis/${group}`)
        .filter(({ name }) => /^v\d/.test(name))
        .map(({ name }) => [`pkg/apis/${group}/${name}`, `${group}.${name}`]),
    )
}

/** The kinds, not their lists, whose objects are defaulted at all. */
function registered(home, name) {
  const register = home.funcs.find((each) => each.name === 'RegisterDefaults')
  const calls = [...walk((register && statementsOf(register)) ?? [])].filter(
    (each) => each.kind === 'call' && nameOf(each.of) === 'scheme.AddTypeDefaultingFunc',
  )
  return calls
    .map((each) => each.args[0].of.type.name.split('.').at(-1))
    .filter((kind) => !kind.endsWith('List'))
    .map((kind) => `${name}.${kind}`)
}

class DefaultReader {
  #checkout
  #typeNames
  #file
  #rules
  #type

  constructor(checkout, typeNames) {
    this.#checkout = checkout
    this.#typeNames = typeNames
  }

  rulesOf(declared, packageName) {
    const [parameter] = declared.parameters
    const type = parameter?.type.to?.name
    const body = statementsOf(declared)
    if (type === undefined || body === undefined) return []
    const found = this.#checkout.resolveType(declared.file, type)
    const name = found && this.#holder(found.declared, packageName)
    if (name === undefined) return []
    this.#file = declared.file
    this.#type = name
    this.#rules = []
    this.#visit(body, { variables: new Map([[parameter.name, { path: '', type: found.declared }]]), gate: undefined })
    return this.#rules
  }

  /** The type itself, or the one that embeds it. */
  #holder({ name, file }, packageName) {
    const isKnown = (each) => this.#typeNames.has(`${packageName}.${each}`)
    if (isKnown(name)) return `${packageName}.${name}`
    const embeds = ({ type }) =>
      type.kind === 'struct' && type.fields.some((each) => each.embedded && each.name === name)
    const holder = [...file.package.types.values()].find((each) => isKnown(each.name) && embeds(each))
    return holder && `${packageName}.${holder.name}`
  }

  #visit(statements, scope) {
    for (const each of statements) {
      if (each.kind === 'assign' && each.op === ':=') this.#define(each, scope)
      else if (each.kind === 'if') {
        // What follows a way out has a condition.
        if (each.body.some((inner) => inner.kind === 'return')) return
        this.#if(each, scope)
      } else if (each.kind === 'for') this.#for(each, scope)
    }
  }

  #define({ left, right }, { variables }) {
    const target = this.#locate(right[0]?.kind === 'unary' ? right[0].of : right[0], variables)
    if (target !== undefined && left.length === 1) variables.set(left[0].name, target)
    else if (left.length === 1) variables.set(left[0].name, { value: right[0] })
  }

  #if(statement, scope) {
    if (statement.otherwise !== undefined || statement.init !== undefined) return
    const { gate, rest } = this.#gateOf(statement.test)
    if (gate !== undefined && scope.gate !== undefined) return
    const inner = { variables: new Map(scope.variables), gate: gate ?? scope.gate }
    if (rest === undefined) {
      this.#visit(statement.body, inner)
      return
    }
    const path = this.#unsetPath(rest, scope.variables)
    if (path === undefined && rest.op === '!=' && nameOf(rest.right) === 'nil') {
      // Of what is there only in some objects, the items of lists are plain all the same.
      this.#visit(
        statement.body.filter((each) => each.kind === 'for'),
        inner,
      )
    }
    if (path !== undefined) this.#assigned(path, statement.body, inner)
  }

  #gateOf(test) {
    if (test.kind === 'binary' && test.op === '&&') {
      const left = this.#gateOf(test.left)
      if (left.gate !== undefined && left.rest === undefined) return { gate: left.gate, rest: test.right }
      const right = this.#gateOf(test.right)
      if (right.gate !== undefined && right.rest === undefined) return { gate: right.gate, rest: test.left }
    }
    if (test.kind === 'call' && nameOf(test.of)?.endsWith('DefaultFeatureGate.Enabled')) {
      return { gate: nameOf(test.args[0]).split('.').at(-1), rest: undefined }
    }
    return { gate: undefined, rest: test }
  }

  /** The path of `x == nil`, `x == ""`, `x == 0`, `len(x) == 0`. */
  #unsetPath(test, variables) {
    if (test.kind !== 'binary' || test.op !== '==') return undefined
    const zero = this.#checkout.evaluate(this.#file, test.right)
    if (zero !== null && zero !== '' && zero !== 0) return undefined
    const isLength = test.left.kind === 'call' && test.left.of.name === 'len'
    return this.#locate(isLength ? test.left.args[0] : test.left, variables)
  }

  /** The block must do nothing but set the path, or set it up and then set what is in it. */
  #assigned(target, block, { variables, gate }) {
    const locals = new Map(variables)
    let value
    for (const each of block) {
      if (each.kind !== 'assign' && each.kind !== 'other') return
      if (each.kind === 'other') continue
      if (each.op === ':=') this.#define(each, { variables: locals })
      else {
        const [left] = each.left
        const place = this.#locate(left.kind === 'unary' && left.op === '*' ? left.of : left, locals)
        if (place?.path !== target.path) return
        const made = this.#value(each.right[0], locals)
        if (made === undefined && !(each.right[0].kind === 'call' && each.right[0].of.name === 'new')) return
        value = made
      }
    }
    if (value !== undefined) this.#rules.push([this.#type, target.path, value, ...(gate === undefined ? [] : [gate])])
  }

  #value(tree, variables) {
    const inner = tree.kind === 'unary' && tree.op === '&' ? tree.of : tree
    if (inner.kind === 'name' && variables.get(inner.name)?.value !== undefined) {
      return this.#value(variables.get(inner.name).value, variables)
    }
    if (inner.kind === 'call') {
      const name = nameOf(inner.of) ?? nameOf(inner.of.of)
      if (name === 'append') return inner.args.slice(1).map((each) => this.#value(each, variables))
      if (/^intstr\.From(Int|Int32|String)$/.test(name)) return this.#checkout.evaluate(this.#file, inner.args[0])
      if (/^(ptr\.To|utilpointer\.\w+|pointer\.\w+)$/.test(name)) return this.#value(inner.args[0], variables)
      if (inner.args.length === 1 && this.#checkout.resolveType(this.#file, name ?? '') !== undefined) {
        return this.#value(inner.args[0], variables)
      }
    }
    if (inner.kind === 'composite') return this.#composite(inner, variables)
    return this.#checkout.evaluate(this.#file, inner)
  }

  #composite({ type, items }, variables) {
    if (type?.kind === 'slice') {
      const list = items.map((item) => this.#value(item.value, variables))
      return list.includes(undefined) ? undefined : list
    }
    const found = type?.kind === 'name' ? this.#checkout.resolveType(this.#file, type.name)?.declared : undefined
    const made = {}
    for (const { key, value } of items) {
      const field = found && this.#fieldOf(found, nameOf(key))
      const inner = this.#value(value, variables)
      if (field === undefined || inner === undefined) return undefined
      made[field.key] = inner
    }
    return made
  }

  #for({ range, body }, scope) {
    if (range?.kind !== 'range') return
    const list = this.#locate(range.of, scope.variables)
    if (list === undefined) return
    const variables = new Map(scope.variables)
    const [index, item] = range.left
    if (index !== undefined) variables.set(index.name, { index: true })
    if (item !== undefined) {
      variables.set(item.name, { path: `${list.path}[*]`, type: this.#resolve(list.file, list.go?.of) })
    }
    this.#visit(body, { ...scope, variables })
  }

  /** `{ path, type }` of an expression that leads into the object; the path is that of JSON. */
  #locate(tree, variables) {
    if (tree?.kind === 'name') {
      const known = variables.get(tree.name)
      return known?.path === undefined ? undefined : known
    }
    if (tree?.kind === 'unary' && (tree.op === '*' || tree.op === '&')) return this.#locate(tree.of, variables)
    if (tree?.kind === 'index') {
      const of = this.#locate(tree.of, variables)
      if (of === undefined || variables.get(tree.index[0]?.name)?.index !== true) return undefined
      return { path: `${of.path}[*]`, type: this.#resolve(of.file, of.go?.of) }
    }
    if (tree?.kind !== 'select') return undefined
    const of = this.#locate(tree.of, variables)
    const field = of?.type && this.#fieldOf(of.type, tree.name)
    if (field === undefined) return undefined
    const path = [of.path, field.key].filter(Boolean).join('.')
    const go = field.type.kind === 'pointer' ? field.type.to : field.type
    return { path, go, file: field.file, type: this.#resolve(field.file, go) }
  }

  #resolve(file, go) {
    return go?.kind === 'name' ? this.#checkout.resolveType(file, go.name)?.declared : undefined
  }

  /** The field of a struct, also of an embedded one, with its key in JSON; the key is empty for an embedded struct itself. */
  #fieldOf(declared, name) {
    const { type, file } = declared
    if (type.kind !== 'struct') {
      const next = type.kind === 'name' ? this.#resolve(file, type) : undefined
      return next && this.#fieldOf(next, name)
    }
    for (const field of type.fields) {
      const key = (jsonTag(field.tag) ?? '').split(',')[0]
      if (field.name === name) return { key, type: field.type, file }
      if (!field.embedded) continue
      const inner = this.#resolve(file, field.type.kind === 'pointer' ? field.type.to : field.type)
      const found = inner && this.#fieldOf(inner, name)
      if (found !== undefined) return { ...found, key: [key, found.key].filter(Boolean).join('.') }
    }
    return undefined
  }
}
