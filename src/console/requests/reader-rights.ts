/**
 * What one reader may see of other people's requests. What was in a request and its answer is for those alone who may read the object themselves, and do
 * what the request did.
 */
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import { requestAttributes } from '../../pipeline/authorization.ts'
import type { RequestRecord } from './request-record.ts'

const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])

export class ReaderRights {
  readonly #authorizer: Authorizer
  readonly #user: UserInfo
  readonly #known = new Map<string, boolean>()

  constructor(authorizer: Authorizer, user: UserInfo) {
    this.#authorizer = authorizer
    this.#user = user
  }

  /** Undefined: everything may be seen; else why not. */
  async withheld({ context }: RequestRecord): Promise<string | undefined> {
    if (context === undefined) return 'it is not known yet'
    const { fieldSelector: _, labelSelector: __, ...asked } = requestAttributes(context)
    if (holdsCredentials(asked)) return 'it has credentials'
    const attributes = { ...asked, user: this.#user }
    if (!asked.isResourceRequest) {
      return (await this.#may(attributes)) ? undefined : `you may not ${asked.verb} ${asked.path}`
    }
    const verb = collectionVerbs.has(asked.verb) ? 'list' : 'get'
    const read = { ...attributes, verb, subresource: '' }
    if (!isReview(asked) && !(await this.#may(read))) return `you may not ${verb} ${named(asked)}`
    return (await this.#may(attributes)) ? undefined : `you may not ${asked.verb} ${named(asked)}`
  }

  async #may(attributes: RequestAttributes): Promise<boolean> {
    const { verb, apiGroup, resource, subresource, namespace, name, path, isResourceRequest } = attributes
    const key = isResourceRequest
      ? JSON.stringify([verb, apiGroup, resource, subresource, namespace, name])
      : JSON.stringify([verb, path])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { verdict } = await this.#authorizer.authorize(attributes)
    this.#known.set(key, verdict === 'allow')
    return verdict === 'allow'
  }
}

const named = ({ resource, subresource, apiGroup }: RequestAttributes): string =>
  `${resource}${subresource === '' ? '' : `/${subresource}`}${apiGroup === '' ? '' : `.${apiGroup}`}`

/** Reviews are answers, not stored: they cannot be read. */
const isReview = ({ apiGroup }: RequestAttributes): boolean =>
  apiGroup === 'authorization.k8s.io' || apiGroup === 'authentication.k8s.io'

const holdsCredentials = ({ apiGroup, resource, subresource }: RequestAttributes): boolean =>
  (apiGroup === 'authentication.k8s.io' && resource === 'tokenreviews') ||
  (apiGroup === '' && resource === 'serviceaccounts' && subresource === 'token')
