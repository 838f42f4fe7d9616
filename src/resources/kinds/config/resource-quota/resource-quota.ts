/**
 * ResourceQuota: which resources can be limited, with whole numbers where they are counted, and for which scopes.
 * Mirrors pkg/apis/core/validation: ValidateResourceQuota, ValidateResourceQuotaUpdate,
 * ValidateResourceQuotaStatusUpdate.
 * Mirrors pkg/registry/core/resourcequota: resourcequotaStrategy, resourcequotaStatusStrategy.
 */

import { type FieldError, invalid, maxPairErrors, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import type { GoLiteral, RenderedValue } from '../../../../api/golang/literal.ts'
import { goNamed } from '../../../../api/golang/literal.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { Quantity } from '../../../../api/quantity.ts'
import { goStrings, goStruct, goStructs, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { ResourceQuotaSpec, ResourceQuotaStatus, ScopeSelector } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { type Errors, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { isHugePages, validateAmount, validateResourceName } from '../../pods/resource-requirements.ts'

type ResourceQuota = KubeObject & { spec: ResourceQuotaSpec; status: ResourceQuotaStatus }

const specPath = FieldPath.of('spec')
const statusPath = FieldPath.of('status')

const podResources = ['pods']
const computeResources = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']

const quotaResources: ReadonlySet<string> = new Set([
  ...podResources,
  ...computeResources,
  'ephemeral-storage',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
])

const isQuotaResource = (name: string): boolean =>
  quotaResources.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-')

const podsAndCompute: ReadonlySet<string> = new Set([...podResources, ...computeResources])

/** What each scope can be about; a scope that is not here goes with everything. */
const resourcesOfScope: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', podsAndCompute],
  ['NotTerminating', podsAndCompute],
  ['NotBestEffort', podsAndCompute],
  ['PriorityClass', podsAndCompute],
  ['CrossNamespacePodAffinity', podsAndCompute],
  ['BestEffort', new Set(podResources)],
  ['VolumeAttributesClass', new Set(['persistentvolumeclaims', 'requests.storage'])],
])

/** Scopes that are there or not, and have no values. */
const plainScopes: ReadonlySet<string> = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
])

const conflictingScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['NotTerminating', 'Terminating'],
] as const

function validateAmounts(errors: Errors, amounts: Readonly<Record<string, string>> | undefined, at: FieldPath): void {
  for (const name of keysOf(amounts ?? {})) {
    const itemAt = at.key(name)
    validateResourceName(errors, name, itemAt)
    if (!name.includes('/') && !isQuotaResource(name)) {
      errors.push(invalidAs(itemAt, () => goNamed(name), 'must be a standard resource for quota'))
    }
    validateAmount(errors, name, { text: amounts?.[name] ?? '0', written: writingOf(amounts, name) }, itemAt)
  }
}

const goScopes = (scopes: readonly string[] | undefined): GoLiteral =>
  goStructs('core.ResourceQuotaScope', scopes, podSyntaxText)

function goScopeSelector({ matchExpressions }: ScopeSelector): RenderedValue {
  const type = 'core.ScopedResourceSelectorRequirement'
  return goStruct('core.ScopeSelector', {
    MatchExpressions: goStructs(type, matchExpressions, ({ scopeName, operator, values }) =>
      goStruct(type, {
        ScopeName: podSyntaxText(scopeName),
        Operator: podSyntaxText(operator),
        Values: goStrings(values),
      }),
    ),
  })
}

/** How many of the limited resources a scope is not about. */
function misplacedIn(hard: ResourceQuotaSpec['hard']): (scope: string) => number {
  const counts = new Map<string, number>()
  return (scope) => {
    const allowed = resourcesOfScope.get(scope)
    if (allowed === undefined) return 0
    const count =
      counts.get(scope) ?? keysOf(hard ?? {}).filter((name) => isQuotaResource(name) && !allowed.has(name)).length
    counts.set(scope, count)
    return count
  }
}

function validateScopes({ hard, scopes = [] }: ResourceQuotaSpec): FieldError[] {
  const at = specPath.child('scopes')
  const errors: FieldError[] = []
  const shown = (): GoLiteral => goScopes(scopes)
  const misplaced = misplacedIn(hard)
  for (const scope of scopes) {
    if (!resourcesOfScope.has(scope)) errors.push(invalidAs(at, shown, 'unsupported scope'))
    for (let i = misplaced(scope); i > 0 && errors.length < maxPairErrors; i--) {
      errors.push(invalidAs(at, shown, 'unsupported scope applied to resource'))
    }
  }
  return [...errors, ...validateConflicts(scopes, scopes, at)]
}

