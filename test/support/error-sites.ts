/**
 * Where errors of fields are made: the calls of functions that return one. Which of them a run of tests has reached is
 * found in the stacks of the errors that it made.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { observeErrors } from '../../src/api/error-limit.ts'

const source = path.join(import.meta.dirname, '../../src')

/** `resources/checks/checks.ts:31:19`, in the form of a stack. */
export interface ErrorSite {
  readonly at: string
  readonly text: string
}

/** Those of the files and folders given. */
export function errorSites(places: readonly string[]): ErrorSite[] {
  const files = new Files()
  return places
    .flatMap((place) => filesOf(path.join(source, place)))
    .filter((file) => !path.basename(file).startsWith('test-'))
    .flatMap((file) => sitesOf(file, files))
}

function filesOf(place: string): string[] {
  if (place.endsWith('.ts')) return [place]
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => path.join(place, name))
}

function sitesOf(file: string, files: Files): ErrorSite[] {
  const tree = files.tree(file)
  const makers = new Set([...files.ownMakers(file), ...files.importedMakers(file)])
  const sites: ErrorSite[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && makers.has(node.expression.text)) {
      const { line, character } = tree.getLineAndCharacterOfPosition(node.expression.getStart())
      const at = `${path.relative(source, file)}:${line + 1}:${character + 1}`
      sites.push({ at, text: node.getText().replaceAll(/\s+/g, ' ') })
    }
    node.forEachChild(visit)
  }
  visit(tree)
  return sites
}

class Files {
  readonly #trees = new Map<string, ts.SourceFile>()
  readonly #makers = new Map<string, ReadonlySet<string>>()

  tree(file: string): ts.SourceFile {
    const known = this.#trees.get(file)
    if (known !== undefined) return known
    const made = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
    this.#trees.set(file, made)
    return made
  }

  /** The functions that a file has, or passes on, which make one error. */
  ownMakers(file: string): ReadonlySet<string> {
    const known = this.#makers.get(file)
    if (known !== undefined) return known
    const makers = new Set<string>()
    this.#makers.set(file, makers)
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionDeclaration(node) && isMaker(node)) makers.add(node.name?.text ?? '')
      if (ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer)) {
        if (isMaker(node.initializer)) makers.add(node.name.getText())
      }
      node.forEachChild(visit)
    }
    visit(this.tree(file))
    const imported = this.importedMakers(file)
    for (const { node, names } of this.#bindings(file, ts.isExportDeclaration)) {
      const there = node.moduleSpecifier === undefined ? imported : this.#makersOf(file, node.moduleSpecifier)
      for (const { name, original } of names) if (there.has(original)) makers.add(name)
    }
    return makers
  }

  importedMakers(file: string): ReadonlySet<string> {
    const makers = new Set<string>()
    for (const { node, names } of this.#bindings(file, ts.isImportDeclaration)) {
      const there = this.#makersOf(file, node.moduleSpecifier)
      for (const { name, original } of names) if (there.has(original)) makers.add(name)
    }
    return makers
  }

  #makersOf(file: string, specifier: ts.Expression): ReadonlySet<string> {
    const name = (specifier as ts.StringLiteral).text
    return name.startsWith('.') ? this.ownMakers(path.resolve(path.dirname(file), name)) : new Set()
  }

  #bindings<T extends ts.ImportDeclaration | ts.ExportDeclaration>(
    file: string,
    isWanted: (node: ts.Node) => node is T,
  ): { node: T; names: { name: string; original: string }[] }[] {
    return this.tree(file)
      .statements.filter(isWanted)
      .map((node) => {
        const list = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause
        const elements = list !== undefined && 'elements' in list ? [...list.elements] : []
        return {
          node,
          names: elements.map(({ name, propertyName }) => ({ name: name.text, original: (propertyName ?? name).text })),
        }
      })
  }
}

/** Returns one error, and is not given one to say in other words. */
const isMaker = ({ type, parameters }: ts.SignatureDeclaration): boolean =>
  /^FieldError( \| undefined)?$/.test(type?.getText() ?? '') &&
  !parameters.some((parameter) => parameter.type?.getText() === 'FieldError')

export interface SiteRecord {
  /** The sites of the errors that were made so far. */
  reached(): ReadonlySet<string>
  end(): void
}

/** Of all errors that are made from now on. Stacks are read when they are asked for: that takes long, and rules must not. */
export function recordSites(): SiteRecord {
  const reached = new Set<string>()
  const made: Error[] = []
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 40
  observeErrors(() => void made.push(new Error('made here')))
  return {
    reached() {
      for (const { stack = '' } of made.splice(0)) {
        for (const [, at = ''] of stack.matchAll(/\/src\/([^:\s]+:\d+:\d+)/g)) reached.add(at)
      }
      return reached
    },
    end() {
      observeErrors()
      Error.stackTraceLimit = limit
    },
  }
}
