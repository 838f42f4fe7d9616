// How fresh a view is.
import type { Freshness } from '../api/reflector.ts'
import { clockTime } from '../lib/time.ts'
import { Badge } from './parts.tsx'

export function FreshnessBadge({ state }: { readonly state: Freshness }) {
  switch (state.phase) {
    case 'loading':
      return <Badge dot>{state.loaded > 0 ? `loading, ${state.loaded.toLocaleString('en')} so far` : 'loading'}</Badge>
    case 'live':
      return (
        <Badge tone="ok" dot title="Changes are shown as they happen">
          live
        </Badge>
      )
    case 'polled':
      return (
        <Badge tone="ok" dot title="The browser has no connection left for a watch: use --tls">
          every {state.everyMs / 1000} s
        </Badge>
      )
    case 'reconnecting':
      return (
        <Badge tone="warn" dot title={state.why}>
          reconnecting since {clockTime(state.since).slice(0, 8)}
        </Badge>
      )
    case 'refused':
      return (
        <Badge tone="bad" dot title={state.why}>
          {state.code === 403 ? 'not allowed' : 'refused'}
        </Badge>
      )
  }
}
