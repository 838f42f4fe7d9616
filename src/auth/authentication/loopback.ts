/**
 * How the server calls itself. Webhooks and conversions that name the service of the API, `kubernetes` in `default`, are
 * served by it, mostly through an aggregated server: they are called at the own listener, as the server itself. Mirrors
 * kube-aggregator/pkg/apiserver: NewLoopbackServiceResolver, and apiserver/pkg/util/webhook:
 * NewDefaultAuthenticationInfoResolverWrapper.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { serverUser } from '../../api/user.ts'
import type { ClientIdentity } from '../../outbound/kubeconfig.ts'
import type { ResolveService, ServiceAddress } from '../../outbound/webhook-address.ts'
import type { AuthenticationResult, TokenAuthenticator } from '../authenticator.ts'

const noOpinion: AuthenticationResult = { outcome: 'no opinion' }
const itself: AuthenticationResult = {
  outcome: 'authenticated',
  user: serverUser,
}

const ownService = 'kubernetes.default.svc:443'

export const newLoopbackToken = (): string => randomBytes(32).toString('base64url')

export class Loopback {
  readonly #token: string
  #address: ServiceAddress | undefined

  /** Processes of one server share a token: a call to the own listener may reach any of them. */
  constructor(token = newLoopbackToken()) {
    this.#token = token
  }

  /** Where the own listener is reached from this machine. */
  listensAt(address: ServiceAddress): void {
    this.#address = address
  }

  /** What a request of the server to itself proves itself with. */
  headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` }
  }

  /** Finds this server by the name of its service, and other services as before. */
  resolver(resolve: ResolveService): ResolveService {
    return (service) => {
      const isOwn = `${service.name}.${service.namespace}.svc:${service.port}` === ownService
      return isOwn && this.#address !== undefined ? Promise.resolve(this.#address) : resolve(service)
    }
  }

  /** The server's own identity to itself, and others' as before. Its certificate need not name the service. */
  credentials(others: (hostPort: string) => ClientIdentity): (hostPort: string) => ClientIdentity {
    const own: ClientIdentity = { headers: () => this.headers(), isOwnServer: true }
    return (hostPort) => (hostPort === ownService && this.#address !== undefined ? own : others(hostPort))
  }

  readonly tokens: TokenAuthenticator = {
    authenticateToken: (token): AuthenticationResult => {
      if (token.length !== this.#token.length) return noOpinion
      const [given, own] = [Buffer.from(token), Buffer.from(this.#token)]
      return given.length === own.length && timingSafeEqual(given, own) ? itself : noOpinion
    },
  }
}
