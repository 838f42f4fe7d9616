// The packages of a checkout of Kubernetes: files are read and parsed when they are first asked for.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseGo } from './go-parser.mjs'

export class Checkout {
  #packages = new Map()

  constructor(folder) {
    this.folder = folder
    if (!existsSync(join(folder, 'staging/src/k8s.io'))) throw new Error(`${folder} is no checkout of Kubernetes`)
  }

  read(file) {
    return readFileSync(join(this.folder, file), 'utf8')
  }

  has(file) {
    return existsSync(join(this.folder, file))
  }

  list(folder) {
    return this.has(folder) ? readdirSync(join(this.folder, folder), { withFileTypes: true }) : []
  }

  /** The package in a folder of the checkout, or undefined. */
  package(folder) {
    if (!this.#packages.has(folder)) this.#packages.set(folder, this.#load(folder))
    return this.#packages.get(folder)
  }

  /** For long walks, which would keep everything otherwise. */
  forget(folder) {
    this.#packages.delete(folder)
  }

  #load(folder) {
    const names = this.list(folder)
      .filter((entry) => entry.isFile() && entry.name.endsWith('.go') && !entry.name.endsWith('_test.go'))
      .map((entry) => entry.name)
      .sort()
    if (names.length === 0) return undefined
    const made = { folder, name: '', types: new Map(), consts: new Map(), vars: new Map(), funcs: [], doc: [] }
    for (const name of names) this.#add(made, `${folder}/${name}`)
    return made
  }

