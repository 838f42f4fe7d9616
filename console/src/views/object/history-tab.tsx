// The versions of an object that the server still has, each as its difference from the one before; an old one can be put back.
import { useEffect, useState } from 'preact/hooks'
import type { Kind } from '../../api/discovery.ts'
import { get } from '../../api/http.ts'
import type { ApiObject } from '../../api/objects.ts'
import { has, whyNot } from '../../api/session.ts'
import { create, replace } from '../../api/write.ts'
import { editable } from '../../lib/edit-text.ts'
import { messageOf } from '../../lib/message.ts'
import { param } from '../../lib/router.ts'
import { ageOf, dateTime } from '../../lib/time.ts'
import { DiffView } from '../../ui/diff-view.tsx'
import { Badge, Button, Dialog, Empty, Notice, type Tone } from '../../ui/parts.tsx'
import { toast } from '../../ui/toasts.tsx'
import { isAggregated } from '../counts.ts'
import './history.css'

interface Version {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly time?: string
  readonly user?: string
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
  readonly object: ApiObject
}

interface History {
  readonly complete: boolean
  readonly oldestRevision?: number
  readonly items: readonly Version[]
}

interface HistoryProps {
  readonly kind: Kind
  readonly at: { readonly name: string; readonly namespace?: string }
  readonly live: ApiObject | undefined
}

const pageSize = 50

export function HistoryTab({ kind, at, live }: HistoryProps) {
  const { history, failure, more } = useHistory({ kind, at, live })
  const [chosen, setChosen] = param('revision')
  const [restoring, setRestoring] = useState<Version | undefined>(undefined)
  if (!has('history')) return <Empty>{whyNot('history')}</Empty>
  if (isAggregated(kind)) return <Empty>Its versions are kept by the server that serves this API, if at all.</Empty>
  if (failure !== '') return <Notice tone="bad">{failure}</Notice>
  if (history === undefined) return <Empty>Loading …</Empty>
  const current = chosen === '' ? history.items[0] : history.items.find(({ revision }) => String(revision) === chosen)
  if (current === undefined && chosen !== '') {
    return (
      <Empty>
        Revision {chosen} is not among those that were read. <Button onClick={() => setChosen('')}>The newest</Button>{' '}
        {more !== undefined && <Button onClick={more}>Older ones</Button>}
      </Empty>
    )
  }
  if (current === undefined) return <Empty>The server has no version of it.</Empty>
  const index = history.items.indexOf(current)
  const before = current.type === 'ADDED' ? undefined : history.items[index + 1]?.object
  return (
    <div class="history">
      <ol class="versions" aria-label="Versions">
        {history.items.map((version) => (
          <li key={version.revision}>
            <VersionLine
              version={version}
              selected={version === current}
              onChoose={() => setChosen(String(version.revision))}
            />
          </li>
        ))}
        <li class="quiet foot">
          {more !== undefined ? (
            <Button onClick={more}>Older ones</Button>
          ) : history.complete ? (
            'That is all of it.'
          ) : (
            `Nothing from before revision ${history.oldestRevision ?? '?'} is kept.`
          )}
        </li>
      </ol>
      <section class="stack" aria-label="The version">
        <div class="row">
          <h2>Revision {current.revision}</h2>
          <span class="quiet">{byWhom(current)}</span>
          <Button onClick={() => setRestoring(current)} disabled={index === 0 && live !== undefined}>
            Put this version back
          </Button>
        </div>
        <DiffView before={before} after={current.type === 'DELETED' ? undefined : current.object} />
      </section>
      {restoring !== undefined && (
        <RestoreDialog kind={kind} version={restoring} live={live} onClose={() => setRestoring(undefined)} />
      )}
    </div>
  )
}

const words = { ADDED: ['created', 'ok'], MODIFIED: ['changed', 'info'], DELETED: ['deleted', 'bad'] } as const

const byWhom = ({ user, manager, operation, subresource }: Version): string =>
  [user, manager === undefined ? undefined : `${manager} (${operation}${subresource ? ` of ${subresource}` : ''})`]
    .filter(Boolean)
    .join(' · ')

interface VersionLineProps {
  readonly version: Version
  readonly selected: boolean
  readonly onChoose: () => void
}

function VersionLine({ version, selected, onChoose }: VersionLineProps) {
  const [word, tone] = words[version.type]
  return (
    <button type="button" class="version" aria-pressed={selected} onClick={onChoose}>
      <span class="row">
        <Badge tone={tone as Tone}>{word}</Badge>
        <span class="quiet" title={version.time}>
          {version.time === undefined ? '' : `${ageOf(version.time)} ago`}
        </span>
        <span class="quiet mono">{version.revision}</span>
      </span>
      <span class="ellipsis">{byWhom(version) || 'nobody is recorded'}</span>
    </button>
  )
}

/** Read again when the live object changes. */
function useHistory({ kind, at, live }: HistoryProps) {
  const [history, setHistory] = useState<History | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const [end, setEnd] = useState(false)
  const query = { group: kind.group, version: kind.version, resource: kind.resource, ...at, limit: String(pageSize) }
  useEffect(() => {
    if (!has('history') || isAggregated(kind)) return
    get<History>('/console/v1/history', { query }).then(
      (found) => {
        setHistory(found)
        setEnd(found.items.length < pageSize)
      },
      (error: unknown) => setFailure(messageOf(error)),
    )
  }, [live?.metadata.resourceVersion ?? ''])
  const older = () => {
    const before = String(history?.items.at(-1)?.revision ?? 0)
    get<History>('/console/v1/history', { query: { ...query, before } }).then(
      (found) => {
        setHistory({ ...found, items: [...(history?.items ?? []), ...found.items] })
        setEnd(found.items.length < pageSize)
      },
      (error: unknown) => setFailure(messageOf(error)),
    )
  }
  return { history, failure, more: end ? undefined : older }
}

interface RestoreProps {
  readonly kind: Kind
  readonly version: Version
  readonly live: ApiObject | undefined
  readonly onClose: () => void
}

function RestoreDialog({ kind, version, live, onClose }: RestoreProps) {
  const [failure, setFailure] = useState('')
  const run = async () => {
    try {
      if (live === undefined) await create(kind, editable(version.object))
      else await replace(kind, version.object, live)
      toast(`Revision ${version.revision} is back`)
      onClose()
    } catch (error) {
      setFailure(messageOf(error))
    }
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="primary" onClick={() => void run()}>
        Put it back
      </Button>
    </>
  )
  const time = version.time === undefined ? '' : ` of ${dateTime(version.time)}`
  return (
    <Dialog title={`Put back revision ${version.revision}${time}`} wide onClose={onClose} footer={footer}>
      <div class="stack">
        {failure !== '' && <Notice tone="bad">{failure}</Notice>}
        <p class="quiet">
          {live === undefined
            ? 'It is created anew, with another uid.'
            : 'What would change; the status is not touched where it is a subresource.'}
        </p>
        <DiffView before={live} after={version.object} />
      </div>
    </Dialog>
  )
}
