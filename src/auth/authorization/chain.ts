/** Authorizers in order: the first that allows or denies decides; the reasons of those without an opinion are kept. */

import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { type Authorizer, allow, type Decision, type UserRules } from '../authorizer.ts'

export class AuthorizerChain implements Authorizer {
  readonly #authorizers: readonly Authorizer[]

  constructor(authorizers: readonly Authorizer[]) {
    this.#authorizers = authorizers
  }

  authorize(attributes: RequestAttributes): Awaitable<Decision> {
    const abstentions: Decision[] = []
    for (const [index, authorizer] of this.#authorizers.entries()) {
      const decision = authorizer.authorize(attributes)
      if (decision instanceof Promise) return this.#continue(decision, index, attributes, abstentions)
      if (decision.verdict !== 'no opinion') return withErrors(decision, abstentions)
      abstentions.push(decision)
    }
    return noneDecided(abstentions)
  }

  async #continue(pending: Promise<Decision>, at: number, attributes: RequestAttributes, abstentions: Decision[]) {
    for (let index = at, next: Awaitable<Decision> | undefined = pending; next !== undefined; ) {
      const decision: Decision = await next
      if (decision.verdict !== 'no opinion') return withErrors(decision, abstentions)
      abstentions.push(decision)
      index++
      next = this.#authorizers[index]?.authorize(attributes)
    }
    return noneDecided(abstentions)
  }

  /** The rules of all authorizers that can enumerate theirs; incomplete when one of them cannot. */
  rulesFor(user: UserInfo, namespace: string): UserRules {
    const parts = this.#authorizers.map((authorizer) => authorizer.rulesFor?.(user, namespace) ?? unlisted)
    const errors = parts.flatMap(({ error }) => (error === undefined ? [] : [error]))
    return {
      resourceRules: parts.flatMap(({ resourceRules }) => resourceRules),
      nonResourceRules: parts.flatMap(({ nonResourceRules }) => nonResourceRules),
      incomplete: parts.some(({ incomplete }) => incomplete),
      ...(errors.length > 0 ? { error: joinAll(errors) } : {}),
    }
  }
}

const unlisted: UserRules = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  error: 'authorizer does not support user rule resolution',
}

const joinAll = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] ?? '') : `[${[...new Set(errors)].join(', ')}]`

/** A decision stands although an earlier authorizer failed; what failed is reported with a denial. */
function withErrors(decision: Decision, abstentions: readonly Decision[]): Decision {
  if (decision.verdict === 'allow') return decision
  const errors = [...abstentions, decision].flatMap(({ error }) => (error === undefined ? [] : [error]))
  return errors.length === 0 ? decision : { ...decision, error: joinAll(errors) }
}

function noneDecided(abstentions: readonly Decision[]): Decision {
  const reasons = abstentions.map(({ reason }) => reason).filter((reason) => reason !== '')
  return withErrors({ verdict: 'no opinion', reason: reasons.join('\n') }, abstentions)
}

/** Members of `system:masters` may do everything, whatever the configured authorizers say. Comes first in every chain. */
export const privilegedGroup: Authorizer = {
  authorize: ({ user }) => (user.groups.includes('system:masters') ? allow() : { verdict: 'no opinion', reason: '' }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
}
