// The keyboard: single keys and sequences (`g p`), while nothing is being typed into; with Control or Command also then.
import { signal } from '@preact/signals'

export interface Shortcut {
  /** `j`, `g p`, `mod+k`. */
  readonly keys: string
  readonly title: string
  readonly run: () => void
}

const sequenceMs = 900

/** In force now, the latest first. */
export const shortcuts = signal<readonly Shortcut[]>([])

export function register(added: readonly Shortcut[]): () => void {
  shortcuts.value = [...added, ...shortcuts.value]
  return () => {
    shortcuts.value = shortcuts.value.filter((each) => !added.includes(each))
  }
}

interface Press {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}

export const nameOf = ({ key, ctrlKey, metaKey }: Press): string =>
  `${ctrlKey || metaKey ? 'mod+' : ''}${key.length === 1 && (ctrlKey || metaKey) ? key.toLowerCase() : key}`

/** What a press does after those before it: runs, waits for more, or nothing. */
export function matchKeys(
  pressed: string,
  all: readonly Shortcut[],
): { readonly run?: Shortcut; readonly pending: boolean } {
  const run = all.find(({ keys }) => keys === pressed)
  return { ...(run === undefined ? {} : { run }), pending: all.some(({ keys }) => keys.startsWith(`${pressed} `)) }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))

export function startKeys(): void {
  let before = ''
  let at = 0
  addEventListener('keydown', (event) => {
    if (event.altKey || event.isComposing || event.defaultPrevented) return
    const name = nameOf(event)
    if (!name.startsWith('mod+') && (isTyping(event.target) || document.querySelector('dialog[open]') !== null)) return
    if (name === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a, button, summary')) return
    // When the key was pressed: the page may be busy until it gets here.
    const now = event.timeStamp
    const pressed = before !== '' && now - at < sequenceMs ? `${before} ${name}` : name
    const { run, pending } = matchKeys(pressed, shortcuts.value)
    before = pending && run === undefined ? pressed : ''
    at = now
    if (run === undefined) return
    event.preventDefault()
    run.run()
  })
}
