// A schema as a tree that opens where one looks; what is open is in the address. Rules lead to where they can be tried.
import { type KindSchema, type Schema, typeText } from '../../api/openapi.ts'
import { param } from '../../lib/router.ts'
import { pathText, type SchemaPath } from '../../lib/schema-paths.ts'
import { Badge } from '../../ui/parts.tsx'

interface TreeContext {
  readonly resolve: KindSchema['resolve']
  /** Where a rule can be tried. */
  readonly tryHref: (path: SchemaPath, rule: string) => string
}

interface TreeProps {
  readonly schema: Schema
  readonly context: TreeContext
}

export function SchemaTree({ schema, context }: TreeProps) {
  const [text, setText] = param('open', 'spec')
  const open = new Set(text.split(','))
  const toggle = (path: SchemaPath) => {
    const id = pathText(path)
    if (!open.delete(id)) open.add(id)
    setText([...open].filter(Boolean).join(','))
  }
  return <Members schema={schema} path={[]} {...{ context, open, toggle }} />
}

interface MembersProps extends TreeProps {
  readonly path: SchemaPath
  readonly open: ReadonlySet<string>
  readonly toggle: (path: SchemaPath) => void
}

/** What a list or a map holds, with the step that leads there. */
function bodyOf(own: Schema, { resolve }: TreeContext): { readonly body: Schema; readonly step: SchemaPath } {
  const element = own.items ?? (typeof own.additionalProperties === 'object' ? own.additionalProperties : undefined)
  return element === undefined ? { body: own, step: [] } : { body: resolve(element), step: ['*'] }
}

function Members({ schema, path, context, open, toggle }: MembersProps) {
  const own = context.resolve(schema)
  const { body, step } = bodyOf(own, context)
  const at = [...path, ...step]
  const required = new Set(body.required ?? [])
  return (
    <>
      {path.length === 0 && <Rules schema={own} path={path} context={context} />}
      <ul class={path.length === 0 ? 'schema' : 'schema nested'}>
        {Object.entries(body.properties ?? {}).map(([name, member]) => (
          <Member
            key={name}
            name={name}
            schema={member}
            required={required.has(name)}
            path={[...at, name]}
            {...{ context, open, toggle }}
          />
        ))}
      </ul>
    </>
  )
}

interface MemberProps extends MembersProps {
  readonly name: string
  readonly required: boolean
}

function Member({ name, schema, required, path, context, open, toggle }: MemberProps) {
  const own = context.resolve(schema)
  const { body, step } = bodyOf(own, context)
  const branch = Object.keys(body.properties ?? {}).length > 0
  const isOpen = open.has(pathText(path))
  return (
    <li>
      <div class="member">
        {branch ? (
          <button
            type="button"
            class="opener"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Close' : 'Open'} ${name}`}
            onClick={() => toggle(path)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        ) : (
          <span class="opener" />
        )}
        <span class="mono tok-key">{name}</span>
        <span class="quiet">{typeText(schema, context.resolve)}</span>
        {required && <Badge>required</Badge>}
        {limits(own).map((limit) => (
          <span key={limit} class="chip">
            {limit}
          </span>
        ))}
        {own.description && <span class="quiet describe">{own.description}</span>}
      </div>
      <Rules schema={own} path={path} context={context} />
      {step.length > 0 && <Rules schema={body} path={[...path, ...step]} context={context} />}
      {isOpen && branch && <Members schema={own} path={path} {...{ context, open, toggle }} />}
    </li>
  )
}

function Rules({ schema, path, context }: TreeProps & { readonly path: SchemaPath }) {
  return (
    <>
      {(schema['x-kubernetes-validations'] ?? []).map(({ rule, message }) => (
        <div key={rule} class="rule">
          {path.at(-1) === '*' && <span class="quiet">each: </span>}
          <code>{rule}</code> {message && <span class="quiet">{message} </span>}
          <a class="linked" href={context.tryHref(path, rule)}>
            try it
          </a>
        </div>
      ))}
    </>
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
