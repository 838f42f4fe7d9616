/** A program's own functions as the server asks them: admission plugins, authenticators, authorizers. */

import { denied } from '../admission/denied.ts'
import type { AdmissionPlugin as Plugin, RequestShape } from '../admission/plugin.ts'
import type { AdmissionRequest as Request } from '../api/admission.ts'
import { formatGroupVersion } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { ApiError } from '../api/status-error.ts'
import type { UserInfo } from '../api/user.ts'
import { authenticated, failed, noOpinion, type Authenticator as RequestAuthenticator } from '../auth/authenticator.ts'
import { type Authorizer as AttributeAuthorizer, abstain, allow, type Decision, deny } from '../auth/authorizer.ts'
import type { Logger } from '../lib/logger.ts'
import type {
  AdmissionPlugin,
  AdmissionRequest,
  ApiObject,
  Authenticator,
  AuthorizationAnswer,
  Authorizer,
  Refusal,
  User,
} from './api.ts'

export const userInfo = ({ name, uid, groups = [], extra = {} }: User): UserInfo => ({
  name,
  ...(uid === undefined ? {} : { uid }),
  groups: [...groups],
  extra: new Map(Object.entries(extra).map(([key, values]) => [key.toLowerCase(), values])),
})

const shownUser = ({ name, uid = '', groups, extra }: UserInfo): Required<User> => ({
  name,
  uid,
  groups: [...groups],
  extra: Object.fromEntries(extra),
})

/** Every authenticated user is of this group, as with the authenticators of the server itself. */
const everybody = 'system:authenticated'

export function ownAuthenticator(ask: Authenticator): RequestAuthenticator {
  return {
    async authenticate({ headers, path, remoteAddress }) {
      const [, token] = /^bearer (.+)$/i.exec(String(headers['authorization'] ?? '')) ?? []
      try {
        const user = await ask({ path, headers, token, remoteAddress })
        if (user === undefined) return noOpinion
        const groups = [...new Set([...(user.groups ?? []), everybody])]
        return authenticated(userInfo({ ...user, groups }))
      } catch (error) {
        return failed((error as Error).message)
      }
    },
  }
}

export function ownAuthorizer(ask: Authorizer, logger: Logger): AttributeAuthorizer {
  return {
    async authorize({ user, isResourceRequest, apiGroup, apiVersion, ...rest }) {
      const { verb, path, resource, subresource, namespace, name } = rest
      const facts = { verb, path, resource, subresource, namespace, name, group: apiGroup, version: apiVersion }
      try {
        return decisionOf(await ask({ ...facts, user: shownUser(user), isResource: isResourceRequest }))
      } catch (error) {
        logger.error({ err: error, path }, 'an authorizer of the program has failed')
        return { ...abstain(), error: (error as Error).message }
      }
    },
  }
}

function decisionOf(answer: AuthorizationAnswer): Decision {
  if (answer === undefined) return abstain()
  const { verdict, reason = '' } = typeof answer === 'string' ? { verdict: answer } : answer
  if (verdict === 'allow') return allow(reason)
  if (verdict === 'deny') return deny(reason)
  throw new TypeError(`an authorizer answers 'allow', 'deny' or nothing, not ${JSON.stringify(answer)}`)
}

export function ownPlugin(plugin: AdmissionPlugin): Plugin {
  const { name, mutate, validate } = plugin
  return {
    name,
    handles: (shape) => isMeant(plugin, shape),
    ...(mutate === undefined
      ? {}
      : {
          mutate: async (request: Request) => {
            const changed = await refusing(request, async () => mutate.call(plugin, await shownRequest(request)))
            return changed === undefined ? undefined : stored(request, changed)
          },
        }),
    ...(validate === undefined
      ? {}
      : {
          validate: async (request: Request) => {
            const verdict = await refusing(request, async () => validate.call(plugin, await shownRequest(request)))
            judge(plugin, request, verdict)
          },
        }),
  }
}

function isMeant({ match = {} }: AdmissionPlugin, shape: RequestShape): boolean {
  const { operations, groups, resources } = match
  const name = shape.subresource === '' ? shape.resource : `${shape.resource}/${shape.subresource}`
  const holds = (given: readonly string[] | undefined, value: string): boolean =>
    given === undefined || given.includes('*') || given.includes(value)
  return holds(operations, shape.operation) && holds(groups, shape.group) && holds(resources, name)
}

/** What a plugin throws refuses the request; an error of the server itself stays what it is. */
async function refusing<T>(request: Request, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof ApiError ? error : denied(request, error as Error)
  }
}

function judge({ name }: AdmissionPlugin, request: Request, verdict: boolean | string | Refusal | undefined): void {
  if (verdict === undefined || verdict === true) return
  if (verdict === false) throw denied(request, `refused by ${name}`)
  if (typeof verdict === 'string') throw denied(request, verdict)
  const { code, message, reason } = verdict
  throw new ApiError({ code, message, ...(reason === undefined ? {} : { reason }) })
}

/** Objects in the version of the request, as copies: the server's own are shared and never change. */
async function shownRequest(request: Request): Promise<AdmissionRequest> {
  const { operation, kind, resource, subresource, namespace, name, user, dryRun, options } = request
  const shown = async (object: KubeObject | undefined): Promise<ApiObject | undefined> => {
    if (object === undefined) return undefined
    const wanted = formatGroupVersion(kind)
    return structuredClone(object.apiVersion === wanted ? object : await request.convert(object, wanted))
  }
  return {
    ...{ operation, kind, resource, subresource, namespace, name, dryRun },
    user: shownUser(user),
    options: structuredClone(options),
    object: await shown(request.object),
    oldObject: await shown(request.oldObject),
    warn: (text) => request.warn(text),
    annotate: (key, value) => request.annotate(key, value),
  }
}

/** In the version that the server works in, as plain data. */
async function stored(request: Request, changed: ApiObject): Promise<KubeObject> {
  const plain = JSON.parse(JSON.stringify(changed)) as JsonObject as KubeObject
  const wanted = request.object?.apiVersion
  if (wanted === undefined) throw new Error('there is no object to change')
  return plain.apiVersion === wanted ? plain : request.convert(plain, wanted)
}
