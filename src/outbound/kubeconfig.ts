/**
 * Kubeconfig files as the server uses them for its webhooks: the connection of the current context, or the users alone.
 * Mirrors client-go/tools/clientcmd. Only what a server can use on its own is taken: programs that fetch credentials are
 * refused with a clear error.
 */

import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import { aggregateText } from '../api/aggregate-text.ts'
import { parseGoUrl } from '../api/golang/url.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { reasonOf } from '../lib/fault.ts'
import { readGivenBytes, readGivenFile, withoutWaiting } from '../lib/given-file.ts'
import { pushAll } from '../lib/push-all.ts'

/** Who we are to a server. */
export interface ClientIdentity {
  readonly clientCertificate?: string | undefined
  readonly clientKey?: string | undefined
  /** Headers of every request; tokens from files are read each time. */
  readonly headers: () => Record<string, string | string[]>
  /** It is this server that is called, at its own listener: so its certificate is known. */
  readonly isOwnServer?: boolean
}

export interface WebhookConnection extends ClientIdentity {
  readonly url: string
  /** PEM; undefined means the authorities of the system. */
  readonly certificateAuthority?: string | undefined
  readonly serverName?: string | undefined
  readonly insecureSkipTlsVerify?: boolean
  readonly proxyUrl?: string | undefined
}

/** A file with its parts by name. */
interface Kubeconfig {
  readonly file: string
  readonly currentContext: string
  readonly clusters: ReadonlyMap<string, JsonObject>
  readonly users: ReadonlyMap<string, JsonObject>
  readonly contexts: ReadonlyMap<string, JsonObject>
}

/** Of the current context, or of another. Throws an Error that names the file. */
export function readKubeconfig(file: string, context?: string): WebhookConnection {
  return inFile(file, () => {
    const config = load(file)
    if (context === undefined) return connectionOf(config)
    if (!config.contexts.has(context)) throw new Error(`there is no context ${JSON.stringify(context)}`)
    return connectionOf({ ...config, currentContext: context })
  })
}

/**
 * The users of a file, for servers with these hosts and ports. Mirrors apiserver/pkg/util/webhook:
 * defaultAuthenticationInfoResolver. Throws an Error that names the file.
 */
export function readKubeconfigUsers(file: string): (hostPort: string) => ClientIdentity {
  return inFile(file, () => {
    const config = load(file)
    const identities = new Map([...config.users].map(([name, user]) => [name, identityOf(user, config)]))
    const current = text(config.contexts.get(config.currentContext) ?? {}, 'user')
    return (hostPort) => {
      for (const name of namesFor(hostPort)) {
        const found = identities.get(name)
        if (found !== undefined) return found
      }
      return identities.get(current) ?? anonymous
    }
  })
}

const anonymous: ClientIdentity = { headers: () => ({}) }

/** The names under which a user for the server is looked for: its own, `*.` and what is below it, without port 443, `*`. */
function* namesFor(hostPort: string): Generator<string> {
  const withoutPort = hostPort.endsWith(':443') ? [hostPort.slice(0, -':443'.length).replace(/^\[|\]$/g, '')] : []
  for (const target of [hostPort, ...withoutPort]) {
    yield target
    const labels = target.split('.')
    for (let i = 1; i < labels.length; i++) yield `*.${labels.slice(i).join('.')}`
  }
  yield '*'
}

function inFile<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`kubeconfig ${file}: ${reasonOf(error)}`)
  }
}

function load(file: string): Kubeconfig {
  const value = parseYaml(readGivenFile(file)) ?? {}
  if (!isJsonObject(value)) throw new Error('is not a YAML object')
  const { kind = 'Config', apiVersion = 'v1' } = value
  if ((kind !== 'Config' && kind !== '') || (apiVersion !== 'v1' && apiVersion !== '')) {
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  }
  return {
    file,
    currentContext: text(value, 'current-context'),
    clusters: named(value['clusters'], 'cluster'),
    users: named(value['users'], 'user'),
    contexts: named(value['contexts'], 'context'),
  }
}

/** Texts of YAML errors are the library's own. */
function parseYaml(source: string): JsonValue {
  try {
    return parse(source, { maxAliasCount: 100 }) as JsonValue
  } catch (error) {
    throw new Error(`error parsing YAML: ${(error as Error).message}`)
  }
}

/** An entry that has nothing but a name is an empty one. */
function named(list: JsonValue | undefined, key: string): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  if (list === undefined || list === null) return found
  if (!Array.isArray(list)) throw new Error(`${key}s is not a list`)
  for (const entry of list) {
    if (!isJsonObject(entry)) throw new Error(`${key}s has an entry that is no object`)
    const name = text(entry, 'name')
    const value = entry[key] ?? {}
    if (!isJsonObject(value)) throw new Error(`${key} ${JSON.stringify(name)} is no object`)
    if (found.has(name)) throw new Error(`duplicate name ${JSON.stringify(name)} in list of ${key}s`)
    found.set(name, value)
  }
  return found
}

