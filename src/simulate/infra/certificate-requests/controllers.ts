/**
 * Approves the requests of kubelets, signs what is approved, and deletes what is done with.
 * Mirrors pkg/controller/certificates/approver: sarApprover; signer: signer; cleaner: CSRCleanerController.
 */
import { X509Certificate } from 'node:crypto'
import type { JsonObject } from '../../../api/json.ts'
import { formatTime, instantOfMillis } from '../../../api/time.ts'
import type { CertificateSigningRequestCondition } from '../../../catalog/types/certificates-v1.ts'
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { reconciler } from '../../framework/reconciler.ts'
import type { CertificateSigningRequest } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'
import { type ParsedRequest, parseCertificateRequest } from './certificate-request.ts'
import { signedCertificate } from './signed-certificate.ts'
import { kubeletClient, kubeletClientSigner, lifetimeMs, signerRule } from './signers.ts'

const group = 'certificates.k8s.io'
const resource = 'certificatesigningrequests'
const hourMs = 3_600_000

const fromBase64 = (text: string | null | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8')

const hasCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  (status?.conditions ?? []).some((each) => each.type === type)

const isDecided = (request: CertificateSigningRequest): boolean =>
  Boolean(request.status?.certificate) || hasCondition(request, 'Approved') || hasCondition(request, 'Denied')

export interface Recognized {
  readonly subresource: 'selfnodeclient' | 'nodeclient'
  readonly message: string
}

/** As what a request may be approved without anybody asking, the narrower permission first. */
export function recognized({ spec }: CertificateSigningRequest, request: ParsedRequest): Recognized[] {
  if (spec?.signerName !== kubeletClientSigner || kubeletClient(request, spec.usages ?? []) !== undefined) return []
  const node: Recognized = {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  }
  const self: Recognized = {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  }
  return spec.username === request.commonName ? [self, node] : [node]
}

/** A controller that looks at each request that is there. */
function requestController(
  context: SimulationContext,
  queueName: string,
  handle: (request: CertificateSigningRequest) => Promise<{ requeueAfter: number } | undefined>,
) {
  const requests = context.informer<CertificateSigningRequest>(group, resource)
  const queue = reconciler(context, {
    name: queueName,
    async reconcile(name) {
      const request = requests.get('', name)
      return request === undefined ? undefined : handle(request)
    },
  })
  const subscription = requests.subscribe(({ type, name }) => {
    if (type !== 'DELETED') queue.add(name)
  })
  return runningController([subscription], [queue])
}

export const approvingController: SimulatedController = {
  name: 'certificatesigningrequest-approving-controller',
  start(context) {
    const account = 'certificate-controller'
    const writer = context.writer(account)
    const isAllowed = async ({ spec }: CertificateSigningRequest, subresource: string): Promise<boolean> => {
      const { username = '', uid, groups, extra } = spec ?? {}
      const attributes = { group, resource, verb: 'create', subresource, version: '*' }
      const review = await context.services.request({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        account,
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: username,
            ...(uid === undefined ? {} : { uid }),
            ...(groups === undefined ? {} : { groups }),
            ...(extra === undefined ? {} : { extra: extra as JsonObject }),
            resourceAttributes: attributes,
          },
        },
      })
      return (review['status'] as { allowed?: boolean } | undefined)?.allowed === true
    }
    return requestController(context, 'csrapproving', async (request) => {
      if (isDecided(request)) return undefined
      const candidates = recognized(request, parseCertificateRequest(fromBase64(request.spec?.request)))
      for (const { subresource, message } of candidates) {
        if (!(await isAllowed(request, subresource))) continue
        const now = formatTime(instantOfMillis(context.clock.now()))
        const condition: CertificateSigningRequestCondition = {
          type: 'Approved',
          status: 'True',
          reason: 'AutoApproved',
          message,
          lastUpdateTime: now,
          lastTransitionTime: now,
        }
        const target = { namespace: '', name: request.metadata.name ?? '', subresource: 'approval' }
        await writer.update<CertificateSigningRequest>(group, resource, target, (current) =>
          isDecided(current) ? undefined : withConditions(current, condition),
        )
        return undefined
      }
      return undefined
    })
  },
}

const withConditions = (
  request: CertificateSigningRequest,
  condition: CertificateSigningRequestCondition,
): CertificateSigningRequest => ({
  ...request,
  status: { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] },
})

export const signingController: SimulatedController = {
  name: 'certificatesigningrequest-signing-controller',
  start(context) {
    const writer = context.writer('certificate-controller')
    return requestController(context, 'csrsigning', async (request) => {
      if (!hasCondition(request, 'Approved') || hasCondition(request, 'Denied')) return undefined
      if (hasCondition(request, 'Failed') || request.status?.certificate) return undefined
      const rule = signerRule(request.spec?.signerName)
      if (rule === undefined) return undefined
      const parsed = parseCertificateRequest(fromBase64(request.spec?.request))
      const usages = request.spec?.usages ?? []
      const problem = rule(parsed, usages)
      const now = context.clock.now()
      const time = formatTime(instantOfMillis(now))
      const failed: CertificateSigningRequestCondition = {
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message: problem ?? '',
        lastUpdateTime: time,
        lastTransitionTime: time,
      }
      const sign = (): string => {
        const serial = Buffer.from(context.clock.uuid().replaceAll('-', ''), 'hex')
        const order = { usages, lifetimeMs: lifetimeMs(request.spec?.expirationSeconds), now, serial }
        return Buffer.from(signedCertificate(context.services.signer, parsed, order)).toString('base64')
      }
      const certificate = problem === undefined ? sign() : ''
      const target = { namespace: '', name: request.metadata.name ?? '', subresource: 'status' }
      await writer.update<CertificateSigningRequest>(group, resource, target, (current) =>
        problem === undefined
          ? { ...current, status: { ...current.status, certificate } }
          : withConditions(current, failed),
      )
      return undefined
    })
  },
}

/** When a request is done with, in milliseconds; undefined: not before it changes. */
export function expiry(request: CertificateSigningRequest): number | undefined {
  const { conditions = [], certificate } = request.status ?? {}
  if (conditions.length === 0) return Date.parse(request.metadata.creationTimestamp ?? '') + 24 * hourMs
  const times = conditions.flatMap(({ type, lastUpdateTime }) => {
    const after = lastUpdateTime ? Date.parse(lastUpdateTime) + hourMs : Number.POSITIVE_INFINITY
    if (type === 'Denied' || type === 'Failed') return [after]
    if (type !== 'Approved' || !certificate) return []
    return [Math.min(after, certificateEnd(certificate))]
  })
  const first = Math.min(...times)
  return Number.isFinite(first) ? first : undefined
}

function certificateEnd(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(fromBase64(certificate)).validTo)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

export const cleanerController: SimulatedController = {
  name: 'certificatesigningrequest-cleaner-controller',
  start(context) {
    const writer = context.writer('certificate-controller')
    return requestController(context, 'csrcleaner', async (request) => {
      const at = expiry(request)
      const now = context.clock.now()
      if (at === undefined) return undefined
      if (at > now) return { requeueAfter: at - now }
      await writer.delete(group, resource, { namespace: '', name: request.metadata.name ?? '' })
      return undefined
    })
  },
}
