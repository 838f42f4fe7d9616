/** Authentication and authorization as rules and reviews ask for them. */

import type { Authenticator } from '../auth/authenticator.ts'
import { forbiddenError } from '../auth/authorization/forbidden.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { checkBindingWrite, checkRoleWrite } from '../auth/rbac/escalation.ts'
import type { RbacAuthorizer } from '../auth/rbac/rbac-authorizer.ts'
import { evaluateAccessReview } from '../auth/reviews/access-review.ts'
import { evaluateRulesReview } from '../auth/reviews/rules-review.ts'
import { answerTokenRequest, completedTokenRequest, type TokenRequestOptions } from '../auth/reviews/token-request.ts'
import { evaluateTokenReview, selfSubjectReviewStatus } from '../auth/reviews/token-review.ts'
import { TokenIssuer } from '../auth/service-account/issuer.ts'
import type { ServiceAccountOptions } from '../config/authentication-options.ts'
import type { Clock } from '../lib/clock.ts'
import type { TokenAuthority } from '../pki/token-authority.ts'
import type { Registries } from '../registry/registries.ts'
import type { AccessServices } from '../resources/actions/access-services.ts'
import { rbacAuthorizer } from './authorizers.ts'

/** Rules are made before these are: everything is asked for when it is needed. */
export interface AccessDependencies {
  readonly serviceAccounts: ServiceAccountOptions
  readonly tokenAuthority: TokenAuthority
  readonly clock: Clock
  readonly registries: () => Registries
  readonly authenticator: () => Authenticator
  readonly authorizer: () => Authorizer
  /** Undefined when roles do not decide; they still must not grant what their writer does not have. */
  readonly rbac: () => RbacAuthorizer | undefined
}

export function accessServices(dependencies: AccessDependencies): AccessServices {
  const { serviceAccounts, authenticator, authorizer } = dependencies
  const roles = once(async () => dependencies.rbac() ?? rbacAuthorizer(dependencies.registries()))
  const tokens = once(() => tokenOptions(dependencies))
  return {
    allows: async (attributes) => (await authorizer().authorize(attributes)).verdict === 'allow',
    async denial(attributes) {
      const { verdict, reason } = await authorizer().authorize(attributes)
      return verdict === 'allow' ? undefined : forbiddenError(attributes, reason)
    },
    async refusal(user, write) {
      const check = { user, authorizer: authorizer(), rbac: await roles() }
      return write.resource.endsWith('bindings') ? checkBindingWrite(check, write) : checkRoleWrite(check, write)
    },
    resourceOfKind(group, version, kind) {
      for (const { definition } of dependencies.registries().all()) {
        if (definition.group !== group || definition.kind !== kind) continue
        if (definition.versions.some((served) => served.version === version)) return definition.resource
      }
      return undefined
    },
    reviewAccess: (kind, question) => evaluateAccessReview({ kind, ...question }, authorizer()),
    reviewRules: (question) => evaluateRulesReview(question, authorizer()),
    reviewToken: (question) => evaluateTokenReview(question, authenticator(), serviceAccounts.audiences),
    reviewSelf: selfSubjectReviewStatus,
    async issueToken(request, account) {
      const settings = await tokens()
      await account.admit(completedTokenRequest(request, account, settings))
      return answerTokenRequest(request, account, settings)
    },
  }
}

/** Made on first use; what failed is made anew. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

async function tokenOptions(dependencies: AccessDependencies): Promise<TokenRequestOptions> {
  const { serviceAccounts, tokenAuthority, clock, registries } = dependencies
  const source = (resource: string) => registries().source('', resource)
  const [signer, accounts, secrets, pods, nodes] = await Promise.all([
    tokenAuthority.signer(),
    source('serviceaccounts'),
    source('secrets'),
    source('pods'),
    source('nodes'),
  ])
  return {
    issuer: new TokenIssuer({ issuer: serviceAccounts.issuers[0] ?? '', signer, clock }),
    sources: { serviceAccounts: accounts, secrets, pods, nodes },
    apiAudiences: serviceAccounts.audiences,
    maxExpirationSeconds: tokenAuthority.maxExpirationSeconds,
    extendExpiration: serviceAccounts.extendExpiration,
    ...(tokenAuthority.maxExtendedSeconds === undefined
      ? {}
      : { maxExtendedSeconds: tokenAuthority.maxExtendedSeconds }),
    clock,
  }
}
