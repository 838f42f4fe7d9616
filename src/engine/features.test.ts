import process from 'node:process'
import { expect, it } from 'vitest'
import { collectGarbage, setHeapGrowth } from './engine-flags.ts'
import { engineFeatures, isFeatureUsable, usesFeature } from './features.ts'

const { bodyIntake, heapGrowth, tierUp } = engineFeatures

it.each([
  ['on a version that was tested', heapGrowth, 22, '', true],
  ['on one that was not', heapGrowth, 23, '', false],
  ['on one that does without it', tierUp, 24, '', false],
  ['switched off', bodyIntake, 24, 'body-intake', false],
  ['where another is', bodyIntake, 24, 'heap-growth', true],
  ['where several are', bodyIntake, 24, 'heap-growth,body-intake', false],
  ['where all are', bodyIntake, 24, 'all', false],
])('a feature %s', (_, feature, major, off, expected) => {
  expect(isFeatureUsable(feature, major, new Set(off.split(',')))).toBe(expected)
})

it('each supported version of Node has the features that it gains from', () => {
  const major = Number(process.versions.node.split('.', 1)[0])
  const without: Record<number, string[]> = { 20: ['body-intake'], 22: ['body-intake', 'tier-up'], 24: ['tier-up'] }
  const unused = Object.values(engineFeatures).filter((feature) => !usesFeature(feature))
  expect(unused.map(({ name }) => name)).toEqual(without[major])
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

it('collects what is old only where everything is to be collected', async () => {
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1))
  const old = [{}]
  const weak = new WeakRef(old[0] as object)
  for (let i = 0; i < 4; i++) collectGarbage('minor')
  old.length = 0
  await turn()
  collectGarbage('minor')
  const afterMinor = weak.deref() !== undefined
  await turn()
  collectGarbage('major')
  expect([afterMinor, weak.deref()]).toEqual([true, undefined])
})

it('bounds the growth of the heap, and lets it go again', () => {
  setHeapGrowth(60)
  setHeapGrowth(undefined)
})
