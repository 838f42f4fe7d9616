/** Runs a Go template on an object, within bounds of steps and of what it writes. Mirrors text/template: Template.Execute. */
import { isJsonObject, type JsonValue } from '../../../api/json.ts'
import { TemplateError } from './template-error.ts'
import {
  type Operand,
  type ParsedTemplate,
  type Pipeline,
  parseTemplate,
  type TemplateNode,
} from './template-parser.ts'
import { isTemplateTrue, kindOf, ownTemplateValue, printed, templateFieldOf } from './template-values.ts'

export type TemplateFunction = (args: readonly JsonValue[]) => JsonValue
/** Undefined: there is no such function. */
export type TemplateFunctions = (name: string) => TemplateFunction | undefined

export interface Template {
  /** Throws a `TemplateError`. */
  execute(dot: JsonValue, functions: TemplateFunctions): string
}

const maxSteps = 50_000
const maxOutputLength = 1 << 20
const maxCallDepth = 50

export function compileTemplate(source: string): Template {
  const parsed = parseTemplate(source.trim())
  return { execute: (dot, functions) => new Execution(parsed, functions).run(dot) }
}

/** What a list of nodes ended with. */
type Flow = 'go on' | 'break' | 'continue'

interface Variable {
  readonly name: string
  value: JsonValue
}

class Execution {
  readonly #template: ParsedTemplate
  readonly #functions: TemplateFunctions
  #variables: Variable[] = []
  #steps = maxSteps
  #depth = 0
  #output = ''

  constructor(template: ParsedTemplate, functions: TemplateFunctions) {
    this.#template = template
    this.#functions = functions
  }

  run(dot: JsonValue): string {
    this.#variables = [{ name: '$', value: dot }]
    this.#nodes(this.#template.root, dot)
    return this.#output
  }

  #step(): void {
    if (--this.#steps < 0) throw new TemplateError(`a template takes at most ${maxSteps} steps`)
  }

  #write(text: string): void {
    this.#output += text
    if (this.#output.length > maxOutputLength)
      throw new TemplateError(`a template writes at most ${maxOutputLength} characters`)
  }

  #nodes(nodes: readonly TemplateNode[], dot: JsonValue): Flow {
    for (const node of nodes) {
      const flow = this.#node(node, dot)
      if (flow !== 'go on') return flow
    }
    return 'go on'
  }

  #node(node: TemplateNode, dot: JsonValue): Flow {
    this.#step()
    switch (node.kind) {
      case 'text':
        this.#write(node.text)
        return 'go on'
      case 'print': {
        const value = this.#pipeline(node.pipeline, dot)
        if (node.pipeline.declares.length === 0) this.#write(printed(value))
        return 'go on'
      }
      case 'break':
      case 'continue':
        return node.kind
      case 'template':
        this.#call(node.name, node.pipeline === undefined ? null : this.#pipeline(node.pipeline, dot))
        return 'go on'
      case 'range':
        return this.#scoped(() => this.#range(node, dot))
      default:
        return this.#scoped(() => {
          const value = this.#pipeline(node.pipeline, dot)
          if (!isTemplateTrue(value)) return this.#nodes(node.otherwise, dot)
          return this.#nodes(node.body, node.kind === 'with' ? value : dot)
        })
    }
  }

  /** Variables that are declared inside end with it. */
  #scoped(run: () => Flow): Flow {
    const before = this.#variables.length
    const flow = run()
    this.#variables.length = before
    return flow
  }

  #call(name: string, dot: JsonValue): void {
    const nodes = this.#template.defined.get(name)
    if (nodes === undefined) throw new TemplateError(`template ${JSON.stringify(name)} not defined`)
    if (++this.#depth > maxCallDepth) throw new TemplateError('templates call each other too deep')
    const outer = this.#variables
    this.#variables = [{ name: '$', value: dot }]
    this.#nodes(nodes, dot)
    this.#variables = outer
    this.#depth--
  }

  #range(node: Extract<TemplateNode, { kind: 'if' | 'with' | 'range' }>, dot: JsonValue): Flow {
    const { declares } = node.pipeline
    const value = this.#commands(node.pipeline, dot)
    const entries = entriesOf(value)
    if (entries.length === 0) return this.#nodes(node.otherwise, dot)
    for (const [key, item] of entries) {
      this.#step()
      const before = this.#variables.length
      const [first, second] = declares
      if (first !== undefined && second === undefined) this.#variables.push({ name: first, value: item })
      if (first !== undefined && second !== undefined) {
        this.#variables.push({ name: first, value: key }, { name: second, value: item })
      }
      const flow = this.#nodes(node.body, item)
      this.#variables.length = before
      if (flow === 'break') break
    }
    return 'go on'
  }

  #pipeline(pipeline: Pipeline, dot: JsonValue): JsonValue {
    const value = this.#commands(pipeline, dot)
    const [name] = pipeline.declares
    if (name === undefined) return value
    if (!pipeline.assigns) this.#variables.push({ name, value })
    else this.#variable(name).value = value
    return value
  }

  /** The value of each command is the last argument of the next one. */
  #commands({ commands }: Pipeline, dot: JsonValue): JsonValue {
    let value: JsonValue | undefined
    for (const command of commands) {
      this.#step()
      if (value !== undefined && command.kind !== 'call')
        throw new TemplateError('a value cannot be piped into a value')
      value = command.kind === 'call' ? this.#function(command, dot, value) : this.#operand(command, dot)
    }
    return value ?? null
  }

  #function({ name, args }: Extract<Operand, { kind: 'call' }>, dot: JsonValue, piped?: JsonValue): JsonValue {
    if (name === 'and' || name === 'or') return this.#shortcut(name, args, { dot, piped })
    const fn = this.#functions(name)
    if (fn === undefined) throw new TemplateError(`function ${JSON.stringify(name)} not defined`)
    const values = args.map((arg) => this.#operand(arg, dot))
    return fn(piped === undefined ? values : [...values, piped])
  }

  /** Arguments after the one that decides are not looked at. */
  #shortcut(
    name: 'and' | 'or',
    args: readonly Operand[],
    { dot, piped }: { dot: JsonValue; piped: JsonValue | undefined },
  ): JsonValue {
    let value: JsonValue = null
    for (const arg of args) {
      value = this.#operand(arg, dot)
      if (isTemplateTrue(value) === (name === 'or')) return value
    }
    return piped ?? value
  }

  #operand(operand: Operand, dot: JsonValue): JsonValue {
    this.#step()
    switch (operand.kind) {
      case 'literal':
        return operand.value
      case 'dot':
        return dot
      case 'variable':
        return this.#variable(operand.name).value
      case 'call':
        return this.#function(operand, dot)
      case 'pipeline':
        return this.#pipeline(operand.pipeline, dot)
      case 'fields':
        return operand.names.reduce(templateFieldOf, this.#operand(operand.target, dot))
    }
  }

  #variable(name: string): Variable {
    const found = this.#variables.findLast((each) => each.name === name)
    if (found === undefined) throw new TemplateError(`undefined variable ${JSON.stringify(name)}`)
    return found
  }
}

/** Maps in the order of their keys; a number counts up to it. */
function entriesOf(value: JsonValue): (readonly [JsonValue, JsonValue])[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.map((item, i) => [i, item] as const)
  if (isJsonObject(value))
    return Object.keys(value)
      .sort()
      .map((key) => [key, ownTemplateValue(value, key)] as const)
  if (typeof value === 'number' && value <= maxSteps)
    return Array.from({ length: Math.max(value, 0) }, (_, i) => [i, i] as const)
  throw new TemplateError(`range can't iterate over a ${kindOf(value)}`)
}
