import { describe, expect, it } from 'vitest'
import { ApiError } from '../api/status-error.ts'
import { answerTimeout, deadline } from './deadline.ts'
import { fakeCall, userOf } from './fairness/testing/fake-exchange.ts'
import { ManualClock } from './fairness/testing/manual-clock.ts'
import type { Handler } from './filter.ts'
import { RunningRequests } from './running-requests.ts'
import { ShutdownState, shutdown } from './shutdown.ts'

const user = userOf('ann')
const never: Handler = () => new Promise(() => {})

function makeDeadline(timeout = 60_000) {
  const clock = new ManualClock()
  const running = new RunningRequests({ clock, timeout, onTimeout: answerTimeout })
  const filter = deadline(running, timeout)
  const call = (query: string, handler = never, path = '/api/v1/pods') => {
    const made = fakeCall({ path, query, user })
    void filter(made.context, handler)
    return made
  }
  return { clock, running, call }
}

describe('a deadline', () => {
  it.each([
    { query: '', ms: 60_000 },
    { query: 'timeout=2s', ms: 2000 },
    { query: 'timeout=0s', ms: 60_000 },
    { query: 'timeout=10m', ms: 60_000 },
  ])('comes after $ms ms for "$query"', ({ query, ms }) => {
    const { clock, call, running } = makeDeadline()
    const { answer } = call(query)
    clock.advance(ms - 1)
    expect([answer.status, running.size]).toEqual([0, 1])
    clock.advance(1)
    expect([answer.status, running.size]).toEqual([504, 0])
    expect(JSON.parse(answer.body)).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'Timeout: request did not complete within the allotted timeout',
      reason: 'Timeout',
      details: {},
      code: 504,
    })
  })

  it('is over before a request that has no time at all begins', () => {
    const { call, running } = makeDeadline()
    let begun = false
    const { answer } = call('timeout=1ns', () => {
      begun = true
    })
    expect([answer.status, begun, running.size]).toEqual([504, false, 0])
  })

  it('does not touch answers that are complete, nor watches', () => {
    const { clock, call, running } = makeDeadline()
    const done = call('', ({ exchange }) => exchange.respond(200, {}, 'ok'))
    const watch = call('watch=1')
    expect(running.size).toBe(0)
    clock.advance(120_000)
    expect([done.answer.status, watch.answer.status]).toEqual([200, 0])
  })

  it('does not touch connections that were taken over', async () => {
    const { clock, running } = makeDeadline()
    const { context } = fakeCall({ path: '/apis/a.example.com/v1/rooms/a', query: 'timeout=1s', user })
    let wasCut = false
    Object.assign(context.exchange, {
      headers: { upgrade: 'SPDY/3.1' },
      cut: () => {
        wasCut = true
      },
    })
    const taken: Handler = async ({ exchange }) => void Object.assign(exchange, { answered: true, upgraded: true })
    await deadline(running, 60_000)(context, taken)
    expect(running.size).toBe(0)
    clock.advance(120_000)
    expect(wasCut).toBe(false)
  })

  it('ends many requests, each at its own time', () => {
    const { clock, call, running } = makeDeadline(100)
    const calls = Array.from({ length: 10 }, () => {
      clock.advance(10)
      return call('')
    })
    expect(calls.filter(({ answer }) => answer.status === 504)).toHaveLength(0)
    clock.advance(45)
    expect(calls.filter(({ answer }) => answer.status === 504)).toHaveLength(4)
    clock.advance(100)
    expect(running.size).toBe(0)
  })

  it('refuses a time that is none', () => {
    const { call } = makeDeadline()
    expect(() => call('timeout=soon')).toThrow(ApiError)
    expect(() => call('timeout=soon')).toThrow(
      'invalid timeout specified in the request URL - time: invalid duration "soon"',
    )
  })

  it('tells when nothing runs any more', async () => {
    const { call, running } = makeDeadline()
    await running.whenEmpty()
    const calls = [call(''), call('timeout=5s')]
    let empty = false
    const waited = running.whenEmpty().then(() => {
      empty = true
    })
    for (const { context } of calls) {
      expect(empty).toBe(false)
      context.exchange.respond(200, {}, '')
      await Promise.resolve()
    }
    await waited
    expect(empty).toBe(true)
  })
})

describe('a server that stops', () => {
  it.each([
    { refusal: 'retry-after', status: 429, retryAfter: '5' },
    { refusal: 'unavailable', status: 503, retryAfter: '1' },
  ] as const)('answers $status', ({ refusal, status, retryAfter }) => {
    const state = new ShutdownState()
    const filter = shutdown(state)
    const call = (path: string) => {
      const made = fakeCall({ path, user })
      void filter(made.context, ({ exchange }) => exchange.respond(200, {}, 'ok'))
      return made.answer
    }
    expect(call('/api/v1/pods').status).toBe(200)
    state.refusal = refusal
    const refused = call('/api/v1/pods')
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
      status,
      retryAfter,
      'close',
    ])
    expect(call('/readyz').status).toBe(200)
    expect(call('/metrics').status).toBe(200)
  })
})
