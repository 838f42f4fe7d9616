// Faults: which requests are broken, and how.
import { useState } from 'preact/hooks'
import { Button, Input, Panel, Select } from '../../ui/parts.tsx'
import { toastError } from '../../ui/toasts.tsx'
import { type Fault, post, remove } from './testing.ts'

const ways: readonly (readonly [string, string])[] = [
  ['409', 'answer 409 (conflict)'],
  ['429', 'answer 429 (too many requests)'],
  ['500', 'answer 500 (internal error)'],
  ['503', 'answer 503 (unavailable)'],
  ['latency', 'take two seconds longer'],
  ['cut-before', 'cut the connection before it is carried out'],
  ['cut-after', 'cut the connection after it was carried out'],
  ['stale', 'answer reads from an older state'],
]

function effectOf(way: string): object {
  if (/^\d+$/.test(way)) return { error: Number(way) }
  if (way === 'latency') return { latency: 2000 }
  if (way === 'stale') return { stale: true }
  return { cut: way.replace('cut-', '') }
}

export function Faults({ faults }: { readonly faults: readonly Fault[] }) {
  const [verb, setVerb] = useState('')
  const [resource, setResource] = useState('')
  const [way, setWay] = useState('409')
  const [times, setTimes] = useState('')
  const add = () => {
    const match = { ...(verb === '' ? {} : { verb }), ...(resource === '' ? {} : { resource }) }
    const limit = times === '' ? {} : { times: Number(times) }
    post('/faults', { ...match, ...limit, ...effectOf(way) }).catch(toastError)
  }
  const drop = (id?: string) => void remove(id === undefined ? '/faults' : `/faults/${id}`).catch(toastError)
  return (
    <Panel title="Faults" actions={faults.length > 0 && <Button onClick={() => drop()}>Remove all</Button>}>
      <div class="stack">
        <form
          class="row end"
          onSubmit={(event) => {
            event.preventDefault()
            add()
          }}
        >
          <Input
            label="Verb"
            placeholder="all"
            value={verb}
            onInput={setVerb}
            list={['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']}
          />
          <Input label="Resource" placeholder="all" value={resource} onInput={setResource} />
          <Select label="What happens" value={way} options={ways} onChange={setWay} />
          <Input label="How often" placeholder="always" type="number" value={times} onInput={setTimes} />
          <Button type="submit" look="primary">
            Add fault
          </Button>
        </form>
        {faults.length === 0 && <p class="quiet">No request is broken.</p>}
        {faults.length > 0 && (
          <table class="plain-table">
            <thead>
              <tr>
                <th>Fault</th>
                <th class="number">Hits</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {faults.map(({ id, hits, ...spec }) => (
                <tr key={id}>
                  <td>
                    <code>
                      {Object.entries(spec)
                        .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
                        .join(', ')}
                    </code>
                  </td>
                  <td class="number">{hits}</td>
                  <td>
                    <Button onClick={() => drop(id)}>Remove</Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Panel>
  )
}
