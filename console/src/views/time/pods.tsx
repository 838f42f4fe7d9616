// Simulated pods: what they do next.
import { useState } from 'preact/hooks'
import { preferredKind } from '../../api/discovery.ts'
import { useObjects } from '../../api/live.ts'
import type { Json } from '../../api/objects.ts'
import { objectHref } from '../../lib/router.ts'
import { Badge, Button, Empty, Input, Panel, Select } from '../../ui/parts.tsx'
import { toast, toastError } from '../../ui/toasts.tsx'
import { post } from './testing.ts'

const maxShown = 100

const scripts: Readonly<Record<string, Json>> = {
  'exit with an error': { exit: { exitCode: 1 } },
  'exit as done': { exit: { exitCode: 0 } },
}

export function Pods() {
  const { objects } = useObjects('/api/v1/pods')
  const [pattern, setPattern] = useState('*')
  const [script, setScript] = useState('exit with an error')
  const kind = preferredKind('', 'pods')
  const run = () =>
    void post('/pods/scripts', { pods: pattern, script: scripts[script] }).then(
      () => toast(`Pods ${pattern} will ${script}`),
      toastError,
    )
  return (
    <Panel title="Simulated pods" flush>
      <form
        class="row end body"
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
      >
        <Input label="Pods" value={pattern} onInput={setPattern} />
        <Select label="What they do" value={script} options={Object.keys(scripts)} onChange={setScript} />
        <Button type="submit">Do it</Button>
      </form>
      {objects.length === 0 && <Empty>There are none.</Empty>}
      {objects.length > 0 && (
        <table class="plain-table">
          <tbody>
            {objects.slice(0, maxShown).map(({ metadata, spec, status }) => (
              <tr key={metadata.uid}>
                <td>{kind === undefined ? metadata.name : <a href={objectHref(kind, metadata)}>{metadata.name}</a>}</td>
                <td>
                  <Badge tone={status?.phase === 'Running' || status?.phase === 'Succeeded' ? 'ok' : 'warn'}>
                    {String(status?.phase ?? '')}
                  </Badge>
                </td>
                <td>{String(spec?.nodeName ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
