/** The server as the simulated controllers reach it beside its objects. */
import type { JsonObject } from '../api/json.ts'
import { ApiError, type StatusBody } from '../api/status-error.ts'
import type { Loopback } from '../auth/authentication/loopback.ts'
import { callLocally } from '../http/local-exchange.ts'
import type { ServerCredentials } from '../pki/data-folder.ts'
import type { TokenAuthority } from '../pki/token-authority.ts'
import type { ServerRequest, ServerServices } from '../simulate/framework/server-services.ts'
import type { RequestLayer } from './request-layer.ts'

export interface SimulationServicesOptions {
  readonly credentials: ServerCredentials
  readonly tokenAuthority: TokenAuthority
  readonly loopback: Loopback
  readonly requests: Pick<RequestLayer, 'handle'>
}

export function simulationServices(options: SimulationServicesOptions): ServerServices {
  const { credentials, tokenAuthority, loopback, requests } = options
  return {
    rootCaPem: credentials.servingCaPem,
    signer: credentials.ca,
    signToken: async (claims) => (await tokenAuthority.signer()).sign(claims),
    async request({ method, path, body, account }: ServerRequest) {
      const headers = {
        ...loopback.headers(),
        accept: 'application/json',
        'user-agent': `kube-controller-manager/simulated system:serviceaccount:kube-system:${account}`,
        'impersonate-user': `system:serviceaccount:kube-system:${account}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const answer = await callLocally({ method, path, headers, body: bytes }, (exchange) => requests.handle(exchange))
      const value = readAnswer(answer.body)
      if (answer.status < 400) return value
      throw value['kind'] === 'Status'
        ? new ApiError(value as unknown as StatusBody)
        : new ApiError({ code: answer.status, message: answer.body.toString('utf8').trim() })
    },
  }
}

function readAnswer(body: Buffer): JsonObject {
  try {
    return JSON.parse(body.toString('utf8')) as JsonObject
  } catch {
    return {}
  }
}
