/**
 * What validation of a pod depends on besides the pod: feature gates, and what the object held before. A rule that came
 * later than some stored object is not held against it.
 * Mirrors pkg/api/pod: GetValidationOptionsFromPodSpecAndMeta.
 */

import { hasErrors } from '../../../api/error-limit.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { hasInvalidLabelValue, validateLabelSelector } from '../../../api/label-selector-validation.ts'
import { checkEnvVarName, checkLabelValue, checkRelaxedEnvVarName } from '../../../api/names.ts'
import { Quantity } from '../../../api/quantity.ts'
import type {
  Container,
  ContainerResizePolicy,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PodSpec,
  PodTemplateSpec,
} from '../../../catalog/types/core-v1.ts'
import type { LabelSelector, ObjectMeta } from '../../../catalog/types/meta-v1.ts'
import { mapItems } from '../../../lib/map-items.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import { checkLocalPath, type Errors } from '../../checks/checks.ts'
import { mergesSpreadKeys } from './label-keys.ts'
import { isDivisible, isHugePages } from './resource-requirements.ts'
import { type RestartOptions, restartsAllInUse, usesRestartRules } from './restart-rules.ts'
import { hostSysctlMessage } from './security-context.ts'
import { withMember } from './with-member.ts'

export interface PodOptions extends RestartOptions {
  /** A pod itself, not a template of one. */
  readonly isPod: boolean
  readonly allowPrivileged: boolean
  readonly strictIps: boolean
  readonly relaxedEnv: boolean
  /** Variables may come from files of volumes. */
  readonly envFiles: boolean
  /** Tolerations may compare numbers. */
  readonly comparesTolerations: boolean
  /** The release knows the operators for that, though it may refuse them. */
  readonly knowsComparisons: boolean
  readonly relaxedDnsSearch: boolean
  readonly onlyRecursiveSeLinux: boolean
  readonly zeroSleep: boolean
  readonly podLevelResources: boolean
  readonly laterWholeRules: boolean
  readonly anyMemoryResize: boolean
  /** What the whole pod asks for may be resized; the release has rules for it, though it may refuse. */
  readonly wholeResize: boolean
  readonly knowsWholeResize: boolean
  /** The same of containers that run before the others. */
  readonly initResize: boolean
  readonly knowsInitResize: boolean
  /** A pod on the host's network may have users of its own. */
  readonly hostNetworkUsers: boolean
  /** A parser of schedules that crashes has its say: of the templates in cron jobs. */
  readonly recoversFromSchedules: boolean
  readonly sidecarResizePolicy: boolean
  /** A resize may restart containers that run before the others. */
  readonly initRestartsByResize: boolean
  /** A pod that is bound is nominated for no other node. */
  readonly boundForGood: boolean
  readonly claimNamePath: boolean
  readonly mappingsByRequest: boolean
  readonly attributesClasses: boolean
  readonly anyDeletionCost: boolean
  readonly anyHugePages: boolean
  readonly anyAffinityValue: boolean
  readonly anyNodeAffinityValue: boolean
  readonly anySpreadSelector: boolean
  /** The keys of a constraint are in its selector, too. */
  readonly mergesSpreadKeys: boolean
  readonly anyTokenPath: boolean
  readonly anySysctl: boolean
}

/** What the server itself allows. */
export interface PodPolicy {
  readonly allowPrivileged: boolean
}

interface Stored {
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
}

