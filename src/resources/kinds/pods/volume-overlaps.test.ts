import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Volume } from '../../../catalog/types/core-v1.ts'
import { runToEnd } from '../../../lib/in-turns.ts'
import { overlappingPathWarnings, pathCount } from './volume-overlaps.ts'

const filesOf = (paths: string[]): Volume => ({
  name: 'v',
  configMap: { name: 'm', items: paths.map((path) => ({ key: 'k', path })) },
})
const warningsOf = (volumes: Volume[]): string[] => runToEnd(overlappingPathWarnings(volumes, () => false))

/** Every pair, looked at one by one. */
function pairs(given: string[]): string[] {
  const paths = given.map((path) => path.replace(/\/+$/, '')).filter((path) => path !== '')
  return paths.flatMap((path, i) =>
    paths
      .slice(0, i)
      .filter((other) => `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${path}/`))
      .map((other) => `volume "v" (ConfigMap "m"): overlapping paths: "${path}" with "${other}"`),
  )
}

const path = fc.array(fc.constantFrom('a', 'b', 'a-', 'a.', ''), { maxLength: 4 }).map((segments) => segments.join('/'))

it('warns of every pair of files that lie on or below one another, in order', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 8 }), (paths) => {
      expect(warningsOf([filesOf(paths)])).toEqual(pairs(paths))
    }),
  )
})

it('goes over files that do not overlap once', () => {
  const volume = filesOf(Array.from({ length: 40_000 }, (_, i) => `d${i % 100}/f${i}`))
  expect(pathCount([volume])).toBe(40_004)
  expect(warningsOf([volume])).toEqual([])
})

it.each([
  ['one path again and again', Array.from({ length: 5000 }, () => 'a')],
  ['paths each below the one before', Array.from({ length: 1000 }, (_, i) => 'a/'.repeat(i + 1))],
])('ends when very many overlap: %s', (_, paths) => {
  expect(warningsOf([filesOf(paths)]).length).toBe(20_000)
})

const projected = (sources: unknown[]): Volume => ({ name: 'v', projected: { sources } }) as Volume
const secret = { secret: { name: 's', items: [{ key: 'k', path: 'a' }] } }

it.each<[string, unknown[], string[]]>([
  [
    'two sources of one file',
    [secret, { serviceAccountToken: { path: 'a/b' } }],
    ['volume "v" (Projected): overlapping paths: "a/b" (ServiceAccountToken) with "a" (Secret "s")'],
  ],
  [
    'a certificate of the pod',
    [secret, { podCertificate: { certificateChainPath: 'a', keyPath: 'a', credentialBundlePath: 'a/b' } }],
    [
      'volume "v" (Projected): overlapping paths: "a" (PodCertificate chain) with "a" (Secret "s")',
      'volume "v" (Projected): overlapping paths: "a" (PodCertificate key) with "a" (Secret "s")',
      'volume "v" (Projected): overlapping paths: "a" (PodCertificate key) with "a" (PodCertificate chain)',
      'volume "v" (Projected): overlapping paths: "a/b" (PodCertificate credential bundle) with "a" (Secret "s")',
      'volume "v" (Projected): overlapping paths: "a/b" (PodCertificate credential bundle) with "a" (PodCertificate chain)',
      'volume "v" (Projected): overlapping paths: "a/b" (PodCertificate credential bundle) with "a" (PodCertificate key)',
    ],
  ],
  ['a source that says nothing', [{}], ['volume "v" (Projected) has no sources provided']],
  [
    'a source without items, which counts as the one before',
    [secret, { secret: { name: 't' } }],
    ['volume "v" (Projected): overlapping paths: "a" (Secret "s") with "a" (Secret "s")'],
  ],
])('projected volumes: %s', (_, sources, expected) => {
  expect(warningsOf([projected(sources)])).toEqual(expected)
})

it('ends when many sources count as one with many files', () => {
  const many = { secret: { name: 's', items: Array.from({ length: 3000 }, (_, i) => ({ key: 'k', path: `f${i}` })) } }
  const sources = [many, ...Array.from({ length: 3000 }, () => ({ secret: { name: 't' } }))]
  expect(warningsOf([projected(sources)]).length).toBeLessThanOrEqual(20_000)
})
