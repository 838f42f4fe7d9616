// The object as YAML: to read, live; or to edit, with a dry run a moment after each key and a difference before it is applied.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Kind } from '../../api/discovery.ts'
import type { Json } from '../../api/objects.ts'
import { type KindSchema, loadSchema } from '../../api/openapi.ts'
import { has } from '../../api/session.ts'
import { Editor } from '../../editor/editor.tsx'
import { toYaml } from '../../lib/edit-text.ts'
import { flagParam } from '../../lib/router.ts'
import { Button } from '../../ui/parts.tsx'
import { EditPane } from './edit-pane.tsx'
import type { ObjectProps } from './object.tsx'

export function YamlTab({ kind, object }: ObjectProps) {
  const [editing, setEditing] = flagParam('edit')
  const schema = useSchema(kind)
  const mayEdit = kind.verbs.includes('patch') && has('writes')
  if (editing && mayEdit) {
    return <EditPane kind={kind} object={object} schema={schema} onDone={() => setEditing(false)} />
  }
  return <ReadPane kind={kind} object={object} schema={schema} onEdit={mayEdit ? () => setEditing(true) : undefined} />
}

export function useSchema(kind: Kind): KindSchema | undefined {
  const [schema, setSchema] = useState<KindSchema | undefined>(undefined)
  useEffect(() => {
    // Without a schema there is no help, and nothing else is missing.
    loadSchema(kind).then(setSchema, () => setSchema(undefined))
  }, [kind.group, kind.version, kind.kind])
  return schema
}

interface ReadProps extends ObjectProps {
  readonly schema: KindSchema | undefined
  readonly onEdit: (() => void) | undefined
}

function ReadPane({ object, schema, onEdit }: ReadProps) {
  const [managed, setManaged] = flagParam('managed')
  const [status, setStatus] = flagParam('status', true)
  const text = useMemo(() => toYaml(shown(object, { managed, status })), [object, managed, status])
  return (
    <>
      <div class="toolbar">
        {onEdit !== undefined && (
          <Button look="primary" onClick={onEdit}>
            Edit
          </Button>
        )}
        <Button pressed={status} onClick={() => setStatus(!status)}>
          Status
        </Button>
        <Button pressed={managed} onClick={() => setManaged(!managed)}>
          Managed fields
        </Button>
        <Button onClick={() => void navigator.clipboard.writeText(text)}>Copy</Button>
      </div>
      <div class="editor-host">
        <Editor label="YAML of the object" text={text} readOnly schema={schema} />
      </div>
    </>
  )
}

function shown(object: Json, { managed, status }: { managed: boolean; status: boolean }): Json {
  const { managedFields, ...metadata } = object.metadata
  const { status: state, apiVersion, kind, ...rest } = object
  return {
    apiVersion,
    kind,
    ...rest,
    metadata: managed ? object.metadata : metadata,
    ...(status && state !== undefined ? { status: state } : {}),
  }
}
