/** What this console can do, and how much of it the user may. */
import { servedRelease } from '../api/release.ts'
import { programVersion } from '../config/version-info.ts'
import { answerJson } from './answers.ts'
import { Query } from './query.ts'
import { type ConsoleServices, type Endpoint, isAllowed } from './services.ts'

/** What is only read, of this server itself. */
export const readFeatures = [
  'counts',
  'search',
  'requests',
  'watches',
  'history',
  'access',
  'dependents',
  'policies',
  'server',
  'metrics',
  'flows',
]

export interface Feature {
  readonly name: string
  /** How the user is asked about. */
  readonly verb: 'get' | 'post'
  /** Why there is none of it; undefined where there is. */
  readonly missing: string | undefined
}

export const capabilitiesEndpoint = (
  { authorizer }: Pick<ConsoleServices, 'authorizer'>,
  features: readonly Feature[],
): Endpoint => ({
  path: '/console/v1/capabilities',
  methods: {
    async GET(context) {
      new Query(context, [])
      const { user } = context
      const described: [string, object][] = []
      for (const { name, verb, missing } of features) {
        const isThere = missing === undefined
        const allowed = isThere && (await isAllowed(authorizer, user, { verb, path: `/console/v1/${name}` }))
        described.push([name, { available: isThere, allowed, ...(isThere ? {} : { reason: missing }) }])
      }
      answerJson(context, {
        version: 1,
        server: 'pilothouse',
        release: servedRelease,
        program: programVersion,
        user: { name: user.name, groups: user.groups },
        features: { ...Object.fromEntries(described), writes: { available: true, allowed: true } },
      })
    },
  },
})
