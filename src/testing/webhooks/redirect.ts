/**
 * Configurations whose webhooks are services, with a URL in the service's place: nothing in a test server runs the pods
 * of a service. What envtest does for its WebhookInstallOptions.
 */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { WebhookKind } from './review-answers.ts'

export interface RedirectTarget {
  /** Where a webhook of a service's path is answered. */
  url(kind: WebhookKind, path: string): string
  /** PEM. */
  readonly ca: string
}

const kinds: Readonly<Record<string, WebhookKind>> = {
  MutatingWebhookConfiguration: 'mutate',
  ValidatingWebhookConfiguration: 'validate',
}

/** The object with its services replaced; the very same when there is none in it. */
export function redirected(object: JsonObject, target: RedirectTarget): JsonObject {
  const kind = kinds[String(object['kind'])]
  const { webhooks } = object
  if (kind !== undefined && Array.isArray(webhooks)) {
    const changed = webhooks.map((webhook) => (isJsonObject(webhook) ? withUrl(webhook, kind, target) : webhook))
    return changed.some((webhook, i) => webhook !== webhooks[i]) ? { ...object, webhooks: changed } : object
  }
  return object['kind'] === 'CustomResourceDefinition' ? redirectedDefinition(object, target) : object
}

/** As in a configuration: a member `clientConfig`. */
function withUrl(holder: JsonObject, kind: WebhookKind, { url, ca }: RedirectTarget): JsonObject {
  const { clientConfig } = holder
  if (!isJsonObject(clientConfig) || !isJsonObject(clientConfig['service'])) return holder
  const { path = '/' } = clientConfig['service']
  return { ...holder, clientConfig: { url: url(kind, String(path)), caBundle: Buffer.from(ca).toString('base64') } }
}

function redirectedDefinition(object: JsonObject, target: RedirectTarget): JsonObject {
  const spec = object['spec']
  const conversion = isJsonObject(spec) ? spec['conversion'] : undefined
  const webhook = isJsonObject(conversion) ? conversion['webhook'] : undefined
  if (!isJsonObject(spec) || !isJsonObject(conversion) || !isJsonObject(webhook)) return object
  const changed = withUrl(webhook, 'convert', target)
  return changed === webhook
    ? object
    : { ...object, spec: { ...spec, conversion: { ...conversion, webhook: changed } } }
}
