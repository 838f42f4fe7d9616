/** What the expressions of a policy see of a request. */
import type { AdmissionRequest } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Activation } from '../../cel/program.ts'
import type { Cluster } from '../cluster.ts'
import { reviewRequest } from '../matching/review-request.ts'
import type { ServedForm } from '../matching/rules.ts'
import { authorizerActivation, objectActivation } from '../webhook/dispatch.ts'
import type { VersionedObjects } from '../webhook/review.ts'

export function policyActivation(
  cluster: Cluster,
  request: AdmissionRequest,
  facts: {
    readonly form: ServedForm
    readonly objects: VersionedObjects
    readonly namespace: KubeObject | undefined
    readonly params: KubeObject | null
  },
): Activation {
  return {
    ...objectActivation(facts.objects, facts.form),
    request: reviewRequest(request, facts.form),
    namespaceObject: namespaceObject(facts.namespace),
    params: facts.params,
    ...authorizerActivation(cluster, request),
  }
}

/** For messages and annotations, where reading the authorizer is an error. */
export function withoutAuthorizer(activation: Activation): Activation {
  return { ...activation, authorizer: undefined, 'authorizer.requestResource': undefined }
}

const hidden = ['managedFields', 'ownerReferences', 'selfLink']

/** A namespace with what does not change behind its back. */
function namespaceObject(namespace: KubeObject | undefined): JsonObject | null {
  if (namespace === undefined) return null
  const metadata: JsonObject = { ...namespace.metadata }
  for (const field of hidden) delete metadata[field]
  return { metadata, spec: namespace['spec'] ?? {}, status: namespace['status'] ?? {} }
}
