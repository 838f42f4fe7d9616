/**
 * Calls webhooks over HTTPS. Connections are kept for each server and authority, every call has a time limit and its
 * answer a size limit. Failures are worded as in the reference.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { WebhookClientConfig } from '../../catalog/types/admissionregistration-v1.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Dial } from '../../outbound/dial.ts'
import type { ClientIdentity } from '../../outbound/kubeconfig.ts'
import { restPost } from '../../outbound/rest-call.ts'
import { loopbackOptions, type Transport } from '../../outbound/transport.ts'
import { TransportPool } from '../../outbound/transport-pool.ts'
import { type ResolveService, type WebhookAddress, webhookAddress } from '../../outbound/webhook-address.ts'

export interface WebhookClientOptions {
  readonly clock: Clock
  readonly resolveService: ResolveService
  /** Who we are to the server with this host and port; `name.namespace.svc:443` for a service. */
  readonly credentials: (hostPort: string) => ClientIdentity
  readonly encode: (value: JsonValue) => Awaitable<string>
  /** Reads an answer to a review. Throws an Error in the reference's words. */
  readonly read: (body: Buffer, review: JsonObject) => JsonObject
  /** Another way to webhooks that are services of the cluster, and to those that are named by a URL. */
  readonly dials?: { readonly service: Dial | undefined; readonly url: Dial | undefined }
  /** Called for every call: the server's name and the status of its answer; undefined when there was none. */
  readonly onCall?: (host: string, status: number | undefined) => void
  /** More headers of a call. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Throws to make a call fail. Only test servers have it. */
  readonly before?: (call: WebhookPost) => Promise<void>
}

export interface WebhookPost {
  /** As messages name it. */
  readonly url: string
  readonly review: JsonObject
  readonly timeoutMs: number
}

/** Servers and authorities whose connections are kept. */
const maxTransports = 200

export class WebhookClient {
  readonly #options: WebhookClientOptions
  readonly #transports = new TransportPool(maxTransports)

  constructor(options: WebhookClientOptions) {
    this.#options = options
  }

  close(): void {
    this.#transports.close()
  }

  /** The JSON that the webhook answers. Throws an Error in the reference's words. */
  async call(client: WebhookClientConfig, review: JsonObject, timeoutSeconds: number): Promise<JsonObject> {
    const { clock, resolveService, encode, before, read, onCall, headers } = this.#options
    const begin = clock.now()
    const address = webhookAddress(client, `timeout=${timeoutSeconds}s`, resolveService)
    const body = Buffer.from(await encode(review))
    await before?.({ url: address.url, review, timeoutMs: timeoutSeconds * 1000 })
    const identity = this.#options.credentials(address.hostPort)
    return restPost({
      transport: this.#transport(client, address, identity),
      url: address.url,
      open: address.open,
      headers: () => ({
        'user-agent': 'kube-apiserver-admission',
        ...identity.headers(),
        ...headers?.(),
      }),
      body,
      timeoutMs: begin + timeoutSeconds * 1000 - clock.now(),
      timeoutOf: 'context',
      clock,
      read: (answer) => read(answer, review),
      onAnswer: (status) => onCall?.(address.authority, status),
    })
  }

  #transport(
    { caBundle = '', service }: WebhookClientConfig,
    address: WebhookAddress,
    identity: ClientIdentity,
  ): Transport {
    const { clientCertificate: cert, clientKey: key, isOwnServer = false } = identity
    const serverName = service === undefined ? undefined : `${service.name}.${service.namespace}.svc`
    return this.#transports.get(`${address.authority}\n${caBundle}\n${cert ?? ''}`, () => ({
      tls: { ca: Buffer.from(caBundle, 'base64').toString('utf8'), cert, key, serverName },
      dial: this.#options.dials?.[address.isService ? 'service' : 'url'],
      ...(isOwnServer ? loopbackOptions : {}),
    }))
  }
}
