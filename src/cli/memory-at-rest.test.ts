import { describe, expect, test } from 'vitest'
import { type Look, RestWatch } from './memory-at-rest.ts'

const mib = 1024 * 1024
const quiet: Look = { busy: 0.001, heapBytes: 60 * mib, usedBytes: 30 * mib }
const times = (count: number, look: Look): Look[] => Array.from({ length: count }, () => look)

describe('memory is given back', () => {
  test.each<[string, Look[], number]>([
    ['once the process has been at rest', times(6, quiet), 1],
    ['not before', times(5, quiet), 0],
    ['not while it works now and then', [...times(5, quiet), { ...quiet, busy: 0.1 }, ...times(5, quiet)], 0],
    ['not when there is little to give', times(20, { ...quiet, heapBytes: 34 * mib }), 0],
    ['not where much would have to be looked at', times(20, { ...quiet, heapBytes: 99 * mib, usedBytes: 65 * mib }), 0],
    ['once, when nothing comes of it', times(60, quiet), 1],
    ['again when it has grown again', [...times(9, quiet), ...times(9, { ...quiet, heapBytes: 80 * mib })], 2],
  ])('%s', (_, looks, expected) => {
    const watch = new RestWatch(20 * mib)
    let collections = 0
    for (const look of looks) {
      if (!watch.isTime(look)) continue
      collections++
      watch.settled(look.heapBytes)
    }
    expect(collections).toBe(expected)
  })
})
