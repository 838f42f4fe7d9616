/** What discovery shows of the group versions that other servers serve, beside the custom ones. */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { compareVersions } from '../custom/version-order.ts'
import type { CustomEntry, CustomGroup } from '../discovery.ts'
import type { RemoteVersion } from './availability.ts'

/** A version that is served by both belongs to the other server. */
export function withRemoteGroups(custom: readonly CustomGroup[], remotes: Iterable<RemoteVersion>): CustomGroup[] {
  const groups = new Map(custom.map((group) => [group.name, group]))
  const byPriority = [...remotes].sort(
    (a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version),
  )
  for (const remote of byPriority) {
    const { group: name, version, isAvailable } = remote
    const made = {
      version,
      resources: remote.resources.map(entryOf),
      freshness: freshnessOf(isAvailable),
      elsewhere: { openApi: remote.openApi },
    }
    const others = (groups.get(name)?.versions ?? []).filter((each) => each.version !== version)
    groups.set(name, { name, versions: [...others, made] })
  }
  return [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const freshnessOf = (isAvailable: boolean): 'Current' | 'Stale' => (isAvailable ? 'Current' : 'Stale')

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')
const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

function entryOf(resource: JsonObject): CustomEntry {
  const group = text(resource['group'])
  const version = text(resource['version'])
  const shortNames = texts(resource['shortNames'])
  const categories = texts(resource['categories'])
  const hash = text(resource['storageVersionHash'])
  return {
    name: text(resource['name']),
    singularName: text(resource['singularName']),
    namespaced: resource['namespaced'] === true,
    kind: text(resource['kind']),
    ...(version === '' ? {} : { kindVersion: { group, version } }),
    verbs: texts(resource['verbs']),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(hash === '' ? {} : { storageVersionHash: hash }),
  }
}
