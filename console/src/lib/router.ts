// The address is the state of a view: everything that a link must carry is in its path, its query and, of texts that a user wrote, its
// fragment, which no server and no log ever sees.
import { computed, signal } from '@preact/signals'

const base = '/console'

export interface Address {
  /** The decoded segments after `/console/`. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
  readonly texts: Readonly<Record<string, string>>
}

const current = signal(readAddress())

export const address = computed<Address>(() => current.value)

function readAddress(): Address {
  if (typeof location === 'undefined') return parseAddress(base)
  return parseAddress(location.pathname + location.search + location.hash)
}

export function parseAddress(text: string): Address {
  const [, pathname = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text) ?? []
  const rest = pathname.startsWith(base) ? pathname.slice(base.length) : pathname
  const path = rest
    .split('/')
    .filter((segment) => segment !== '')
    .map(decode)
  const { code, ...texts } = Object.fromEntries(new URLSearchParams(hash.slice(1)))
  return { path, query: Object.fromEntries(new URLSearchParams(search)), texts }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

type Changes = Readonly<Record<string, string | undefined>>

const encoded = (mark: string, members: Changes): string => {
  const given = Object.entries(members).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length === 0 ? '' : `${mark}${new URLSearchParams(given)}`
}

const written = ({ path, query, texts }: { path: readonly string[]; query: Changes; texts: Changes }): string =>
  `${base}/${path.map(encodeURIComponent).join('/')}${encoded('?', query)}${encoded('#', texts)}`

/** Empty members are left out. */
const withoutEmpty = (members: Changes): Changes =>
  Object.fromEntries(Object.entries(members).map(([key, value]) => [key, value === '' ? undefined : value]))

export const href = (path: readonly string[], query: Changes = {}): string =>
  written({ path, query: withoutEmpty(query), texts: {} })

/**
 * Browsers refuse more than some two hundred changes of the address in half a minute. A token bucket: changes are written at
 * once, so that a reload or a copied link has them; only beyond its burst are they gathered.
 */
const burst = 100
const refillMs = 300
const gatherMs = 1000
let tokens = burst
let filledAt = 0
let gathered: { readonly to: string; readonly timer: ReturnType<typeof setTimeout> } | undefined

function takeToken(): boolean {
  const now = performance.now()
  tokens = Math.min(burst, tokens + (now - filledAt) / refillMs)
  filledAt = now
  if (tokens < 1) return false
  tokens--
  return true
}

function flush(): void {
  if (gathered === undefined) return
  clearTimeout(gathered.timer)
  history.replaceState(null, '', gathered.to)
  gathered = undefined
}

export function go(to: string, { replace = false } = {}): void {
  const next = parseAddress(to)
  if (written(next) === written(current.value)) return
  if (replace) {
    clearTimeout(gathered?.timer)
    gathered = { to, timer: setTimeout(flush, gatherMs) }
    if (takeToken()) flush()
  } else {
    flush()
    history.pushState(null, '', to)
  }
  current.value = next
}

/** Changes members of the query in place; undefined or empty takes one away. */
export function setQuery(changes: Changes, textChanges: Changes = {}): void {
  const { path, query, texts } = current.value
  const to = { path, query: { ...query, ...withoutEmpty(changes) }, texts: { ...texts, ...withoutEmpty(textChanges) } }
  go(written(to), { replace: true })
}

type Param = readonly [string, (value: string) => void]

/** A part of a view's state that is a member of the query, where it is not what it is without. */
export function param(key: string, fallback = ''): Param {
  const set = (value: string) => {
    const { path, query, texts } = current.value
    go(written({ path, query: { ...query, [key]: value === fallback ? undefined : value }, texts }), { replace: true })
  }
  return [address.value.query[key] ?? fallback, set]
}

/** The same for a text of a user's own, in the fragment. */
export function textParam(key: string, fallback = ''): Param {
  const set = (value: string) => {
    const { path, query, texts } = current.value
    go(written({ path, query, texts: { ...texts, [key]: value === fallback ? undefined : value } }), { replace: true })
  }
  return [address.value.texts[key] ?? fallback, set]
}

/** Whether something is switched on; without a word in the address it is `fallback`. */
export function flagParam(key: string, fallback = false): readonly [boolean, (value: boolean) => void] {
  const [text, set] = param(key, fallback ? '1' : '0')
  return [text === '1', (value) => set(value ? '1' : '0')]
}

/** Links are plain anchors; a click without modifiers stays in the page. */
export function startRouter(): void {
  addEventListener('pagehide', flush)
  addEventListener('popstate', () => {
    clearTimeout(gathered?.timer)
    gathered = undefined
    current.value = readAddress()
  })
  document.addEventListener('click', (event) => {
    const anchor = (event.target as Element | null)?.closest?.('a[href]')
    if (!(anchor instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || anchor.target !== '') return
    if (anchor.origin !== location.origin || !anchor.pathname.startsWith(`${base}/`)) return
    event.preventDefault()
    go(anchor.pathname + anchor.search + anchor.hash)
  })
}

interface Named {
  readonly group: string
  readonly version: string
  readonly resource: string
}

const groupSegment = (group: string): string => (group === '' ? 'core' : group)

export const listHref = (kind: Named, query: Changes = {}): string =>
  href(['k', groupSegment(kind.group), kind.version, kind.resource], query)

export interface ObjectPlace {
  readonly namespace?: string | undefined
  readonly name: string
  readonly tab?: string | undefined
}

export const objectHref = (kind: Named, { namespace, name, tab }: ObjectPlace): string =>
  href(['o', groupSegment(kind.group), kind.version, kind.resource, namespace || '_', name], { tab })

export const groupOfSegment = (segment: string): string => (segment === 'core' ? '' : segment)
