/** `/console/v1/watches`: the watches that are open, by whom, and how far behind. */
import { textOfHeader, wellFormed } from '../api/byte-text.ts'
import type { WatchStream } from '../handlers/watch-stream.ts'
import { SideTable } from '../lib/memo.ts'
import { answerJson } from './answers.ts'
import { streamEverySecond } from './every-second.ts'
import { Query } from './query.ts'
import type { ConsoleServices, Endpoint } from './services.ts'
import { isoTime } from './session-endpoints.ts'

/** More are counted and not shown. */
const maxWatches = 2000

export function watchesEndpoint(services: ConsoleServices): Endpoint {
  const ids = new SideTable<WatchStream, number>()
  let count = 0
  const list = (): { items: object[]; truncated: boolean } => {
    const open = [...services.openWatches]
    const shown = open.slice(0, maxWatches).map((stream) =>
      shownWatch(
        stream,
        ids.getOrMake(stream, () => ++count),
      ),
    )
    return { items: shown, truncated: open.length > maxWatches }
  }
  const shownWatch = (stream: WatchStream, id: number): object => {
    const { context, events, progress } = stream
    const { info, user, exchange } = context
    const { group, version, resource, namespace, name, path } = info
    const { ageMs, ...facts } = progress
    return {
      id,
      since: isoTime(services.clock.now() - ageMs),
      user: user.name,
      agent: wellFormed(textOfHeader(context.header('user-agent') ?? '')).slice(0, 512),
      source: exchange.peer.remoteAddress,
      group,
      version,
      resource,
      namespace,
      name,
      path,
      query: exchange.query,
      events,
      ...facts,
    }
  }
  return {
    path: '/console/v1/watches',
    methods: {
      GET(context) {
        const query = new Query(context, ['follow'])
        if (!query.flag('follow')) return answerJson(context, list())
        let last = ''
        streamEverySecond(context, services, () => {
          const now = list()
          const text = JSON.stringify(now.items)
          if (text === last) return undefined
          last = text
          return { type: 'WATCHES', ...now }
        })
      },
    },
  }
}
