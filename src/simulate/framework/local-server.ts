/** The server as the simulated controllers of its own process reach it. */
import type { Exchange } from '../../api/exchange.ts'
import type { JsonObject } from '../../api/json.ts'
import { ApiError, type StatusBody } from '../../api/status-error.ts'
import { callLocally } from '../../http/local-exchange.ts'
import type { ServerRequest, ServerServices } from './server-services.ts'

export interface LocalServer extends Pick<ServerServices, 'rootCaPem' | 'signer' | 'signToken'> {
  /** The credentials of the server's requests to itself, which may impersonate every account. */
  credentials(): Readonly<Record<string, string>>
  handle(exchange: Exchange): void
}

export function localServerServices(server: LocalServer): ServerServices {
  return {
    rootCaPem: server.rootCaPem,
    signer: server.signer,
    signToken: (claims) => server.signToken(claims),
    async request({ method, path, body, account }: ServerRequest) {
      const headers = {
        ...server.credentials(),
        accept: 'application/json',
        'user-agent': `kube-controller-manager/simulated system:serviceaccount:kube-system:${account}`,
        'impersonate-user': `system:serviceaccount:kube-system:${account}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const answer = await callLocally({ method, path, headers, body: bytes }, (exchange) => server.handle(exchange))
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
