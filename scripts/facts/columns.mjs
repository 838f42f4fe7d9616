// The columns of tables: name, type, format and priority of each, never its description. A line a kind.
import { nameOf } from './go-packages.mjs'
import { statementsOf } from './go-parser.mjs'

const folder = 'pkg/printers/internalversion'

/** Lines `group/Kind⇥Name|type|format|priority⇥…`; format and priority are left out when they are empty. */
export function columnFacts(checkout) {
  const handlers = checkout.function(folder, 'AddHandlers')
  const definitions = new Map()
  const lines = new Map()
  for (const each of statementsOf(handlers)) {
    if (each.kind === 'assign' && each.right[0].kind === 'composite') {
      definitions.set(
        each.left[0].name,
        each.right[0].items.map(({ value }) => columnText(checkout, handlers.file, value)),
      )
    }
    const appended = each.kind === 'assign' && nameOf(each.right[0].of) === 'append' ? each.right[0].args[1] : undefined
    if (appended?.kind === 'composite') {
      const more = appended.items.map(({ value }) => columnText(checkout, handlers.file, value))
      definitions.set(each.left[0].name, [...definitions.get(each.left[0].name), ...more])
    }
    const call = each.kind === 'do' ? each.call : each.kind === 'assign' ? each.right[0] : undefined
    if (call?.kind !== 'call' || !nameOf(call.of)?.endsWith('.TableHandler')) continue
    const kind = kindOf(checkout, call.args[1].name)
    if (kind !== undefined && !kind.endsWith('List'))
      lines.set(kind, [kind, ...definitions.get(call.args[0].name)].join('\t'))
  }
  return `${[...lines.keys()]
    .sort()
    .map((kind) => lines.get(kind))
    .join('\n')}\n`
}

function columnText(checkout, file, { items }) {
  const column = Object.fromEntries(
    items
      .filter(({ key }) => key.name !== 'Description')
      .map(({ key, value }) => [key.name, checkout.evaluate(file, value)]),
  )
  return [column.Name, column.Type, column.Format ?? '', column.Priority ?? ''].join('|').replace(/\|+$/, '')
}

/** The kind that a printing function takes: `apps/Deployment`. */
function kindOf(checkout, name) {
  const declared = checkout.function(folder, name)
  const type = declared?.parameters[0].type.to?.name
  if (type === undefined) return undefined
  const [alias, kind] = type.split('.')
  const home = checkout.imported(declared.file, alias)
  const group = home?.consts.get('GroupName')
  return `${group === undefined ? '' : checkout.evaluate(group.file, group.value)}/${kind}`
}
