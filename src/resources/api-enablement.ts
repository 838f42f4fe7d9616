/** Which versions of which built-in resources this server serves: what its release served, and what the flags ask for. */
import { formatGroupVersion, type GroupVersion } from '../api/group-version.ts'
import { catalogAt, isIntroduced, lifecycleOf } from '../catalog/releases.ts'
import type { CatalogResource } from '../catalog/resources.ts'
import { ConfigError } from '../config/config-error.ts'
import { formatRelease } from '../config/emulated-version.ts'
import { type ApiEnablement, resolveApiEnablement } from '../config/runtime-config.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { compareVersions } from '../extensions/custom/version-order.ts'

export type IsServed = (resource: CatalogResource) => boolean

export function servedResources(options: ServerOptions): IsServed {
  const { runtimeConfig, featureGates, version } = options
  const release = version.emulation.minor
  const catalog = catalogAt(release)
  const known = catalog.groups.flatMap(({ group, versions }) =>
    versions.map((each) => ({ group, version: each.version, servedByDefault: each.served })),
  )
  const enablement = resolveApiEnablement(runtimeConfig, known, release)
  const later = laterResources(catalog.resources, enablement, options)
  return (resource) => {
    const { group, gate } = resource
    if (gate !== undefined && !featureGates.enabled(gate)) return false
    if (!isIntroduced(resource, release)) return later.has(mainKey(resource))
    return enablement.setting(group, resource.version, resource.resource) ?? resource.served
  }
}

const mainKey = (resource: CatalogResource): string => `${formatGroupVersion(resource)}/${resource.resource}`

/** The resources that came after the release that is emulated, and are served all the same because the flags say so. */
function laterResources(
  all: readonly CatalogResource[],
  enablement: ApiEnablement,
  { version: { emulation }, flags }: ServerOptions,
): ReadonlySet<string> {
  const main = all.filter(({ subresource }) => subresource === '')
  const later = main.filter((each) => !isIntroduced(each, emulation.minor))
  const served = new Set<string>()
  const asked = later.filter(({ group, version, resource }) => {
    return enablement.asksForResource(group, version, resource) || enablement.asksForVersion(group, version)
  })
  if (flags.bool('runtime-config-emulation-forward-compatible')) for (const each of asked) served.add(mainKey(each))
  else refuseLater(asked, main, { enablement, release: formatRelease(emulation), minor: emulation.minor })
  if (flags.bool('emulation-forward-compatible')) {
    const isOn = (each: CatalogResource): boolean =>
      served.has(mainKey(each)) ||
      (isIntroduced(each, emulation.minor) &&
        (enablement.setting(each.group, each.version, each.resource) ?? each.served))
    for (const each of successors(main, later, isOn)) served.add(mainKey(each))
  }
  return served
}

interface Refusal {
  readonly enablement: ApiEnablement
  readonly release: string
  readonly minor: number
}

function refuseLater(
  asked: readonly CatalogResource[],
  main: readonly CatalogResource[],
  { enablement, release, minor }: Refusal,
): void {
  const hint = 'Consider setting --runtime-config-emulation-forward-compatible=true'
  for (const each of asked) {
    const { group, version, resource } = each
    const groupVersion = formatGroupVersion(each)
    if (enablement.asksForResource(group, version, resource)) {
      const { introduced } = lifecycleOf(each, minor)
      throw new ConfigError(
        `cannot enable resource ${groupVersion}, Resource=${resource} in runtime-config because it is introduced at ${introduced} after the current version ${release}. ${hint}`,
      )
    }
    if (main.every((other) => formatGroupVersion(other) !== groupVersion || !isIntroduced(other, minor))) {
      throw new ConfigError(
        `cannot enable version ${groupVersion} in runtime-config because all the resources have been introduced after the current version ${release}. ${hint}`,
      )
    }
  }
}

/** Later versions of resources that are served in an earlier one. Alpha versions neither cause nor have that. */
function* successors(
  main: readonly CatalogResource[],
  later: readonly CatalogResource[],
  isOn: (resource: CatalogResource) => boolean,
): Generator<CatalogResource> {
  const isAlpha = ({ version }: GroupVersion): boolean => version.includes('alpha')
  const byOrder = [...later].sort((a, b) => compareVersions(b.version, a.version))
  const on = new Set(main.filter((each) => !isAlpha(each) && isOn(each)))
  for (const each of byOrder) {
    if (isAlpha(each)) continue
    const isEarlier = (other: CatalogResource): boolean =>
      other.group === each.group && other.resource === each.resource && compareVersions(other.version, each.version) > 0
    if (![...on].some(isEarlier)) continue
    on.add(each)
    yield each
  }
}
