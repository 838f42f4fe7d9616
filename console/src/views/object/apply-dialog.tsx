// Before an edit is applied: its difference; after a conflict: who owns which field, and a choice for each.
import { useEffect, useState } from 'preact/hooks'
import type { Kind } from '../../api/discovery.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import { type Conflict, conflictsOf, write } from '../../api/write.ts'
import { messageOf } from '../../lib/message.ts'
import { without } from '../../lib/without.ts'
import { parseFieldPath } from '../../lib/yaml-outline.ts'
import { DiffView } from '../../ui/diff-view.tsx'
import { Button, Dialog, Notice } from '../../ui/parts.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { Draft } from './edit-pane.tsx'

interface ApplyProps {
  readonly kind: Kind
  readonly live: ApiObject
  readonly draft: Draft
  readonly onClose: () => void
  readonly onApplied: () => void
}

type Choice = 'mine' | 'theirs'

export function ApplyDialog({ kind, live, draft, onClose, onApplied }: ApplyProps) {
  const { result, conflicts, failure, setFailure } = usePreview({ kind, live, draft })
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({})
  const [busy, setBusy] = useState(false)
  const open = conflicts.filter(({ field }) => choices[field] === undefined)
  const apply = async () => {
    setBusy(true)
    try {
      const config = conflicts
        .filter(({ field }) => choices[field] === 'theirs')
        .reduce((rest: Json, { field }) => without(rest, parseFieldPath(field, rest)), draft.edit.config)
      const force = Object.values(choices).includes('mine')
      await write(kind, live, { ...draft.edit, config }, { force })
      toast(`${kind.kind} ${live.metadata.name} was changed`)
      onClose()
      onApplied()
    } catch (error) {
      setFailure(messageOf(error))
      setBusy(false)
    }
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="primary" disabled={busy || open.length > 0} onClick={() => void apply()}>
        Apply
      </Button>
    </>
  )
  return (
    <Dialog title={`Apply to ${live.metadata.name}`} wide onClose={onClose} footer={footer}>
      <div class="stack">
        {failure !== '' && <Notice tone="bad">{failure}</Notice>}
        {conflicts.length > 0 && (
          <Conflicts conflicts={conflicts} choices={choices} live={live} after={draft.after} onChoose={setChoices} />
        )}
        <How draft={draft} />
        {result !== undefined && <DiffView before={live} after={result} />}
      </div>
    </Dialog>
  )
}

function How({ draft: { edit } }: { readonly draft: Draft }) {
  if (edit.removals.length === 0) return null
  const names = edit.removals.map((removal) =>
    removal.map((step) => (typeof step === 'string' ? step : JSON.stringify(step))).join('.'),
  )
  return (
    <p class="quiet">
      An apply cannot take away what others own: {names.join(', ')} {names.length === 1 ? 'is' : 'are'} removed by a
      JSON patch.
    </p>
  )
}

/** What the object would be, and who would object. */
function usePreview({ kind, live, draft }: Pick<ApplyProps, 'kind' | 'live' | 'draft'>) {
  const [result, setResult] = useState<ApiObject | undefined>(undefined)
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  const [failure, setFailure] = useState('')
  useEffect(() => {
    const preview = async () => {
      try {
        setResult((await write(kind, live, draft.edit, { dryRun: true })).object)
      } catch (error) {
        const found = conflictsOf(error)
        setConflicts(found)
        if (found.length === 0) return setFailure(messageOf(error))
        setResult((await write(kind, live, draft.edit, { dryRun: true, force: true })).object)
      }
    }
    preview().catch((error: unknown) => setFailure(messageOf(error)))
  }, [])
  return { result, conflicts, failure, setFailure }
}

interface ConflictsProps {
  readonly conflicts: readonly Conflict[]
  readonly choices: Readonly<Record<string, Choice>>
  readonly live: ApiObject
  readonly after: Json
  readonly onChoose: (choices: Readonly<Record<string, Choice>>) => void
}

function Conflicts({ conflicts, choices, live, after, onChoose }: ConflictsProps) {
  const all = (choice: Choice) => onChoose(Object.fromEntries(conflicts.map(({ field }) => [field, choice])))
  return (
    <section class="stack tight" aria-label="Conflicts">
      <div class="row">
        <h2>Others own what you changed</h2>
        <Button onClick={() => all('mine')}>Take all over</Button>
        <Button onClick={() => all('theirs')}>Leave all</Button>
      </div>
      <div class="scroll-x">
        <table class="plain-table">
          <thead>
            <tr>
              <th>Field</th>
              <th>Owner</th>
              <th>Now</th>
              <th>Yours</th>
              <th>Choice</th>
            </tr>
          </thead>
          <tbody>
            {conflicts.map(({ field, manager }) => (
              <tr key={`${field} ${manager}`}>
                <td class="mono">{field}</td>
                <td>{manager}</td>
                <td class="mono">{valueText(live, field)}</td>
                <td class="mono">{valueText(after, field)}</td>
                <td>
                  <fieldset class="choice">
                    <legend class="visually-hidden">{field}</legend>
                    {(['mine', 'theirs'] as const).map((choice) => (
                      <label key={choice}>
                        <input
                          type="radio"
                          name={field}
                          checked={choices[field] === choice}
                          onChange={() => onChoose({ ...choices, [field]: choice })}
                        />{' '}
                        {choice === 'mine' ? 'take over' : 'leave theirs'}
                      </label>
                    ))}
                  </fieldset>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function valueText(object: Json, field: string): string {
  const value = parseFieldPath(field, object).reduce((at: Json, step) => at?.[step], object)
  return value === undefined ? '–' : JSON.stringify(value).slice(0, 200)
}
