// Simulated pods: what they do next.
import { useState } from 'preact/hooks'
import { preferredKind } from '../../api/discovery.ts'
import { useObjects } from '../../api/live.ts'
import type { Json } from '../../api/objects.ts'
import { objectHref } from '../../lib/router.ts'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { Badge, Button, Empty, Input, Panel, Select } from '../../ui/parts.tsx'
import { toast, toastError } from '../../ui/toasts.tsx'
import { post, remove, type Script } from './testing.ts'

const maxShown = 100

const ways: Readonly<Record<string, Json>> = {
  'exit with an error': { exit: { exitCode: 1 } },
  'exit as done': { exit: { exitCode: 0 } },
  'never find their image': { pull: { error: 'not found' } },
  'become unready': { unready: {} },
  'be evicted': { evict: {} },
}

export function Pods({ scripts }: { readonly scripts: readonly Script[] }) {
  const { objects, state } = useObjects('/api/v1/pods')
  const [pattern, setPattern] = useState('*')
  const [script, setScript] = useState('exit with an error')
  const kind = preferredKind('', 'pods')
  const run = () =>
    void post('/pods/scripts', { pods: pattern, script: ways[script] }).then(
      () => toast(`Pods ${pattern} will ${script}`),
      toastError,
    )
  return (
    <Panel title="Simulated pods" actions={<FreshnessBadge state={state} />} flush>
      <form
        class="row end body"
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
      >
        <Input label="Pods" value={pattern} onInput={setPattern} />
        <Select label="What they do" value={script} options={Object.keys(ways)} onChange={setScript} />
        <Button type="submit">Do it</Button>
      </form>
      {scripts.length > 0 && (
        <ul class="body" aria-label="Scripts">
          {scripts.map(({ id, pods, script: what }) => (
            <li key={id} class="row">
              <code class="wrap">
                {typeof pods === 'string' ? pods : JSON.stringify(pods)}: {JSON.stringify(what)}
              </code>
              <Button onClick={() => void remove(`/pods/scripts/${id}`).catch(toastError)}>Stop</Button>
            </li>
          ))}
        </ul>
      )}
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
