/**
 * The parameters of a binding: one object by name, all that a selector finds, or none at all.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/policy/generic: CollectParams.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ObjectSource } from '../../api/object-source.ts'
import type { ParamRef } from '../../catalog/types/admissionregistration-v1.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { reviewNamespace } from '../matching/review-request.ts'
import { compileSelector } from '../matching/selectors.ts'
import type { PolicySpec } from './policy-objects.ts'

export interface ParamKind {
  readonly namespaced: boolean
  readonly objects: ObjectSource
  /** Whether the reference has a typed client of it, whose informers drop managed fields. */
  readonly isTyped: boolean
  /** The object in the version that the policy names. */
  readonly convert: (object: KubeObject) => Awaitable<KubeObject>
}

/** Undefined when the kind is not served. */
export type FindParamKind = (apiVersion: string, kind: string) => Promise<ParamKind | undefined>

/** The binding, not the request, is wrong. */
export class ConfigurationError extends Error {}

/** Why the policy, with whatever binding, cannot get its parameters. Undefined: it can. */
export async function paramKindProblem({ paramKind }: PolicySpec, find: FindParamKind): Promise<string | undefined> {
  if (paramKind === undefined) return undefined
  const { apiVersion = '', kind = '' } = paramKind
  if ((await find(apiVersion, kind)) !== undefined) return undefined
  const type = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`
  return `failed to configure policy: failed to find resource referenced by paramKind: '${type}'`
}

export interface ParamSource {
  readonly find: FindParamKind
  /** Validating policies set the kind that a typed client leaves out; mutating policies do not. */
  readonly type: 'validating' | 'mutating'
}

/** `null` stands for a policy that takes no parameters. Throws a ConfigurationError. */
export async function collectParams(
  { paramKind }: PolicySpec,
  paramRef: ParamRef | undefined,
  request: AdmissionRequest,
  { find, type }: ParamSource,
): Promise<readonly (KubeObject | null)[]> {
  if (paramKind === undefined || paramRef === undefined) return [null]
  const { apiVersion = '', kind: name = '' } = paramKind
  const kind = await find(apiVersion, name)
  if (kind === undefined) throw new ConfigurationError(`paramKind kind \`${apiVersion}, Kind=${name}\` not known`)
  const namespace = paramNamespace(kind, paramRef, request)
  const found = lookUp(kind.objects, paramRef, namespace)
  if (found.length > 0) {
    return Promise.all(found.map(async (object) => informed(await kind.convert(object), kind, type)))
  }
  if (paramRef.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction')
  }
  return []
}

/** As an informer has it. */
function informed(object: KubeObject, { isTyped }: ParamKind, type: ParamSource['type']): KubeObject {
  if (!isTyped) return object
  const { managedFields: _, ...metadata } = object.metadata
  if (type === 'validating') return { ...object, metadata }
  const { apiVersion: _version, kind: _kind, ...content } = object
  return { ...content, metadata } as KubeObject
}

function paramNamespace({ namespaced }: ParamKind, paramRef: ParamRef, request: AdmissionRequest): string {
  const { namespace } = paramRef
  if (!namespaced) {
    if (namespace)
      throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
    return ''
  }
  const own = namespace || reviewNamespace(request)
  if (own !== '') return own
  throw new ConfigurationError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
}

function lookUp(objects: ObjectSource, { name, selector }: ParamRef, namespace: string): KubeObject[] {
  if (name) {
    const found = objects.get(namespace, name)
    return found === undefined ? [] : [found]
  }
  const { matches } = compileSelector(selector)
  return [...objects.list(namespace === '' ? undefined : namespace)].filter(({ metadata }) => matches(metadata.labels))
}
