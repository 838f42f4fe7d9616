// An expression of an admission policy, with all that such an expression sees.
import { useObjects } from '../../api/live.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import { parseValue, toYaml } from '../../lib/edit-text.ts'
import { param, setQuery, textParam } from '../../lib/router.ts'
import { Button, Notice, Select, TextArea } from '../../ui/parts.tsx'
import { OutcomePanel } from './outcome.tsx'

const example = {
  expression: "object.spec.containers.all(c, c.image.contains(':') && !c.image.endsWith(':latest'))",
  object:
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n    image: web:1.2\n',
  request: 'operation: CREATE\nuserInfo:\n  username: alice\n  groups:\n  - system:authenticated\n',
}

export function PolicyPlayground() {
  const { objects } = useObjects('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies')
  const [name] = param('policy')
  const policy = objects.find(({ metadata }) => metadata.name === name)
  const [expression, setExpression] = textParam('expression', firstExpression(policy) ?? example.expression)
  const [object, setObject] = textParam('object', example.object)
  const [oldObject, setOldObject] = textParam('oldObject')
  const [request, setRequest] = textParam('request', example.request)
  const [params, setParams] = textParam('params')
  const [namespaceObject, setNamespaceObject] = textParam('namespaceObject')
  const [variables, setVariables] = textParam('variables', variablesText(policy))
  const composed = variablesOf(variables)
  return (
    <div class="columns">
      <div class="stack">
        <Select
          label="Policy"
          value={name}
          options={[['', 'none: an expression of my own'], ...objects.map(({ metadata }) => metadata.name).sort()]}
          onChange={(value) => setQuery({ policy: value }, { expression: '', variables: '' })}
        />
        <Expressions policy={policy} current={expression} onChoose={setExpression} />
        <TextArea label="Expression" rows={4} value={expression} onInput={setExpression} />
        <TextArea label="object (YAML)" rows={10} value={object} onInput={setObject} />
        <Optional label="oldObject (YAML)" value={oldObject} onInput={setOldObject} />
        <Optional label="request (YAML)" value={request} onInput={setRequest} />
        <Optional label="params (YAML)" value={params} onInput={setParams} />
        <Optional label="namespaceObject (YAML)" value={namespaceObject} onInput={setNamespaceObject} />
        <Optional label="variables (YAML, name: expression)" value={variables} onInput={setVariables} />
        {typeof composed === 'string' && <Notice tone="bad">{composed}</Notice>}
      </div>
      <OutcomePanel
        about={{ for: 'policy', expression, variables: typeof composed === 'string' ? [] : composed }}
        texts={{ object, oldObject, request, params, namespaceObject }}
      />
    </div>
  )
}

interface OptionalProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
}

/** Folded while it is empty. */
function Optional({ label, value, onInput }: OptionalProps) {
  return (
    <details open={value.trim() !== ''}>
      <summary>{label}</summary>
      <TextArea label={label} hideLabel rows={4} value={value} onInput={onInput} />
    </details>
  )
}

const validationsOf = (policy: ApiObject | undefined): readonly { readonly expression: string }[] =>
  policy?.spec?.validations ?? []

const firstExpression = (policy: ApiObject | undefined): string | undefined => validationsOf(policy)[0]?.expression

interface ExpressionsProps {
  readonly policy: ApiObject | undefined
  readonly current: string
  readonly onChoose: (expression: string) => void
}

function Expressions({ policy, current, onChoose }: ExpressionsProps) {
  const validations = validationsOf(policy)
  if (validations.length < 2) return null
  return (
    <div class="row">
      <span class="quiet">Its validations:</span>
      {validations.map(({ expression }) => (
        <Button key={expression} pressed={expression === current} onClick={() => onChoose(expression)}>
          <code class="ellipsis">{expression}</code>
        </Button>
      ))}
    </div>
  )
}

function variablesText(policy: ApiObject | undefined): string {
  const variables: readonly Json[] = policy?.spec?.variables ?? []
  if (variables.length === 0) return ''
  return toYaml(Object.fromEntries(variables.map(({ name, expression }) => [name, expression])))
}

/** As the server takes them; or what is wrong. */
function variablesOf(text: string): string | { name: string; expression: string }[] {
  if (text.trim() === '') return []
  const { object, error } = parseValue(text)
  if (error !== undefined) return `variables, line ${error.line + 1}: ${error.message}`
  if (typeof object !== 'object' || object === null) return 'variables: names with expressions are needed'
  return Object.entries(object).map(([name, expression]) => ({ name, expression: String(expression) }))
}
