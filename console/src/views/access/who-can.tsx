// Everyone who may do something, with the binding that says so.
import { useEffect, useState } from 'preact/hooks'
import { get } from '../../api/http.ts'
import { has, whyNot } from '../../api/session.ts'
import { messageOf } from '../../lib/message.ts'
import { param } from '../../lib/router.ts'
import { Empty, Input, Notice, Panel } from '../../ui/parts.tsx'
import { type Grant, GrantTable, subjectText } from './grants.tsx'
import { QuestionForm, queryOf, questionNow } from './question.tsx'

interface WhoCanAnswer {
  readonly items: readonly Grant[]
  readonly complete: boolean
  readonly notes: readonly string[]
  readonly truncated: boolean
}

export function WhoCan() {
  const [answer, setAnswer] = useState<WhoCanAnswer | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const [filter, setFilter] = param('q')
  const ask = () => {
    setFailure('')
    const question = { ...questionNow(), user: '', groups: [] }
    get<WhoCanAnswer>(`/console/v1/access/who-can?${queryOf(question)}`).then(setAnswer, (error: unknown) => {
      setAnswer(undefined)
      setFailure(messageOf(error))
    })
  }
  useEffect(() => {
    if (has('access')) ask()
  }, [])
  if (!has('access')) return <Empty>{whyNot('access')}</Empty>
  const shown =
    answer?.items.filter(({ subject }) => subjectText(subject).toLowerCase().includes(filter.toLowerCase())) ?? []
  return (
    <div class="stack">
      <QuestionForm withUser={false} action="Who can?" onAsk={ask} />
      {failure !== '' && <Notice tone="bad">{failure}</Notice>}
      {answer !== undefined && (
        <Panel
          title={`${answer.items.length} grants${answer.truncated ? ' and more' : ''}`}
          actions={<Input label="Filter" hideLabel placeholder="Filter" value={filter} onInput={setFilter} />}
          flush
        >
          {answer.notes.length > 0 && <p class="body quiet">{answer.notes.join('; ')}.</p>}
          {shown.length === 0 ? <Empty>Nobody.</Empty> : <GrantTable grants={shown} />}
        </Panel>
      )}
    </div>
  )
}
