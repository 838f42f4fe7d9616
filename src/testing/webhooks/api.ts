/** Webhooks in a test's own process: their contract, as `pilothouse-apiserver/testing` offers it. */
import type { ApiObject, StoredObject } from '../api/objects.ts'

/** What admission asks: the `request` of an AdmissionReview, as data of the test's own. */
export interface AdmissionRequest<T extends object = StoredObject> {
  readonly uid: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource?: string
  readonly name?: string
  readonly namespace?: string
  readonly userInfo: { readonly username: string; readonly groups?: readonly string[] }
  readonly dryRun?: boolean
  /** Null where it is deleted. */
  readonly object: T
  /** Null where it is created. */
  readonly oldObject: T
  readonly options?: ApiObject
}

/** More than yes or no. */
export interface AdmissionAnswer {
  allowed: boolean
  /** Why not, in words; as an HTTP code; as a reason of a Status. */
  message?: string
  code?: number
  reason?: string
  /** Shown to the client. */
  warnings?: readonly string[]
  auditAnnotations?: Readonly<Record<string, string>>
  /** JSON Patch, of those that mutate. */
  patch?: readonly object[]
}

/** True or nothing: allowed. False or words: denied, with these. */
export type ValidatingAnswer = boolean | string | AdmissionAnswer | undefined
/** The object as it shall be; nothing: as the handler has left `request.object`. */
export type MutatingAnswer = object | AdmissionAnswer | undefined

/** Now or later, or nothing at all. */
type Maybe<T> = T | void | Promise<T | undefined> | Promise<void>

/** What they throw is the error of the test's next call of the server; the webhook has failed then. */
export type ValidatingHandler = (request: AdmissionRequest) => Maybe<ValidatingAnswer>
export type MutatingHandler = (request: AdmissionRequest) => Maybe<MutatingAnswer>
/** One object in another version. */
export type ConvertingHandler = (object: StoredObject, apiVersion: string) => object | Promise<object>

/** One handler for all, or one for each path that the configurations name. */
export type ByPath<T> = T | Readonly<Record<string, T>>

export interface WebhookHandlers {
  mutate?: ByPath<MutatingHandler>
  validate?: ByPath<ValidatingHandler>
  convert?: ByPath<ConvertingHandler>
}

export interface WebhookRule {
  operations: readonly ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*')[]
  apiGroups: readonly string[]
  apiVersions: readonly string[]
  resources: readonly string[]
  scope?: 'Cluster' | 'Namespaced' | '*'
}

export interface ServeWebhooksOptions {
  /** Configurations and definitions to apply, with their services replaced: YAML, objects, a file or a folder. */
  manifests?: string | object | readonly object[]
  /** Without configurations of one's own: what the handlers are asked about. */
  rules?: readonly WebhookRule[]
  /** The port to listen on; a free one unless given. */
  port?: number
}

/** One review that a handler has answered. */
export interface WebhookCall {
  readonly kind: 'mutate' | 'validate' | 'convert'
  /** As the configuration names it. */
  readonly path: string
  readonly request: ApiObject
  /** The `response` of the review; undefined when the handler threw. */
  readonly response: ApiObject | undefined
}

export interface ServedWebhooks {
  readonly url: string
  /** Oldest first; the newest 10,000. */
  readonly calls: readonly WebhookCall[]
  close(): Promise<void>
}

/** A serving certificate that API servers of this process trust by `ca`. */
export interface WebhookCertificate {
  readonly cert: string
  readonly key: string
  readonly ca: string
  /** Writes `tls.crt`, `tls.key` and `ca.crt` into a folder, a temporary one unless given, and returns its path. */
  folder(path?: string): string
}

export interface Webhooks {
  /**
   * Answers webhooks and conversions in this process. Certificates are made; every configuration and definition on the
   * server, in `manifests`, and applied by `server.apply` from now on, that names a service, names this process instead.
   *
   * @example
   * const hooks = await server.webhooks.serve(
   *   {
   *     mutate: ({ object }) => {
   *       object.metadata.labels = { team: 'blue', ...object.metadata.labels }
   *     },
   *     validate: ({ object }) => object.data?.colour !== 'red' || 'no red, please',
   *   },
   *   { rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }] },
   * )
   * const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { colour: 'red' } }
   * await assert.rejects(server.apply(configMap), /no red, please/)
   * const [created] = await server.apply({ ...configMap, data: {} })
   * assert.equal(created?.metadata.labels?.team, 'blue')
   * assert.deepEqual(hooks.calls.map(({ kind }) => kind), ['mutate', 'validate', 'mutate', 'validate'])
   */
  serve(handlers: WebhookHandlers, options?: ServeWebhooksOptions): Promise<ServedWebhooks>
  /**
   * The same for webhooks that the code under test serves itself, with `certificate()`, at a base URL: services in
   * configurations become that URL, with the path of the service.
   */
  redirect(to: string, manifests?: string | object | readonly object[]): Promise<void>
  /** For `localhost` and `127.0.0.1`, and for other names. */
  certificate(names?: readonly string[]): WebhookCertificate
}
