/** What `pilothouse-apiserver` offers: the server in a program of one's own. It imports nothing, so that its types stand alone. */

/** Any object of the API, as JSON has it. */
export interface ApiObject {
  apiVersion?: string
  kind?: string
  // biome-ignore lint/suspicious/noExplicitAny: objects are the program's own business
  metadata?: any
  // biome-ignore lint/suspicious/noExplicitAny: objects are the program's own business
  [field: string]: any
}

export type StoreOptions =
  | { kind: 'memory' }
  /** In a folder, which also keeps the certificates. */
  | { kind: 'lmdb'; folder: string }
  | { kind: 'etcd'; servers: readonly string[]; caFile?: string; certFile?: string; keyFile?: string; prefix?: string }

export interface CreateServerOptions {
  /** In memory unless given. */
  store?: StoreOptions
  /**
   * `full` (unless given): everything that kube-apiserver serves by default. `crds`: custom resources, namespaces and
   * what the other options need, and nothing else.
   */
  profile?: 'full' | 'crds'
  /** Which API versions and resources are served besides: `{ 'batch/v1': true, '/v1/configmaps': true }`. */
  apis?: Readonly<Record<string, boolean>>
  featureGates?: Readonly<Record<string, boolean>>
  /** `127.0.0.1` unless given. */
  host?: string
  /** A free one unless given. */
  port?: number
  /** Also plain HTTP, without authentication, on the loopback address; 0: on a free port. */
  insecurePort?: number
  /** Where certificates are kept. In memory unless given, and with an embedded store on disk in its folder. */
  certificates?: string
  /** False: a request without credentials is refused. */
  anonymous?: boolean
  /** Asked before certificates and tokens. */
  authenticators?: readonly Authenticator[]
  /** `RBAC` unless given; none but the authorizers and members of system:masters with the profile `crds`. */
  authorizationModes?: readonly ('RBAC' | 'Node' | 'AlwaysAllow' | 'AlwaysDeny')[]
  /** Asked before the modes. */
  authorizers?: readonly Authorizer[]
  admission?: AdmissionOptions
  /** Controllers of the server itself: all unless given, none (false), or these by name. */
  controllers?: boolean | readonly string[]
  /** Flags of the command `pilothouse`, for what has no option here. */
  flags?: readonly string[]
  /** Where the log goes, in lines of JSON: nowhere unless given. */
  log?: { write(line: string): void }
  /** As `--v`: 2 unless given. */
  verbosity?: number
  /** True: the server does not keep the process alive. */
  background?: boolean
}

export interface AdmissionOptions {
  /** Built-in plugins besides those that are on by default, and those of them that are not wanted. */
  enable?: readonly string[]
  disable?: readonly string[]
  /** One's own. They run before policies and webhooks, in this order. */
  plugins?: readonly AdmissionPlugin[]
}

export interface User {
  name: string
  uid?: string
  groups?: readonly string[]
  extra?: Readonly<Record<string, readonly string[]>>
}

/** What is known of a request before it is known who sends it. */
export interface AuthenticationRequest {
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The bearer token, if there is one. */
  readonly token: string | undefined
  readonly remoteAddress: string
}

/** Nothing: somebody else may know. What it throws refuses the request, unless another authenticator knows the sender. */
export type Authenticator = (request: AuthenticationRequest) => User | undefined | Promise<User | undefined>

export interface AuthorizationRequest {
  readonly user: Required<User>
  readonly verb: string
  /** False for paths such as `/healthz`: then only `path` and `verb` count. */
  readonly isResource: boolean
  readonly path: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** Nothing: the next one decides; when none does, the request is refused. What it throws is no opinion, logged, and a 500 when no other decides. */
export type AuthorizationAnswer = 'allow' | 'deny' | { verdict: 'allow' | 'deny'; reason?: string } | undefined
export type Authorizer = (request: AuthorizationRequest) => AuthorizationAnswer | Promise<AuthorizationAnswer>

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export interface AdmissionRequest {
  readonly operation: AdmissionOperation
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subresource: string
  readonly namespace: string
  /** Empty while a name is yet to be generated. */
  readonly name: string
  readonly user: Required<User>
  readonly dryRun: boolean
  readonly options: ApiObject
  /** In the version of the request; a copy. Undefined where it is deleted. */
  readonly object: ApiObject | undefined
  /** Undefined where it is created. */
  readonly oldObject: ApiObject | undefined
  /** Tells the client something. */
  warn(text: string): void
  /** For the audit log; the key must be qualified: `example.com/colour`. */
  annotate(key: string, value: string): void
}

/** What a plugin refuses with another answer than 403. */
export interface Refusal {
  code: number
  message: string
  reason?: string
}

export interface AdmissionPlugin {
  name: string
  /** Which requests; `*` stands for all, and so does what is left out. Subresources are `pods/status`. */
  match?: {
    operations?: readonly AdmissionOperation[]
    groups?: readonly string[]
    resources?: readonly string[]
  }
  /** The object as it shall be; nothing: as it is. */
  mutate?(request: AdmissionRequest): ApiObject | undefined | Promise<ApiObject | undefined>
  /** True or nothing: allowed. False or words: forbidden. What it throws forbids the request as well. */
  validate?(
    request: AdmissionRequest,
  ): boolean | string | Refusal | undefined | Promise<boolean | string | Refusal | undefined>
}

export interface CallOptions {
  headers?: Readonly<Record<string, string>>
  /** Who asks: a member of system:masters unless given. Authorization decides, authentication is passed by. */
  user?: User
}

export interface CallAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  /** As data; `{ text }` when it is no JSON. */
  readonly body: ApiObject
}

/** A running server. `await using` closes it at the end of the block. */
export interface EmbeddedServer {
  /** `https://127.0.0.1:34567`. */
  readonly url: string
  /** With the plain one, if there is one. */
  readonly urls: readonly string[]
  /** The CA that clients must trust, as PEM. */
  readonly ca: string
  /** A kubeconfig of the administrator, as YAML. */
  kubeconfig(): string
  /** A request without a network, through everything: who may, admission, rules, the store. Whatever the answer, it resolves. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<CallAnswer>
  /** Lets requests that run finish, ends watches, and closes the store after its last sync. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
