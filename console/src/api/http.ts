// Requests to the server's own origin. The session is a cookie; the header proves to the server that the request comes from the
// console's own script (a form or link of another origin cannot send it).
import { signal } from '@preact/signals'

/** Whether the server asked for a sign-in; the application shows that page then. */
export const signedOut = signal(false)

export interface Cause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** A Status that refused a request. */
export class Refusal extends Error {
  readonly code: number
  readonly reason: string
  readonly causes: readonly Cause[]
  readonly status: unknown

  constructor(code: number, status: StatusBody) {
    super(status.message ?? `the server answered ${code}`)
    this.code = code
    this.reason = status.reason ?? ''
    this.causes = status.details?.causes ?? []
    this.status = status
  }
}

interface StatusBody {
  readonly message?: string
  readonly reason?: string
  readonly details?: { readonly causes?: readonly Cause[] }
}

export interface Impersonation {
  readonly user: string
  readonly groups: readonly string[]
}

export interface Ask {
  readonly method?: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly accept?: string
  readonly body?: unknown
  readonly contentType?: string
  readonly signal?: AbortSignal | undefined
  readonly as?: Impersonation | undefined
}

export interface Reply<T> {
  readonly body: T
  readonly code: number
  readonly warnings: readonly string[]
}

export function withQuery(path: string, query: Ask['query'] = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  if (given.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/** The answer as it comes; refusals too. */
export async function send(path: string, ask: Ask = {}): Promise<Response> {
  const headers = new Headers({ accept: ask.accept ?? 'application/json', 'x-pilothouse-console': '1' })
  if (ask.body !== undefined) headers.set('content-type', ask.contentType ?? 'application/json')
  if (ask.as !== undefined) {
    headers.set('impersonate-user', ask.as.user)
    for (const group of ask.as.groups) headers.append('impersonate-group', group)
  }
  const body = typeof ask.body === 'string' || ask.body === undefined ? ask.body : JSON.stringify(ask.body)
  // To a browser the server would indent its answers, which costs time and bytes.
  const compact = /^\/apis?\//.test(path) && (ask.method ?? 'GET') === 'GET' ? { pretty: 'false' } : {}
  const answer = await fetch(withQuery(path, { ...ask.query, ...compact }), {
    method: ask.method ?? 'GET',
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
    ...(body === undefined ? {} : { body }),
    ...(ask.signal === undefined ? {} : { signal: ask.signal }),
  })
  if (answer.status === 401 && ask.as === undefined) signedOut.value = true
  return answer
}

/** The answer of a request that succeeded; throws a Refusal otherwise. */
export async function open(path: string, ask: Ask = {}): Promise<Response> {
  const answer = await send(path, ask)
  if (!answer.ok) throw new Refusal(answer.status, await statusOf(answer))
  return answer
}

export async function call<T>(path: string, ask: Ask = {}): Promise<Reply<T>> {
  const answer = await open(path, ask)
  return { body: (await answer.json()) as T, code: answer.status, warnings: warningsOf(answer.headers.get('warning')) }
}

export async function get<T>(path: string, ask: Ask = {}): Promise<T> {
  return (await call<T>(path, ask)).body
}

export async function getText(path: string, ask: Ask = {}): Promise<string> {
  return (await open(path, { accept: '*/*', ...ask })).text()
}

async function statusOf(answer: Response): Promise<StatusBody> {
  const text = await answer.text()
  try {
    return JSON.parse(text) as StatusBody
  } catch {
    return { message: text.slice(0, 2000) || `the server answered ${answer.status}` }
  }
}

/** The texts of `Warning` headers: `299 - "text", 299 - "text"`. */
export function warningsOf(header: string | null): string[] {
  return [...(header ?? '').matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  )
}

export const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'
