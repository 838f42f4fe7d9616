/**
 * Files of one volume that would lie on or below one another.
 * Mirrors pkg/api/pod: warningsForOverlappingVirtualPaths.
 */
import { maxPairErrors, quote } from '../../../api/field-error.ts'
import { sortInSteps } from '../../../api/large-values.ts'
import type { Volume, VolumeProjection } from '../../../catalog/types/core-v1.ts'
import type { Steps } from '../../../lib/in-turns.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { trimTrailing } from '../../../lib/trim-trailing.ts'

interface SourcePath {
  readonly path: string
  readonly source: string
}

/** A volume by itself is as much work as some of its files. */
const filesOfVolume = 4

/** How many files the volumes name, and what the volumes are beside them. */
export function pathCount(volumes: readonly Volume[]): number {
  let count = filesOfVolume * volumes.length
  for (const { configMap, secret, downwardAPI, projected } of volumes) {
    count += configMap?.items?.length ?? secret?.items?.length ?? downwardAPI?.items?.length ?? 0
    for (const source of projected?.sources ?? []) count += 1 + (pathsOf(source)?.length ?? 0)
  }
  return count
}

export function* overlappingPathWarnings(volumes: readonly Volume[], gate: (name: string) => boolean): Steps<string[]> {
  const found: string[] = []
  const separate = gate('release:separateSourcePaths')
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    yield
    const sources: [what: string, items: readonly { path: string }[] | undefined][] = [
      [`ConfigMap ${quote(configMap?.name ?? '')}`, configMap?.items],
      [`Secret ${quote(secret?.secretName ?? '')}`, secret?.items],
      ['DownwardAPI', downwardAPI?.items],
    ]
    for (const [what, items] of sources) {
      if (items === undefined) continue
      const pairs = yield* overlaps(from(items, ''), maxPairErrors - found.length)
      for (const text of pairs) found.push(words(name, what, text))
    }
    if (projected !== undefined) yield* projectedOverlaps(found, name, projected.sources ?? [], separate)
  }
  return found
}

const words = (volume: string, what: string, text: string): string =>
  `volume ${quote(volume)} (${what}): overlapping paths: ${text}`

function* projectedOverlaps(
  found: string[],
  name: string,
  sources: readonly VolumeProjection[],
  separate: boolean,
): Steps<void> {
  const most = maxPairErrors - found.length
  const all: SourcePath[] = []
  let paths: SourcePath[] = []
  let repeated = 0
  for (const source of sources) {
    yield
    if (Object.keys(source).length === 0) {
      found.push(`volume ${quote(name)} (Projected) has no sources provided`)
      continue
    }
    const own = pathsOf(source)
    // A source without items counts as the one before it: the reference never forgot the last list.
    paths = own ?? (separate ? [] : paths)
    // Each that is there once more is a pair.
    const added = own === undefined ? paths.slice(0, most - repeated) : paths
    if (own === undefined) repeated += added.length
    pushAll(all, added)
  }
  for (const text of yield* overlaps(all, most)) found.push(words(name, 'Projected', text))
}

/** Those that are empty overlap with nothing. */
const from = (items: readonly { path: string }[], source: string): SourcePath[] =>
  items.map(({ path }) => ({ path: trimTrailing(path, '/'), source })).filter(({ path }) => path !== '')

function pathsOf(projection: VolumeProjection): SourcePath[] | undefined {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = projection
  if (configMap?.items !== undefined) return from(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`)
  if (secret?.items !== undefined) return from(secret.items, `Secret ${quote(secret.name ?? '')}`)
  if (downwardAPI?.items !== undefined) return from(downwardAPI.items, 'DownwardAPI')
  if (serviceAccountToken !== undefined) return from([serviceAccountToken], 'ServiceAccountToken')
  if (clusterTrustBundle !== undefined) {
    const { name, signerName = '' } = clusterTrustBundle
    return from([clusterTrustBundle], `ClusterTrustBundle ${quote(name ?? signerName)}`)
  }
  return certificatePaths(projection)
}

/** Where later releases put the certificate of a pod. */
function certificatePaths({ podCertificate }: VolumeProjection & WithCertificate): SourcePath[] | undefined {
  if (podCertificate === undefined) return undefined
  const { certificateChainPath, keyPath, credentialBundlePath } = podCertificate
  const places: [path: string | undefined, source: string][] = [
    [certificateChainPath, 'PodCertificate chain'],
    [keyPath, 'PodCertificate key'],
    [credentialBundlePath, 'PodCertificate credential bundle'],
  ]
  return places.flatMap(([path = '', source]) => from([{ path }], source))
}

interface WithCertificate {
  readonly podCertificate?: {
    readonly certificateChainPath?: string
    readonly keyPath?: string
    readonly credentialBundlePath?: string
  }
}

interface PlacedPath extends SourcePath {
  /** Sorts a path right before what is below it, and begins what that begins with. */
  readonly key: string
  readonly order: number
}

const pathsPerStep = 256

/** Pairs of paths one of which is the other or above it: neighbours, once the paths are sorted. */
function* overlaps(paths: readonly SourcePath[], most: number): Steps<string[]> {
  const placed: PlacedPath[] = []
  for (const [order, path] of paths.entries()) {
    if (order % pathsPerStep === 0) yield
    placed.push({ ...path, order, key: `${path.path.replaceAll('/', '\0')}\0` })
  }
  const pairs: [later: PlacedPath, earlier: PlacedPath][] = []
  const above: PlacedPath[] = []
  for (const [i, path] of (yield* sortInSteps(placed, byKey)).entries()) {
    if (i % pathsPerStep === 0) yield
    while (above.length > 0 && !path.key.startsWith(above.at(-1)?.key ?? '')) above.pop()
    for (const other of above.slice(0, most - pairs.length)) {
      pairs.push(path.order > other.order ? [path, other] : [other, path])
    }
    if (pairs.length >= most) break
    above.push(path)
  }
  pairs.sort(([a, b], [c, d]) => a.order - c.order || b.order - d.order)
  return pairs.map(([later, earlier]) => `${print(later)} with ${print(earlier)}`)
}

const byKey = (a: PlacedPath, b: PlacedPath): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.order - b.order)

const print = ({ path, source }: SourcePath): string => (source === '' ? quote(path) : `${quote(path)} (${source})`)
