// One request: where its time went, who allowed it, what admission did to it, what was sent and answered.
import { preferredKind } from '../../api/discovery.ts'
import type { Json } from '../../api/objects.ts'
import { type StreamLine, useFollowed } from '../../api/stream.ts'
import { href, objectHref } from '../../lib/router.ts'
import { bytes, clockTime, duration } from '../../lib/time.ts'
import { lineText, yamlLines } from '../../lib/yaml-lines.ts'
import { Badge, Empty, Facts, Notice, Panel } from '../../ui/parts.tsx'
import { type Grant, GrantLine } from '../access/grants.tsx'
import type { LoggedRequest } from './request-log.ts'
import { Code, what } from './request-parts.tsx'

interface Body {
  readonly contentType?: string
  readonly bytes?: number
  readonly value?: Json
  readonly text?: string
  readonly truncated?: boolean
  readonly withheld?: string
}

interface Identity {
  readonly name: string
  readonly groups?: readonly string[]
}

interface AdmissionStep {
  readonly phase: string
  readonly round: number
  readonly plugin: string
  readonly ms: number
  readonly denied?: string
  readonly patch?: readonly Json[]
  readonly withheld?: string
  readonly calls?: readonly {
    readonly kind: string
    readonly name: string
    readonly binding?: string
    readonly outcome: string
    readonly ms: number
  }[]
}

interface Flow {
  readonly priorityLevel: string
  readonly flowSchema: string
  readonly distinguisher: string
  /** Absent where the level has no queues. */
  readonly queue?: number
  readonly seats: number
  readonly queuedMs: number
}

interface Detail extends LoggedRequest {
  readonly identity?: Identity
  readonly impersonator?: Identity
  readonly timing?: readonly { readonly name: string; readonly ms: number }[]
  readonly authorization?: { readonly decision: string; readonly reason?: string; readonly grant?: Grant }
  readonly flow?: Flow
  readonly admission?: readonly AdmissionStep[]
  readonly annotations?: Readonly<Record<string, string>>
  readonly warnings?: readonly string[]
  readonly requestHeaders?: Readonly<Record<string, string>>
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly request?: Body
  readonly response?: Body
}

export function RequestDetail({ id }: { readonly id: string }) {
  const { line: detail, state } = useFollowed<Detail & StreamLine>(`/console/v1/requests/${id}`, { type: 'REQUEST' })
  if (state.phase === 'refused' && detail === undefined) {
    return (
      <Empty>
        {state.why}{' '}
        <a class="linked" href={href(['requests'])}>
          All requests
        </a>
      </Empty>
    )
  }
  if (detail === undefined) return <Empty>Loading …</Empty>
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="wrap">
          {detail.verb} {what(detail)}
        </h1>
        <Code request={detail} />
        <span class="quiet">{clockTime(detail.time)}</span>
        <span class="grow" />
        <a class="button" href={href(['requests'])}>
          All requests
        </a>
      </div>
      <div class="stack">
        {detail.message && (
          <Notice tone="bad">
            {[detail.refusedBy && `Refused by ${detail.refusedBy}.`, detail.message].filter(Boolean).join(' ')}
          </Notice>
        )}
        {(detail.warnings ?? []).map((warning) => (
          <Notice key={warning} tone="warn">
            {warning}
          </Notice>
        ))}
        <div class="columns">
          <Panel title="Request">
            <Facts items={facts(detail)} />
          </Panel>
          <Timing detail={detail} />
        </div>
        <Authorization detail={detail} />
        <Admission steps={detail.admission ?? []} />
        <div class="columns">
          <BodyPanel title="What was sent" body={detail.request} headers={detail.requestHeaders} />
          <BodyPanel title="What was answered" body={detail.response} headers={detail.responseHeaders} />
        </div>
      </div>
    </div>
  )
}

function facts(detail: Detail): (readonly [string, Json])[] {
  const {
    method,
    path,
    query,
    identity,
    impersonator,
    agent,
    flow,
    group = '',
    resource = '',
    namespace,
    name,
  } = detail
  const kind = preferredKind(group, resource)
  const isRefusedCreate = detail.verb === 'create' && (detail.code ?? 0) >= 400
  const all: (readonly [string, Json])[] = [
    ['Path', <code key="path">{`${method} ${path}${query ? `?${query}` : ''}`}</code>],
    ['User', identity?.name ?? detail.user],
    ['Groups', identity?.groups?.join(', ')],
    ['On behalf of', impersonator?.name],
    ['Agent', agent],
    [
      'Object',
      kind && name && !isRefusedCreate ? (
        <a key="object" href={objectHref(kind, { namespace, name })}>
          {name}
        </a>
      ) : (
        name
      ),
    ],
    ['Priority level', flow && `${flow.priorityLevel}, by flow schema ${flow.flowSchema}`],
    ['Queue', flow && queueText(flow)],
  ]
  return all.filter(([, value]) => value !== undefined && value !== '')
}

