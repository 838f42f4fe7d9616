/** Dumps of the process: heap snapshots have every secret in them. Who may read one path below /debug may not read the others. */
import { type Attack, bearer, forbidden, userToken } from './attack.ts'
import { tokenOf } from './limited-users.ts'

const dumps = [
  '/debug/pprof',
  '/debug/pprof/',
  '/debug/pprof/heap',
  '/debug/pprof/heap?debug=1',
  '/debug/pprof//heap',
  '/debug/pprof/%68eap',
  '/debug/pprof/../pprof/heap',
  '/debug/flags/..%2fpprof/heap',
  '/debug/pprof/profile?seconds=1',
  '/debug/api_priority_and_fairness/dump_requests',
  '/debug/api_priority_and_fairness/dump_queues',
  '/metrics',
  '/flagz',
  '/statusz',
  '/configz',
  '/logs/',
]

const strangers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nobody: {},
  'a plain user': bearer(userToken),
  'who may read flags': bearer(tokenOf('flag-reader')),
}

/** What there is not is not found, once it is known who may ask; what a path is not is answered by the router. */
const refusals = [...forbidden, 301, 404]

export const dumpAttacks: readonly Attack[] = Object.entries(strangers).flatMap(([who, headers]) =>
  dumps.flatMap((path) =>
    ['GET', 'HEAD', 'POST', 'PUT'].map((method) => ({
      name: `${method} of ${path} by ${who}`,
      method,
      path,
      headers,
      refusals: path.includes('..') || path.includes('//') ? refusals : forbidden,
    })),
  ),
)
