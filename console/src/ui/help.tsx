// The keyboard at a glance: what works in the view that is open.
import { signal } from '@preact/signals'
import type { Shortcut } from '../lib/keys.ts'
import { Dialog } from './parts.tsx'

export const helpOpen = signal(false)

export function Help({ all }: { readonly all: readonly Shortcut[] }) {
  // Of two ways to the same thing, one line.
  const titles = [...new Set(all.map(({ title }) => title))]
  return (
    <Dialog title="Keyboard" onClose={() => (helpOpen.value = false)}>
      <dl class="facts">
        {titles.map((title) => (
          <>
            <dt key={`${title} keys`}>
              {all
                .filter((each) => each.title === title)
                .map(({ keys }) => (
                  <span key={keys}>
                    <kbd>{keys.replace('mod+k', '⌘K').replace('Arrow', '')}</kbd>{' '}
                  </span>
                ))}
            </dt>
            <dd key={title}>{title}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  )
}
