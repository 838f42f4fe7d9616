// The address is the state of a view: everything that a link must carry is in its path and query.
import { computed, signal } from '@preact/signals'

const base = '/console'

export interface Address {
  /** The decoded segments after `/console/`. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

const current = signal(readAddress())

export const address = computed<Address>(() => current.value)

function readAddress(): Address {
  const { pathname, search } = typeof location === 'undefined' ? { pathname: base, search: '' } : location
  return parseAddress(pathname, search)
}

export function parseAddress(pathname: string, search: string): Address {
  const rest = pathname.startsWith(base) ? pathname.slice(base.length) : pathname
  const path = rest
    .split('/')
    .filter((segment) => segment !== '')
    .map(decode)
  return { path, query: Object.fromEntries(new URLSearchParams(search)) }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  )
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return `${base}/${path.map(encodeURIComponent).join('/')}${search}`
}

export function go(to: string, { replace = false } = {}): void {
  if (to === location.pathname + location.search) return
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  current.value = readAddress()
}

/** Changes members of the query in place; undefined or empty takes one away. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>, { replace = true } = {}): void {
  const { path, query } = current.value
  go(href(path, { ...query, ...changes }), { replace })
}

/** Links are plain anchors; a click without modifiers stays in the page. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    current.value = readAddress()
  })
  document.addEventListener('click', (event) => {
    const anchor = (event.target as Element | null)?.closest?.('a[href]')
    if (!(anchor instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || anchor.target !== '') return
    if (anchor.origin !== location.origin || !anchor.pathname.startsWith(`${base}/`)) return
    event.preventDefault()
    go(anchor.pathname + anchor.search)
  })
}

interface Named {
  readonly group: string
  readonly version: string
  readonly resource: string
}

const groupSegment = (group: string): string => (group === '' ? 'core' : group)

export const listHref = (kind: Named, query: Readonly<Record<string, string | undefined>> = {}): string =>
  href(['k', groupSegment(kind.group), kind.version, kind.resource], query)

export interface ObjectPlace {
  readonly namespace?: string | undefined
  readonly name: string
  readonly tab?: string | undefined
}

export const objectHref = (kind: Named, { namespace, name, tab }: ObjectPlace): string =>
  href(['o', groupSegment(kind.group), kind.version, kind.resource, namespace || '_', name], { tab })

export const groupOfSegment = (segment: string): string => (segment === 'core' ? '' : segment)