  #add(made, path) {
    const file = parseGo(this.read(path))
    made.name = file.package
    made.doc.push(...(file.doc ?? []))
    const of = { path, imports: file.imports, package: made }
    for (const [name, declared] of file.types) made.types.set(name, { ...declared, file: of })
    for (const declared of file.consts) made.consts.set(declared.name, { ...declared, file: of })
    for (const [name, declared] of file.vars) made.vars.set(name, { ...declared, file: of })
    for (const declared of file.funcs) made.funcs.push({ ...declared, file: of })
  }

  /** The folder of an import path; undefined for what is not of Kubernetes. */
  folderOf(path) {
    if (path.startsWith('k8s.io/kubernetes/')) return path.slice('k8s.io/kubernetes/'.length)
    const staging = `staging/src/${path}`
    return this.has(staging) ? staging : this.has(`vendor/${path}`) ? `vendor/${path}` : undefined
  }

  imported(file, name) {
    const path = file.imports.get(name)
    const folder = path === undefined ? undefined : this.folderOf(path)
    return folder === undefined ? undefined : this.package(folder)
  }

  /** `{ package, declared }` of a type's name as a file writes it; undefined for what is predeclared or not of Kubernetes. */
  resolveType(file, name) {
    return this.#resolve(file, name, 'types')
  }

  resolveConst(file, name) {
    return this.#resolve(file, name, 'consts')
  }

  resolveVar(file, name) {
    return this.#resolve(file, name, 'vars')
  }

  #resolve(file, name, sort) {
    const [first, second] = name.split('.')
    const home = second === undefined ? file.package : this.imported(file, first)
    const declared = home?.[sort].get(second ?? first)
    return declared && { package: home, declared }
  }

  function(folder, name) {
    return this.package(folder)?.funcs.find((each) => each.name === name)
  }

  /**
   * The value of an expression that is made of literals and constants: a string, a number, a boolean, null for nil, a list,
   * or an object; undefined for anything else.
   */
  evaluate(file, tree) {
    switch (tree?.kind) {
      case 'string':
        return tree.value
      case 'number':
        return /^0[0-7]+$/.test(tree.value) ? Number.parseInt(tree.value, 8) : Number(tree.value)
      case 'name':
      case 'select':
        return this.#named(file, tree)
      case 'unary':
        return this.#unary(file, tree)
      case 'binary':
        return this.#binary(file, tree)
      case 'call':
        return this.#called(file, tree)
      case 'composite':
        return this.#composite(file, tree)
      default:
        return undefined
    }
  }

  #named(file, tree) {
    const name = nameOf(tree)
    if (name === 'true' || name === 'false') return name === 'true'
    if (name === 'nil') return null
    if (name === undefined) return undefined
    if (Object.hasOwn(goConstants, name)) return goConstants[name]
    const constant = this.resolveConst(file, name)
    if (constant !== undefined) return this.evaluate(constant.declared.file, constant.declared.value)
    const variable = this.resolveVar(file, name)
    return variable === undefined ? undefined : this.evaluate(variable.declared.file, variable.declared.value)
  }

  #unary(file, { op, of }) {
    const value = this.evaluate(file, of)
    if (op === '&') return value
    if (op === '-' && typeof value === 'number') return -value
    return op === '!' && typeof value === 'boolean' ? !value : undefined
  }

  #binary(file, { op, left, right }) {
    const [a, b] = [this.evaluate(file, left), this.evaluate(file, right)]
    if (a === undefined || b === undefined) return undefined
    if (op === '+') return a + b
    if (op === '-') return a - b
    if (op === '*') return a * b
    if (op === '/') return Math.trunc(a / b)
    return op === '<<' ? a * 2 ** b : undefined
  }

  /** Conversions, and the functions that make pointers and sets. */
  #called(file, { of, args }) {
    const name = of.kind === 'index' ? nameOf(of.of) : nameOf(of)
    if (name === undefined) return undefined
    if (of.name === 'Seconds' && args.length === 0) return this.evaluate(file, of.of) / second
    if (/^sets\.(NewString|New|NewInt)$/.test(name)) return args.map((each) => this.evaluate(file, each))
    if (args.length !== 1) return undefined
    if (/^(ptr\.To|utilpointer\.\w+|pointer\.\w+|ptr\.\w+)$/.test(name) || predeclared.has(name)) {
      return this.evaluate(file, args[0])
    }
    return this.resolveType(file, name) === undefined ? undefined : this.evaluate(file, args[0])
  }

  #composite(file, { type, items }) {
    if (type?.kind === 'slice' || type?.kind === 'array') return items.map((item) => this.evaluate(file, item.value))
    if (items.some((item) => item.key === undefined)) return items.map((item) => this.evaluate(file, item.value))
    const made = {}
    for (const { key, value } of items) {
      const name = type?.kind === 'map' ? this.evaluate(file, key) : nameOf(key)
      made[name] = this.evaluate(file, value)
    }
    return made
  }
}

const predeclared = new Set(
  'string bool int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 byte rune'.split(' '),
)
const second = 1e9
const goConstants = {
  'time.Nanosecond': 1,
  'time.Millisecond': 1e6,
  'time.Second': second,
  'time.Minute': 60 * second,
  'time.Hour': 3600 * second,
  'math.MaxInt32': 2147483647,
}

export const isPredeclared = (name) => predeclared.has(name)

/** `a.b.c` of names and selections; undefined for anything else. */
export function nameOf(tree) {
  if (tree?.kind === 'name') return tree.name
  if (tree?.kind !== 'select') return undefined
  const of = nameOf(tree.of)
  return of === undefined ? undefined : `${of}.${tree.name}`
}

/** The values of a marker such as `+listType=map` in the comments of a declaration. */
export function markers(doc, name) {
  return doc.flatMap((line) => {
    const text = line.trim()
    if (text === `+${name}`) return ['']
    return text.startsWith(`+${name}=`) ? [text.slice(name.length + 2).trim()] : []
  })
}

export const jsonTag = (tag) => /(?:^|\s)json:"([^"]*)"/.exec(tag)?.[1]
export const tagValue = (tag, name) => new RegExp(`(?:^|\\s)${name}:"([^"]*)"`).exec(tag)?.[1]
