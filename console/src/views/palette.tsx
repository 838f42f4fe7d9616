// Search over kinds, names and labels; `:` narrows it to kinds.
import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { kinds, preferredKind } from '../api/discovery.ts'
import { get } from '../api/http.ts'
import { has } from '../api/session.ts'
import { go, href, listHref, objectHref } from '../lib/router.ts'
import { Dialog } from '../ui/parts.tsx'
import { namespaceNow } from './counts.ts'
import { kindId, matchKinds } from './kind-names.ts'
import { searchHere } from './search.ts'
import './palette.css'

/** The text it opens with; undefined: it is closed. */
export const paletteOpen = signal<string | undefined>(undefined)

interface Entry {
  readonly id: string
  readonly title: string
  readonly detail: string
  readonly to: string
}

interface Found {
  readonly items: readonly {
    readonly group: string
    readonly version: string
    readonly resource: string
    readonly kind: string
    readonly namespace?: string
    readonly name: string
    readonly uid: string
  }[]
}

const debounceMs = 120
const maxKinds = 8

export function Palette() {
  const [text, setText] = useState(paletteOpen.value ?? '')
  const [index, setIndex] = useState(0)
  const found = useSearch(text)
  const entries = useMemo(() => [...kindEntries(text), ...placeEntries(text), ...found], [text, found])
  const close = () => (paletteOpen.value = undefined)
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return
    close()
    go(entry.to)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') choose(entries[index])
    else if (event.key === 'ArrowDown') setIndex(Math.min(entries.length - 1, index + 1))
    else if (event.key === 'ArrowUp') setIndex(Math.max(0, index - 1))
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search" onClose={close} bare>
      <div class="palette">
        <input
          class="input"
          role="combobox"
          aria-label="Search names, labels, kinds"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries[index] === undefined ? undefined : `palette-${index}`}
          placeholder="Names, labels, kinds; : for kinds only"
          value={text}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            setText(event.currentTarget.value)
            setIndex(0)
          }}
          onKeyDown={keys}
        />
        <Entries entries={entries} index={index} choose={choose} />
        {text !== '' && entries.length === 0 && <p class="empty">Nothing found.</p>}
      </div>
    </Dialog>
  )
}

interface EntriesProps {
  readonly entries: readonly Entry[]
  readonly index: number
  readonly choose: (entry: Entry) => void
}

function Entries({ entries, index, choose }: EntriesProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [index])
  return (
    <div id="palette-list" role="listbox" aria-label="Results" tabIndex={-1} ref={list}>
      {entries.map((entry, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys
        <div
          key={entry.id}
          id={`palette-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === index}
          onClick={() => choose(entry)}
        >
          <span class="ellipsis">{entry.title}</span>
          <span class="quiet ellipsis">{entry.detail}</span>
        </div>
      ))}
    </div>
  )
}

function kindEntries(text: string): Entry[] {
  const wanted = text.replace(/^:/, '').trim()
  return matchKinds(kinds.value, wanted)
    .slice(0, text.startsWith(':') ? 40 : maxKinds)
    .map((kind) => ({
      id: `kind ${kindId(kind)}`,
      title: kind.kind,
      detail: kindId(kind),
      to: listHref(kind, { ns: kind.namespaced ? namespaceNow.value : undefined }),
    }))
}

const pages = ['requests', 'access', 'definitions', 'server', 'time']

function placeEntries(text: string): Entry[] {
  const wanted = text.trim().toLowerCase()
  if (wanted.length < 2 || wanted.startsWith(':')) return []
  return pages
    .filter((page) => page.startsWith(wanted))
    .map((page) => ({ id: `page ${page}`, title: page, detail: 'view', to: href([page]) }))
}

/** What the server finds, a moment after the last key. */
function useSearch(text: string): readonly Entry[] {
  const [entries, setEntries] = useState<readonly Entry[]>([])
  useEffect(() => {
    const wanted = text.trim()
    if (wanted.length < 2 || wanted.startsWith(':')) {
      setEntries([])
      return
    }
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const { signal } = abort
      const parts: (readonly Entry[])[] = [[], []]
      const show = (part: number) => (entries: readonly Entry[]) => {
        if (signal.aborted) return
        parts[part] = entries
        setEntries(parts.flat())
      }
      if (has('search')) {
        get<Found>('/console/v1/search', { query: { q: wanted, limit: '50' }, signal })
          .then(({ items }) => items.map(toEntry))
          .then(show(0), () => show(0)([]))
      }
      // What one of them cannot tell is no reason to show nothing of the other.
      searchHere(wanted, signal)
        .then((found) => found.map(({ kind, metadata }) => toEntry({ ...kind, ...metadata })))
        .then(show(1), () => show(1)([]))
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  return entries
}

function toEntry(item: Found['items'][number]): Entry {
  const kind = preferredKind(item.group, item.resource) ?? item
  return {
    id: item.uid,
    title: item.name,
    detail: [item.kind, item.namespace].filter(Boolean).join(' in '),
    to: objectHref(kind, { namespace: item.namespace, name: item.name }),
  }
}
