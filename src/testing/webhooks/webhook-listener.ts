/** Listens for the reviews that the API server sends, in this process, and answers them by the test's handlers. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { CertificatePair } from '../../pki/certificates.ts'
import type { TestErrors } from '../test-errors.ts'
import type { ServedWebhooks, WebhookCall, WebhookHandlers } from './api.ts'
import { answerReview, type ReceivedReview, type WebhookKind } from './review-answers.ts'

export interface WebhookListenerOptions {
  readonly handlers: WebhookHandlers
  readonly certificate: CertificatePair
  readonly port: number
  readonly errors: TestErrors
}

const maxCalls = 10_000
const maxReviewBytes = 64 * 1024 * 1024

/** It does not keep the process alive. */
export async function listenForReviews(options: WebhookListenerOptions): Promise<ServedWebhooks> {
  const { certificate, port } = options
  const calls: WebhookCall[] = []
  const listener = https.createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
    void answer(request, response, { ...options, calls })
  })
  listener.on('connection', (socket: Socket) => socket.unref())
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen({ host: '127.0.0.1', port }, resolve)
  })
  listener.unref()
  let closing: Promise<void> | undefined
  return {
    url: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    calls,
    close() {
      listener.closeAllConnections()
      closing ??= new Promise((resolve) => listener.close(() => resolve()))
      return closing
    },
  }
}

interface Answering extends WebhookListenerOptions {
  readonly calls: WebhookCall[]
}

async function answer(request: IncomingMessage, response: ServerResponse, given: Answering): Promise<void> {
  const { handlers, errors, calls } = given
  const { kind, path } = placeOf(request.url ?? '')
  const note = (asked: JsonObject, said: JsonObject | undefined): void => {
    calls.push({ kind, path, request: asked, response: said })
    if (calls.length > maxCalls) calls.shift()
  }
  let asked: JsonObject = {}
  try {
    const review = JSON.parse(await readText(request)) as JsonObject
    if (!isJsonObject(review['request'])) throw new Error('this is no review')
    asked = review['request']
    const said = await answerReview(handlers, { kind, path, request: asked })
    note(asked, said)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ apiVersion: review['apiVersion'], kind: review['kind'], response: said }))
  } catch (error) {
    note(asked, undefined)
    errors.add(`the webhook to ${kind} at ${path}`, error)
    response.writeHead(500, { 'content-type': 'text/plain' }).end((error as Error).message)
  }
}

/** `/mutate/path?timeout=10s` */
function placeOf(url: string): Pick<ReceivedReview, 'kind' | 'path'> {
  const [, kind = '', path = '/'] = /^\/(mutate|validate|convert)(\/[^?]*)?/.exec(url) ?? []
  return { kind: kind as WebhookKind, path }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxReviewBytes) throw new Error(`a review of more than ${maxReviewBytes} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
