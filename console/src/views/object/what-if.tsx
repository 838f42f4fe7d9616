// What a change of a field would meet, asked of the server by a dry run: a conflict explained before it happens.
import { useState } from 'preact/hooks'
import type { Kind } from '../../api/discovery.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import { mergeSchema } from '../../api/openapi.ts'
import { apply, conflictsOf } from '../../api/write.ts'
import { editOf } from '../../lib/apply.ts'
import { editable } from '../../lib/edit-text.ts'
import { messageOf } from '../../lib/message.ts'
import { param } from '../../lib/router.ts'
import { setAt } from '../../lib/without.ts'
import type { Path } from '../../lib/yaml-lines.ts'
import { Button, Input, Notice, Panel, type Tone } from '../../ui/parts.tsx'
import { ownedBy } from './edit-pane.tsx'
import { useSchema } from './yaml-tab.tsx'

interface WhatIfProps {
  readonly kind: Kind
  readonly object: ApiObject
  readonly path: Path
}

interface Answer {
  readonly tone: Tone
  readonly text: string
}

export function WhatIf({ kind, object, path }: WhatIfProps) {
  const schema = useSchema(kind)
  const now = path.reduce((value: Json, step) => value?.[step], object)
  const [value, setValue] = param('value', typeof now === 'object' ? JSON.stringify(now) : String(now ?? ''))
  const [manager, setManager] = param('as', 'somebody')
  const [answer, setAnswer] = useState<Answer | undefined>(undefined)
  if (path[0] === 'status' || path.length < 2) return null
  const ask = async () => {
    const after = setAt(editable(object), path, parseLike(value, now))
    const edit = editOf({
      before: editable(object),
      after,
      schema: mergeSchema(schema),
      owned: ownedBy(object, manager),
    })
    if (edit.config === undefined) return setAnswer({ tone: 'plain', text: 'That is the value it has.' })
    setAnswer(await explain(kind, edit.config, manager))
  }
  return (
    <Panel title="What if somebody applied another value?">
      <div class="stack">
        <div class="row end">
          <Input label="Manager" value={manager} onInput={setManager} />
          <Input label="Value" value={value} onInput={setValue} onEnter={() => void ask()} />
          <Button onClick={() => void ask()}>Ask</Button>
        </div>
        {answer !== undefined && <Notice tone={answer.tone}>{answer.text}</Notice>}
      </div>
    </Panel>
  )
}

async function explain(kind: Kind, config: Json, manager: string): Promise<Answer> {
  try {
    await apply(kind, config, { dryRun: true, manager })
    return { tone: 'ok', text: `No conflict: ${manager} would own the field, alone or along with others.` }
  } catch (error) {
    const conflicts = conflictsOf(error)
    if (conflicts.length === 0) return { tone: 'bad', text: messageOf(error) }
    const owners = conflicts.map(({ field, manager: owner }) => `${owner} owns ${field}`).join('; ')
    return {
      tone: 'warn',
      text: `A conflict: ${owners}. With force the field changes hands; an update or patch, which asks nobody, would take it, too.`,
    }
  }
}

/** Text for a string, JSON for the rest. */
function parseLike(text: string, now: Json): Json {
  if (typeof now === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
