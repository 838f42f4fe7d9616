// Editing: the text, what the server would say to it, and the way to apply it.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Kind } from '../../api/discovery.ts'
import { isAborted, Refusal } from '../../api/http.ts'
import type { ApiObject, FieldsV1, Json } from '../../api/objects.ts'
import { type KindSchema, mergeSchema } from '../../api/openapi.ts'
import { type Conflict, conflictsOf, fieldManager, write } from '../../api/write.ts'
import { Editor, type Mark } from '../../editor/editor.tsx'
import { type Edit, editOf, equal } from '../../lib/apply.ts'
import { editable, parseYaml, toYaml } from '../../lib/edit-text.ts'
import { messageOf } from '../../lib/message.ts'
import { parseFieldPath } from '../../lib/yaml-outline.ts'
import { Badge, Button, Notice } from '../../ui/parts.tsx'
import { ApplyDialog } from './apply-dialog.tsx'

interface EditProps {
  readonly kind: Kind
  readonly object: ApiObject
  readonly schema: KindSchema | undefined
  readonly onDone: () => void
}

export interface Draft {
  readonly edit: Edit
  readonly after: Json
}

interface Trial {
  readonly phase: 'unchanged' | 'asking' | 'fine' | 'wrong'
  readonly marks: readonly Mark[]
  readonly conflicts: readonly Conflict[]
  readonly warnings: readonly string[]
  readonly message?: string
}

const nothing: Trial = { phase: 'unchanged', marks: [], conflicts: [], warnings: [] }
const debounceMs = 350

export function EditPane({ kind, object, schema, onDone }: EditProps) {
  // What the edit began with: others may change the object meanwhile, and only what was changed here is applied.
  const [base] = useState(object)
  const [text, setText] = useState(() => toYaml(editable(base)))
  const [applying, setApplying] = useState(false)
  const parsed = useMemo(() => parseYaml(text), [text])
  const draft = useMemo(() => draftOf(base, parsed.object, schema), [parsed, schema, base])
  const trial = useTrial({ kind, object, draft, parsed })
  const moved = !equal(editable(object), editable(base))
  const canApply = draft !== undefined && trial.phase !== 'unchanged' && parsed.error === undefined
  return (
    <>
      <div class="toolbar">
        <Button look="primary" disabled={!canApply} onClick={() => setApplying(true)}>
          Review and apply
        </Button>
        <Button onClick={onDone}>Stop editing</Button>
        <TrialBadge trial={trial} />
        {moved && <Badge tone="info">Changed by others meanwhile; only what you changed is applied</Badge>}
      </div>
      {trial.message !== undefined && (
        <div class="edit-notes">
          <Notice tone="bad">{trial.message}</Notice>
        </div>
      )}
      {trial.warnings.length > 0 && (
        <div class="edit-notes">
          {trial.warnings.map((warning) => (
            <Notice key={warning} tone="warn">
              {warning}
            </Notice>
          ))}
        </div>
      )}
      <div class="editor-host">
        <Editor
          label="Edit the object"
          text={text}
          schema={schema}
          marks={trial.marks}
          onChange={setText}
          onSave={() => canApply && setApplying(true)}
        />
      </div>
      {applying && draft !== undefined && (
        <ApplyDialog kind={kind} live={object} draft={draft} onClose={() => setApplying(false)} onApplied={onDone} />
      )}
    </>
  )
}

function TrialBadge({ trial }: { readonly trial: Trial }) {
  switch (trial.phase) {
    case 'unchanged':
      return <Badge>nothing changed</Badge>
    case 'asking':
      return <Badge dot>asking the server</Badge>
    case 'wrong':
      return (
        <Badge tone="bad" dot>
          the server would refuse it
        </Badge>
      )
    case 'fine':
      return trial.conflicts.length > 0 ? (
        <Badge tone="warn" dot>
          conflicts with {[...new Set(trial.conflicts.map(({ manager }) => manager))].join(', ')}
        </Badge>
      ) : (
        <Badge tone="ok" dot>
          the server would accept it
        </Badge>
      )
  }
}

