/**
 * Which requests each of the built-in signers takes. Mirrors pkg/controller/certificates/signer:
 * getCSRVerificationFuncForSignerName, signer.duration and pkg/apis/certificates: ValidateKubeletServingCSR,
 * ValidateKubeletClientCSR.
 */
import type { ParsedRequest } from './certificate-request.ts'

export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet'

/** What is wrong with a request, if anything is. */
type Rule = (request: ParsedRequest, usages: readonly string[]) => string | undefined

const servingUsages = ['digital signature', 'key encipherment', 'server auth']
const clientUsages = ['client auth', 'digital signature', 'key encipherment']

const hasUsages = (usages: readonly string[], wanted: readonly string[]): boolean => {
  const given = [...new Set(usages)].sort().join()
  return given === wanted.join() || given === wanted.filter((usage) => usage !== 'key encipherment').join()
}

const isNodes = (organizations: readonly string[]): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes'

const organizationWrong = 'subject organization is not system:nodes'
const commonNameWrong = 'subject common name does not begin with system:node:'
const usagesWrong = (wanted: readonly string[]): string => `usages did not match [${wanted.join(' ')}]`

const kubeletServing: Rule = ({ organizations, commonName, names }, usages) => {
  if (!isNodes(organizations)) return organizationWrong
  if (names.dns.length === 0 && names.ip.length === 0) return 'DNS or IP subjectAltName is required'
  if (names.email.length > 0) return 'Email subjectAltNames are not allowed'
  if (names.uri.length > 0) return 'URI subjectAltNames are not allowed'
  if (!hasUsages(usages, servingUsages)) return usagesWrong(servingUsages)
  return commonName.startsWith('system:node:') ? undefined : commonNameWrong
}

export const kubeletClient: Rule = ({ organizations, commonName, names }, usages) => {
  if (!isNodes(organizations)) return organizationWrong
  if (names.dns.length > 0) return 'DNS subjectAltNames are not allowed'
  if (names.email.length > 0) return 'Email subjectAltNames are not allowed'
  if (names.ip.length > 0) return 'IP subjectAltNames are not allowed'
  if (names.uri.length > 0) return 'URI subjectAltNames are not allowed'
  if (!commonName.startsWith('system:node:')) return commonNameWrong
  return hasUsages(usages, clientUsages) ? undefined : usagesWrong(clientUsages)
}

const apiServerClient: Rule = (_, usages) => {
  const other = usages.find((usage) => !clientUsages.includes(usage))
  if (other !== undefined) return `invalid usage for client certificate: ${other}`
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
}

const signers: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['kubernetes.io/kubelet-serving', kubeletServing],
  [kubeletClientSigner, kubeletClient],
  ['kubernetes.io/kube-apiserver-client', apiServerClient],
  ['kubernetes.io/legacy-unknown', () => undefined],
])

export const signerRule = (name: string | undefined): Rule | undefined => signers.get(name ?? '')

/** --cluster-signing-duration */
const longestMs = 365 * 24 * 3_600_000
const shortestMs = 600_000

export function lifetimeMs(expirationSeconds: number | undefined): number {
  if (expirationSeconds === undefined) return longestMs
  return Math.min(Math.max(expirationSeconds * 1000, shortestMs), longestMs)
}