function queueText({ queue, distinguisher, seats, queuedMs }: Flow): string {
  const where = queue === undefined ? 'none: this level has no queues' : `number ${queue}`
  const whose = queue === undefined || distinguisher === '' ? '' : `, dealt to the flow of ${distinguisher}`
  const wait = queuedMs > 0 ? `waited ${duration(queuedMs)}` : 'did not wait'
  return `${where}${whose}; ${wait} for ${seats} ${seats === 1 ? 'seat' : 'seats'}`
}

/** What each part of the time is. */
const phases: Readonly<Record<string, string>> = {
  authentication: 'who it is',
  'flow-control': 'waiting for a seat',
  authorization: 'whether they may',
  body: 'reading what was sent',
  admission: 'plugins, policies, webhooks',
  storage: 'waiting for the store; reads come from memory',
  server: 'everything else: reading, validating, writing the answer, waiting for the processor',
}

function Timing({ detail: { timing = [], durationMs = 0 } }: { readonly detail: Detail }) {
  const most = Math.max(...timing.map(({ ms }) => ms), 0.001)
  return (
    <Panel title={`Where the time went: ${duration(durationMs)}`}>
      <div class="bars-chart">
        {timing.map(({ name, ms }) => (
          <div key={name} class="bar-line">
            <span>{name}</span>
            <span class="track">
              <span class="fill" style={{ width: `${(ms / most) * 100}%` }} />
            </span>
            <span class="number">{duration(ms)}</span>
            <span class="quiet explain">{phases[name]}</span>
          </div>
        ))}
      </div>
    </Panel>
  )
}

function Authorization({ detail: { authorization } }: { readonly detail: Detail }) {
  if (authorization === undefined) return null
  const { decision, reason, grant } = authorization
  return (
    <Panel title="Authorization">
      <div class="stack tight">
        <div class="row">
          <Badge tone={decision === 'allow' ? 'ok' : 'bad'}>{decision}</Badge>
          <span class="wrap">{reason || (decision === 'allow' ? 'by a rule that gave no reason' : '')}</span>
        </div>
        {grant !== undefined && <GrantLine grant={grant} />}
      </div>
    </Panel>
  )
}

function Admission({ steps }: { readonly steps: readonly AdmissionStep[] }) {
  if (steps.length === 0) return null
  return (
    <Panel title="Admission" flush>
      <div class="scroll-x">
        <table class="plain-table">
          <thead>
            <tr>
              <th>Phase</th>
              <th>Plugin</th>
              <th>What it did</th>
              <th class="number">Took</th>
            </tr>
          </thead>
          <tbody>
            {steps.map((step, index) => (
              <tr key={index}>
                <td>{step.round > 0 ? `${step.phase}, again` : step.phase}</td>
                <td>{step.plugin}</td>
                <td>
                  <StepResult step={step} />
                </td>
                <td class="number">{duration(step.ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function StepResult({ step: { denied, patch = [], calls = [], withheld } }: { readonly step: AdmissionStep }) {
  const nothing = denied === undefined && patch.length === 0 && calls.length === 0 && withheld === undefined
  if (nothing) return <span class="quiet">nothing</span>
  return (
    <div class="stack tight">
      {denied !== undefined && <span class="text-bad">refused: {denied}</span>}
      {patch.map((each, index) => (
        <code key={index} class="wrap">
          {each.op} {each.path} {each.value === undefined ? '' : JSON.stringify(each.value)}
        </code>
      ))}
      {calls.map((call) => (
        <span key={`${call.kind} ${call.name} ${call.binding}`}>
          {call.kind} {call.name}:{' '}
          <Badge tone={call.outcome === 'allow' ? 'ok' : call.outcome === 'deny' ? 'bad' : 'plain'}>
            {call.outcome}
          </Badge>{' '}
          <span class="quiet">{duration(call.ms)}</span>
        </span>
      ))}
      {withheld !== undefined && <span class="quiet">{withheld}</span>}
    </div>
  )
}

const maxLines = 2000

interface BodyProps {
  readonly title: string
  readonly body: Body | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
}

function BodyPanel({ title, body, headers = {} }: BodyProps) {
  return (
    <Panel title={title} actions={<span class="quiet">{body?.bytes === undefined ? '' : bytes(body.bytes)}</span>}>
      <div class="stack">
        <details>
          <summary>Headers</summary>
          <Facts items={Object.entries(headers)} />
        </details>
        {body?.withheld && <Notice>Not shown: {body.withheld}</Notice>}
        {body?.truncated && <Notice>Too large to be kept.</Notice>}
        {body?.value !== undefined && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it
          <pre class="body-text" tabIndex={0}>
            {yamlLines(body.value).slice(0, maxLines).map(lineText).join('\n')}
          </pre>
        )}
        {body?.text !== undefined && <pre class="body-text">{body.text}</pre>}
      </div>
    </Panel>
  )
}
