/** What authorization, admission, audit and flow control know about a request. */
import type { UserInfo } from './user.ts'

export interface RequestAttributes {
  readonly user: UserInfo
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `proxy`, or the HTTP method in lower case. */
  readonly verb: string
  /** False for paths outside of the API such as `/healthz`; then only `path` and `verb` count. */
  readonly isResourceRequest: boolean
  readonly path: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** The requirements of the selectors of a list, watch or deletecollection. */
  readonly fieldSelector?: readonly SelectorRequirement[]
  readonly labelSelector?: readonly SelectorRequirement[]
}

export interface SelectorRequirement {
  readonly key: string
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`, and `Gt`, `Lt` of labels. */
  readonly operator: string
  readonly values: readonly string[]
}
