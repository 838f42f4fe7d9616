/**
 * Invalidates, and a year later deletes, the tokens that the server once made for service accounts by itself and that were
 * not used for a year. Mirrors pkg/controller/serviceaccount: LegacySATokenCleaner.
 */
import type { Pod as PodType } from '../../../catalog/types/core-v1.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import { keyOf, reconciler } from '../../framework/reconciler.ts'
import type { ConfigMap, Pod, Secret, ServiceAccount } from '../../objects.ts'
import { hasCode } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import { accountNameAnnotation, isFor, tokenSecretType } from './token-secrets.ts'

const dayMs = 24 * 3_600_000
/** --legacy-service-account-token-clean-up-period */
const cleanUpMs = 365 * dayMs
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used'
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since'
const trackingName = 'kube-apiserver-legacy-service-account-token-tracking'

export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const isDate = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

export interface CleanerState {
  readonly account: (secret: Secret) => ServiceAccount | undefined
  readonly isMounted: (secret: Secret) => boolean
  readonly now: number
}

/** What becomes of a Secret. */
export function cleanerStep(
  secret: Secret,
  { account, isMounted, now }: CleanerState,
): 'invalidate' | 'delete' | 'keep' {
  const { creationTimestamp, deletionTimestamp, labels, name } = secret.metadata
  const cutoff = now - cleanUpMs
  if (secret.type !== tokenSecretType || deletionTimestamp !== undefined) return 'keep'
  if (Date.parse(creationTimestamp ?? '') >= cutoff) return 'keep'
  const lastUsed = labels?.[lastUsedLabel]
  if (lastUsed !== undefined && (!isDate(lastUsed) || lastUsed >= dateOf(cutoff))) return 'keep'
  const owner = account(secret)
  if (owner?.secrets?.some((each) => each.name === name) !== true || isMounted(secret)) return 'keep'
  const since = labels?.[invalidSinceLabel]
  if (!isDate(since)) return 'invalidate'
  return since >= dateOf(cutoff) ? 'keep' : 'delete'
}

/** The names of the Secrets that a pod uses. Mirrors pkg/api/v1/pod: VisitPodSecretNames, for volumes, env and pulls. */
export function secretNames({ spec }: Pick<PodType, 'spec'>): string[] {
  const containers = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ]
  const fromContainers = containers.flatMap(({ env, envFrom }) => [
    ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
  ])
  const fromVolumes = (spec?.volumes ?? []).flatMap(({ secret, projected, csi }) => [
    secret?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ])
  const pulls = (spec?.imagePullSecrets ?? []).map(({ name }) => name)
  return [...fromContainers, ...fromVolumes, ...pulls].filter((name) => name !== undefined)
}

export const legacyTokenCleaner: SimulatedController = {
  name: 'legacy-serviceaccount-token-cleaner-controller',
  start(context) {
    const secrets = context.informer<Secret>('', 'secrets')
    const accounts = context.informer<ServiceAccount>('', 'serviceaccounts')
    const pods = context.informer<Pod>('', 'pods')
    const configMaps = context.informer<ConfigMap>('', 'configmaps')
    const writer = context.writer('legacy-service-account-token-cleaner')
    const trackedSince = (): number | undefined => {
      const since = configMaps.get('kube-system', trackingName)?.data?.['since']
      return isDate(since) ? Date.parse(since) + dayMs : undefined
    }
    const queue = reconciler(context, {
      name: 'legacy_token_cleaner',
      async reconcile() {
        const now = context.clock.now()
        const since = trackedSince()
        if (since === undefined || now < since + cleanUpMs) return { requeueAfter: dayMs }
        const state: CleanerState = {
          now,
          account: (secret) => {
            const name = secret.metadata.annotations?.[accountNameAnnotation] ?? ''
            const account = accounts.get(secret.metadata.namespace ?? '', name)
            return account !== undefined && isFor(secret, account) ? account : undefined
          },
          isMounted: ({ metadata }) =>
            pods
              .list(metadata.namespace ?? '')
              .some(({ spec }) => spec !== undefined && secretNames({ spec }).includes(metadata.name ?? '')),
        }
        for (const secret of secrets.list()) {
          const { namespace = '', name = '', resourceVersion = '' } = secret.metadata
          const step = cleanerStep(secret, state)
          if (step === 'keep') continue
          try {
            if (step === 'delete') {
              await writer.delete('', 'secrets', { namespace, name }, { preconditions: { resourceVersion } })
            } else {
              await writer.update<Secret>('', 'secrets', { namespace, name }, (current) => ({
                ...current,
                metadata: {
                  ...current.metadata,
                  labels: { ...current.metadata.labels, [invalidSinceLabel]: dateOf(now) },
                },
              }))
            }
          } catch (error) {
            if (!hasCode(error, 409) && !hasCode(error, 404)) {
              context.logger.debug({ secret: keyOf(secret), err: error }, 'a legacy token could not be cleaned up')
            }
          }
        }
        return { requeueAfter: dayMs }
      },
    })
    queue.add('all')
    return runningController([], [queue])
  },
}
