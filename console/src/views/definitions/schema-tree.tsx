// A schema as a tree that opens where one looks.
import { useState } from 'preact/hooks'
import { type KindSchema, type Schema, typeText } from '../../api/openapi.ts'
import { Badge } from '../../ui/parts.tsx'

interface TreeProps {
  readonly schema: Schema
  readonly resolve: KindSchema['resolve']
  readonly depth?: number
}

export function SchemaTree({ schema, resolve, depth = 0 }: TreeProps) {
  const own = resolve(schema)
  const body = resolve(own.items ?? (typeof own.additionalProperties === 'object' ? own.additionalProperties : own))
  const members = Object.entries(body.properties ?? {})
  const required = new Set(body.required ?? [])
  return (
    <ul class={depth === 0 ? 'schema' : 'schema nested'}>
      {members.map(([name, member]) => (
        <Member key={name} name={name} schema={member} required={required.has(name)} resolve={resolve} depth={depth} />
      ))}
    </ul>
  )
}

interface MemberProps extends TreeProps {
  readonly name: string
  readonly required: boolean
  readonly depth: number
}

function Member({ name, schema, required, resolve, depth }: MemberProps) {
  const own = resolve(schema)
  const [open, setOpen] = useState(depth === 0 && name === 'spec')
  const body = resolve(own.items ?? (typeof own.additionalProperties === 'object' ? own.additionalProperties : own))
  const branch = Object.keys(body.properties ?? {}).length > 0
  return (
    <li>
      <div class="member">
        {branch ? (
          <button
            type="button"
            class="opener"
            aria-expanded={open}
            aria-label={`${open ? 'Close' : 'Open'} ${name}`}
            onClick={() => setOpen(!open)}
          >
            {open ? '▾' : '▸'}
          </button>
        ) : (
          <span class="opener" />
        )}
        <span class="mono tok-key">{name}</span>
        <span class="quiet">{typeText(schema, resolve)}</span>
        {required && <Badge>required</Badge>}
        {limits(own).map((limit) => (
          <span key={limit} class="chip">
            {limit}
          </span>
        ))}
        {own.description && <span class="quiet describe">{own.description}</span>}
      </div>
      {(own['x-kubernetes-validations'] ?? []).map(({ rule, message }) => (
        <div key={rule} class="rule">
          <code>{rule}</code> {message && <span class="quiet">{message}</span>}
        </div>
      ))}
      {open && branch && <SchemaTree schema={own} resolve={resolve} depth={depth + 1} />}
    </li>
  )
}

function limits(schema: Schema): string[] {
  const named = (['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern'] as const).flatMap((key) =>
    schema[key] === undefined ? [] : [`${key} ${schema[key]}`],
  )
  const list = schema['x-kubernetes-list-type']
  return [
    ...named,
    ...(schema.enum === undefined ? [] : [`one of ${schema.enum.map(String).join(', ')}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...(list === undefined
      ? []
      : [
          `list: ${list}${schema['x-kubernetes-list-map-keys'] ? ` by ${schema['x-kubernetes-list-map-keys'].join(', ')}` : ''}`,
        ]),
  ]
}