function text(object: JsonObject, key: string): string {
  const value = object[key] ?? ''
  if (typeof value !== 'string') throw new Error(`${key} is not a string`)
  return value
}

const flag = (object: JsonObject, key: string): boolean => {
  const value = object[key] ?? false
  if (typeof value !== 'boolean') throw new Error(`${key} is not true or false`)
  return value
}

const isEmpty = (object: JsonObject): boolean => Object.values(object).every((value) => !value)

/** Mirrors clientcmd: DirectClientConfig.ClientConfig and ConfirmUsable. */
function connectionOf(config: Kubeconfig): WebhookConnection {
  const { currentContext, contexts, clusters, users } = config
  const context = contexts.get(currentContext) ?? {}
  const [clusterName, userName] = [text(context, 'cluster'), text(context, 'user')]
  const cluster = clusters.get(clusterName) ?? {}
  const user = users.get(userName) ?? {}
  const problems = [
    ...(currentContext !== '' && !contexts.has(currentContext)
      ? [`context was not found for specified context: ${currentContext}`]
      : []),
    ...userProblems(userName, user, config),
    ...clusterProblems(clusterName, cluster, config),
  ]
  const [only] = problems
  if (only !== undefined) {
    const summary = problems.length === 1 && only === emptyCluster ? noConfiguration : aggregateText(problems)
    throw new Error(`invalid configuration: ${summary}`)
  }
  return { ...clusterPart(cluster, config), ...(isPlain(cluster) ? anonymous : identityOf(user, config)) }
}

const emptyCluster = 'cluster has no server defined'
const noConfiguration = 'no configuration has been provided, try setting KUBERNETES_MASTER environment variable'

function clusterProblems(name: string, cluster: JsonObject, { file }: Kubeconfig): string[] {
  if (isEmpty(cluster)) return [emptyCluster]
  const problems: string[] = []
  if (text(cluster, 'server') === '') {
    problems.push(
      name === '' ? 'default cluster has no server defined' : `no server found for cluster ${JSON.stringify(name)}`,
    )
  }
  const proxy = text(cluster, 'proxy-url')
  if (proxy !== '' && parseGoUrl(proxy) === undefined) {
    problems.push(`invalid 'proxy-url' ${JSON.stringify(proxy)} for cluster ${JSON.stringify(name)}`)
  }
  const authority = text(cluster, 'certificate-authority')
  if (authority !== '' && text(cluster, 'certificate-authority-data') !== '') {
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    )
  }
  return [...problems, ...unreadable('certificate-authority', authority, { name, file })]
}

/** Mirrors clientcmd: validateAuthInfo. */
function userProblems(name: string, user: JsonObject, { file }: Kubeconfig): string[] {
  for (const refused of ['exec', 'auth-provider']) {
    if (user[refused] !== undefined && user[refused] !== null) {
      throw new Error(`users with ${refused} are not supported for webhooks: use a client certificate or a token`)
    }
  }
  const problems: string[] = []
  const [cert, key] = [text(user, 'client-certificate'), text(user, 'client-key')]
  const [certData, keyData] = [text(user, 'client-certificate-data'), text(user, 'client-key-data')]
  if (cert !== '' || certData !== '') {
    if (cert !== '' && certData !== '') {
      problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`)
    }
    if (key !== '' && keyData !== '') {
      problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`)
    }
    if (key === '' && keyData === '') {
      problems.push(
        `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
      )
    }
    pushAll(problems, unreadable('client-cert', cert, { name, file }))
    pushAll(problems, unreadable('client-key', key, { name, file }))
  }
  const hasBasic = text(user, 'username') !== '' || text(user, 'password') !== ''
  if (text(user, 'token') !== '' && hasBasic) {
    problems.push(`more than one authentication method found for ${name}; found [token basicAuth], only one is allowed`)
  }
  const isImpersonating = ['as-uid', 'as-groups', 'as-user-extra'].some(
    (each) => !isEmpty({ value: user[each] ?? null }),
  )
  if (isImpersonating && text(user, 'as') === '') {
    problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`)
  }
  return problems
}

function unreadable(
  what: string,
  path: string,
  { name, file }: { readonly name: string; readonly file: string },
): string[] {
  if (path === '') return []
  try {
    readGivenBytes(resolve(dirname(file), path))
    return []
  } catch {
    const absolute = resolve(dirname(file), path)
    return [`unable to read ${what} ${absolute} for ${name} due to open ${absolute}: no such file or directory`]
  }
}

