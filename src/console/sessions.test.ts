import { expect, it } from 'vitest'
import type { UserInfo } from '../api/user.ts'
import { FakeClock } from '../auth/testing/fake-clock.ts'
import { Sessions } from './sessions.ts'

const user: UserInfo = { name: 'ann', groups: [], extra: new Map() }
const minutes = 60_000

it('a session ends when it was idle, and after its longest time however busy', () => {
  const clock = new FakeClock()
  const sessions = new Sessions(clock)
  const { token } = sessions.begin(user)
  clock.advance(29 * minutes)
  expect(sessions.find(token)?.user).toBe(user)
  clock.advance(29 * minutes)
  expect(sessions.find(token)?.user).toBe(user)
  clock.advance(30 * minutes)
  expect(sessions.find(token)).toBeUndefined()
  const busy = sessions.begin(user)
  for (let passed = 0; passed < 12 * 60; passed += 20) {
    expect(sessions.find(busy.token)).toBeDefined()
    clock.advance(20 * minutes)
  }
  expect(sessions.find(busy.token)).toBeUndefined()
})

it('tells when it ends, by itself too', () => {
  const clock = new FakeClock()
  const sessions = new Sessions(clock)
  const ends: string[] = []
  sessions.begin(user).session.onEnd((why) => ends.push(why))
  clock.advance(31 * minutes)
  expect(ends).toEqual(['expired'])
})

it('the idlest of too many goes', () => {
  const clock = new FakeClock()
  const sessions = new Sessions(clock)
  const first = sessions.begin(user).token
  const second = sessions.begin(user).token
  clock.advance(1)
  sessions.find(first)
  for (let i = 0; i < 999; i++) sessions.begin(user)
  expect(sessions.find(second)).toBeUndefined()
  expect(sessions.find(first)).toBeDefined()
})

it('a token that nobody has is nobody', () => {
  const sessions = new Sessions(new FakeClock())
  sessions.begin(user)
  for (const token of ['', 'x', '__proto__', 'a'.repeat(10_000)]) expect(sessions.find(token)).toBeUndefined()
})
