/**
 * `--runtime-config`: which API versions and resources are served. Keys are `api/all`, `api/ga`, `api/beta`,
 * `api/alpha`, `group/version` and `group/version/resource`, weakest first: a resource's own key beats its version's,
 * which beats the `api/…` keys, which beat the default. The core group's key is `/v1`, or `v1`, or `api/v1`.
 */
import { hasChange } from '../api/release-changes.ts'
import { ConfigError, throwConfigErrors } from './config-error.ts'
import { parseGoBool } from './go-values.ts'

export type RuntimeConfig = ReadonlyMap<string, string>

/** A group version that exists in this server, whether or not it is served. */
export interface KnownGroupVersion {
  readonly group: string
  readonly version: string
  readonly servedByDefault: boolean
}

export interface ApiEnablement {
  /** Whether the version itself is on. One of its resources may be on although the version is off. */
  servesVersion(group: string, version: string): boolean
  servesResource(group: string, version: string, resource: string): boolean
  /** What the keys say about it, its own or a wider one; undefined when none does. */
  setting(group: string, version: string, resource: string): boolean | undefined
  /** Whether it is asked for by its own name, or its version by that one's: `api/…` keys do not count. */
  asksForResource(group: string, version: string, resource: string): boolean
  asksForVersion(group: string, version: string): boolean
}

const stagePatterns: readonly (readonly [key: string, versions: RegExp])[] = [
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
]
const stageKeys = new Set(stagePatterns.map(([key]) => key))

/** Reads the values of the flag: `key[=value]` pairs separated by commas. */
export function parseRuntimeConfig(values: readonly string[]): RuntimeConfig {
  const config = new Map<string, string>()
  for (const item of values.flatMap((value) => value.split(','))) {
    const pair = item.trim()
    if (pair === '') continue
    const at = pair.indexOf('=')
    const key = canonicalKey(at < 0 ? pair : pair.slice(0, at).trim())
    if (key !== undefined) config.set(key, at < 0 ? '' : pair.slice(at + 1).trim())
  }
  return config
}

/**
 * The core group has several names, whatever resource they go on with; `api/legacy` means nothing any more.
 * Mirrors pkg/controlplane/apiserver/options: Complete.
 */
function canonicalKey(key: string): string | undefined {
  if (key === 'api/legacy') return undefined
  return /^(?:api\/)?v1(?:\/|$)/.test(key) ? '/v1' : key
}

/** What can be said about the keys without knowing which APIs there are. */
export function validateRuntimeConfig(
  config: RuntimeConfig,
  { priorityAndFairness, release }: { readonly priorityAndFairness: boolean; readonly release: number },
): string[] {
  const errors = priorityAndFairness ? fairnessConflicts(config) : []
  if (config.size === 1 && config.get('api/all') === 'false') {
    const what = hasChange(release, 'runtimeConfigMessages') ? 'runtime-config' : 'key'
    return [...errors, `invalid ${what} with only api/all=false`]
  }
  const broken = [...config.keys()].find((key) => !stageKeys.has(key) && !isApiKey(key))
  return broken === undefined ? errors : [...errors, `runtime-config invalid key ${broken}`]
}

/** Flow control reads its own API, so that may not be switched off while it is on. */
function fairnessConflicts(config: RuntimeConfig): string[] {
  for (const key of ['flowcontrol.apiserver.k8s.io/v1', 'api/ga', 'api/all']) {
    const value = config.get(key)
    if (value === 'false') return [`--runtime-config=${key}=false conflicts with --enable-priority-and-fairness=true`]
    if (value === 'true') return []
  }
  return []
}

function isApiKey(key: string): boolean {
  const parts = key.split('/')
  return (parts.length === 2 || parts.length === 3) && parts[1] !== ''
}

/** Applies the settings to the APIs that exist. Throws a `ConfigError` for keys that name none of them. */
export function resolveApiEnablement(
  config: RuntimeConfig,
  known: readonly KnownGroupVersion[],
  release: number,
): ApiEnablement {
  const defaults = new Map(known.map(({ group, version, servedByDefault }) => [`${group}/${version}`, servedByDefault]))
  checkGroups(config, known, release)
  const versions = new Map<string, boolean>()
  for (const [key, pattern] of stagePatterns) {
    const value = config.get(key)
    if (value === undefined) continue
    if (value !== 'true' && value !== 'false') throw new ConfigError(`invalid value ${key}=${value}`)
    for (const { group, version } of known)
      if (pattern.test(version)) versions.set(`${group}/${version}`, value === 'true')
  }
  const named = new Map<string, boolean>()
  const resources = new Map<string, boolean>()
  for (const key of config.keys()) if (!stageKeys.has(key)) applyKey(config, key, { known: defaults, named, resources })
  const settingOf = (version: string): boolean | undefined => named.get(version) ?? versions.get(version)
  const servesVersion = (group: string, version: string) =>
    settingOf(`${group}/${version}`) ?? defaults.get(`${group}/${version}`) ?? false
  const setting = (group: string, version: string, resource: string): boolean | undefined =>
    resources.get(`${group}/${version}/${resource}`) ?? settingOf(`${group}/${version}`)
  return {
    servesVersion,
    servesResource: (group, version, resource) => setting(group, version, resource) ?? servesVersion(group, version),
    setting,
    asksForResource: (group, version, resource) => resources.get(`${group}/${version}/${resource}`) === true,
    asksForVersion: (group, version) => named.get(`${group}/${version}`) === true,
  }
}

function checkGroups(config: RuntimeConfig, known: readonly KnownGroupVersion[], release: number): void {
  const groups = new Set(known.map(({ group }) => group))
  const keys = [...config.keys()].filter((key) => !stageKeys.has(key)).map((key) => key.split('/'))
  const unknown = keys.filter(([group = '']) => !groups.has(group))
  const names = hasChange(release, 'runtimeConfigMessages')
    ? [...new Set(unknown.map(([group, version]) => `${group}/${version}`))].sort()
    : unknown.map(([group]) => group)
  if (names.length > 0) throwConfigErrors([`unknown api groups ${names.join(',')}`])
}

interface ExplicitKeys {
  readonly known: ReadonlyMap<string, boolean>
  readonly named: Map<string, boolean>
  readonly resources: Map<string, boolean>
}

function applyKey(config: RuntimeConfig, key: string, { known, named, resources }: ExplicitKeys): void {
  const [group = '', version = '', resource] = key.split('/')
  const groupVersion = `${group}/${version}`
  if (!known.has(groupVersion)) {
    throw new ConfigError(`group version ${group === '' ? version : groupVersion} that has not been registered`)
  }
  const enabled = runtimeConfigValue(key, config.get(key) ?? '')
  if (resource === undefined) {
    named.set(groupVersion, enabled)
  } else if (resource === resource.toLowerCase()) {
    resources.set(key, enabled)
  } else {
    throw new ConfigError(
      `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`,
    )
  }
}

function runtimeConfigValue(key: string, text: string): boolean {
  if (text === '') return true
  try {
    return parseGoBool(text)
  } catch (error) {
    throw new ConfigError(`invalid value of ${key}: ${text}, err: ${(error as Error).message}`)
  }
}
