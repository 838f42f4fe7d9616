/**
 * Files of one volume that would lie on or below one another.
 * Mirrors pkg/api/pod: warningsForOverlappingVirtualPaths.
 */
import { quote } from '../../../api/field-error.ts'
import type { Volume, VolumeProjection } from '../../../catalog/types/core-v1.ts'
import { trimTrailing } from '../../../lib/trim-trailing.ts'

interface SourcePath {
  readonly path: string
  readonly source: string
}

export function overlappingPathWarnings(volumes: readonly Volume[], gate: (name: string) => boolean): string[] {
  return volumes.flatMap((volume) => {
    const { name, configMap, secret, downwardAPI, projected } = volume
    if (!(configMap?.items ?? secret?.items ?? downwardAPI?.items ?? projected)) return []
    const warn = (what: string, items: readonly { path: string }[] | undefined): string[] =>
      overlaps((items ?? []).map(({ path }) => ({ path, source: '' }))).map((text) => words(name, what, text))
    return [
      ...(configMap === undefined ? [] : warn(`ConfigMap ${quote(configMap.name ?? '')}`, configMap.items)),
      ...(secret === undefined ? [] : warn(`Secret ${quote(secret.secretName ?? '')}`, secret.items)),
      ...(downwardAPI === undefined ? [] : warn('DownwardAPI', downwardAPI.items)),
      ...(projected === undefined
        ? []
        : projectedOverlaps(name, projected.sources ?? [], gate('release:separateSourcePaths'))),
    ]
  })
}

const words = (volume: string, what: string, text: string): string =>
  `volume ${quote(volume)} (${what}): overlapping paths: ${text}`

function projectedOverlaps(name: string, sources: readonly VolumeProjection[], separate: boolean): string[] {
  const warnings: string[] = []
  const all: SourcePath[] = []
  let paths: SourcePath[] = []
  for (const source of sources) {
    if (Object.keys(source).length === 0) {
      warnings.push(`volume ${quote(name)} (Projected) has no sources provided`)
      continue
    }
    // A source without items counts as the one before it: the reference never forgot the last list.
    paths = pathsOf(source) ?? (separate ? [] : paths)
    for (const path of paths) addPath(all, path, (text) => warnings.push(words(name, 'Projected', text)))
  }
  return warnings
}

function pathsOf(projection: VolumeProjection): SourcePath[] | undefined {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = projection
  const from = (items: readonly { path: string }[], source: string): SourcePath[] =>
    items.map(({ path }) => ({ path, source }))
  if (configMap?.items !== undefined) return from(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`)
  if (secret?.items !== undefined) return from(secret.items, `Secret ${quote(secret.name ?? '')}`)
  if (downwardAPI?.items !== undefined) return from(downwardAPI.items, 'DownwardAPI')
  if (serviceAccountToken !== undefined) return from([serviceAccountToken], 'ServiceAccountToken')
  if (clusterTrustBundle === undefined) return undefined
  const { name, signerName = '' } = clusterTrustBundle
  return from([clusterTrustBundle], `ClusterTrustBundle ${quote(name ?? signerName)}`)
}

function overlaps(paths: readonly SourcePath[]): string[] {
  const found: string[] = []
  const all: SourcePath[] = []
  for (const path of paths) addPath(all, path, (text) => found.push(text))
  return found
}

function addPath(all: SourcePath[], given: SourcePath, warn: (text: string) => void): void {
  const added = { ...given, path: trimTrailing(given.path, '/') }
  for (const other of all) if (overlap(added.path, other.path)) warn(`${print(added)} with ${print(other)}`)
  all.push(added)
}

const overlap = (a: string, b: string): boolean =>
  a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`))

const print = ({ path, source }: SourcePath): string => (source === '' ? quote(path) : `${quote(path)} (${source})`)
