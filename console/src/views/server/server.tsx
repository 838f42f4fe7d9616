// The server itself: its health, what it was started with, how it is doing, how requests are let in.
import { useEffect, useState } from 'preact/hooks'
import { get, getText } from '../../api/http.ts'
import type { Json } from '../../api/objects.ts'
import type { Freshness } from '../../api/reflector.ts'
import { has, whyNot } from '../../api/session.ts'
import { type StreamLine, useFollowed } from '../../api/stream.ts'
import { messageOf } from '../../lib/message.ts'
import { address, href, param } from '../../lib/router.ts'
import { age, bytes, dateTime, duration } from '../../lib/time.ts'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { lazy } from '../../ui/lazy.tsx'
import { Badge, Empty, Facts, Input, Notice, Panel, Tabs } from '../../ui/parts.tsx'
import { Flows } from './flows.tsx'
import './server.css'

const Metrics = lazy(() => import('./metrics.tsx'), 'Metrics')

const parts = [
  { id: 'overview', title: 'Overview', View: Overview },
  { id: 'metrics', title: 'Metrics', View: Metrics },
  { id: 'flows', title: 'Flow control', View: Flows },
  { id: 'flags', title: 'Flags', View: Flags },
  { id: 'gates', title: 'Feature gates', View: Gates },
] as const

interface ServerFacts {
  readonly program: string
  readonly release: string
  readonly emulated?: string
  readonly node: string
  readonly startedAt: string
  readonly uptimeMs: number
  readonly store: {
    readonly kind: string
    readonly bytes?: number
    readonly revision: number
    readonly historyMs?: number
  }
  readonly flags: readonly { readonly name: string; readonly value: string; readonly isSet: boolean }[]
  readonly featureGates: readonly {
    readonly name: string
    readonly enabled: boolean
    readonly stage: string
    readonly isSet: boolean
  }[]
  readonly admissionPlugins: readonly string[]
  readonly authorizationModes: readonly string[]
  readonly memory: { readonly rssBytes: number; readonly heapUsedBytes: number; readonly heapTotalBytes: number }
  readonly eventLoop: { readonly longestHoldMs: number }
  readonly health: readonly {
    readonly page: string
    readonly ok: boolean
    readonly checks: readonly { readonly name: string; readonly ok: boolean }[]
  }[]
}

export function ServerView() {
  const [, second = 'overview'] = address.value.path
  const part = parts.find((each) => each.id === second)
  if (part === undefined) return <Empty>There is no such page.</Empty>
  const { id, View } = part
  return (
    <div class="page">
      <div class="page-head">
        <h1>The server</h1>
      </div>
      <Tabs label="Server" current={id} tabs={parts.map((each) => ({ ...each, href: href(['server', each.id]) }))} />
      <View />
    </div>
  )
}

function useServer(): { readonly server?: ServerFacts; readonly failure: string; readonly state: Freshness } {
  const { line, state } = useFollowed<ServerFacts & StreamLine>(has('server') ? '/console/v1/server' : undefined, {
    type: 'SERVER',
  })
  const failure = state.phase === 'refused' ? state.why : ''
  return line === undefined ? { failure, state } : { server: line, failure, state }
}

function Overview() {
  const { server, failure, state } = useServer()
  if (!has('server')) return <PublicFacts />
  if (failure !== '') return <Notice tone="bad">{failure}</Notice>
  if (server === undefined) return <Empty>Loading …</Empty>
  return (
    <div class="stack">
      <div class="row">
        <FreshnessBadge state={state} />
      </div>
      <div class="columns">
        <Panel title="Program">
          <Facts
            items={[
              ['Pilothouse', server.program],
              ['Kubernetes', `${server.release}${server.emulated ? `, emulating ${server.emulated}` : ''}`],
              ['Node', server.node],
              ['Started', `${dateTime(server.startedAt)} (${age(server.uptimeMs)} ago)`],
              [
                'Memory',
                `${bytes(server.memory.rssBytes)}, heap ${bytes(server.memory.heapUsedBytes)} of ${bytes(server.memory.heapTotalBytes)}`,
              ],
              ['Event loop', `held for ${duration(server.eventLoop.longestHoldMs)} at most in the last second`],
            ]}
          />
        </Panel>
        <Panel title="Store">
          <Facts
            items={[
              ['Kind', server.store.kind],
              ['Revision', server.store.revision.toLocaleString('en')],
              ['Size', server.store.bytes === undefined ? 'unknown' : bytes(server.store.bytes)],
              ['History', server.store.historyMs === undefined ? 'unknown' : age(server.store.historyMs)],
            ]}
          />
        </Panel>
        <Panel title="How requests are judged">
          <Facts
            items={[
              ['Authorization', server.authorizationModes.join(', then ')],
              ['Admission', server.admissionPlugins.join(', ')],
            ]}
          />
        </Panel>
      </div>
      <Health health={server.health} />
    </div>
  )
}

