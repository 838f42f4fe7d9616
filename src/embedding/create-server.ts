/** The server in another program's process: options in place of flags, and that program's functions among the server's. */
import { randomBytes } from 'node:crypto'
import type { UserInfo } from '../api/user.ts'
import { type Authenticator, authenticated, noOpinion, type Credentials as Shown } from '../auth/authenticator.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { callLocally } from '../http/local-exchange.ts'
import { systemClock } from '../lib/clock.ts'
import { createLogger, type Logger, silentLogger } from '../lib/logger.ts'
import { mapErrorsOf, withSourceLines } from '../lib/stack-map.ts'
import { closeDataFolder, loadCredentials, type ServerCredentials, temporaryCredentials } from '../pki/data-folder.ts'
import { writeKubeconfig } from '../pki/kubeconfig.ts'
import { startServer } from '../server/server.ts'
import type { ServerLayers } from '../server/test-seams.ts'
import type { ApiObject, CallAnswer, CallOptions, CreateServerOptions, EmbeddedServer, User } from './api.ts'
import { ownAuthenticator, ownAuthorizer, ownPlugin, userInfo } from './own-plugins.ts'
import { serverOptionsOf } from './profile-flags.ts'

const administrator: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

/** Resolves when the server is ready. */
export async function createServer(given: CreateServerOptions = {}): Promise<EmbeddedServer> {
  try {
    return mapErrorsOf(await startEmbedded(given), ['call', 'close'])
  } catch (error) {
    throw withSourceLines(error)
  }
}

async function startEmbedded(given: CreateServerOptions): Promise<EmbeddedServer> {
  const options = serverOptionsOf(given)
  const logger = loggerOf(given, options)
  const credentials = credentialsOf(given, options, logger)
  const users = new PassingUsers()
  let layers: ServerLayers | undefined
  const running = await startServer(options, {
    logger,
    credentials,
    clock: systemClock,
    embedding: {
      plugins: (given.admission?.plugins ?? []).map(ownPlugin),
      authenticators: [users, ...(given.authenticators ?? []).map(ownAuthenticator)],
      authorizers: (given.authorizers ?? []).map((authorizer) => ownAuthorizer(authorizer, logger)),
      isBackground: given.background ?? false,
      started(opened) {
        layers = opened
      },
    },
  })
  try {
    await running.ready
  } catch (error) {
    await running.close()
    throw error
  }
  const [url = ''] = running.addresses
  return {
    url,
    urls: running.addresses,
    ca: credentials.servingCaPem,
    kubeconfig: () => writeKubeconfig({ server: url, caPem: credentials.servingCaPem, client: credentials.admin }),
    call: (method, path, body, asked) => call(layers as ServerLayers, users, { method, path, body, ...asked }),
    close: () => running.close(),
    [Symbol.asyncDispose]: () => running.close(),
  }
}

function loggerOf({ log }: CreateServerOptions, { logging, warnings }: ServerOptions): Logger {
  const { verbosity } = logging
  const logger = log === undefined ? silentLogger() : createLogger({ format: 'json', verbosity, output: log })
  for (const warning of warnings) logger.warn(warning)
  return logger
}

/** On disk where something is on disk anyway, or where it is asked for. */
function credentialsOf(
  { store, certificates }: CreateServerOptions,
  options: ServerOptions,
  logger: Logger,
): ServerCredentials {
  const isKept = store?.kind === 'lmdb' || certificates !== undefined || options.flags.isSet('cert-dir')
  if (!isKept) return temporaryCredentials(options, systemClock)
  for (const warning of closeDataFolder(options)) logger.warn(warning)
  return loadCredentials(options, systemClock)
}

/** Users of calls in the process: each has a token of its own for as long as the call takes. */
class PassingUsers implements Authenticator {
  readonly #users = new Map<string, UserInfo>()

  authenticate({ headers }: Shown) {
    const user = this.#users.get(String(headers['authorization'] ?? '').slice('Bearer '.length))
    return user === undefined ? noOpinion : authenticated(user)
  }

  async as<T>(user: User, act: (token: string) => Promise<T>): Promise<T> {
    const token = randomBytes(24).toString('base64url')
    this.#users.set(token, userInfo(user))
    try {
      return await act(token)
    } finally {
      this.#users.delete(token)
    }
  }
}

interface Call extends CallOptions {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

async function call({ requests }: ServerLayers, users: PassingUsers, given: Call): Promise<CallAnswer> {
  const { method, path, body, user = administrator, headers = {} } = given
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const answer = await users.as(user, (token) =>
    callLocally(
      {
        method,
        path,
        headers: {
          accept: 'application/json',
          'user-agent': 'pilothouse-embedded',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...lower,
          authorization: `Bearer ${token}`,
        },
        body: body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      },
      requests.handle,
    ),
  )
  const { status, headers: answered, warnings } = answer
  return { status, headers: answered, warnings, body: readAnswer(answer.body) }
}

function readAnswer(body: Buffer): ApiObject {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text) as ApiObject
  } catch {
    return { text }
  }
}
