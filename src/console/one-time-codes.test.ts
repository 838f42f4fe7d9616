import { expect, it } from 'vitest'
import type { UserInfo } from '../api/user.ts'
import { FakeClock } from '../auth/testing/fake-clock.ts'
import { codeMs, OneTimeCodes } from './one-time-codes.ts'

const user = (name: string): UserInfo => ({ name, groups: [], extra: new Map() })

it('a code is good once', () => {
  const codes = new OneTimeCodes(new FakeClock())
  const { code } = codes.issue(user('ann'))
  expect(codes.redeem(`${code}x`)).toBeUndefined()
  expect(codes.redeem(code)?.name).toBe('ann')
  expect(codes.redeem(code)).toBeUndefined()
})

it('a code expires', () => {
  const clock = new FakeClock()
  const codes = new OneTimeCodes(clock)
  const { code, expiresAt } = codes.issue(user('ann'))
  expect(expiresAt).toBe(clock.now() + codeMs)
  clock.advance(codeMs)
  expect(codes.redeem(code)).toBeUndefined()
})

it('the oldest of too many goes', () => {
  const codes = new OneTimeCodes(new FakeClock())
  const issued = Array.from({ length: 101 }, (_, i) => codes.issue(user(`user-${i}`)).code)
  expect(new Set(issued).size).toBe(101)
  expect(codes.redeem(issued[0] as string)).toBeUndefined()
  expect(codes.redeem(issued[1] as string)?.name).toBe('user-1')
})
