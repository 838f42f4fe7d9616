/** One audit event: a JSON text that is encoded once for all backends. Bodies of requests are texts already. */
import type { JsonObject } from '../../api/json.ts'

export interface EventParts {
  /** Everything before the bodies, in wire order, without kind and apiVersion. */
  readonly head: JsonObject
  readonly requestObject: string | undefined
  readonly responseObject: string | undefined
  /** `requestReceivedTimestamp` and `stageTimestamp`. */
  readonly times: JsonObject
  readonly annotations: Readonly<Record<string, string>>
}

const kind = '"kind":"Event","apiVersion":"audit.k8s.io/v1",'

export class AuditEvent {
  readonly parts: EventParts
  #item: string | undefined

  constructor(parts: EventParts) {
    this.parts = parts
  }

  /** As an item of an EventList: there the kind goes without saying. */
  get item(): string {
    this.#item ??= itemText(this.parts)
    return this.#item
  }

  get text(): string {
    return `{${kind}${this.item.slice(1)}`
  }

  get hasBodies(): boolean {
    return this.parts.requestObject !== undefined || this.parts.responseObject !== undefined
  }

  withoutBodies(): AuditEvent {
    const annotations = { ...this.parts.annotations, 'audit.k8s.io/truncated': 'true' }
    return new AuditEvent({ ...this.parts, requestObject: undefined, responseObject: undefined, annotations })
  }

  /** The old form: one line with less in it. */
  get legacyLine(): string {
    const { head, times } = this.parts
    const user = member(head, 'user')
    const as = member(head, 'impersonatedUser')
    const [ip = '<unknown>'] = Array.isArray(head['sourceIPs']) ? head['sourceIPs'] : []
    const fields = {
      id: head['auditID'],
      stage: head['stage'],
      ip,
      method: head['verb'],
      user: user?.['username'] ?? '<none>',
      groups: quotedGroups(user, '<none>'),
      as: as === undefined ? '<self>' : (as['username'] ?? ''),
      asgroups: quotedGroups(as, '<lookup>'),
      'user-agent': head['userAgent'] ?? '',
      namespace: member(head, 'objectRef')?.['namespace'] ?? '<none>',
      uri: head['requestURI'],
      response: String(member(head, 'responseStatus')?.['code'] ?? '<deferred>'),
    }
    const said = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    return `${String(times['requestReceivedTimestamp'])} AUDIT: ${said.join(' ')}`
  }
}

function itemText({ head, requestObject, responseObject, times, annotations }: EventParts): string {
  const request = requestObject === undefined ? '' : `,"requestObject":${requestObject}`
  const response = responseObject === undefined ? '' : `,"responseObject":${responseObject}`
  const keys = Object.keys(annotations).sort()
  const sorted = Object.fromEntries(keys.map((key) => [key, annotations[key] ?? '']))
  const tail = JSON.stringify({ ...times, ...(keys.length > 0 ? { annotations: sorted } : {}) })
  return `${JSON.stringify(head).slice(0, -1)}${request}${response},${tail.slice(1)}`
}

function member(object: JsonObject, key: string): JsonObject | undefined {
  return object[key] as JsonObject | undefined
}

function quotedGroups(user: JsonObject | undefined, none: string): string {
  const groups = user?.['groups']
  return Array.isArray(groups) ? groups.map((group) => JSON.stringify(group)).join(',') : none
}
