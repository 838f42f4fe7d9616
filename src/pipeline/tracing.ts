/**
 * One span for every request. Those who watch over the cluster may make it a part of their own trace; for others it
 * begins a new one, so that strangers cannot fill the collector, with a link to theirs.
 */
import type { RequestContext } from '../api/request-context.ts'
import type { RequestInfo } from '../api/request-info.ts'
import { type Attributes, parseTraceparent, type Span, type Tracer } from '../lib/tracer.ts'
import type { Filter } from './filter.ts'

const trusted: ReadonlySet<string> = new Set(['system:masters', 'system:monitoring'])

export function tracing(tracer: Tracer): Filter {
  return (context, next) => {
    const remote = parseTraceparent(context.header('traceparent'))
    const isTrusted = context.user.groups.some((group) => trusted.has(group))
    const start = {
      name: spanName(context),
      kind: 'server' as const,
      attributes: requestAttributes(context),
      ...(isTrusted ? { parent: remote } : { link: remote }),
    }
    return tracer.run(start, (span) => {
      context.exchange.onEnd((status, bytes) => endSpan(span, status, bytes))
      return next(context)
    })
  }
}

function endSpan(span: Span, status: number, bytes: number): void {
  const attributes = { 'http.response.status_code': status, 'http.response.body.size': bytes }
  span.end({ attributes, error: status >= 500 ? `status ${status}` : undefined })
}

function spanName({ info, exchange }: RequestContext): string {
  return info.isResourceRequest ? `${exchange.method} ${pathPattern(info)}` : exchange.method
}

/** `/api/v1/namespaces/{:namespace}/pods/{:name}/status` */
function pathPattern({ apiPrefix, group, version, namespace, resource, name, subresource }: RequestInfo): string {
  const parts = [
    apiPrefix,
    group,
    version,
    namespace === '' ? '' : 'namespaces/{:namespace}',
    resource,
    name === '' ? '' : '{:name}',
    subresource,
  ]
  return `/${parts.filter((part) => part !== '').join('/')}`
}

function requestAttributes(context: RequestContext): Attributes {
  const { exchange, auditId } = context
  return {
    'http.request.method': exchange.method,
    'http.target': exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`,
    'url.path': exchange.path,
    'network.protocol.version': exchange.httpVersion,
    'user_agent.original': context.header('user-agent') ?? '',
    'client.address': exchange.peer.remoteAddress,
    'audit-id': auditId,
  }
}
