import process from 'node:process'
import { expect, it } from 'vitest'
import { collectGarbage, setHeapGrowth } from './engine-flags.ts'
import { engineFeatures, isFeatureUsable, usesFeature } from './features.ts'

const { streamTable, bodyIntake, tierUp } = engineFeatures

it.each([
  ['on a version that was tested', streamTable, 22, '', true],
  ['on one that was not', streamTable, 23, '', false],
  ['on one that does without it', tierUp, 24, '', false],
  ['switched off', bodyIntake, 20, 'body-intake', false],
  ['where another is', bodyIntake, 20, 'stream-table', true],
  ['where several are', bodyIntake, 20, 'stream-table,body-intake', false],
  ['where all are', bodyIntake, 20, 'all', false],
])('a feature %s', (_, feature, major, off, expected) => {
  expect(isFeatureUsable(feature, major, new Set(off.split(',')))).toBe(expected)
})

it('every supported version of Node is one that the features were tested on', () => {
  const major = Number(process.versions.node.split('.', 1)[0])
  const unused = Object.values(engineFeatures).filter((feature) => !usesFeature(feature))
  expect(unused.map(({ name }) => name)).toEqual(major === 20 ? [] : ['tier-up'])
})

/** Buffers that nothing holds when it returns: how much memory they took. */
function waste(): number {
  const buffers = Array.from({ length: 64 }, () => Buffer.alloc(1024 * 1024))
  return buffers.length > 0 ? process.memoryUsage().arrayBuffers : 0
}

it('collects garbage when asked', async () => {
  const held = waste()
  // Buffers are given back a moment after their collection.
  await expect
    .poll(() => {
      collectGarbage('major')
      return held - process.memoryUsage().arrayBuffers
    })
    .toBeGreaterThan(32 * 1024 * 1024)
})

it('bounds the growth of the heap, and lets it go again', () => {
  setHeapGrowth(60)
  setHeapGrowth(undefined)
})
