/**
 * Certificates and keys of test servers. Made once for all servers of a process that have the same names, as making them
 * takes longer than starting a server; none of them is ever written to disk.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { ServerOptions } from '../config/server-options.ts'
import { systemClock } from '../lib/clock.ts'
import { type ServerCredentials, type ServiceAccountKeys, temporaryCredentials } from '../pki/data-folder.ts'

const known = new Map<string, ServerCredentials>()
/** As many sets of names as are remembered; the oldest goes first. */
const maxKnown = 16

export function testCredentials(options: ServerOptions): ServerCredentials {
  const { serving, services } = options
  const key = JSON.stringify([serving.bindAddress, serving.advertiseAddress, serving.externalHostname, services])
  const credentials = known.get(key) ?? temporaryCredentials(options, systemClock)
  const [oldest] = known.keys()
  if (!known.has(key) && known.size >= maxKnown && oldest !== undefined) known.delete(oldest)
  known.set(key, credentials)
  return {
    ca: credentials.ca,
    serving: credentials.serving,
    servingCaPem: credentials.servingCaPem,
    // Made lazily.
    get admin() {
      return credentials.admin
    },
    serviceAccountKeys: quickKeys(options) ?? temporaryCredentials(options, systemClock).serviceAccountKeys,
  }
}

/** Signing keys on a curve: RSA keys take longer to make than many a test. Undefined when the flags name others. */
function quickKeys({ authentication }: ServerOptions): ServiceAccountKeys | undefined {
  const { signingKeyFile, keyFiles } = authentication.serviceAccounts
  if (signingKeyFile !== undefined || keyFiles.length > 0) return undefined
  let made: KeyObject | undefined
  const key = (): KeyObject => {
    made ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    return made
  }
  return { signingKey: async () => key(), verificationKeys: async () => [createPublicKey(key())] }
}
