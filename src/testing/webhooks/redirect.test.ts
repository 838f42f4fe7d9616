import { expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import { redirected } from './redirect.ts'

const target = { url: (kind: string, path: string) => `https://127.0.0.1:1/${kind}${path}`, ca: 'CA' }
const service = { namespace: 'shop', name: 'hooks', path: '/check' }
const there = (kind: string, path: string) => ({ url: `https://127.0.0.1:1/${kind}${path}`, caBundle: 'Q0E=' })
const configuration = (kind: string, clientConfig: JsonObject): JsonObject => ({
  kind,
  webhooks: [{ name: 'a.example.com', clientConfig }],
})
const definition = (clientConfig: JsonObject): JsonObject => ({
  kind: 'CustomResourceDefinition',
  spec: { group: 'example.com', conversion: { strategy: 'Webhook', webhook: { clientConfig } } },
})

it.each([
  [
    'mutate',
    configuration('MutatingWebhookConfiguration', { service }),
    configuration('MutatingWebhookConfiguration', there('mutate', '/check')),
  ],
  [
    'validate',
    configuration('ValidatingWebhookConfiguration', { service }),
    configuration('ValidatingWebhookConfiguration', there('validate', '/check')),
  ],
  ['convert', definition({ service: { namespace: 'a', name: 'b' } }), definition(there('convert', '/'))],
])('puts a URL in the place of a service: %s', (_, given, expected) => {
  expect(redirected(given, target)).toEqual(expected)
})

it.each([
  configuration('MutatingWebhookConfiguration', { url: 'https://example.com' }),
  definition({ url: 'https://example.com' }),
  { kind: 'CustomResourceDefinition', spec: { conversion: { strategy: 'None' } } },
  { kind: 'ConfigMap', webhooks: [{ clientConfig: { service } }] },
  { kind: 'ValidatingWebhookConfiguration', webhooks: [null] },
])('leaves others alone: %j', (object) => expect(redirected(object as JsonObject, target)).toBe(object))
