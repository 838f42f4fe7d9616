// A request as somebody else, by impersonation: the true answer. Writes are dry runs unless that is switched off.
import { useState } from 'preact/hooks'
import { send } from '../../api/http.ts'
import { messageOf } from '../../lib/message.ts'
import { address, flagParam, setQuery, textParam } from '../../lib/router.ts'
import { lineText, yamlLines } from '../../lib/yaml-lines.ts'
import { Badge, Button, Input, Notice, Panel, Select, TextArea } from '../../ui/parts.tsx'

interface Answer {
  readonly code: number
  readonly text: string
}

const maxText = 100_000

export function TryRequest() {
  const { user = '', groups = '', method = 'GET', path = '/api/v1/namespaces/default/pods' } = address.value.query
  const [body, setBody] = textParam('body')
  const [dryRun, setDryRun] = flagParam('dryRun', true)
  const [answer, setAnswer] = useState<Answer | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const set = (key: string) => (value: string) => setQuery({ [key]: value })
  const writes = method !== 'GET'
  const run = async () => {
    setFailure('')
    setAnswer(undefined)
    try {
      if (!path.startsWith('/') || path.startsWith('//')) throw new Error('a path of this server begins with one slash')
      const as = user === '' ? undefined : { user, groups: groups.split(/[\s,]+/).filter(Boolean) }
      const query = writes && dryRun ? { dryRun: 'All' } : {}
      const given = writes && body.trim() !== '' ? { body } : {}
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const response = await send(path, { method, query, as, contentType, ...given })
      setAnswer({ code: response.status, text: pretty((await response.text()).slice(0, maxText)) })
    } catch (error) {
      setFailure(messageOf(error))
    }
  }
  return (
    <div class="stack">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <div class="row end">
          <Input label="User or service account" placeholder="yourself" value={user} onInput={set('user')} wide />
          <Input label="Groups" value={groups} onInput={set('groups')} />
          <Select
            label="Method"
            value={method}
            options={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
            onChange={set('method')}
          />
          <Input label="Path" value={path} onInput={set('path')} wide />
          <Button type="submit" look="primary">
            Send
          </Button>
        </div>
        {writes && <TextArea label="Body (JSON)" value={body} onInput={setBody} />}
        {writes && (
          <label>
            <input type="checkbox" checked={dryRun} onChange={() => setDryRun(!dryRun)} /> only a dry run: nothing is
            kept
          </label>
        )}
      </form>
      {failure !== '' && <Notice tone="bad">{failure}</Notice>}
      {answer !== undefined && (
        <Panel title={<Badge tone={answer.code < 400 ? 'ok' : 'bad'}>{answer.code}</Badge>}>
          <pre class="body-text">{answer.text}</pre>
        </Panel>
      )}
    </div>
  )
}

function pretty(text: string): string {
  try {
    return yamlLines(JSON.parse(text)).slice(0, 2000).map(lineText).join('\n')
  } catch {
    return text
  }
}
