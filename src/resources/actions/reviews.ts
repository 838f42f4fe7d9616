/**
 * The kinds that are questions: who is this, who am I, may they, may I, what may I. Answered, never stored.
 * Mirrors pkg/apis/authorization/validation: ValidateSubjectAccessReview, ValidateSelfSubjectAccessReview,
 * ValidateLocalSubjectAccessReview.
 * Mirrors pkg/registry/authentication/tokenreview: REST.
 * Mirrors pkg/registry/authentication/selfsubjectreview: REST.
 * Mirrors pkg/registry/authorization/subjectaccessreview: REST.
 * Mirrors pkg/registry/authorization/localsubjectaccessreview: REST.
 * Mirrors pkg/registry/authorization/selfsubjectaccessreview: REST.
 * Mirrors pkg/registry/authorization/selfsubjectrulesreview: REST.
 */

import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { formatTime, instantOfMillis } from '../../api/time.ts'
import { catalogAt, defaultRelease } from '../../catalog/releases.ts'
import type { CatalogResource } from '../../catalog/resources.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { ActionRequest, ActionSubresource } from '../../registry/subresource.ts'
import { olderConversionFor } from '../conversions/older/older-conversions.ts'
import { deprecationOf } from '../deprecation.ts'
import type { KindServices } from '../kind-rules.ts'
import type { AccessReviewKind, ReviewQuestion } from './access-services.ts'

type Answer = (request: ActionRequest, services: KindServices) => Awaitable<JsonObject>

/** The review as it came, with its status. */
const withStatus = ({ body }: ActionRequest, status: JsonObject): JsonObject => ({ ...body, status })

const question = ({ body, user, admit, warn, annotate }: ActionRequest): ReviewQuestion => ({
  review: body,
  requestor: user,
  admit: () => admit(body),
  warn,
  annotate,
})

const reviewAccess =
  (kind: AccessReviewKind): Answer =>
  async (request, { access }) =>
    withStatus(request, await access.reviewAccess(kind, question(request)))

const answers: Readonly<Record<string, Answer>> = {
  TokenReview: async (request, { access }) => withStatus(request, await access.reviewToken(question(request))),
  SelfSubjectReview: async ({ body, user, admit }, { access, clock }) => {
    await admit(body)
    return {
      metadata: { creationTimestamp: formatTime(instantOfMillis(clock.now())) },
      status: access.reviewSelf(user),
    }
  },
  SubjectAccessReview: reviewAccess('SubjectAccessReview'),
  SelfSubjectAccessReview: reviewAccess('SelfSubjectAccessReview'),
  LocalSubjectAccessReview: reviewAccess('LocalSubjectAccessReview'),
  SelfSubjectRulesReview: async (request, { access }) => ({
    metadata: { creationTimestamp: null },
    spec: {},
    status: await access.reviewRules(question(request)),
  }),
}

const groups = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

export interface Review {
  readonly resource: CatalogResource
  readonly action: ActionSubresource
}

/** All reviews that are served, by the release of that minor number. */
export function reviews(
  services: KindServices,
  isServed: (resource: CatalogResource) => boolean,
  release = defaultRelease,
): Review[] {
  return catalogAt(release)
    .resources.filter((resource) => groups.has(resource.group) && resource.subresource === '' && isServed(resource))
    .map((resource) => ({ resource, action: review(resource, services, release) }))
}

const asIs = (object: KubeObject): KubeObject => object

function review(resource: CatalogResource, services: KindServices, release: number): ActionSubresource {
  const { group, version, kind } = resource
  const schema = catalogAt(release).types.schemaForKind({ group, version, kind })
  const answer = answers[kind]
  const deprecation = deprecationOf(resource, release)
  const { toHub = asIs, fromHub = asIs } = olderConversionFor(resource)
  if (schema === undefined || answer === undefined) throw new Error(`nothing is known about ${kind}`)
  return {
    type: 'action',
    kind: { group, version, kind },
    schema,
    ...(deprecation === undefined ? {} : { deprecation }),
    create: async (request) => {
      const body = await answer({ ...request, body: toHub(request.body as KubeObject) }, services)
      return { code: 201, body: fromHub(body as KubeObject) }
    },
  }
}
