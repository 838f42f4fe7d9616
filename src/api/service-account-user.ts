/** The user names of service accounts: `system:serviceaccount:NAMESPACE:NAME`. */
import type { UserInfo } from './user.ts'

/** Namespace and name of `system:serviceaccount:NAMESPACE:NAME`; undefined for every other user name. */
export function splitServiceAccountUser(user: string): { namespace: string; name: string } | undefined {
  const prefix = 'system:serviceaccount:'
  if (!user.startsWith(prefix)) return undefined
  const parts = user.slice(prefix.length).split(':')
  const [namespace = '', name = ''] = parts
  if (parts.length !== 2 || !label.test(namespace) || namespace.length > 63 || !subdomain.test(name)) return undefined
  return { namespace, name }
}

const nodeNameKey = 'authentication.kubernetes.io/node-name'

/** The node that the pod of a service account runs on, by the token that it came with; undefined for others. */
export function nodeOfServiceAccount({ name, extra }: UserInfo): string | undefined {
  const [node, ...more] = extra.get(nodeNameKey) ?? []
  return more.length === 0 && splitServiceAccountUser(name) !== undefined ? node : undefined
}

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
