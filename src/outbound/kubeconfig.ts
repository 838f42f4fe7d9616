/**
 * Reads the connection of a webhook from a kubeconfig file: server, trust, and who we are there. Only what a server can
 * use on its own is taken: programs that fetch credentials are refused with a clear error.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import { isJsonObject, type JsonObject } from '../api/json.ts'

export interface WebhookConnection {
  readonly url: string
  /** PEM; undefined means the authorities of the system. */
  readonly certificateAuthority?: string
  readonly serverName?: string
  readonly insecureSkipTlsVerify?: boolean
  readonly clientCertificate?: string
  readonly clientKey?: string
  /** Sent as bearer token; read from the file each time when it came from one. */
  readonly token?: () => string
  readonly basic?: { readonly username: string; readonly password: string }
  readonly proxyUrl?: string
}

/** Throws an Error that names the file. */
export function readKubeconfig(file: string): WebhookConnection {
  const fail = (why: string): never => {
    throw new Error(`kubeconfig ${file}: ${why}`)
  }
  const config = parseFile(file, fail)
  if (config['kind'] !== undefined && config['kind'] !== 'Config')
    fail(`kind ${JSON.stringify(config['kind'])} is not Config`)
  const contextName = config['current-context']
  if (typeof contextName !== 'string' || contextName === '')
    fail('invalid configuration: no current-context has been set')
  const context = named(config, 'contexts', 'context', contextName, fail)
  const cluster = named(config, 'clusters', 'cluster', context['cluster'], fail)
  const user =
    context['user'] === undefined || context['user'] === '' ? {} : named(config, 'users', 'user', context['user'], fail)
  return { ...clusterPart(cluster, file, fail), ...userPart(user, file, fail) }
}

type Fail = (why: string) => never

function parseFile(file: string, fail: Fail): JsonObject {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
  try {
    const value: unknown = parse(text, { maxAliasCount: 100 })
    if (isJsonObject(value)) return value
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
  return fail('is not a YAML object')
}

function named(config: JsonObject, list: string, key: string, name: unknown, fail: Fail): JsonObject {
  const entries = Array.isArray(config[list]) ? config[list].filter(isJsonObject) : []
  const value = entries.find((entry) => entry['name'] === name)?.[key]
  if (value === null) return {}
  return isJsonObject(value) ? value : fail(`${key} ${JSON.stringify(name ?? '')} does not exist`)
}

const text = (object: JsonObject, key: string): string => {
  const value = object[key]
  return typeof value === 'string' ? value : ''
}

/** The content of `KEY-data` (base64) or of the file that `KEY` names, next to the kubeconfig unless absolute. */
function content(object: JsonObject, key: string, file: string, fail: Fail): string | undefined {
  const data = text(object, `${key}-data`)
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8')
  const path = text(object, key)
  if (path === '') return undefined
  try {
    return readFileSync(resolve(dirname(file), path), 'utf8')
  } catch (error) {
    return fail(`unable to read ${key} ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function clusterPart(cluster: JsonObject, file: string, fail: Fail): Pick<WebhookConnection, 'url'> {
  const url = text(cluster, 'server')
  if (!URL.canParse(url) || !/^https?:/.test(url))
    return fail(`server ${JSON.stringify(url)} is not an http or https address`)
  const certificateAuthority = content(cluster, 'certificate-authority', file, fail)
  const insecure = cluster['insecure-skip-tls-verify'] === true
  if (insecure && certificateAuthority !== undefined) {
    return fail('specifying a root certificates file with the insecure flag is not allowed')
  }
  const serverName = text(cluster, 'tls-server-name')
  const proxyUrl = text(cluster, 'proxy-url')
  const part: WebhookConnection = {
    url,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(serverName === '' ? {} : { serverName }),
    ...(proxyUrl === '' ? {} : { proxyUrl }),
  }
  return part
}

function userPart(user: JsonObject, file: string, fail: Fail): Omit<WebhookConnection, 'url'> {
  for (const refused of ['exec', 'auth-provider']) {
    if (user[refused] !== undefined && user[refused] !== null) {
      return fail(`users with ${refused} are not supported for webhooks: use a client certificate or a token`)
    }
  }
  const clientCertificate = content(user, 'client-certificate', file, fail)
  const clientKey = content(user, 'client-key', file, fail)
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    return fail('client-certificate and client-key must both be set')
  }
  const username = text(user, 'username')
  return {
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(clientKey === undefined ? {} : { clientKey }),
    ...tokenPart(user, file),
    ...(username === '' ? {} : { basic: { username, password: text(user, 'password') } }),
  }
}

/** A token file is replaced from time to time: it is read for each request, and the token in the kubeconfig stands in. */
function tokenPart(user: JsonObject, file: string): Pick<WebhookConnection, 'token'> {
  const token = text(user, 'token')
  const tokenFile = text(user, 'tokenFile')
  if (tokenFile === '') return token === '' ? {} : { token: () => token }
  const path = resolve(dirname(file), tokenFile)
  return {
    token: () => {
      try {
        return readFileSync(path, 'utf8').trim()
      } catch {
        return token
      }
    },
  }
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
    certificateAuthority: readFileSync(`${accountFolder}/ca.crt`, 'utf8'),
    token: () => readFileSync(`${accountFolder}/token`, 'utf8').trim(),
  }
}
