import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ExpiryQueue } from './expiry.ts'

it('gives out what is due, earliest first, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 })), fc.nat({ max: 60 }), (times, now) => {
      const queue = ExpiryQueue.empty()
      for (const [revision, expiresAt] of times.entries()) queue.add({ expiresAt, key: `/${revision}`, revision })
      const taken: number[] = []
      for (let due = queue.takeDue(now); due !== undefined; due = queue.takeDue(now)) taken.push(due.expiresAt)
      expect(taken).toEqual(times.filter((time) => time <= now).sort((a, b) => a - b))
      expect(queue.next).toBe(times.filter((time) => time > now).sort((a, b) => a - b)[0])
    }),
  )
})
