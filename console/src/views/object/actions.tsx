// What can be done to an object: what its kind has, and the user may try.
import { useEffect, useState } from 'preact/hooks'
import type { Kind } from '../../api/discovery.ts'
import { pathOf } from '../../api/discovery.ts'
import { get } from '../../api/http.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import { has } from '../../api/session.ts'
import { evict, mergePatch, remove } from '../../api/write.ts'
import { messageOf } from '../../lib/message.ts'
import { Button, Dialog, Empty, Input, Notice, Select } from '../../ui/parts.tsx'
import { toast, toastError } from '../../ui/toasts.tsx'
import { DeletionPreview } from './deletion-preview.tsx'
import type { ObjectProps } from './object.tsx'

type Open = 'delete' | 'scale' | undefined

export function Actions({ kind, object }: ObjectProps) {
  const [open, setOpen] = useState<Open>(undefined)
  if (!has('writes')) return null
  const close = () => setOpen(undefined)
  return (
    <div class="row">
      {kind.subresources.includes('scale') && <Button onClick={() => setOpen('scale')}>Scale</Button>}
      {actionsOf(kind, object).map(({ title, run, done }) => (
        <Button key={title} onClick={() => void run().then(() => toast(done), toastError)}>
          {title}
        </Button>
      ))}
      {kind.verbs.includes('delete') && (
        <Button look="danger" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {open === 'delete' && <DeleteDialog kind={kind} object={object} onClose={close} />}
      {open === 'scale' && <ScaleDialog kind={kind} object={object} onClose={close} />}
    </div>
  )
}

interface Action {
  readonly title: string
  readonly done: string
  readonly run: () => Promise<unknown>
}

function actionsOf(kind: Kind, object: ApiObject): Action[] {
  const id = `${kind.group}/${kind.resource}`
  const { name } = object.metadata
  if (['apps/deployments', 'apps/statefulsets', 'apps/daemonsets'].includes(id)) {
    const annotations = () => ({ 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() })
    const run = () => mergePatch(kind, object, { spec: { template: { metadata: { annotations: annotations() } } } })
    return [{ title: 'Restart', done: `${name} is being restarted`, run }]
  }
  if (id === '/nodes') {
    const off = object.spec?.unschedulable === true
    const run = () => mergePatch(kind, object, { spec: { unschedulable: off ? null : true } })
    return [{ title: off ? 'Uncordon' : 'Cordon', done: `${name} is ${off ? 'schedulable again' : 'cordoned'}`, run }]
  }
  if (kind.subresources.includes('eviction')) {
    return [{ title: 'Evict', done: `${name} was evicted`, run: () => evict(kind, object) }]
  }
  return []
}

interface ActionDialogProps extends ObjectProps {
  readonly onClose: () => void
}

function DeleteDialog({ kind, object, onClose }: ActionDialogProps) {
  const [policy, setPolicy] = useState('Background')
  const [grace, setGrace] = useState('')
  const [failure, setFailure] = useState('')
  const options = {
    propagationPolicy: policy,
    ...(grace === '' ? {} : { gracePeriodSeconds: Number(grace) }),
  }
  const run = async (dryRun: boolean) => {
    try {
      await remove(kind, object, { ...options, dryRun })
      if (dryRun) return toast('The server would delete it')
      toast(`${kind.kind} ${object.metadata.name} is deleted`)
      onClose()
    } catch (error) {
      setFailure(messageOf(error))
    }
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button onClick={() => void run(true)}>Try out</Button>
      <Button look="danger" onClick={() => void run(false)}>
        Delete {object.metadata.name}
      </Button>
    </>
  )
  return (
    <Dialog title={`Delete ${kind.kind} ${object.metadata.name}`} onClose={onClose} footer={footer}>
      <div class="stack">
        {failure !== '' && <Notice tone="bad">{failure}</Notice>}
        <div class="row end">
          <Select
            label="What it owns"
            value={policy}
            options={[
              ['Background', 'is deleted afterwards'],
              ['Foreground', 'is deleted first'],
              ['Orphan', 'stays, without owner'],
            ]}
            onChange={setPolicy}
          />
          <Input
            label="Grace period in seconds"
            type="number"
            value={grace}
            placeholder="the object’s own"
            onInput={setGrace}
          />
        </div>
        <DeletionPreview kind={kind} object={object} policy={policy} />
      </div>
    </Dialog>
  )
}

function ScaleDialog({ kind, object, onClose }: ActionDialogProps) {
  // The field is there once its value is: it must not change while the user types.
  const [replicas, setReplicas] = useState<string | undefined>(undefined)
  const [failure, setFailure] = useState('')
  useEffect(() => {
    const { namespace, name } = object.metadata
    const at = { name, subresource: 'scale', ...(namespace === undefined ? {} : { namespace }) }
    get<Json>(pathOf(kind, at)).then(
      (scale) => setReplicas(String(scale.spec?.replicas ?? 0)),
      (error: unknown) => {
        setFailure(messageOf(error))
        setReplicas('')
      },
    )
  }, [])
  const run = async () => {
    try {
      await mergePatch(kind, object, { spec: { replicas: Number(replicas) } }, 'scale')
      toast(`${object.metadata.name} is scaled to ${replicas}`)
      onClose()
    } catch (error) {
      setFailure(messageOf(error))
    }
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="primary" disabled={!/^\d+$/.test(replicas ?? '')} onClick={() => void run()}>
        Scale
      </Button>
    </>
  )
  return (
    <Dialog title={`Scale ${object.metadata.name}`} onClose={onClose} footer={footer}>
      <div class="stack">
        {failure !== '' && <Notice tone="bad">{failure}</Notice>}
        {replicas === undefined ? (
          <Empty>Loading …</Empty>
        ) : (
          <Input
            label="Replicas"
            type="number"
            value={replicas}
            onInput={setReplicas}
            onEnter={() => void run()}
            focus
          />
        )}
      </div>
    </Dialog>
  )
}
