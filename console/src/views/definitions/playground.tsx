// An expression, what it is asked of, and what the server makes of it: value, type, cost.
import { useEffect, useState } from 'preact/hooks'
import { call, isAborted, messageOf } from '../../api/http.ts'
import type { Json } from '../../api/objects.ts'
import { has, whyNot } from '../../api/session.ts'
import { parseYaml } from '../../lib/edit-text.ts'
import { duration } from '../../lib/time.ts'
import { Badge, Empty, Facts, Notice, Panel, Select, TextArea } from '../../ui/parts.tsx'

interface Outcome {
  readonly ok: boolean
  readonly value?: Json
  readonly display?: string
  readonly type?: string
  readonly cost?: number
  readonly costLimit?: number
  readonly estimatedCost?: { readonly min: number; readonly max: number; readonly limit: number }
  readonly durationMs?: number
  readonly errors: readonly {
    readonly message: string
    readonly line?: number
    readonly column?: number
    readonly phase: string
  }[]
}

type Purpose = 'policy' | 'rule'

const examples: Readonly<Record<Purpose, { readonly expression: string; readonly object: string }>> = {
  policy: {
    expression: "object.spec.containers.all(c, c.image.contains(':') && !c.image.endsWith(':latest'))",
    object:
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n    image: web:1.2\n',
  },
  rule: {
    expression: 'self.spec.replicas <= self.spec.max',
    object: 'spec:\n  replicas: 3\n  max: 2\n',
  },
}

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

export function Playground() {
  const [purpose, setPurpose] = useState<Purpose>('policy')
  const [expression, setExpression] = useState(examples.policy.expression)
  const [object, setObject] = useState(examples.policy.object)
  const [schema, setSchema] = useState(exampleSchema)
  const { outcome, failure } = useOutcome({ purpose, expression, object, schema })
  if (!has('expressions')) return <Empty>{whyNot('expressions')}</Empty>
  const change = (value: string) => {
    setPurpose(value as Purpose)
    setExpression(examples[value as Purpose].expression)
    setObject(examples[value as Purpose].object)
  }
  return (
    <div class="columns">
      <div class="stack">
        <Select
          label="As"
          value={purpose}
          options={[
            ['policy', 'an expression of an admission policy'],
            ['rule', 'a validation rule of a custom resource'],
          ]}
          onChange={change}
        />
        <TextArea label="Expression" rows={4} value={expression} onInput={setExpression} />
        <TextArea
          label={purpose === 'rule' ? 'self (YAML)' : 'object (YAML)'}
          rows={12}
          value={object}
          onInput={setObject}
        />
        {purpose === 'rule' && <TextArea label="Schema (YAML)" rows={10} value={schema} onInput={setSchema} />}
      </div>
      <Panel title="Outcome">
        <div class="stack">
          {failure !== '' && <Notice tone="bad">{failure}</Notice>}
          {outcome?.errors.map(({ message, line, column, phase }) => (
            <Notice key={message} tone="bad">
              {phase === 'compile' ? 'It does not compile' : 'It fails'}
              {line === undefined ? '' : ` at line ${line}, column ${column}`}: <span class="mono">{message}</span>
            </Notice>
          ))}
          {outcome?.ok && <Result outcome={outcome} />}
        </div>
      </Panel>
    </div>
  )
}

function Result({ outcome }: { readonly outcome: Outcome }) {
  const { value, display, type, cost, costLimit, estimatedCost, durationMs } = outcome
  const tone = value === true ? 'ok' : value === false ? 'bad' : 'info'
  return (
    <>
      <div class="row">
        <Badge tone={tone}>{type ?? 'value'}</Badge>
        <code class="outcome wrap">{display ?? JSON.stringify(value)}</code>
      </div>
      <Facts
        items={[
          [
            'Cost',
            cost === undefined
              ? 'unknown'
              : `${cost.toLocaleString('en')}${costLimit === undefined ? '' : ` of ${costLimit.toLocaleString('en')}`}`,
          ],
          ...(estimatedCost === undefined
            ? []
            : [
                [
                  'Estimated',
                  `${estimatedCost.min.toLocaleString('en')} to ${estimatedCost.max.toLocaleString('en')}`,
                ] as const,
              ]),
          ...(durationMs === undefined ? [] : [['Took', duration(durationMs)] as const]),
        ]}
      />
    </>
  )
}

interface Asked {
  readonly purpose: Purpose
  readonly expression: string
  readonly object: string
  readonly schema: string
}

const debounceMs = 250

function useOutcome({ purpose, expression, object, schema }: Asked) {
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const [failure, setFailure] = useState('')
  useEffect(() => {
    if (!has('expressions')) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const given = parseYaml(object)
      const described = purpose === 'rule' ? parseYaml(schema) : {}
      const wrong = given.error ?? described.error
      if (wrong !== undefined) {
        setOutcome(undefined)
        return setFailure(`line ${wrong.line + 1}: ${wrong.message}`)
      }
      const body = {
        for: purpose,
        expression,
        object: given.object,
        ...(purpose === 'rule' ? { schema: described.object } : {}),
      }
      call<Outcome>('/console/v1/expressions', { method: 'POST', body, signal: abort.signal }).then(
        ({ body: answer }) => {
          setOutcome(answer)
          setFailure('')
        },
        (error: unknown) => {
          if (isAborted(error)) return
          setOutcome(undefined)
          setFailure(messageOf(error))
        },
      )
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [purpose, expression, object, schema])
  return { outcome, failure }
}
