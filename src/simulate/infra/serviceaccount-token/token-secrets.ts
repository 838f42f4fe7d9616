/** What the Secret of a service account's token holds. Mirrors pkg/controller/serviceaccount: TokensController.secretUpdateNeeded and pkg/serviceaccount: LegacyClaims. */
import type { JsonObject } from '../../../api/json.ts'
import type { Secret, ServiceAccount } from '../../objects.ts'

export const tokenSecretType = 'kubernetes.io/service-account-token'
export const accountNameAnnotation = 'kubernetes.io/service-account.name'
export const accountUidAnnotation = 'kubernetes.io/service-account.uid'

export const encode = (text: string): string => Buffer.from(text).toString('base64')

export const isTokenSecret = ({ type, metadata }: Secret): boolean =>
  type === tokenSecretType && Boolean(metadata.annotations?.[accountNameAnnotation])

/** Whether the Secret is for this very account, not for an earlier one of the same name. */
export function isFor({ metadata }: Secret, account: ServiceAccount): boolean {
  const uid = metadata.annotations?.[accountUidAnnotation]
  return (
    metadata.annotations?.[accountNameAnnotation] === account.metadata.name && (!uid || uid === account.metadata.uid)
  )
}

export interface MissingData {
  readonly ca: boolean
  readonly namespace: boolean
  readonly token: boolean
}

export function missingData({ data }: Secret, rootCa: string): MissingData | undefined {
  const missing = {
    ca: rootCa !== '' && data?.['ca.crt'] !== rootCa,
    namespace: !data?.['namespace'],
    token: !data?.['token'],
  }
  return missing.ca || missing.namespace || missing.token ? missing : undefined
}

export function legacyClaims(secret: Secret, account: ServiceAccount): JsonObject {
  const { namespace = '', name = '', uid = '' } = account.metadata
  return {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name ?? '',
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  }
}
