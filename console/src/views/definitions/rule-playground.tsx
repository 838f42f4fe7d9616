// A validation rule of a custom resource: of a definition of this cluster, or of a schema of one's own; `self` is what is at a place of it.
import { useMemo } from 'preact/hooks'
import { pathOf, preferredKind } from '../../api/discovery.ts'
import { useObjects } from '../../api/live.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import { type Schema, typeText } from '../../api/openapi.ts'
import { parseYaml, toYaml } from '../../lib/edit-text.ts'
import { param, setQuery, textParam } from '../../lib/router.ts'
import {
  exampleOf,
  pathOfText,
  pathText,
  pathTitle,
  type SchemaPath,
  schemaAt,
  schemaPaths,
  valueAt,
} from '../../lib/schema-paths.ts'
import { Button, Notice, Select, TextArea } from '../../ui/parts.tsx'
import { OutcomePanel } from './outcome.tsx'

const exampleSchema = `type: object
properties:
  spec:
    type: object
    properties:
      replicas:
        type: integer
      max:
        type: integer
`

/** At another place there are other values. */
const anew = { expression: '', self: '', oldSelf: '' }

interface Chosen {
  readonly definition: ApiObject | undefined
  readonly version: string
  readonly schema: Schema | undefined
}

function useChosen(definitions: readonly ApiObject[], schemaText: string): Chosen {
  const [name] = param('definition')
  const [wanted] = param('version')
  return useMemo(() => {
    if (name === '') return { definition: undefined, version: '', schema: parseYaml(schemaText).object }
    const definition = definitions.find(({ metadata }) => metadata.name === name)
    const versions: readonly Json[] = definition?.spec?.versions ?? []
    const version =
      versions.find((each) => each.name === wanted) ?? versions.find(({ storage }) => storage) ?? versions[0]
    return { definition, version: version?.name ?? '', schema: version?.schema?.openAPIV3Schema }
  }, [definitions, name, wanted, schemaText])
}

export function RulePlayground() {
  const { objects, state } = useObjects('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')
  const definitions = [...objects].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))
  const [schemaText, setSchemaText] = textParam('schema', exampleSchema)
  const { definition, version, schema } = useChosen(definitions, schemaText)
  const [name] = param('definition')
  const [at] = param('path')
  const path = pathOfText(at)
  const place = schema === undefined ? undefined : schemaAt(schema, path)
  const rules = place?.['x-kubernetes-validations'] ?? []
  const example = useMemo(() => (place === undefined ? '' : toYaml(exampleOf(place))), [place])
  const [expression, setExpression] = textParam('expression', rules[0]?.rule ?? 'self == self')
  const [self, setSelf] = textParam('self', example)
  const [oldSelf, setOldSelf] = textParam('oldSelf')
  const about =
    definition === undefined
      ? { for: 'rule', expression, path, schema: parseYaml(schemaText).object }
      : { for: 'rule', expression, path, definition: definition.metadata.name, version }
  const unknown = name !== '' && definition === undefined && state.phase === 'live'
  return (
    <div class="columns">
      <div class="stack">
        <div class="row end">
          <Select
            label="Definition"
            value={name}
            options={[['', 'a schema of my own'], ...definitions.map(({ metadata }) => metadata.name)]}
            onChange={(value) => setQuery({ definition: value, version: '', path: '' }, anew)}
          />
          {definition !== undefined && (
            <Select
              label="Version"
              value={version}
              options={(definition.spec?.versions ?? []).map((each: Json) => each.name)}
              onChange={(value) => setQuery({ version: value, path: '' }, anew)}
            />
          )}
          {schema !== undefined && <PlaceSelect schema={schema} path={path} />}
        </div>
        {unknown && <Notice tone="bad">There is no definition “{name}”.</Notice>}
        {schema !== undefined && place === undefined && (
          <Notice tone="bad">The schema has no {pathTitle(path)}.</Notice>
        )}
        {rules.length > 0 && (
          <div class="row">
            <span class="quiet">Rules there:</span>
            {rules.map(({ rule }) => (
              <Button key={rule} pressed={rule === expression} onClick={() => setExpression(rule)}>
                <code class="ellipsis">{rule}</code>
              </Button>
            ))}
          </div>
        )}
        <TextArea label="Expression" rows={3} value={expression} onInput={setExpression} />
        {definition !== undefined && (
          <Existing definition={definition} version={version} path={path} onChoose={setSelf} />
        )}
        <TextArea label={`self: ${typeOf(place)} (YAML)`} rows={9} value={self} onInput={setSelf} />
        <TextArea label="oldSelf, of an update (YAML)" rows={3} value={oldSelf} onInput={setOldSelf} />
        {name === '' && <TextArea label="Schema (YAML)" rows={10} value={schemaText} onInput={setSchemaText} />}
      </div>
      <OutcomePanel about={about} texts={{ object: self, oldObject: oldSelf }} />
    </div>
  )
}

const typeOf = (place: Schema | undefined): string =>
  place === undefined ? 'unknown' : typeText(place, (each) => each)

function PlaceSelect({ schema, path }: { readonly schema: Schema; readonly path: SchemaPath }) {
  const places = useMemo(() => schemaPaths(schema), [schema])
  const title = (each: SchemaPath) => {
    const count = schemaAt(schema, each)?.['x-kubernetes-validations']?.length ?? 0
    return `${pathTitle(each)}${count === 0 ? '' : ` (${count} ${count === 1 ? 'rule' : 'rules'})`}`
  }
  return (
    <Select
      label="Where self is"
      value={pathText(path)}
      options={places.map((each) => [pathText(each), title(each)] as const)}
      onChange={(value) => setQuery({ path: value }, anew)}
    />
  )
}

const maxExisting = 100

interface ExistingProps {
  readonly definition: ApiObject
  readonly version: string
  readonly path: SchemaPath
  readonly onChoose: (text: string) => void
}

/** Objects that are there, to take the value of. */
function Existing({ definition, version, path, onChoose }: ExistingProps) {
  const { group, names } = definition.spec
  const kind = preferredKind(group, names.plural)
  const { objects } = useObjects(kind === undefined ? undefined : pathOf({ ...kind, version }))
  if (objects.length === 0) return null
  const shown = objects.slice(0, maxExisting)
  const id = ({ metadata }: ApiObject) => [metadata.namespace, metadata.name].filter(Boolean).join('/')
  const choose = (value: string) => {
    const found = shown.find((each) => id(each) === value)
    if (found !== undefined) onChoose(toYaml(valueAt(found, path) ?? null))
  }
  return (
    <Select
      label="Take self from"
      value=""
      options={[['', 'an object that is there …'], ...shown.map((each) => id(each))]}
      onChange={choose}
    />
  )
}