export function podOptions(
  { allowPrivileged }: PodPolicy,
  { gate }: Pick<WriteContext, 'gate'>,
  isPod: boolean,
  object?: Stored | undefined,
  old?: Stored | undefined,
): PodOptions {
  const spec = old?.spec
  return {
    isPod,
    allowPrivileged,
    strictIps: gate('StrictIPCIDRValidation'),
    relaxedEnv: gate('RelaxedEnvironmentVariableValidation') || keepsRelaxedEnv(object?.spec, spec),
    restartRules:
      gate('ContainerRestartRules') || (spec !== undefined && gate('release:restartRules') && usesRestartRules(spec)),
    restartsAll: gate('RestartAllContainersOnContainerExits') || (spec !== undefined && restartsAllInUse(spec)),
    newMessages: gate('release:restartRuleMessages'),
    comparesTolerations: gate('TaintTolerationComparisonOperators') || (spec !== undefined && hasComparison(spec)),
    knowsComparisons: gate('release:tolerationPath'),
    envFiles: gate('EnvFiles') || (spec !== undefined && hasEnvFile(spec)),
    relaxedDnsSearch: gate('RelaxedDNSSearchValidation') || hasRelaxedSearch(spec),
    onlyRecursiveSeLinux: !gate('SELinuxMount') && spec?.securityContext?.seLinuxChangePolicy === undefined,
    zeroSleep: gate('PodLifecycleSleepActionAllowZero') || (spec !== undefined && hasZeroSleep(spec)),
    podLevelResources: gate('PodLevelResources'),
    laterWholeRules: gate('release:podLevelRules'),
    anyMemoryResize: gate('release:anyMemoryResize'),
    wholeResize: gate('InPlacePodLevelResourcesVerticalScaling'),
    knowsWholeResize: gate('release:wholeResize'),
    initResize: gate('InPlacePodVerticalScalingInitContainers'),
    knowsInitResize: gate('release:initResize'),
    recoversFromSchedules: gate('release:recoversFromSchedules'),
    hostNetworkUsers: gate('UserNamespacesHostNetworkSupport') || hasHostNetworkUsers(spec),
    sidecarResizePolicy: gate('InPlacePodVerticalScaling') || (spec !== undefined && hasSidecarResizePolicy(spec)),
    initRestartsByResize: !gate('release:initResizePolicies') || (spec !== undefined && hasInitRestartByResize(spec)),
    boundForGood: gate('ClearingNominatedNodeNameAfterBinding'),
    claimNamePath: gate('release:claimNamePath'),
    mappingsByRequest: gate('release:mappingsByRequest'),
    attributesClasses: gate('VolumeAttributesClass'),
    ...metadataOptions(gate, old),
    anyHugePages: spec !== undefined && hasIndivisibleHugePages(spec),
    anyAffinityValue: spec !== undefined && affinityTerms(spec).some(hasInvalidSelector),
    anyNodeAffinityValue: spec !== undefined && hasInvalidNodeAffinity(spec),
    mergesSpreadKeys: mergesSpreadKeys(gate, spec),
    anySpreadSelector: spec !== undefined && hasInvalidSpread(spec),
    anyTokenPath: spec !== undefined && hasRemoteTokenPath(spec),
    anySysctl: spec !== undefined && hasHostSysctl(spec),
  }
}

function metadataOptions(gate: WriteContext['gate'], old: Stored | undefined): Pick<PodOptions, 'anyDeletionCost'> {
  return {
    anyDeletionCost:
      !gate('PodDeletionCost') || (old !== undefined && deletionCost(old.metadata.annotations) === undefined),
  }
}

/** The options of an object whose specification is the one that they were made for; themselves when they fit. */
export function withMetadataOptions(
  options: PodOptions,
  { gate }: Pick<WriteContext, 'gate'>,
  old: Stored,
): PodOptions {
  const { anyDeletionCost } = metadataOptions(gate, old)
  return options.anyDeletionCost === anyDeletionCost ? options : { ...options, anyDeletionCost }
}

/** The options of a template; its stored form may be absent altogether. */
export function templateOptions(
  policy: PodPolicy,
  context: Pick<WriteContext, 'gate'>,
  template?: PodTemplateSpec,
  old?: PodTemplateSpec,
): PodOptions {
  return podOptions(policy, context, false, template, old)
}

/** Every container of the pod: init containers, containers, ephemeral ones. */
export function* allContainers(spec: PodSpec): Iterable<Container> {
  if (spec.initContainers !== undefined) yield* spec.initContainers
  if (spec.containers !== null) yield* spec.containers
  if (spec.ephemeralContainers !== undefined) yield* spec.ephemeralContainers
}

/** The specification with every container changed; itself when none is. */
export function withContainers(spec: PodSpec, change: (container: Container) => Container): PodSpec {
  const changeAll = (containers: Container[]): Container[] => mapItems(containers, change)
  const started = withMember(spec, 'initContainers', changeAll)
  return withMember(withMember(started, 'containers', changeAll), 'ephemeralContainers', changeAll)
}

/** Calls for each container with its path. */
export function visitContainers(
  spec: PodSpec,
  at: FieldPath,
  visit: (container: Container, at: () => FieldPath) => void,
): void {
  const each = (containers: readonly Container[] | null | undefined, name: string): void => {
    if (containers === undefined || containers === null) return
    for (let i = 0; i < containers.length; i++) {
      visit(containers[i] as Container, () => at.child(name).index(i))
    }
  }
  each(spec.initContainers, 'initContainers')
  each(spec.containers, 'containers')
  each(spec.ephemeralContainers, 'ephemeralContainers')
}

/** The cost of deleting the pod, 0 when it has none; undefined when the annotation cannot be read. */
export function deletionCost(annotations: Readonly<Record<string, string>> | undefined): number | undefined {
  const text = annotations?.['controller.kubernetes.io/pod-deletion-cost']
  if (text === undefined) return 0
  // No leading plus or zeros.
  if (!/^(0|-\d+|[1-9]\d*)$/.test(text)) return undefined
  const value = Number(text)
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : undefined
}

function keepsRelaxedEnv(spec: PodSpec | undefined, old: PodSpec | undefined): boolean {
  if (spec === undefined || old === undefined) return false
  const before = new Set(envNames(old))
  return envNames(spec).some(
    (name) => before.has(name) && checkEnvVarName(name).length > 0 && checkRelaxedEnvVarName(name).length === 0,
  )
}