function validateConflicts(
  scopes: readonly string[],
  shown: readonly string[] | undefined,
  at: FieldPath,
): FieldError[] {
  return conflictingScopes
    .filter(([one, other]) => scopes.includes(one) && scopes.includes(other))
    .map(() => invalidAs(at, () => goScopes(shown), 'conflicting scopes'))
}

function validateScopeSelector({ hard, scopes, scopeSelector }: ResourceQuotaSpec): FieldError[] {
  if (scopeSelector === undefined) return []
  const at = specPath.child('scopeSelector', 'matchExpressions')
  const errors: FieldError[] = []
  const { matchExpressions = [] } = scopeSelector
  const misplaced = misplacedIn(hard)
  for (const { scopeName, operator, values = [] } of matchExpressions) {
    if (!resourcesOfScope.has(scopeName)) {
      errors.push(invalid(at.child('scopeName'), scopeName, 'unsupported scope'))
    }
    for (let i = misplaced(scopeName); i > 0 && errors.length < maxPairErrors; i--) {
      errors.push(invalidAs(at, () => goScopeSelector(scopeSelector), 'unsupported scope applied to resource'))
    }
    if (plainScopes.has(scopeName) && operator !== 'Exists') {
      const why =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
      errors.push(invalid(at.child('operator'), operator, why))
    }
    pushAll(errors, validateOperator(operator, values, at))
  }
  const names = matchExpressions.map(({ scopeName }) => scopeName)
  return [...errors, ...validateConflicts(names, scopes, at)]
}

function validateOperator(operator: string, values: readonly string[], at: FieldPath): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
      return values.length > 0 ? [] : [required(at.child('values'), why)]
    }
    case 'Exists':
    case 'DoesNotExist': {
      const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
      return values.length === 0 ? [] : [invalidAs(at.child('values'), () => goStrings(values), why)]
    }
    default:
      return [invalid(at.child('operator'), operator, 'not a valid selector operator')]
  }
}

function validateSpec(spec: ResourceQuotaSpec): FieldError[] {
  const errors: FieldError[] = []
  validateAmounts(errors, spec.hard, specPath.child('hard'))
  return [...errors, ...validateScopes(spec), ...validateScopeSelector(spec)]
}

function validateStatus({ hard, used }: ResourceQuotaStatus): FieldError[] {
  const errors: FieldError[] = []
  validateAmounts(errors, hard, statusPath.child('hard'))
  validateAmounts(errors, used, statusPath.child('used'))
  return errors
}

function validateQuotaUpdate({ spec }: ResourceQuota, old: ResourceQuota): FieldError[] {
  const before = new Set(old.spec.scopes ?? [])
  const now = new Set(spec.scopes ?? [])
  const same = before.size === now.size && [...now].every((scope) => before.has(scope))
  const changed = same ? [] : [invalidAs(specPath.child('scopes'), () => goScopes(spec.scopes), immutableMessage)]
  return [...validateSpec(spec), ...changed]
}

const comparedResources = ['cpu', 'memory', 'storage', 'ephemeral-storage']

/** More for what is asked for than for what may be used at the most: the names of both, and what they are. */
function quotaWarnings({ spec: { hard = {} } }: ResourceQuota, { gate }: WriteContext): string[] {
  if (!gate('release:quotaWarnings')) return []
  return comparedResources.flatMap((resource) => {
    const isBare = hard[`requests.${resource}`] === undefined && (resource === 'cpu' || resource === 'memory')
    const [asked, most] = [isBare ? resource : `requests.${resource}`, `limits.${resource}`]
    const [request, limit] = [hard[asked], hard[most]]
    if (request === undefined || limit === undefined) return []
    if (Quantity.parse(request).compare(Quantity.parse(limit)) <= 0) return []
    return [`ResourceQuota ${asked} (${request}) should be less than ${most} (${limit})`]
  })
}

export function resourceQuotaRules(): KindRules<ResourceQuota> {
  return {
    strategy: withStatus<ResourceQuota>({
      validate: ({ spec, status }) => [...validateSpec(spec), ...validateStatus(status)],
      validateUpdate: validateQuotaUpdate,
      warningsOnCreate: quotaWarnings,
    }),
    parts: { status: statusOnly<ResourceQuota>({ validateUpdate: ({ status }) => validateStatus(status) }) },
    returnsDeleted: true,
  }
}
