/**
 * The facts of releases after the default one. A release is its difference from `facts/`, in `facts/releases/1.N.delta`, which
 * the build puts beside the program: it is read when the release is first asked for, and no other release costs anything.
 *
 *     v1.34.11
 *     =types/core.v1.txt
 *     @226
 *     -a line that gives way
 *     +a line that takes its place
 *     =types/storage.v1alpha1.txt gone
 *
 * `=` begins a file of facts, `@` a hunk with the number of the first line that it concerns (the next one where lines are added).
 */

import { readPackageFile } from '../lib/package-file.ts'
import { laterReleases, servedMajor, servedMinor, servedRelease } from './release.ts'

/** The minor number of the release whose behaviour is served unless another one is asked for. */
export const defaultRelease: number = servedMinor

/** The newest release that can be served. */
export const newestRelease: number = Math.max(servedMinor, ...Object.keys(laterReleases).map(Number))

/** Whether a release has facts of its own: it came after the default one. */
export const isLaterRelease = (release: number): boolean => release > defaultRelease

/** The tag of a release, `v1.34.11`. Of releases before the default one only the minor number is emulated. */
export const releaseTag = (release: number): string =>
  release === defaultRelease ? servedRelease : (laterReleases[release] ?? `v${servedMajor}.${release}.0`)

export interface ReleaseFacts {
  /** The tag, such as `v1.34.11`. */
  readonly tag: string
  /** The text of a file of facts, made from that of the default release; undefined when this release has none. */
  text(name: string, base: string | undefined): string | undefined
  /** The files that the release changes or adds. */
  readonly names: readonly string[]
}

/** The feature gates of a server of a release after the default one. */
export interface ReleaseGates {
  /** The minor number of the release. */
  readonly release: number
  readonly gate: (name: string) => boolean
  /** How a gate is unless it is set. */
  readonly byDefault: (name: string) => boolean
}

const loaded = new Map<number, ReleaseFacts>()

/** Of a release after the default one. */
export function releaseFacts(release: number): ReleaseFacts {
  const known = loaded.get(release)
  if (known !== undefined) return known
  const text = readDelta(release)
  if (text === undefined) throw new Error(`there are no facts of release 1.${release}`)
  const facts = parseReleaseFacts(text)
  loaded.set(release, facts)
  return facts
}

/** The text of a file of facts at any release: that of the default one until a later release is asked for. */
export function factText(release: number, name: string, base: string): string {
  return isLaterRelease(release) ? (releaseFacts(release).text(name, base) ?? '') : base
}

/** The text of a file of facts that the program has no copy of, at a release after the default one. */
export const packagedFact = (release: number, name: string): string =>
  releaseFacts(release).text(name, readFact(name)) ?? ''

const readDelta = (release: number): string | undefined => readFact(`releases/1.${release}.delta`)

/** Seen from the built program, and from the sources. */
const folders = ['./data/facts/', '../../facts/']

function readFact(name: string): string | undefined {
  for (const folder of folders) {
    const text = readPackageFile(new URL(folder + name, import.meta.url))
    if (text !== undefined) return text
  }
  return undefined
}

export function parseReleaseFacts(text: string): ReleaseFacts {
  const [head = '', ...sections] = text.split(/^=/m)
  const files = new Map<string, string | undefined>()
  for (const section of sections) {
    const end = section.indexOf('\n')
    const [name = '', gone] = section.slice(0, end).split(' ')
    files.set(name, gone === undefined ? section.slice(end + 1) : undefined)
  }
  return {
    tag: head.trim(),
    names: [...files.keys()],
    text(name, base) {
      if (!files.has(name)) return base
      const hunks = files.get(name)
      return hunks === undefined ? undefined : applyHunks(hunks, base ?? '')
    },
  }
}

/** Throws where the base is not the one that the difference was made from. */
function applyHunks(hunks: string, base: string): string {
  const before = base.split('\n')
  const after: string[] = []
  let next = 0
  for (const line of hunks.split('\n')) {
    const mark = line.charAt(0)
    if (mark === '@') {
      const at = Number(line.slice(1)) - 1
      for (; next < at; next++) after.push(before[next] ?? '')
    } else if (mark === '-') {
      if (before[next] !== line.slice(1)) throw new Error(`the difference of a release does not fit: ${line}`)
      next++
    } else if (mark === '+') after.push(line.slice(1))
  }
  const rest = before.slice(next)
  return [...after, ...(rest.length === 0 ? [''] : rest)].join('\n')
}
