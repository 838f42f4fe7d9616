import { expect, it } from 'vitest'
import { releaseArgument, servedReleases } from './release-argument.ts'

it.each<[string | undefined, number]>([
  [undefined, 33],
  ['1.36', 36],
  ['v1.25', 25],
  ['1.5', 5],
])('files are looked at with %j', (text, minor) => {
  expect(releaseArgument(text)).toBe(minor)
})

it.each([
  ['1.37', '--release must be a release such as 1.33, from 1.0 to 1.36, not 1.37'],
  ['1.36.4', '--release must be a release such as 1.33, from 1.0 to 1.36, not 1.36.4'],
  ['2.1', '--release must be a release such as 1.33, from 1.0 to 1.36, not 2.1'],
  ['1.34,1.35', '--release must be a release such as 1.33, from 1.0 to 1.36, not 1.34,1.35'],
  ['', '--release needs a release such as 1.33'],
])('files are not looked at with %j', (text, why) => {
  expect(() => releaseArgument(text)).toThrow(why)
})

it.each([
  ['1.36', ['1.36']],
  ['1.34, 1.36', ['1.34', '1.36']],
  ['1.16,v1.33', ['1.16', 'v1.33']],
])('%j is served as %j', (text, releases) => {
  expect(servedReleases(text)).toEqual(releases)
})

it.each([
  ['1.15', '--release must be a release such as 1.33, from 1.16 to 1.36, not 1.15'],
  ['1.34,1.3x', '--release must be a release such as 1.33, from 1.16 to 1.36, not 1.3x'],
  ['latest', '--release must be a release such as 1.33, from 1.16 to 1.36, not latest'],
  ['1.34,1.36,v1.34', '--release has 1.34 twice'],
  ['1.34,,1.36', '--release needs a release such as 1.33'],
  ['', '--release needs a release such as 1.33'],
])('%j is not served', (text, why) => {
  expect(() => servedReleases(text)).toThrow(why)
})
