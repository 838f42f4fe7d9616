/** The query of a request to the console's API. What is not known, or cannot be read, refuses the request. */
import type { RequestContext } from '../api/request-context.ts'
import { badRequest } from '../api/status-error.ts'

/** A resource, or one object of it. */
export interface ObjectQuery {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

export class Query {
  readonly #context: RequestContext

  /** `known` are the names that the endpoint takes. */
  constructor(context: RequestContext, known: readonly string[]) {
    const { query } = context.info
    if (query.unreadable !== undefined) throw badRequest(query.unreadable)
    const unknown = query.names().find((name) => !known.includes(name))
    if (unknown !== undefined) {
      throw badRequest(
        `unknown parameter ${JSON.stringify(unknown)}: ${known.length === 0 ? 'there are none' : `the parameters are ${known.join(', ')}`}`,
      )
    }
    this.#context = context
  }

  text(name: string, fallback = ''): string {
    return this.#context.info.query.get(name) ?? fallback
  }

  optional(name: string): string | undefined {
    const value = this.#context.info.query.get(name)
    return value === '' ? undefined : value
  }

  needed(name: string): string {
    const value = this.text(name)
    if (value === '') throw badRequest(`the parameter ${name} is required`)
    return value
  }

  all(name: string): readonly string[] {
    return this.#context.info.query.all(name)
  }

  /** A whole number from 1 to `max`. */
  count(name: string, fallback: number, max: number): number {
    const text = this.optional(name)
    if (text === undefined) return fallback
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : 0
    if (value < 1) throw badRequest(`${name} must be a number from 1 on, not ${JSON.stringify(text)}`)
    return Math.min(value, max)
  }

  flag(name: string): boolean {
    const text = this.optional(name)
    if (text !== undefined && text !== 'true' && text !== 'false') {
      throw badRequest(`${name} must be true or false, not ${JSON.stringify(text)}`)
    }
    return text === 'true'
  }

  object(): ObjectQuery {
    return {
      group: this.text('group'),
      resource: this.needed('resource'),
      namespace: this.text('namespace'),
      name: this.needed('name'),
    }
  }
}
