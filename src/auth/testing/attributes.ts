/** Users and requests in short, for tests. */
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'

export const user = (name: string, ...groups: string[]): UserInfo => ({ name, groups, extra: new Map() })

export const resourceRequest = (asker: UserInfo, request: Partial<RequestAttributes>): RequestAttributes => ({
  user: asker,
  verb: 'get',
  isResourceRequest: true,
  path: '',
  apiGroup: '',
  apiVersion: 'v1',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  ...request,
})

export const pathRequest = (asker: UserInfo, path: string, verb = 'get'): RequestAttributes => ({
  ...resourceRequest(asker, { verb, path }),
  isResourceRequest: false,
  apiVersion: '',
})
