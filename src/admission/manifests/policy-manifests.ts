/**
 * Policies and bindings of files: they have no parameters, and a binding is about a policy of the same folder.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/policy/manifest/loader: LoadPolicyManifests.
 */
import { quote } from '../../api/golang/quote.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Policy, PolicyBinding } from '../policy/policy-objects.ts'
import type { ManifestDocument } from './manifest-files.ts'
import { AcceptedManifests, acceptManifests, type ManifestLoading, staticSuffix } from './manifest-objects.ts'

export interface PolicyManifests {
  readonly policies: readonly Policy[]
  readonly bindings: readonly PolicyBinding[]
}

const scheme = 'pkg/admission/plugin/policy/manifest/loader/validating_loader.go:35'

export async function loadPolicies(
  documents: readonly ManifestDocument[],
  { kind, types, check }: ManifestLoading,
): Promise<PolicyManifests> {
  const policies = new AcceptedManifests(check, (object) => refuse(policyProblem(kind, object as WithSpec)))
  const bindings = new AcceptedManifests(check, (object) => refuse(bindingProblem(object as WithSpec)))
  await acceptManifests(
    documents,
    { types, scheme },
    async (manifest, file) =>
      (await policies.take(manifest, kind, file)) || (await bindings.take(manifest, `${kind}Binding`, file)),
  )
  const found = { policies: policies.all() as Policy[], bindings: bindings.all() as PolicyBinding[] }
  checkReferences(found)
  return found
}

type WithSpec = KubeObject & { readonly spec: Readonly<Record<string, unknown>> }

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem)
}

const policyProblem = (kind: string, { metadata, spec }: WithSpec): string | undefined =>
  spec['paramKind'] == null
    ? undefined
    : `${kind} ${quote(metadata.name ?? '')}: spec.paramKind is not supported for static manifests`

function bindingProblem({ metadata, spec }: WithSpec): string | undefined {
  const { policyName = '', paramRef } = spec
  const binding = `binding ${quote(metadata.name ?? '')}`
  if (policyName === '') return `${binding} must reference a policy (spec.policyName)`
  if (!String(policyName).endsWith(staticSuffix))
    return `${binding}: spec.policyName ${quote(String(policyName))} must end with ${quote(staticSuffix)}`
  return paramRef == null ? undefined : `${binding}: spec.paramRef is not supported for static manifests`
}

function checkReferences({ policies, bindings }: PolicyManifests): void {
  const names = new Set(policies.map(({ metadata }) => metadata.name))
  for (const { metadata, spec } of bindings) {
    if (names.has(spec.policyName ?? '')) continue
    const [binding, policy] = [quote(metadata.name ?? ''), quote(spec.policyName ?? '')]
    throw new Error(`binding ${binding} references policy ${policy} which does not exist in the manifest directory`)
  }
}
