// A new object, from text; the server says what it thinks before it is made.
import { useState } from 'preact/hooks'
import { apiVersionOf, type Kind } from '../api/discovery.ts'
import { create } from '../api/write.ts'
import { parseYaml, toYaml } from '../lib/edit-text.ts'
import { messageOf } from '../lib/message.ts'
import { go, objectHref } from '../lib/router.ts'
import { Button, Dialog, Notice, TextArea } from '../ui/parts.tsx'

interface CreateProps {
  readonly kind: Kind
  readonly namespace: string
  readonly onClose: () => void
}

export function CreateDialog({ kind, namespace, onClose }: CreateProps) {
  const [text, setText] = useState(() => template(kind, namespace))
  const [answer, setAnswer] = useState<{ readonly good: boolean; readonly text: string } | undefined>(undefined)
  const send = async (dryRun: boolean) => {
    const { object, error } = parseYaml(text)
    if (error !== undefined) return setAnswer({ good: false, text: error.message })
    try {
      const { body, warnings } = await create(kind, object, { dryRun })
      if (dryRun) return setAnswer({ good: true, text: ['The server would accept it.', ...warnings].join(' ') })
      onClose()
      go(objectHref(kind, body.metadata))
    } catch (refusal) {
      setAnswer({ good: false, text: messageOf(refusal) })
    }
  }
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button onClick={() => void send(true)}>Try out</Button>
      <Button look="primary" onClick={() => void send(false)}>
        Create
      </Button>
    </>
  )
  return (
    <Dialog title={`Create ${kind.kind}`} onClose={onClose} footer={footer}>
      <div class="stack">
        {answer !== undefined && <Notice tone={answer.good ? 'ok' : 'bad'}>{answer.text}</Notice>}
        <TextArea label="YAML" rows={18} value={text} onInput={setText} />
      </div>
    </Dialog>
  )
}

const template = (kind: Kind, namespace: string): string =>
  toYaml({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: 'example', ...(kind.namespaced ? { namespace: namespace || 'default' } : {}) },
  })
