/** The webhooks of one test server: what is served in this process, and which configurations lead there. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { JsonObject } from '../../api/json.ts'
import { type NamesOf, refuseUnknownOptions } from '../../config/known-options.ts'
import { systemClock } from '../../lib/clock.ts'
import { mapErrorsOf } from '../../lib/stack-map.ts'
import { type CertificatePair, createCertificateAuthority, issueCertificate } from '../../pki/certificates.ts'
import type { ApiObject } from '../api/objects.ts'
import type { TestServer } from '../api/server.ts'
import type { TemporaryFiles } from '../kubeconfig-of.ts'
import { type Manifest, readManifest } from '../manifest.ts'
import type { TestErrors } from '../test-errors.ts'
import type {
  ServedWebhooks,
  ServeWebhooksOptions,
  WebhookCertificate,
  WebhookHandlers,
  WebhookRule,
  Webhooks,
} from './api.ts'
import { type RedirectTarget, redirected } from './redirect.ts'
import { listenForReviews } from './webhook-listener.ts'

export interface TestWebhooksContext {
  readonly server: Pick<TestServer, 'apply' | 'list' | 'call' | 'settled'>
  readonly errors: TestErrors
  readonly files: TemporaryFiles
}

let authority: CertificatePair | undefined

/** One for the process: making it takes longer than using it. */
function webhookAuthority(): CertificatePair {
  authority ??= createCertificateAuthority('pilothouse-testing-webhooks', systemClock.now())
  return authority
}

const ownName = 'pilothouse-testing'

export class TestWebhooks implements Webhooks {
  readonly #context: TestWebhooksContext
  readonly #served = new Set<ServedWebhooks>()
  #target: RedirectTarget | undefined

  constructor(context: TestWebhooksContext) {
    this.#context = context
  }

  async serve(handlers: WebhookHandlers, options: ServeWebhooksOptions = {}): Promise<ServedWebhooks> {
    checkServe(handlers, options)
    const { manifests = [], rules, port = 0 } = options
    const certificate = this.#issue([])
    const listening = await listenForReviews({ handlers, certificate, port, errors: this.#context.errors })
    const { url } = listening
    const target: RedirectTarget = { url: (kind, at) => `${url}/${kind}${at}`, ca: webhookAuthority().certPem }
    const served: ServedWebhooks = {
      url,
      calls: listening.calls,
      close: () => {
        this.#served.delete(served)
        if (this.#target === target) this.#target = undefined
        return listening.close()
      },
    }
    this.#served.add(served)
    await this.#install(target, [...readManifest(manifests), ...ownConfigurations(handlers, rules)])
    return served
  }

  async redirect(to: string, manifests: Manifest = []): Promise<void> {
    const base = new URL(to)
    if (base.protocol !== 'https:') throw new TypeError(`webhooks are called over https, not at ${to}`)
    const url = (_: string, at: string): string => `${base.origin}${base.pathname.replace(/\/$/, '')}${at}`
    await this.#install({ url, ca: webhookAuthority().certPem }, readManifest(manifests))
  }

  certificate(names: readonly string[] = []): WebhookCertificate {
    const { certPem: cert, keyPem: key } = this.#issue(names)
    const ca = webhookAuthority().certPem
    const folder = (given?: string): string => {
      const to = given ?? this.#context.files.next('webhook-certificates')
      mkdirSync(to, { recursive: true })
      writeFileSync(path.join(to, 'tls.crt'), cert)
      writeFileSync(path.join(to, 'tls.key'), key, { mode: 0o600 })
      writeFileSync(path.join(to, 'ca.crt'), ca)
      return to
    }
    return { cert, key, ca, folder }
  }

  /** Objects on their way to the server, as they shall be there. */
  redirected(objects: readonly ApiObject[]): ApiObject[] {
    const target = this.#target
    if (target === undefined) return [...objects]
    return objects.map((object) => redirected(object as JsonObject, target) as ApiObject)
  }

  async close(): Promise<void> {
    for (const served of this.#served) await served.close()
  }

  #issue(names: readonly string[]): CertificatePair {
    return issueCertificate(webhookAuthority(), {
      commonName: 'webhooks',
      usage: 'server',
      names: ['localhost', '127.0.0.1', ...names],
      now: systemClock.now(),
    })
  }

  async #install(target: RedirectTarget, objects: readonly ApiObject[]): Promise<void> {
    this.#target = target
    await this.#redirectPresent(target)
    await this.#context.server.apply(objects)
    // A configuration counts once the server's own informers have it.
    await this.#context.server.settled()
  }

  async #redirectPresent(target: RedirectTarget): Promise<void> {
    const { server } = this.#context
    for (const [resource, group] of present) {
      for (const object of await server.list(`${resource}.${group}`)) {
        const changed = redirected(object as JsonObject, target)
        const at = `/apis/${group}/v1/${resource}/${encodeURIComponent(object.metadata.name)}`
        if (changed !== (object as JsonObject)) await server.call('PUT', at, changed)
      }
    }
  }
}

const handlerNames: NamesOf<WebhookHandlers> = { mutate: true, validate: true, convert: true }
const optionNames: NamesOf<ServeWebhooksOptions> = { manifests: true, rules: true, port: true }

/** A handler that is never asked would let a test pass that tests nothing. */
function checkServe(handlers: WebhookHandlers, options: ServeWebhooksOptions): void {
  refuseUnknownOptions('webhooks.serve', handlers, handlerNames)
  refuseUnknownOptions('webhooks.serve', options, optionNames)
  if (Object.values(handlers).every((handler) => handler === undefined))
    throw new TypeError('webhooks.serve needs mutate, validate or convert')
}

mapErrorsOf(TestWebhooks.prototype, ['serve', 'redirect', 'certificate'])

const present = [
  ['mutatingwebhookconfigurations', 'admissionregistration.k8s.io'],
  ['validatingwebhookconfigurations', 'admissionregistration.k8s.io'],
  ['customresourcedefinitions', 'apiextensions.k8s.io'],
] as const

/** For tests that have no configurations of their own. */
function ownConfigurations(handlers: WebhookHandlers, rules: readonly WebhookRule[] | undefined): ApiObject[] {
  if (rules === undefined) return []
  const configuration = (kind: string, path: string): ApiObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: ownName },
    webhooks: [
      {
        name: `${path}.${ownName}.dev`,
        rules,
        clientConfig: { service: { namespace: 'default', name: ownName } },
        sideEffects: 'NoneOnDryRun',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  return [
    ...(handlers.mutate === undefined ? [] : [configuration('MutatingWebhookConfiguration', 'mutate')]),
    ...(handlers.validate === undefined ? [] : [configuration('ValidatingWebhookConfiguration', 'validate')]),
  ]
}
