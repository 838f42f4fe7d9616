/** The users that a test makes: each has a token, a kubeconfig, a certificate and clients of their own. */
import { randomBytes } from 'node:crypto'
import { mapErrorsOf } from '../lib/stack-map.ts'
import { type CertificatePair, issueCertificate } from '../pki/certificates.ts'
import type { TestServer } from './api/server.ts'
import type { TestUser } from './api/users.ts'
import { clientOf, kubeconfigOf, type TemporaryFiles } from './kubeconfig-of.ts'

export interface KnownUser {
  readonly name: string
  readonly groups: readonly string[]
  readonly token: string
}

export interface UserParts {
  readonly server: Pick<TestServer, 'url' | 'ca' | 'call' | 'send' | 'clock'>
  readonly authority: CertificatePair
  readonly files: TemporaryFiles
}

export const newUser = (name: string, groups: readonly string[]): KnownUser => ({
  name,
  groups,
  token: randomBytes(18).toString('base64url'),
})

export function testUser({ name, groups, token }: KnownUser, { server, authority, files }: UserParts): TestUser {
  const kubeconfig = () => kubeconfigOf({ server: server.url, caPem: server.ca, user: name, token }, files)
  const user: TestUser = {
    name,
    groups,
    token,
    kubeconfig,
    client: (apiClass) => clientOf(kubeconfig(), apiClass),
    call: (method, path, body, options) => server.call(method, path, body, { ...options, user }),
    send: (method, path, body, options) => server.send(method, path, body, { ...options, user }),
    certificate: () => {
      const request = { commonName: name, organizations: groups, usage: 'client' as const, now: server.clock.now() }
      const { certPem, keyPem } = issueCertificate(authority, request)
      return { cert: certPem, key: keyPem }
    },
  }
  return mapErrorsOf(user)
}
