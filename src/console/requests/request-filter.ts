/** Which requests a reader asks for: any of the values of a parameter, all of the parameters. */
import { badRequest } from '../../api/status-error.ts'
import type { Query } from '../query.ts'
import type { RequestRecord } from './request-record.ts'

export const filterNames = ['verb', 'group', 'resource', 'namespace', 'name', 'user', 'agent', 'code', 'path'] as const
type FilterName = (typeof filterNames)[number]

const matchers: Readonly<Record<FilterName, (record: RequestRecord, wanted: string) => boolean>> = {
  verb: ({ context }, wanted) => context?.info.verb === wanted,
  group: ({ context }, wanted) => context?.info.isResourceRequest === true && context.info.group === wanted,
  resource: ({ context }, wanted) => context?.info.resource === wanted,
  namespace: ({ context }, wanted) => context?.info.namespace === wanted,
  name: ({ context }, wanted) => context?.info.name === wanted,
  user: ({ context, authenticated }, wanted) => context?.user.name === wanted || authenticated?.name === wanted,
  agent: ({ context }, wanted) => (context?.header('user-agent') ?? '').includes(wanted),
  code: ({ status }, wanted) =>
    wanted.endsWith('xx') ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted),
  path: ({ context }, wanted) => context?.info.path.includes(wanted) === true,
}

export function requestFilter(query: Query): (record: RequestRecord) => boolean {
  const wanted = filterNames.map((name) => [name, query.all(name)] as const).filter(([, values]) => values.length > 0)
  const codes = query.all('code')
  const unreadable = codes.find((code) => !/^([1-5]xx|[1-5][0-9]{2})$/.test(code))
  if (unreadable !== undefined) throw badRequest(`code must be such as 404 or 4xx, not ${JSON.stringify(unreadable)}`)
  return (record) => wanted.every(([name, values]) => values.some((value) => matchers[name](record, value)))
}
