// Light, dark, or as the system has it. The choice stays in this browser.
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const key = 'pilothouse-console-theme'

export const theme = signal<Theme>(read())

function read(): Theme {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function startTheme(): void {
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