/** The content of `KEY-data` (base64) or of the file that `KEY` names, next to the kubeconfig unless absolute. */
function content(object: JsonObject, key: string, { file }: Kubeconfig): string | undefined {
  const data = text(object, `${key}-data`)
  if (data !== '') {
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(data)) throw new Error(`${key}-data: illegal base64 data`)
    return Buffer.from(data, 'base64').toString('utf8')
  }
  const path = text(object, key)
  return path === '' ? undefined : readGivenFile(resolve(dirname(file), path))
}

const schemeless = /^[^/:]+(:\d+)?(\/|$)/

/** Without a scheme it is HTTPS where anything about TLS is said. Mirrors rest: DefaultServerURL. */
function serverUrl(cluster: JsonObject): string {
  const server = text(cluster, 'server')
  if (!schemeless.test(server)) return server
  const isTls = ['certificate-authority', 'certificate-authority-data', 'insecure-skip-tls-verify'].some(
    (key) => !isEmpty({ value: cluster[key] ?? null }),
  )
  return `${isTls ? 'https' : 'http'}://${server}`
}

/** Credentials are sent over TLS alone. */
const isPlain = (cluster: JsonObject): boolean => serverUrl(cluster).startsWith('http://')

function clusterPart(cluster: JsonObject, config: Kubeconfig): Omit<WebhookConnection, 'headers'> {
  const url = serverUrl(cluster)
  if (parseGoUrl(url) === undefined) throw new Error(`host must be a URL or a host:port pair: ${JSON.stringify(url)}`)
  const certificateAuthority = content(cluster, 'certificate-authority', config)
  const insecure = flag(cluster, 'insecure-skip-tls-verify')
  if (insecure && certificateAuthority !== undefined) {
    throw new Error('specifying a root certificates file with the insecure flag is not allowed')
  }
  return {
    url,
    certificateAuthority,
    insecureSkipTlsVerify: insecure,
    serverName: text(cluster, 'tls-server-name') || undefined,
    proxyUrl: text(cluster, 'proxy-url') || undefined,
  }
}

function identityOf(user: JsonObject, config: Kubeconfig): ClientIdentity {
  const token = tokenOf(user, config)
  const [username, password] = [text(user, 'username'), text(user, 'password')]
  const hasBasic = username !== '' || password !== ''
  if (hasBasic && token !== undefined) throw new Error('username/password or bearer token may be set, but not both')
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const impersonation = impersonationHeaders(user)
  return {
    clientCertificate: content(user, 'client-certificate', config),
    clientKey: content(user, 'client-key', config),
    headers: () => {
      const bearer = token?.() ?? ''
      const authorization = hasBasic ? basic : bearer === '' ? undefined : `Bearer ${bearer}`
      return { ...(authorization === undefined ? {} : { authorization }), ...impersonation }
    },
  }
}

/** A token file is replaced from time to time: it is read for each request, and the token in the kubeconfig stands in. */
function tokenOf(user: JsonObject, { file }: Kubeconfig): (() => string) | undefined {
  const token = text(user, 'token')
  const tokenFile = text(user, 'tokenFile')
  if (tokenFile === '') return token === '' ? undefined : () => token
  const path = resolve(dirname(file), tokenFile)
  if (token === '') readGivenBytes(path)
  return () => {
    try {
      return readGivenFile(path, withoutWaiting).trim()
    } catch {
      return token
    }
  }
}

function impersonationHeaders(user: JsonObject): Record<string, string | string[]> {
  const as = text(user, 'as')
  if (as === '') return {}
  const strings = (value: JsonValue | undefined): string[] => (Array.isArray(value) ? value.map(String) : [])
  const headers: Record<string, string | string[]> = { 'impersonate-user': as }
  const uid = text(user, 'as-uid')
  if (uid !== '') headers['impersonate-uid'] = uid
  const groups = strings(user['as-groups'])
  if (groups.length > 0) headers['impersonate-group'] = groups
  const extra = isJsonObject(user['as-user-extra']) ? user['as-user-extra'] : {}
  for (const [key, values] of Object.entries(extra)) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = strings(values)
  }
  return headers
}

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The connection that a pod has to the cluster that it runs in. */
export function inClusterConnection(environment: NodeJS.ProcessEnv, path = ''): WebhookConnection {
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? ''
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? ''
  if (host === '' || port === '') {
    throw new Error(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    )
  }
  const address = host.includes(':') ? `[${host}]` : host
  return {
    url: `https://${address}:${port}${path}`,
    certificateAuthority: readGivenFile(`${accountFolder}/ca.crt`),
    headers: () => ({ authorization: `Bearer ${readGivenFile(`${accountFolder}/token`, withoutWaiting).trim()}` }),
  }
}
