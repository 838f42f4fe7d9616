// What the server makes of an expression, asked a moment after the last key.
import { useEffect, useState } from 'preact/hooks'
import { call, isAborted } from '../../api/http.ts'
import type { Json } from '../../api/objects.ts'
import { parseValue } from '../../lib/edit-text.ts'
import { messageOf } from '../../lib/message.ts'
import { duration } from '../../lib/time.ts'
import { Badge, Facts, Notice, Panel } from '../../ui/parts.tsx'

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

export interface Question {
  /** Members that go as they are. */
  readonly about: Json
  /** YAML that the user wrote, by the member that it is; empty ones are left out. */
  readonly texts: Readonly<Record<string, string>>
}

export function OutcomePanel({ about, texts }: Question) {
  const { outcome, failure } = useOutcome({ about, texts })
  return (
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
  )
}

const number = (value: number): string => value.toLocaleString('en')

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
          ['Type', type ?? 'unknown'],
          [
            'Cost',
            cost === undefined
              ? 'unknown'
              : `${number(cost)}${costLimit === undefined ? '' : ` of ${number(costLimit)}`}`,
          ],
          ...(estimatedCost === undefined
            ? []
            : [
                [
                  'Estimated',
                  `${number(estimatedCost.min)} to ${number(estimatedCost.max)}, of ${number(estimatedCost.limit)}`,
                ] as const,
              ]),
          ...(durationMs === undefined ? [] : [['Took', duration(durationMs)] as const]),
        ]}
      />
    </>
  )
}

const debounceMs = 250

function useOutcome({ about, texts }: Question) {
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const key = JSON.stringify([about, texts])
  useEffect(() => {
    const abort = new AbortController()
    const fail = (message: string) => {
      setOutcome(undefined)
      setFailure(message)
    }
    const timer = setTimeout(() => {
      const read = readTexts(texts)
      if (typeof read === 'string') return fail(read)
      call<Outcome>('/console/v1/expressions', {
        method: 'POST',
        body: { ...about, ...read },
        signal: abort.signal,
      }).then(
        ({ body: answer }) => {
          setOutcome(answer)
          setFailure('')
        },
        (error: unknown) => isAborted(error) || fail(messageOf(error)),
      )
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key])
  return { outcome, failure }
}

/** The values; or what is wrong. */
function readTexts(texts: Question['texts']): Json {
  const read: Record<string, Json> = {}
  for (const [name, text] of Object.entries(texts)) {
    if (text.trim() === '') continue
    const { object, error } = parseValue(text)
    if (error !== undefined) return `${name}, line ${error.line + 1}: ${error.message}`
    if (object !== undefined) read[name] = object
  }
  return read
}
