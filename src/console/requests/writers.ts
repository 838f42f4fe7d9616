/** Who wrote which version of an object, of the writes that were recorded. */
import { isJsonObject } from '../../api/json.ts'
import { decodedBody } from '../../codec/any-body.ts'
import type { ObjectQuery } from '../query.ts'
import type { RequestRecord } from './request-record.ts'

export interface Writer {
  readonly user: string
  readonly time: number
  readonly request: number
}

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch'])
/** The oldest goes when there are more. */
const maxWriters = 2000

interface Deletion extends Writer {
  readonly about: string
  readonly until: number
}

const addressOf = ({ group, resource, namespace, name }: ObjectQuery): string =>
  JSON.stringify([group, resource, namespace, name])

export class Writers {
  readonly #writers = new Map<string, Writer>()

  readonly #deletions: Deletion[] = []

  /** Called for every request that ended. */
  note(record: RequestRecord): void {
    const { id, context, status, exchange, time, authenticated } = record
    if (context === undefined || status < 200 || status > 299) return
    if (context.info.verb === 'delete' && context.info.subresource === '') this.#noteDeletion(record)
    if (!writeVerbs.has(context.info.verb)) return
    const { content } = exchange.response
    const { 'content-type': type = '', 'content-encoding': encoding } = exchange.answerHeaders.all
    if (content === undefined || encoding !== undefined) return
    const value = decodedBody(content, type)
    const metadata = isJsonObject(value) ? value['metadata'] : undefined
    const version = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined
    if (typeof version !== 'string' || !/^[0-9]+$/.test(version)) return
    if (this.#writers.size >= maxWriters) this.#writers.delete(this.#writers.keys().next().value as string)
    this.#writers.set(version, { user: (authenticated ?? context.user).name, time, request: id })
  }

  #noteDeletion({ id, context, time, authenticated, durationMs = 0 }: RequestRecord): void {
    if (context === undefined) return
    const user = (authenticated ?? context.user).name
    this.#deletions.push({ about: addressOf(context.info), user, time, request: id, until: time + durationMs + 1 })
    if (this.#deletions.length > maxWriters) this.#deletions.shift()
  }

  /** Who deleted an object: the request that ran when it went. */
  ofDeletion(about: ObjectQuery, at: number | undefined): Writer | undefined {
    const address = addressOf(about)
    return this.#deletions.findLast(
      (each) => each.about === address && at !== undefined && each.time <= at && at <= each.until,
    )
  }

  /** Revisions are those of one store: none is written twice. */
  of(revision: number): Writer | undefined {
    return this.#writers.get(String(revision))
  }
}
