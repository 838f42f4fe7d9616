/**
 * Fills the Secrets that ask for a service account's token, and deletes those whose account is gone.
 * Mirrors pkg/controller/serviceaccount: TokensController.
 */
import type { SimulationContext } from '../../framework/context.ts'
import type { SimulatedController } from '../../framework/controller.ts'
import type { Informer } from '../../framework/informer.ts'
import { keyOf, type Reconciler, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { Writer } from '../../framework/writer.ts'
import type { Secret, ServiceAccount } from '../../objects.ts'
import { hasCode } from '../common/api-errors.ts'
import { runningController } from '../common/running-controller.ts'
import {
  accountNameAnnotation,
  accountUidAnnotation,
  encode,
  isFor,
  isTokenSecret,
  legacyClaims,
  missingData,
} from './token-secrets.ts'

export const serviceAccountTokenController: SimulatedController = {
  name: 'serviceaccount-token-controller',
  start: (context) => new AccountTokens(context).start(),
}

class AccountTokens {
  readonly #context: SimulationContext
  readonly #secrets: Informer<Secret>
  readonly #accounts: Informer<ServiceAccount>
  readonly #writer: Writer
  readonly #queue: Reconciler
  readonly #removed: Reconciler
  readonly #rootCa: string

  constructor(context: SimulationContext) {
    this.#context = context
    this.#secrets = context.informer<Secret>('', 'secrets')
    this.#accounts = context.informer<ServiceAccount>('', 'serviceaccounts')
    this.#writer = context.writer('tokens-controller')
    this.#rootCa = encode(context.services.rootCaPem)
    this.#queue = reconciler(context, { name: 'serviceaccount_tokens_secret', reconcile: (key) => this.#sync(key) })
    this.#removed = reconciler(context, {
      name: 'serviceaccount_tokens_service',
      reconcile: (key) => this.#dropReference(key),
    })
  }

  start() {
    const subscriptions = [
      this.#secrets.subscribe(({ type, object }) => {
        if (!isTokenSecret(object)) return
        if (type !== 'DELETED') this.#queue.add(keyOf(object))
        else this.#removed.add(`${keyOf(object)}/${object.metadata.annotations?.[accountNameAnnotation] ?? ''}`)
      }),
      this.#accounts.subscribe(({ namespace, name }) => {
        for (const secret of this.#secrets.list(namespace)) {
          const isMeant = isTokenSecret(secret) && secret.metadata.annotations?.[accountNameAnnotation] === name
          if (isMeant) this.#queue.add(keyOf(secret))
        }
      }),
    ]
    return runningController(subscriptions, [this.#queue, this.#removed])
  }

  async #sync(key: string): Promise<void> {
    const { namespace, name } = splitKey(key)
    const secret = this.#secrets.get(namespace, name)
    if (secret === undefined || !isTokenSecret(secret)) return
    const account = this.#accounts.get(namespace, secret.metadata.annotations?.[accountNameAnnotation] ?? '')
    if (account === undefined || !isFor(secret, account)) {
      const uid = secret.metadata.uid ?? ''
      await this.#writer.delete('', 'secrets', { namespace, name }, { preconditions: { uid } }).catch(ignoreConflict)
      return
    }
    const missing = missingData(secret, this.#rootCa)
    if (missing === undefined) return
    const data = {
      ...(missing.ca ? { 'ca.crt': this.#rootCa } : {}),
      ...(missing.namespace ? { namespace: encode(namespace) } : {}),
      ...(missing.token
        ? { token: encode(await this.#context.services.signToken(legacyClaims(secret, account))) }
        : {}),
    }
    await this.#fill(secret, account, data)
  }

  async #fill(secret: Secret, account: ServiceAccount, data: Record<string, string>): Promise<void> {
    const { namespace = '', name = '' } = secret.metadata
    await this.#writer
      .update<Secret>('', 'secrets', { namespace, name }, (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          annotations: {
            ...current.metadata.annotations,
            [accountNameAnnotation]: account.metadata.name ?? '',
            [accountUidAnnotation]: account.metadata.uid ?? '',
          },
        },
        // A token that is there meanwhile stays.
        data: current.data?.['token'] ? { ...data, ...current.data } : { ...current.data, ...data },
      }))
      .catch(ignoreConflict)
  }

  /** The account no longer names a Secret that is gone. */
  async #dropReference(key: string): Promise<void> {
    const [namespace = '', secret = '', name = ''] = key.split('/')
    const account = this.#accounts.get(namespace, name)
    if (!account?.secrets?.some((each) => each.name === secret)) return
    await this.#writer.update<ServiceAccount>('', 'serviceaccounts', { namespace, name }, (current) => ({
      ...current,
      secrets: (current.secrets ?? []).filter((each) => each.name !== secret),
    }))
  }
}

function ignoreConflict(error: unknown): undefined {
  if (!hasCode(error, 409) && !hasCode(error, 404)) throw error
  return undefined
}