const hasHostNetworkUsers = (spec: PodSpec | undefined): boolean =>
  spec?.hostNetwork === true && spec.hostUsers === false

const hasComparison = ({ tolerations = [] }: PodSpec): boolean =>
  tolerations.some(({ operator }) => operator === 'Lt' || operator === 'Gt')

const hasEnvFile = (spec: PodSpec): boolean =>
  [...allContainers(spec)].some(({ env = [] }) =>
    env.some(({ valueFrom }) => valueFrom !== undefined && 'fileKeyRef' in valueFrom),
  )

function envNames(spec: PodSpec): string[] {
  return [...allContainers(spec)].flatMap(({ env = [], envFrom = [] }) => [
    ...env.map(({ name }) => name),
    ...envFrom.map(({ prefix = '' }) => prefix),
  ])
}

const hasRelaxedSearch = (spec: PodSpec | undefined): boolean =>
  (spec?.dnsConfig?.searches ?? []).some((search) => search === '.' || search.includes('_'))

const hasZeroSleep = (spec: PodSpec): boolean =>
  [...allContainers(spec)].some(
    ({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds === 0 || lifecycle?.postStart?.sleep?.seconds === 0,
  )

const hasSidecarResizePolicy = (spec: PodSpec): boolean =>
  (spec.initContainers ?? []).some(
    ({ restartPolicy, resizePolicy }) => restartPolicy === 'Always' && (resizePolicy?.length ?? 0) > 0,
  )

const hasInitRestartByResize = (spec: PodSpec): boolean =>
  (spec.initContainers ?? []).some(
    (container) => container.restartPolicy !== 'Always' && (container.resizePolicy ?? []).some(restartsContainer),
  )

export const restartsContainer = ({ restartPolicy }: ContainerResizePolicy): boolean =>
  restartPolicy === 'RestartContainer'

const hasIndivisibleHugePages = (spec: PodSpec): boolean =>
  [...allContainers(spec)].some(
    ({ resources }) => holdsIndivisible(resources?.limits) || holdsIndivisible(resources?.requests),
  ) || holdsIndivisible(spec.overhead)

const holdsIndivisible = (list: Readonly<Record<string, string>> = {}): boolean =>
  keysOf(list).some((name) => isHugePages(name) && !isDivisible(name, Quantity.parse(list[name] ?? '0')))

export function affinityTerms({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
}

/** The specification with every such term changed; itself when none is. */
export function withAffinityTerms(spec: PodSpec, change: (term: PodAffinityTerm) => PodAffinityTerm): PodSpec {
  const inPart = <Part extends PodAffinity | PodAntiAffinity>(part: Part): Part => {
    const required = withMember(part, 'requiredDuringSchedulingIgnoredDuringExecution', (terms) =>
      mapItems(terms, change),
    )
    return withMember(required, 'preferredDuringSchedulingIgnoredDuringExecution', (terms) =>
      mapItems(terms, (weighted) => withMember(weighted, 'podAffinityTerm', change)),
    )
  }
  return withMember(spec, 'affinity', (affinity) =>
    withMember(withMember(affinity, 'podAffinity', inPart), 'podAntiAffinity', inPart),
  )
}

const isInvalid = (selector: LabelSelector | undefined): boolean =>
  hasErrors(() => validateLabelSelector(selector, FieldPath.root))

const hasInvalidSelector = ({ labelSelector, namespaceSelector }: PodAffinityTerm): boolean =>
  isInvalid(labelSelector) || isInvalid(namespaceSelector)

const hasInvalidNodeAffinity = ({ affinity }: PodSpec): boolean =>
  (affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).some(
    ({ matchExpressions = [] }) =>
      matchExpressions.some(({ values = [] }) => values.some((value) => checkLabelValue(value).length > 0)),
  )

const hasInvalidSpread = ({ topologySpreadConstraints = [] }: PodSpec): boolean =>
  topologySpreadConstraints.some(({ labelSelector }) => isInvalid(labelSelector))

function hasRemoteTokenPath({ volumes = [] }: PodSpec): boolean {
  const paths = volumes.flatMap(({ projected }) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }) => serviceAccountToken?.path ?? []),
  )
  const errors: Errors = []
  for (const path of paths) checkLocalPath(errors, path, FieldPath.root)
  return errors.length > 0
}

const hasHostSysctl = (spec: PodSpec): boolean =>
  (spec.securityContext?.sysctls ?? []).some(({ name }) => hostSysctlMessage(name, spec) !== undefined)

/** Whether a selector that is being updated already holds values that no label can have. */
export const keepsInvalidValue = (old: LabelSelector | null | undefined): boolean => hasInvalidLabelValue(old)
