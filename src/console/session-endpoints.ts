/** Signing in and out, and new links. */
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, badRequest } from '../api/status-error.ts'
import { answerJson, answerNoContent, readJsonBody } from './answers.ts'
import { Query } from './query.ts'
import type { ConsoleServices, Endpoint } from './services.ts'
import type { Session } from './sessions.ts'

export const isoTime = (ms: number): string => new Date(ms).toISOString()

export function sessionEndpoints({ sessions }: Pick<ConsoleServices, 'sessions'>): Endpoint[] {
  return [
    {
      path: '/console/v1/session',
      methods: {
        async POST(context) {
          new Query(context, [])
          const { code } = await readJsonBody(context, 4096)
          if (typeof code !== 'string') throw badRequest('the code of the link is missing: {"code": "…"}')
          const { session, cookie } = sessions.signIn(context, code)
          context.exchange.addHeader('set-cookie', cookie)
          answerJson(context, describe(session))
        },
        GET(context) {
          new Query(context, [])
          const session = sessions.sessionOf(context)
          const { name, groups } = context.user
          if (name === 'system:anonymous')
            throw new ApiError({ code: 401, reason: 'Unauthorized', message: 'not signed in' })
          answerJson(context, session === undefined ? { user: { name, groups } } : describe(session))
        },
        DELETE(context) {
          new Query(context, [])
          context.exchange.addHeader('set-cookie', sessions.signOut(context))
          answerNoContent(context)
        },
      },
    },
  ]
}

export const linkEndpoint = ({ sessions }: ConsoleServices): Endpoint => ({
  path: '/console/v1/links',
  methods: {
    POST(context) {
      new Query(context, [])
      refuseSession(context, sessions.sessionOf(context))
      const { url, expiresAt } = sessions.link(context.user)
      answerJson(context, { url, expiresAt: isoTime(expiresAt) }, 201)
    },
  },
})

/** A session that makes links would never end. */
function refuseSession(_: RequestContext, session: Session | undefined): void {
  if (session === undefined) return
  throw new ApiError({ code: 403, reason: 'Forbidden', message: 'a session cannot make links: use another credential' })
}

function describe(session: Session): object {
  const { name, groups } = session.user
  return {
    user: { name, groups: groups.includes('system:authenticated') ? groups : [...groups, 'system:authenticated'] },
    createdAt: isoTime(session.createdAt),
    expiresAt: isoTime(session.expiresAt),
    idleExpiresAt: isoTime(session.idleExpiresAt),
  }
}
