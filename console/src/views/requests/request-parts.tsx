// What the log and the page of a request both show.
import { Badge } from '../../ui/parts.tsx'
import type { LoggedRequest } from './request-log.ts'

export function what({ path, resource, subresource, namespace, name }: LoggedRequest): string {
  if (!resource) return path
  return [`${resource}${subresource ? `/${subresource}` : ''}`, [namespace, name].filter(Boolean).join('/')]
    .filter(Boolean)
    .join(' ')
}

export function Code({ request: { state, code } }: { readonly request: LoggedRequest }) {
  if (state === 'running') return <Badge dot>open</Badge>
  if (state === 'aborted') return <Badge tone="warn">gone</Badge>
  const tone = code === undefined || code < 300 ? 'ok' : code < 400 ? 'plain' : code < 500 ? 'warn' : 'bad'
  return <Badge tone={tone}>{code}</Badge>
}
