/** The names that types have in OpenAPI documents. Clients look them up, so they are the reference's. */

const packagePrefixes: readonly (readonly [string, string])[] = [
  ['meta.', 'io.k8s.apimachinery.pkg.apis.meta.'],
  ['machinery.', 'io.k8s.apimachinery.pkg.'],
  ['apiextensions.', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.'],
  ['apiregistration.', 'io.k8s.kube-aggregator.pkg.apis.apiregistration.'],
]

/** `core.v1.Pod` is `io.k8s.api.core.v1.Pod`. */
export function builtInName(typeName: string): string {
  for (const [prefix, published] of packagePrefixes) {
    if (typeName.startsWith(prefix)) return published + typeName.slice(prefix.length)
  }
  return `io.k8s.api.${typeName}`
}

/** `CronTab` of `stable.example.com/v1` is `com.example.stable.v1.CronTab`. */
export function customName(group: string, version: string, kind: string): string {
  return [...group.split('.').reverse(), version, kind].join('.')
}

/** How operation ids name a group: `rbac.authorization.k8s.io` is `RbacAuthorization`, the core group `Core`. */
export function operationGroup(group: string): string {
  if (group === '') return 'Core'
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[.-]/)
    .map(capitalize)
    .join('')
}

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export const uncapitalize = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1)
