/** What a user may do to resources, asked of the authorizers, each thing once. */
import type { GroupResource } from '../api/group-version.ts'
import type { RequestAttributes } from '../api/request-attributes.ts'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest, notFound } from '../api/status-error.ts'
import { forbiddenError } from '../auth/authorization/forbidden.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { Registries } from '../registry/registries.ts'
import type { Registry } from '../registry/registry.ts'
import type { ObjectQuery } from './query.ts'

interface About extends GroupResource {
  readonly verb: string
  readonly namespace: string
  readonly name?: string
}

export class Rights {
  readonly #authorizer: Authorizer
  readonly #context: RequestContext
  readonly #known = new Map<string, boolean>()

  constructor(authorizer: Authorizer, context: RequestContext) {
    this.#authorizer = authorizer
    this.#context = context
  }

  async may(about: About): Promise<boolean> {
    const { verb, group, resource, namespace, name = '' } = about
    const key = JSON.stringify([verb, group, resource, namespace, name])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { verdict } = await this.#authorizer.authorize(this.#attributes(about))
    this.#known.set(key, verdict === 'allow')
    return verdict === 'allow'
  }

  /** Throws the 403 that the resource API would. */
  async need(about: About): Promise<void> {
    const attributes = this.#attributes(about)
    const { verdict, reason } = await this.#authorizer.authorize(attributes)
    if (verdict !== 'allow') throw forbiddenError(attributes, reason)
  }

  #attributes({ verb, group, resource, namespace, name = '' }: About): RequestAttributes {
    return {
      user: this.#context.user,
      verb,
      isResourceRequest: true,
      path: '',
      apiGroup: group,
      apiVersion: '*',
      resource,
      subresource: '',
      namespace,
      name,
    }
  }
}

/** The registry of an object that the user may get. Throws a 403, or a 404 for a resource that is not served. */
export async function readableRegistry(
  { registries, rights }: { readonly registries: Registries; readonly rights: Rights },
  { group, resource, namespace, name }: ObjectQuery,
): Promise<Registry> {
  await rights.need({ verb: 'get', group, resource, namespace, name })
  const registry = registries.get(group, resource)
  if (registry === undefined || registry.definition.virtualObjects !== undefined) {
    throw notFound({ group, resource }, name)
  }
  if (registry.definition.namespaced !== (namespace !== '')) {
    throw badRequest(
      `${resource} ${registry.definition.namespaced ? 'belong to namespaces' : 'belong to no namespace'}`,
    )
  }
  return registry
}
