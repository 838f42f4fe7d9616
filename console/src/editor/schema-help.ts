// What the schema says at the cursor: hover for a field's meaning, completion of its members and values.
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { type KindSchema, type Schema, schemaAt, typeText } from '../api/openapi.ts'
import { outline, parentAt } from '../lib/yaml-outline.ts'

export function schemaHover(schema: KindSchema): Extension {
  return hoverTooltip((view, position) => {
    const line = view.state.doc.lineAt(position)
    const column = position - line.from
    const at = outline(view.state.doc.toString()).find(
      (each) => each.line === line.number - 1 && column >= each.from && column <= each.to,
    )
    const found = at === undefined ? undefined : schemaAt(schema, at.path)
    if (at === undefined || found === undefined) return null
    return {
      pos: line.from + at.from,
      end: line.from + at.to,
      create: () => ({ dom: describe(String(at.path.at(-1)), found, schema) }),
    }
  })
}

/** Built node by node: descriptions are data. */
function describe(name: string, schema: Schema, { resolve }: KindSchema): HTMLElement {
  const box = document.createElement('div')
  box.className = 'schema-help'
  const head = document.createElement('div')
  const title = document.createElement('strong')
  title.textContent = name
  const type = document.createElement('span')
  type.className = 'quiet'
  type.textContent = ` ${typeText(schema, resolve)}`
  head.append(title, type)
  box.append(head)
  const add = (text: string) => {
    const line = document.createElement('p')
    line.textContent = text
    box.append(line)
  }
  if (schema.description) add(schema.description)
  if (schema.enum !== undefined) add(`One of: ${schema.enum.map(String).join(', ')}`)
  if (schema.default !== undefined && JSON.stringify(schema.default) !== '{}')
    add(`Default: ${JSON.stringify(schema.default)}`)
  return box
}

export function schemaCompletion(schema: KindSchema): CompletionSource {
  return (context) => valueCompletion(schema, context) ?? keyCompletion(schema, context)
}

function keyCompletion(schema: KindSchema, context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos)
  const before = line.text.slice(0, context.pos - line.from)
  const word = /^(\s*(?:-\s+)*)([\w.-]*)$/.exec(before)
  if (word === null || (word[2] === '' && !context.explicit)) return null
  const from = line.from + (word[1]?.length ?? 0)
  const parent = parentAt(context.state.doc.toString(), line.number - 1, word[1]?.length ?? 0)
  const found = schemaAt(schema, parent)
  const members = Object.entries(found?.properties ?? {})
  const required = new Set(found?.required ?? [])
  if (members.length === 0) return null
  const options = members.map(([name, member]): Completion => {
    const own = schema.resolve(member)
    const opens = own.type === 'object' || own.type === 'array' || own.properties !== undefined
    return {
      label: name,
      type: opens ? 'class' : 'property',
      detail: typeText(member, schema.resolve) + (required.has(name) ? ', required' : ''),
      ...(own.description === undefined ? {} : { info: own.description }),
      apply: `${name}:${opens ? '' : ' '}`,
      boost: required.has(name) ? 1 : 0,
    }
  })
  return { from, options, validFor: /^[\w.-]*$/ }
}

function valueCompletion(schema: KindSchema, context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos)
  const before = line.text.slice(0, context.pos - line.from)
  const value = /:\s+([\w./-]*)$/.exec(before)
  if (value === null) return null
  const at = outline(context.state.doc.toString()).findLast((each) => each.line === line.number - 1)
  const found = at === undefined ? undefined : schemaAt(schema, at.path)
  const values = found?.enum ?? (found?.type === 'boolean' ? [true, false] : [])
  if (values.length === 0) return null
  return {
    from: context.pos - (value[1]?.length ?? 0),
    options: values.map((each) => ({ label: String(each), type: 'constant' })),
    validFor: /^[\w./-]*$/,
  }
}
