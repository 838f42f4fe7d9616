/** Recorded requests as the console's API shows them. */
import { gunzipSync } from 'node:zlib'
import { textOfHeader, wellFormed } from '../../api/byte-text.ts'
import { isJsonObject, type JsonValue } from '../../api/json.ts'
import type { UserInfo } from '../../api/user.ts'
import { decodedBody } from '../../codec/any-body.ts'
import { isoTime } from '../session-endpoints.ts'
import { type KeptBody, maxBodyBytes } from './recorded-exchange.ts'
import type { AdmissionStep, RequestRecord } from './request-record.ts'

/** `withheld` as `ReaderRights` says. */
export function summary(record: RequestRecord, withheld: string | undefined): Record<string, unknown> {
  const { context, exchange, authenticated, status, durationMs } = record
  if (context === undefined) throw new Error('the request is not known yet')
  const { info, user } = context
  const failure = status >= 400 ? failureOf(record) : undefined
  const refusedBy = refusalOf(record)
  return {
    id: record.id,
    time: isoTime(record.time),
    state: durationMs === undefined ? 'running' : status === 0 ? 'aborted' : 'done',
    verb: info.verb,
    method: exchange.method,
    path: info.path,
    query: exchange.query,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name || (withheld === undefined ? createdName(record) : ''),
    user: user.name,
    ...(authenticated === undefined || authenticated.name === user.name ? {} : { impersonator: authenticated.name }),
    agent: wellFormed(textOfHeader(context.header('user-agent') ?? '')).slice(0, 512),
    source: exchange.peer.remoteAddress,
    ...(status === 0 ? {} : { code: status }),
    ...(failure?.reason === undefined ? {} : { reason: failure.reason }),
    ...(failure?.message === undefined || withheld !== undefined ? {} : { message: failure.message }),
    ...(refusedBy === undefined ? {} : { refusedBy }),
    ...(durationMs === undefined ? {} : { durationMs: rounded(durationMs) }),
    requestBytes: exchange.request?.bytes ?? 0,
    responseBytes: exchange.response.bytes,
  }
}

/** A create names its object in the body alone. */
const createdName = ({ context, steps }: RequestRecord): string =>
  context?.info.verb === 'create' ? (steps.at(-1)?.name ?? '') : ''

export interface DetailFacts {
  readonly withheld: string | undefined
  readonly authorization: object | undefined
  readonly flow: object | undefined
}

export function detail(record: RequestRecord, facts: DetailFacts): Record<string, unknown> {
  const { context, exchange, authenticated } = record
  const { withheld, authorization, flow } = facts
  const isImpersonated = authenticated !== undefined && authenticated !== context?.user
  return {
    ...summary(record, withheld),
    ...(context === undefined ? {} : { identity: identity(context.user) }),
    ...(isImpersonated ? { impersonator: identity(authenticated) } : {}),
    timing: timing(record),
    ...(authorization === undefined ? {} : { authorization }),
    ...(flow === undefined ? {} : { flow }),
    admission: record.steps.map((step) => shownStep(step, withheld)),
    annotations: annotations(record, withheld),
    warnings: exchange.answerHeaders.warnings,
    requestHeaders: shownHeaders(exchange.headers),
    responseHeaders: shownHeaders(exchange.answerHeaders.all),
    request: shownBody(exchange.request, String(exchange.headers['content-type'] ?? ''), { withheld }),
    response: shownBody(exchange.response, exchange.answerHeaders.all['content-type'] ?? '', {
      withheld,
      encoding: exchange.answerHeaders.all['content-encoding'],
    }),
  }
}

const identity = ({ name, groups, extra, uid }: UserInfo): object => ({
  name,
  groups,
  extra: Object.fromEntries(extra),
  ...(uid === undefined ? {} : { uid }),
})

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000

