import { describe, expect, it } from 'vitest'
import { createLogger } from '../lib/logger.ts'
import { fakeCall, userOf } from './fairness/testing/fake-exchange.ts'
import { requestLog } from './request-log.ts'

function logged(verbosity: number): Record<string, unknown>[] {
  const lines: string[] = []
  const logger = createLogger({ format: 'json', verbosity, output: { write: (line) => lines.push(line) } })
  const { context } = fakeCall({ path: '/api/v1/pods', query: 'limit=5', user: userOf('ann') })
  void requestLog(logger)(context, ({ exchange }) => exchange.respond(200, {}, 'ok'))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the log of requests', () => {
  it('begins at verbosity 3', () => {
    expect(logged(2)).toEqual([])
    expect(logged(4)).toHaveLength(1)
  })

  it('says what was asked, by whom, and what came of it', () => {
    const [line] = logged(3)
    expect(line).toMatchObject({ msg: 'HTTP', verb: 'LIST', URI: '/api/v1/pods?limit=5', user: 'ann', resp: 200 })
    expect(line?.['latency']).toMatch(/^\d+\.\d{3}ms$/)
  })
})