function Health({ health }: { readonly health: ServerFacts['health'] }) {
  return (
    <Panel title="Health" flush>
      {health.map(({ page, ok, checks }) => (
        <div key={page} class="health">
          <span class="row">
            <strong>{page}</strong>
            <Badge tone={ok ? 'ok' : 'bad'} dot>
              {ok ? 'passes' : 'fails'}
            </Badge>
          </span>
          <span class="row">
            {checks.map((check) => (
              <span key={check.name} class={`chip ${check.ok ? '' : 'text-bad'}`}>
                {check.ok ? '✓' : '✗'} {check.name}
              </span>
            ))}
          </span>
        </div>
      ))}
    </Panel>
  )
}

/** What every cluster tells of itself. */
function PublicFacts() {
  const [version, setVersion] = useState<Json>(undefined)
  const [ready, setReady] = useState('')
  useEffect(() => {
    get<Json>('/version').then(setVersion, () => {})
    getText('/readyz', { query: { verbose: '' } }).then(setReady, (error: unknown) => setReady(messageOf(error)))
  }, [])
  return (
    <div class="columns">
      <Panel title="Version">
        <Facts items={Object.entries(version ?? {}).map(([key, value]) => [key, String(value)] as const)} />
      </Panel>
      <Panel title="Health">
        <pre>{ready}</pre>
      </Panel>
    </div>
  )
}

function Flags() {
  const { server, failure } = useServer()
  const [filter, setFilter] = param('q')
  if (!has('server')) return <Empty>{whyNot('server')}</Empty>
  if (failure !== '') return <Notice tone="bad">{failure}</Notice>
  const flags = (server?.flags ?? [])
    .filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(filter.toLowerCase()))
    .sort((a, b) => Number(b.isSet) - Number(a.isSet) || a.name.localeCompare(b.name))
  return (
    <Panel
      title={`${flags.length} flags`}
      actions={<Input label="Filter flags" hideLabel placeholder="Filter" value={filter} onInput={setFilter} />}
      flush
    >
      <table class="plain-table">
        <tbody>
          {flags.map(({ name, value, isSet }) => (
            <tr key={name}>
              <td class="mono">--{name}</td>
              <td class="mono">{value === '' ? <span class="quiet">empty</span> : value}</td>
              <td>{isSet && <Badge tone="info">given</Badge>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function Gates() {
  const { server, failure } = useServer()
  const [filter, setFilter] = param('q')
  if (!has('server')) return <Empty>{whyNot('server')}</Empty>
  if (failure !== '') return <Notice tone="bad">{failure}</Notice>
  const gates = (server?.featureGates ?? []).filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()))
  return (
    <Panel
      title={`${gates.length} gates`}
      actions={<Input label="Filter gates" hideLabel placeholder="Filter" value={filter} onInput={setFilter} />}
      flush
    >
      <table class="plain-table">
        <tbody>
          {gates.map(({ name, enabled, stage, isSet }) => (
            <tr key={name}>
              <td class="mono">{name}</td>
              <td>
                <Badge tone={enabled ? 'ok' : 'plain'}>{enabled ? 'on' : 'off'}</Badge>
              </td>
              <td class="quiet">{stage}</td>
              <td>{isSet && <Badge tone="info">given</Badge>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