/** Adds up to the whole duration. */
function timing(record: RequestRecord): object[] {
  const { moments, exchange, steps, storageMs } = record
  const total = record.durationMs ?? record.ageMs
  const at = (moment: Parameters<typeof moments.get>[0]): number | undefined => moments.get(moment)
  const authenticatedAt = at('authenticated') ?? 0
  const queuedFrom = at('impersonation') ?? authenticatedAt
  const seated = at('priorityandfairness') ?? at('maxinflight') ?? queuedFrom
  const parts: [string, number][] = [
    ['authentication', authenticatedAt],
    ['flow-control', seated - queuedFrom],
    ['authorization', (at('authorized') ?? seated) - seated],
    ['body', exchange.bodyMs],
    ['admission', steps.reduce((sum, { ms }) => sum + ms, 0)],
    ['storage', storageMs],
  ]
  const known = parts.reduce((sum, [, ms]) => sum + ms, 0)
  return [...parts, ['server', Math.max(0, total - known)] as const].map(([name, ms]) => ({ name, ms: rounded(ms) }))
}

function shownStep(step: AdmissionStep, withheld: string | undefined): object {
  const { phase, round, plugin, operation, calls, ms, patch, denied } = step
  return {
    phase,
    round,
    plugin,
    operation,
    ms: rounded(ms),
    ...(patch.length === 0 ? {} : withheld === undefined ? { patch } : { withheld }),
    ...(denied === undefined ? {} : { denied: withheld === undefined ? denied : `(withheld: ${withheld})` }),
    calls: calls.map((call) => ({ ...call, ms: rounded(call.ms) })),
  }
}

/** Patches of webhooks and the words of policies have parts of objects in them. */
const annotations = (record: RequestRecord, withheld: string | undefined): object =>
  Object.fromEntries(
    [...record.annotations].map(([key, value]) => {
      const isPlain = withheld === undefined || key.startsWith('authorization.k8s.io/')
      return [key, isPlain ? value : '(withheld)']
    }),
  )

const secretHeaders = /^(authorization|proxy-authorization|cookie|set-cookie|x-remote-.*|sec-websocket-protocol)$/

function shownHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): object {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name, secretHeaders.test(name) ? '(withheld)' : [value ?? ''].flat().join(', ')]),
  )
}

interface BodyOptions {
  readonly withheld: string | undefined
  readonly encoding?: string | undefined
}

function shownBody(body: KeptBody | undefined, contentType: string, options: BodyOptions): object {
  const facts = { ...(contentType === '' ? {} : { contentType }), bytes: body?.bytes ?? 0 }
  if (body === undefined || body.bytes === 0) return facts
  if (options.withheld !== undefined) return { ...facts, withheld: options.withheld }
  const content = body.content && plain(body.content, options.encoding)
  if (content === undefined) return { ...facts, truncated: true }
  const value = decodedBody(content, contentType)
  if (Buffer.isBuffer(value)) return { ...facts, base64: value.toString('base64') }
  return typeof value === 'string' && !contentType.includes('json') ? { ...facts, text: value } : { ...facts, value }
}

/** Undefined when it is larger than what is kept of others. */
function plain(content: Buffer, encoding: string | undefined): Buffer | undefined {
  if (encoding !== 'gzip') return content
  try {
    return gunzipSync(content, { maxOutputLength: 16 * maxBodyBytes })
  } catch {
    return undefined
  }
}

/** Read once: bodies are forgotten before requests are. */
function failureOf(record: RequestRecord): NonNullable<RequestRecord['failure']> | undefined {
  if (record.failure === undefined && record.isOver) record.failure = statusOf(record) ?? null
  return record.failure ?? undefined
}

const maxMessageLength = 4096

function statusOf({ exchange }: RequestRecord): { reason?: string; message?: string } | undefined {
  const { content } = exchange.response
  if (content === undefined || content.length === 0) return undefined
  const { 'content-type': type = '', 'content-encoding': encoding } = exchange.answerHeaders.all
  const value = decodedBody(plain(content, encoding) ?? content, type) as JsonValue
  if (!isJsonObject(value) || value['kind'] !== 'Status') return undefined
  const { reason, message } = value
  return {
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof message === 'string' ? { message: message.slice(0, maxMessageLength) } : {}),
  }
}

function refusalOf(record: RequestRecord): string | undefined {
  const { status, context, annotations, steps } = record
  if (status < 400) return undefined
  if (status === 401) return 'authentication'
  if (annotations.get('authorization.k8s.io/decision') === 'forbid') return 'authorization'
  if (steps.some(({ denied }) => denied !== undefined)) return 'admission'
  if (status === 429 && context?.isPastFilters === false) return 'flow-control'
  if (status === 422 || status === 400) return 'validation'
  if (status === 409) return 'conflict'
  return status >= 500 ? 'server' : undefined
}
