/**
 * Who wrote which version of an object, of the writes that were recorded. A request wrote a version if that revision was written in its course and is the one
 * that it answers with: neither is enough. A no-op answers with the revision of another's write, and in the course of a request controllers write, too.
 */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { decodedBody } from '../../codec/any-body.ts'
import type { ObjectQuery } from '../query.ts'
import type { RequestRecord } from './request-record.ts'

export interface ObjectWriter {
  readonly user: string
  readonly time: number
  readonly request: number
}

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])
/** The oldest goes when there are more. */
const maxWriters = 2000

const addressOf = ({ group, resource, namespace, name }: ObjectQuery): string =>
  JSON.stringify([group, resource, namespace, name])

interface Deletion {
  readonly about: string
  readonly writer: ObjectWriter
}

export class Writers {
  readonly #record: () => void

  /** `record` lets requests be recorded for a while. */
  constructor(record: () => void) {
    this.#record = record
  }

  /** A client asks who writes: writers are recorded from now on. */
  look(): void {
    this.#record()
  }

  readonly #writers = new Map<number, ObjectWriter>()
  /** By revision, of requests that deleted one object. */
  readonly #deletions = new Map<number, Deletion>()

  /** Called for every request that ended. */
  note(record: RequestRecord): void {
    const { id, context, status, time, revisions } = record
    if (context === undefined || status < 200 || status > 299 || revisions.size === 0) return
    const { info } = context
    if (!writeVerbs.has(info.verb)) return
    const writer = { user: context.user.name, time, request: id }
    const answered = answeredRevision(record)
    if (answered !== undefined) keep(this.#writers, answered, writer)
    if (info.verb !== 'delete' || info.subresource !== '') return
    const about = addressOf(info)
    for (const revision of revisions) keep(this.#deletions, revision, { about, writer })
  }

  /** Who deleted an object with a write of this revision. */
  ofDeletion(about: ObjectQuery, revision: number): ObjectWriter | undefined {
    const deletion = this.#deletions.get(revision)
    return deletion?.about === addressOf(about) ? deletion.writer : undefined
  }

  /** Revisions are those of one store: none is written twice. */
  of(revision: number): ObjectWriter | undefined {
    return this.#writers.get(revision)
  }
}

function keep<T>(kept: Map<number, T>, revision: number, value: T): void {
  if (kept.size >= maxWriters) kept.delete(kept.keys().next().value as number)
  kept.set(revision, value)
}

/** The version of the object in the answer, if it was written in the course of the request. */
function answeredRevision({ exchange, revisions }: RequestRecord): number | undefined {
  const { content } = exchange.response
  const { 'content-type': type = '', 'content-encoding': encoding } = exchange.answerHeaders.all
  if (content === undefined || encoding !== undefined) return undefined
  // No other version can be in the answer to a write, so that it need not be decoded.
  if (type.startsWith('application/json')) {
    return [...revisions].find((revision) =>
      ['', ' '].some((gap) => content.includes(`"resourceVersion":${gap}"${revision}"`)),
    )
  }
  const value = decodedBody(content, type)
  const metadata: JsonObject | undefined =
    isJsonObject(value) && isJsonObject(value['metadata']) ? value['metadata'] : undefined
  return [...revisions].find((revision) => metadata?.['resourceVersion'] === String(revision))
}