/** The fields that the console owns by earlier applies: an apply without them would take them away. */
export function ownedBy(object: ApiObject, manager = fieldManager): FieldsV1 | undefined {
  return object.metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && !entry.subresource,
  )?.fieldsV1
}

function draftOf(base: ApiObject, after: Json | undefined, schema: KindSchema | undefined): Draft | undefined {
  if (after?.metadata === undefined || after.metadata === null || after.metadata.name !== base.metadata.name)
    return undefined
  const edit = editOf({ before: editable(base), after, schema: mergeSchema(schema), owned: ownedBy(base) })
  return { edit, after }
}

interface TrialInput {
  readonly kind: Kind
  readonly object: ApiObject
  readonly draft: Draft | undefined
  readonly parsed: ReturnType<typeof parseYaml>
}

/** A dry run, a moment after the last key. */
function useTrial({ kind, object, draft, parsed }: TrialInput): Trial {
  const [trial, setTrial] = useState(nothing)
  useEffect(() => {
    if (parsed.error !== undefined) {
      const { message, line } = parsed.error
      setTrial({ ...nothing, phase: 'wrong', marks: [{ path: [], severity: 'error', message, line }] })
      return
    }
    if (draft === undefined) {
      setTrial({ ...nothing, phase: 'wrong', message: 'The name of the object cannot be changed.' })
      return
    }
    if (draft.edit.config === undefined && draft.edit.removals.length === 0) {
      setTrial(nothing)
      return
    }
    setTrial((before) => ({ ...before, phase: 'asking' }))
    const abort = new AbortController()
    const timer = setTimeout(() => {
      tryOut(kind, object, draft, abort.signal).then(setTrial, (error: unknown) => {
        if (!isAborted(error)) setTrial({ ...nothing, phase: 'wrong', message: messageOf(error) })
      })
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [draft, parsed])
  return trial
}

async function tryOut(kind: Kind, live: ApiObject, draft: Draft, signal: AbortSignal): Promise<Trial> {
  let conflicts: Conflict[] = []
  try {
    const { warnings } = await write(kind, live, draft.edit, { dryRun: true, signal }).catch((error: unknown) => {
      conflicts = conflictsOf(error)
      if (conflicts.length === 0) throw error
      // Whether it would be valid is worth knowing, whoever owns the fields.
      return write(kind, live, draft.edit, { dryRun: true, force: true, signal })
    })
    return { phase: 'fine', conflicts, warnings, marks: conflicts.map((each) => conflictMark(each, draft.after)) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const marks = refusalMarks(error, draft.after)
    return { phase: 'wrong', conflicts, warnings: [], marks, ...(marks.length === 0 ? { message: error.message } : {}) }
  }
}

const conflictMark = ({ field, manager }: Conflict, after: Json): Mark => ({
  path: parseFieldPath(field, after),
  severity: 'warning',
  message: `${manager} owns this field`,
})

/** Invalid fields have causes; unknown and duplicate ones are named in the message. */
function refusalMarks(error: Refusal, after: Json): Mark[] {
  const causes = error.causes
    .filter(({ field }) => field !== undefined && field !== '' && field !== '<nil>')
    .map(({ field = '', message = '' }): Mark => ({ path: parseFieldPath(field, after), severity: 'error', message }))
  const strict = [...error.message.matchAll(/(unknown|duplicate) field "([^"]+)"/g)].map(
    ([message, , field = '']): Mark => ({ path: parseFieldPath(field, after), severity: 'error', message }),
  )
  const typed = [...error.message.matchAll(/(\.[\w.[\]="]+): (?:expected|field not declared|invalid)[^,]*/g)].map(
    ([message, field = '']): Mark => ({ path: parseFieldPath(field, after), severity: 'error', message }),
  )
  return [...causes, ...strict, ...typed]
}
