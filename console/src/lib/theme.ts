// Light, dark, or as the system has it. The choice stays in this browser.
import { computed, effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const key = 'pilothouse-console-theme'

export const theme = signal<Theme>(read())

const system = signal<'light' | 'dark'>('light')

/** The one in sight. */
export const shownTheme = computed(() => (theme.value === 'system' ? system.value : theme.value))

function read(): Theme {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function startTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => {
    system.value = dark.matches ? 'dark' : 'light'
  }
  dark.addEventListener('change', follow)
  follow()
  effect(() => {
    if (theme.value === 'system') {
      delete document.documentElement.dataset['theme']
      localStorage.removeItem(key)
    } else {
      document.documentElement.dataset['theme'] = theme.value
      localStorage.setItem(key, theme.value)
    }
  })
}
