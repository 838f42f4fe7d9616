// Short notes on what was done or refused, in a corner; they go by themselves, refusals do not.
import { signal } from '@preact/signals'
import { messageOf } from '../lib/message.ts'
import { Button, type Tone } from './parts.tsx'

interface Toast {
  readonly id: number
  readonly tone: Tone
  readonly text: string
}

const toasts = signal<readonly Toast[]>([])
const maxToasts = 5
let last = 0

export function toast(text: string, tone: Tone = 'ok'): void {
  const id = ++last
  toasts.value = [...toasts.value, { id, tone, text }].slice(-maxToasts)
  if (tone !== 'bad') setTimeout(() => dismiss(id), 5000)
}

export const toastError = (error: unknown): void => toast(messageOf(error), 'bad')

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id)
}

export function Toasts() {
  return (
    <div class="toasts" role="log" aria-label="Notes">
      {toasts.value.map(({ id, tone, text }) => (
        <div key={id} class={`notice ${tone} row`}>
          <span class="wrap">{text}</span>
          <Button look="plain" label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </Button>
        </div>
      ))}
    </div>
  )
}
