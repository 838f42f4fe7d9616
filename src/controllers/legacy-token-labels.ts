/** Writes the day of a legacy token's last use to its Secret, single-flight a Secret, with backoff after a failure. */

import type { KubeObject } from '../api/object.ts'
import { lastUsedLabel } from '../auth/service-account/legacy-tokens.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { serverActor, updateAs } from '../registry/own-writes.ts'
import type { Registry } from '../registry/registry.ts'

export interface LegacyTokenLabelsOptions {
  readonly secrets: Registry
  readonly clock: Clock
  readonly logger: Logger
}

/** How long a Secret is left alone whose label could not be written: the token may come with every request. */
const backoffMs = 10_000
/** Most Secrets in flight or in backoff; beyond it uses go unlabelled until there is room. */
const capacity = 1000

/** Never rejects: a token is good whether or not its use could be written down. */
export function legacyTokenLabels({ secrets, clock, logger }: LegacyTokenLabelsOptions) {
  const pending = new Map<string, Promise<void>>()
  const write = async (secret: KubeObject, day: string): Promise<void> => {
    const { namespace = '', name = '', uid } = secret.metadata
    await updateAs(serverActor, secrets, { namespace, name }, (current) =>
      current.metadata.uid === uid ? withLabel(current, day) : undefined,
    )
  }
  return (secret: KubeObject, day: string): Promise<void> => {
    const { uid = '', namespace, name } = secret.metadata
    const known = pending.get(uid)
    if (known !== undefined) return known
    if (pending.size >= capacity) return Promise.resolve()
    const written = write(secret, day).then(
      () => {
        pending.delete(uid)
      },
      (error: unknown) => {
        logger.error({ err: error, secret: `${namespace}/${name}` }, 'a legacy token could not be labelled as used')
        clock.setTimeout(() => pending.delete(uid), backoffMs)
      },
    )
    pending.set(uid, written)
    return written
  }
}

function withLabel(secret: KubeObject, day: string): KubeObject {
  const { metadata } = secret
  return { ...secret, metadata: { ...metadata, labels: { ...metadata.labels, [lastUsedLabel]: day } } }
}
