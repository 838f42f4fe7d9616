// The errors of webhooks that cannot be reached, or that answer with something else than objects.
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { WebhookClientConfig } from '../../catalog/types/apiextensions-v1.ts'
import { readReview } from '../../codec/review-answers.ts'
import { systemClock } from '../../lib/clock.ts'
import { createCertificateAuthority, issueCertificate } from '../../pki/certificates.ts'
import { webhookConversion } from './webhook-conversion.ts'

const now = Date.now()
const authority = createCertificateAuthority('webhooks', now)
const { certPem, keyPem } = issueCertificate(authority, { commonName: 'w', usage: 'server', names: ['127.0.0.1'], now })
const webhook = https.createServer({ cert: certPem, key: keyPem }, (request, response) => {
  const [, code = '', given] = (request.url ?? '').split('?')[0]?.split('/') ?? []
  const status = Number(code)
  const body = given === undefined ? '{}' : Buffer.from(given, 'base64url')
  response.writeHead(status).end(status === 200 ? body : 'no luck')
})
const caBundle = Buffer.from(authority.certPem).toString('base64')
let port = 0

beforeAll(async () => {
  await once(webhook.listen(0, '127.0.0.1'), 'listening')
  port = (webhook.address() as AddressInfo).port
})
afterAll(() => {
  webhook.close()
})

async function failure(clientConfig: WebhookClientConfig): Promise<string> {
  const conversion = webhookConversion(
    { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    { clock: systemClock, read: readReview, resolveService: () => Promise.reject(new Error('service "no" not found')) },
  )
  const object = { apiVersion: 'a.io/v1', kind: 'A', metadata: { name: 'a', creationTimestamp: null } }
  const asked = Promise.resolve(conversion.convert([object], 'a.io/v2'))
  const why = await asked.then(String, (error: Error) => error.message)
  return why.replace('conversion webhook for a.io/v1, Kind=A failed: ', '').replaceAll(`:${port}/`, ':PORT/')
}

it.each<[WebhookClientConfig, string]>([
  [
    { service: { name: 'no', namespace: 'such', path: '/c' } },
    'Post "https://no.such.svc:443/c?timeout=30s": service "no" not found',
  ],
  [
    { url: 'https://127.0.0.1:1/x' },
    'Post "https://127.0.0.1:1/x?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused',
  ],
])('tells of a webhook that is not there: %j', async (config, expected) => {
  expect(await failure(config)).toBe(expected)
})

it('tells of certificates that are not to be trusted', async () => {
  const why = 'tls: failed to verify certificate: x509:'
  expect(await failure({ url: `https://127.0.0.1:${port}/200` })).toBe(
    `Post "https://127.0.0.1:PORT/200?timeout=30s": ${why} certificate signed by unknown authority`,
  )
  expect(await failure({ url: `https://localhost:${port}/200`, caBundle })).toBe(
    `Post "https://localhost:PORT/200?timeout=30s": ${why} certificate is not valid for any names, but wanted to match localhost`,
  )
})

it.each([
  [200, 'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind='],
  [403, 'no luck'],
  [404, 'the server could not find the requested resource'],
  [500, 'an error on the server ("no luck") has prevented the request from succeeding'],
])('tells of an answer that is no review: %i', async (status, expected) => {
  expect(await failure({ url: `https://127.0.0.1:${port}/${status}`, caBundle })).toBe(expected)
})

const review = (response: string): string =>
  `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":${response}}`

it.each([
  ['hello', `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct`],
  ['{"a"', `couldn't get version/kind; json parse error: unexpected end of JSON input`],
  ['{"apiVersion":5}', 'json: cannot unmarshal number into Go struct field .apiVersion of type string'],
  ['{"apiVersion":"a/b/c","kind":"X"}', 'unexpected GroupVersion string: a/b/c'],
  ['{"apiVersion":"v1","kind":"Status"}', 'converting (v1.Status) to (v1.ConversionReview): unknown conversion'],
  ['{"apiVersion":"other/v1","kind":"X"}', 'no kind "X" is registered for version "other/v1" in scheme'],
  [review('null'), 'no response provided'],
  [
    review('"x"'),
    'json: cannot unmarshal string into Go struct field ConversionReview.response of type v1.ConversionResponse',
  ],
  [
    review('{"uid":5}'),
    'json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID',
  ],
])('tells in the words of Go what is wrong with an answer: %s', async (body, expected) => {
  const given = Buffer.from(body).toString('base64url')
  expect(await failure({ url: `https://127.0.0.1:${port}/200/${given}`, caBundle })).toContain(expected)
})
