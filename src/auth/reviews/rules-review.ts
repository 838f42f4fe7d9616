/** SelfSubjectRulesReview: what the asker may do in a namespace, as far as the authorizers can enumerate rules. */

import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { badRequest } from '../../api/status-error.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Authorizer, UserRules } from '../authorizer.ts'

export interface RulesQuestion {
  readonly review: JsonObject
  readonly requestor: UserInfo
  /** Asked once the question was found good. */
  readonly admit: () => Awaitable<void>
}

/** The status of the review; its spec is answered empty. */
export async function evaluateRulesReview(
  { review, requestor, admit }: RulesQuestion,
  authorizer: Authorizer,
): Promise<JsonObject> {
  const spec = isJsonObject(review['spec']) ? review['spec'] : {}
  const namespace = spec['namespace']
  if (typeof namespace !== 'string' || namespace === '') throw badRequest('no namespace on request')
  await admit()
  const rules: UserRules = authorizer.rulesFor?.(requestor, namespace) ?? {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
  }
  return {
    resourceRules: rules.resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs: [...verbs],
      ...(apiGroups?.length ? { apiGroups: [...apiGroups] } : {}),
      ...(resources?.length ? { resources: [...resources] } : {}),
      ...(resourceNames?.length ? { resourceNames: [...resourceNames] } : {}),
    })),
    nonResourceRules: rules.nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
      verbs: [...verbs],
      nonResourceURLs: [...nonResourceURLs],
    })),
    incomplete: rules.incomplete,
    ...(rules.error === undefined ? {} : { evaluationError: rules.error }),
  }
}
