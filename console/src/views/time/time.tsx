// What a test can do to its server: let time pass, break requests and watches, go back to a state, make a copy.
import { useState } from 'preact/hooks'
import { has, whyNot } from '../../api/session.ts'
import { useFollowed } from '../../api/stream.ts'
import { dateTime } from '../../lib/time.ts'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { Badge, Button, Empty, Input, Notice, Panel } from '../../ui/parts.tsx'
import { toast, toastError } from '../../ui/toasts.tsx'
import { Faults } from './faults.tsx'
import { Nodes } from './nodes.tsx'
import { Pods } from './pods.tsx'
import { post, type Run, type TestState, testingRoot } from './testing.ts'

export function TimeView() {
  const { line: state, state: freshness } = useFollowed<TestState>(has('testing') ? testingRoot : undefined, {
    type: 'TESTING',
  })
  if (!has('testing')) return <Empty>{whyNot('testing')}</Empty>
  if (freshness.phase === 'refused') return <Notice tone="bad">{freshness.why}</Notice>
  if (state === undefined) return <Empty>Loading …</Empty>
  const run = (text: string, work: () => Promise<unknown>) => void work().then(() => toast(text), toastError)
  return (
    <div class="page">
      <div class="page-head">
        <h1>Time & faults</h1>
        <span class="quiet">of this test server</span>
        <FreshnessBadge state={freshness} />
      </div>
      <div class="stack">
        <div class="columns">
          <Clock state={state} run={run} />
          <Snapshots state={state} run={run} />
        </div>
        <Faults faults={state.faultList} />
        <div class="columns">
          <WatchControl run={run} />
          <Forks state={state} />
        </div>
        {state.simulated && <Nodes run={run} />}
        {state.simulated && <Pods scripts={state.scripts} />}
      </div>
    </div>
  )
}

interface ControlProps {
  readonly state: TestState
  readonly run: Run
}

const steps: readonly (readonly [string, number])[] = [
  ['1 s', 1000],
  ['1 min', 60_000],
  ['10 min', 600_000],
  ['1 h', 3_600_000],
  ['1 day', 86_400_000],
]

function Clock({ state, run }: ControlProps) {
  return (
    <Panel
      title="Clock"
      actions={<Badge tone={state.isPaused ? 'warn' : 'ok'}>{state.isPaused ? 'stands still' : 'runs'}</Badge>}
    >
      <div class="stack">
        <p class="clock-face tabular">{dateTime(state.now)}</p>
        <div class="row">
          <span class="quiet">Let pass</span>
          {steps.map(([title, ms]) => (
            <Button key={title} onClick={() => run(`${title} passed`, () => post('/clock/advance', { ms }))}>
              {title}
            </Button>
          ))}
        </div>
        <div class="row">
          <Button onClick={() => run('The controllers have nothing left to do', () => post('/settled'))}>
            Wait until settled
          </Button>
          <Button onClick={() => run('All history is forgotten', () => post('/compact'))}>Forget history</Button>
        </div>
      </div>
    </Panel>
  )
}

function Snapshots({ state, run }: ControlProps) {
  const [name, setName] = useState('')
  return (
    <Panel title="Snapshots">
      <div class="stack">
        <form
          class="row end"
          onSubmit={(event) => {
            event.preventDefault()
            run('The state is kept', () => post('/snapshot', name === '' ? {} : { name }))
          }}
        >
          <Input label="Name" value={name} onInput={setName} placeholder="its number" />
          <Button type="submit">Keep the present state</Button>
          <Button look="danger" onClick={() => run('The server is as it was at its start', () => post('/reset'))}>
            Back to the start
          </Button>
        </form>
        {state.snapshots.length === 0 && <p class="quiet">None yet.</p>}
        {state.snapshots.map((each) => (
          <div key={each} class="row">
            <code>{each}</code>
            <Button onClick={() => run(`Back to ${each}`, () => post('/restore', { to: each }))}>Restore</Button>
          </div>
        ))}
      </div>
    </Panel>
  )
}

const kinds: readonly (readonly [string, string])[] = [
  ['cut', 'cut off'],
  ['expired', 'end as expired (410)'],
]

function WatchControl({ run }: Pick<ControlProps, 'run'>) {
  const [resource, setResource] = useState('')
  return (
    <Panel title="Open watches">
      <div class="row end">
        <Input label="Resource" placeholder="all" value={resource} onInput={setResource} />
        {kinds.map(([kind, title]) => (
          <Button
            key={kind}
            onClick={() =>
              run(`Watches: ${title}`, () =>
                post('/watches/break', { kind, match: resource === '' ? {} : { resource } }),
              )
            }
          >
            {title}
          </Button>
        ))}
      </div>
    </Panel>
  )
}

interface Fork {
  readonly link?: string
  readonly url?: string
}

function Forks({ state }: { readonly state: TestState }) {
  const [made, setMade] = useState<readonly Fork[]>([])
  const fork = () => void post<Fork>('/fork').then((each) => setMade([...made, each]), toastError)
  return (
    <Panel title="Copies" actions={<Button onClick={fork}>Make a copy of this server</Button>}>
      {state.forks.length + made.length === 0 && (
        <p class="quiet">None. A copy has this state, and a life of its own.</p>
      )}
      <ul>
        {[...new Map([...state.forks, ...made].map((each) => [each.url, each])).values()].map(({ url, link }) => (
          <li key={url}>
            {link === undefined ? (
              <code>{url}</code>
            ) : (
              <a class="linked" href={link} target="_blank" rel="noreferrer">
                {url}
              </a>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
