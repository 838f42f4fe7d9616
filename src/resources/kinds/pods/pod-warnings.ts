/**
 * What is allowed but most likely not meant: reported in `Warning` headers.
 * Mirrors pkg/api/pod: GetWarningsForPod, GetWarningsForPodTemplate.
 */

import { quote } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { warningsForIp } from '../../../api/ip-validation.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { checkDns1123Label, checkLabelValue } from '../../../api/names.ts'
import { Quantity } from '../../../api/quantity.ts'
import { eachItem, eachMember, stepsOfRules, withEachItem } from '../../../api/rules-in-steps.ts'
import type {
  Container,
  NodeSelectorTerm,
  PersistentVolumeClaimSpec,
  Pod,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from '../../../catalog/types/core-v1.ts'
import type { ObjectMeta } from '../../../catalog/types/meta-v1.ts'
import { Verdicts } from '../../../lib/memo.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { duplicateFinder } from '../../../lib/repeats.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import { internedSpec } from './interned-spec.ts'
import { appArmorPrefix, namesProfiles, seccompPodAnnotation, seccompPrefix } from './pod-annotations.ts'
import { visitContainers } from './pod-options.ts'
import { namesProfile } from './pod-profiles.ts'
import { portCount, portWarnings } from './port-warnings.ts'
import { overlappingPathWarnings, pathCount } from './volume-overlaps.ts'

type Warnings = string[]
type Gate = WriteContext['gate']

/** A name that becomes part of names of hosts should be a label. */
export function nameWarnings(name: string, use: string): string[] {
  const messages = checkDns1123Label(name)
  if (messages.length === 0) return []
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${messages.join(' ')}]`,
  ]
}

/** Interned specifications without warnings, by gate. */
const silent = new Verdicts<PodSpec>('pod-warnings')

export function podWarnings({ spec, metadata }: Pod, gate: Gate): string[] {
  const shared = isAnnotated(metadata) ? undefined : internedSpec(spec)
  const find = (): string[] => warnings(spec, metadata, FieldPath.root, gate)
  if (shared !== undefined && silent.has(shared, [gate], () => find().length === 0)) return []
  const found = find()
  if (shared !== undefined && found.length === 0) silent.add(shared, [gate])
  return found
}

/** Whether annotations say something about the specification. */
function isAnnotated({ annotations }: ObjectMeta): boolean {
  for (const key of keysOf(annotations ?? {})) if (Object.hasOwn(deprecatedAnnotations, key)) return true
  return namesProfiles(annotations)
}

export const templateWarnings = ({ spec, metadata }: PodTemplateSpec, at: FieldPath, gate: Gate): string[] =>
  warnings(spec, metadata, at, gate)

export const deprecatedLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
}

/** What to say about a label of nodes that has a successor. */
export const labelDeprecation = (label: string): string | undefined =>
  Object.hasOwn(deprecatedLabels, label) ? deprecatedLabels[label] : undefined

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
}

function warnings(spec: PodSpec, metadata: ObjectMeta, at: FieldPath, gate: Gate): string[] {
  const found: Warnings = []
  const specAt = at.child('spec')
  if (spec.nodeSelector ?? spec.affinity?.nodeAffinity ?? spec.topologySpreadConstraints) {
    warnOfLabels(found, spec, specAt)
  }
  for (const key in metadata.annotations === undefined ? {} : deprecatedAnnotations) {
    if (metadata.annotations?.[key] === undefined) continue
    found.push(`${at.child('metadata', 'annotations').key(key)}: ${deprecatedAnnotations[key]}`)
  }
  eachItem(found, spec.volumes ?? [], (found, volume, i) => {
    if (deservesWarning(volume)) warnOfVolume(found, volume, specAt.child('volumes').index(i), gate)
  })
  const { volumes } = spec
  if (volumes) {
    pushAll(
      found,
      stepsOfRules(volumes, pathCount(volumes), () => overlappingPathWarnings(volumes, gate)),
    )
  }
  if (spec.hostAliases ?? spec.imagePullSecrets) warnOfRepeats(found, spec, specAt)
  if (spec.overhead !== undefined) warnOfFractions(found, spec.overhead, specAt.child('overhead'))
  warnOfProfiles(found, spec, metadata, { at, mustAgree: gate('release:profilesAsFields') })
  warnOfPorts(found, spec, specAt)
  if (spec.terminationGracePeriodSeconds !== undefined && spec.terminationGracePeriodSeconds < 0) {
    const why = 'must be >= 0; negative values are invalid and will be treated as 1'
    found.push(`${specAt.child('terminationGracePeriodSeconds')}: ${why}`)
  }
  if (spec.affinity !== undefined) warnOfPodAffinity(found, spec, specAt.child('affinity'))
  eachItem(found, spec.dnsConfig?.nameservers ?? [], (found, server, i) => {
    pushAll(found, warningsForIp(specAt.child('dnsConfig', 'nameservers').index(i), server))
  })
  eachItem(found, spec.hostAliases ?? [], (found, { ip }, i) => {
    pushAll(found, warningsForIp(specAt.child('hostAliases').index(i).child('ip'), ip))
  })
  return found
}

function warnOfLabels(found: Warnings, spec: PodSpec, at: FieldPath): void {
  eachMember(found, spec.nodeSelector ?? {}, (found, key) => {
    const message = labelDeprecation(key)
    if (message !== undefined) found.push(`${at.child('nodeSelector').key(key)}: ${message}`)
  })
  const { nodeAffinity } = spec.affinity ?? {}
  const affinityAt = at.child('affinity', 'nodeAffinity')
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  eachItem(found, required, (found, term, i) => {
    const termsAt = affinityAt.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms')
    warnOfTerm(found, term, termsAt.index(i), false)
  })
  const preferred = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  eachItem(found, preferred, (found, { preference }, i) => {
    const termAt = affinityAt.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('preference')
    warnOfTerm(found, preference, termAt, true)
  })
  eachItem(found, spec.topologySpreadConstraints ?? [], (found, { topologyKey, labelSelector }, i) => {
    const itemAt = at.child('topologySpreadConstraints').index(i)
    const message = labelDeprecation(topologyKey)
    if (message !== undefined) found.push(`${itemAt.child('topologyKey')}: ${topologyKey} is ${message}`)
    if (labelSelector === undefined) found.push(matchesNothing(itemAt.child('labelSelector')))
  })
}

const matchesNothing = (at: FieldPath): string => `${at}: a null labelSelector results in matching no pod`

function warnOfTerm(found: Warnings, term: NodeSelectorTerm, at: FieldPath, checkValues: boolean): void {
  eachItem(found, term.matchExpressions ?? [], (found, { key, values = [] }, i) => {
    const itemAt = at.child('matchExpressions').index(i)
    const message = labelDeprecation(key)
    if (message !== undefined) found.push(`${itemAt.child('key')}: ${key} is ${message}`)
    if (!checkValues) return
    eachItem(found, values, (found, value, j) => {
      for (const why of checkLabelValue(value)) {
        found.push(`${itemAt.child('values').index(j)}: ${value} is invalid, ${why}`)
      }
    })
  })
}

/** Sources that no longer work, with how their field is called in the warning. */
const removedSources: readonly (readonly [name: keyof Volume, shown: string, since: string])[] = [
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
]

const oldSources: ReadonlySet<string> = new Set([
  'photonPersistentDisk',
  'gitRepo',
  'ephemeral',
  'cephfs',
  'rbd',
  ...removedSources.map(([name]) => name),
])

function deservesWarning(volume: Volume): boolean {
  for (const key in volume) if (oldSources.has(key)) return true
  return false
}

function warnOfVolume(found: Warnings, volume: Volume, at: FieldPath, gate: Gate): void {
  if (volume.photonPersistentDisk !== undefined) {
    found.push(`${at.child('photonPersistentDisk')}: deprecated in v1.11, non-functional in v1.16+`)
  }
  if (volume.gitRepo !== undefined) {
    const disabled = gate('GitRepoVolumeDriver') ? '' : ', and disabled by default in v1.33+'
    found.push(`${at.child('gitRepo')}: deprecated in v1.11${disabled}`)
  }
  for (const [name, shown, since] of removedSources) {
    if (volume[name] !== undefined) found.push(`${at.child(shown)}: ${since}`)
  }
  const template = volume.ephemeral?.volumeClaimTemplate
  if (template !== undefined) {
    pushAll(found, claimWarnings(template.spec, at.child('ephemeral', 'volumeClaimTemplate', 'spec')))
  }
  for (const name of ['cephfs', 'rbd'] as const) {
    if (volume[name] !== undefined) found.push(`${at.child(name)}: deprecated in v1.28, non-functional in v1.31+`)
  }
}

/** Claims of storage that is not a whole number of bytes. */
export function claimWarnings({ resources }: PersistentVolumeClaimSpec, at: FieldPath): string[] {
  const found: Warnings = []
  for (const list of ['requests', 'limits'] as const) {
    warnOfFraction(found, resources?.[list], 'storage', at.child('resources', list))
  }
  return found
}

type Amounts = Readonly<Record<string, string>> | undefined

function warnOfFraction(found: Warnings, amounts: Amounts, name: string, at: FieldPath): void {
  const text = amounts?.[name]
  if (text === undefined || !/[mun.-]/.test(text) || Quantity.parse(text).isWhole()) return
  found.push(`${at.key(name)}: fractional byte value ${quote(text)} is invalid, must be an integer`)
}

function warnOfFractions(found: Warnings, amounts: Amounts, at: FieldPath): void {
  if (amounts === undefined) return
  warnOfFraction(found, amounts, 'memory', at)
  warnOfFraction(found, amounts, 'ephemeral-storage', at)
}

function warnOfRepeats(found: Warnings, { hostAliases = [], imagePullSecrets = [] }: PodSpec, at: FieldPath): void {
  const isRepeatedAlias = duplicateFinder(hostAliases, ({ ip }) => ip)
  eachItem(found, hostAliases, (found, { ip }, i) => {
    if (!isRepeatedAlias(i)) return
    found.push(`${at.child('hostAliases').index(i).child('ip')}: duplicate ip ${quote(ip)}`)
  })
  const secretsAt = at.child('imagePullSecrets')
  const isRepeatedSecret = duplicateFinder(imagePullSecrets, ({ name = '' }) => name)
  eachItem(found, imagePullSecrets, (found, { name = '' }, i) => {
    if (!isRepeatedSecret(i)) return
    found.push(`${secretsAt.index(i).child('name')}: duplicate name ${quote(name)}`)
  })
  eachItem(found, imagePullSecrets, (found, { name = '' }, i) => {
    if (name === '') found.push(`${secretsAt.index(i).child('name')}: invalid empty name ""`)
  })
}

/** Profiles in annotations, and what each container does to itself. */
function warnOfProfiles(
  found: Warnings,
  spec: PodSpec,
  { annotations }: ObjectMeta,
  { at, mustAgree }: { readonly at: FieldPath; readonly mustAgree: boolean },
): void {
  const annotationAt = (key: string): FieldPath => at.child('metadata', 'annotations').key(key)
  const gone = 'non-functional in v1.27+; use the "seccompProfile" field instead'
  if (spec.securityContext?.seccompProfile === undefined && annotations?.[seccompPodAnnotation] !== undefined) {
    found.push(`${annotationAt(seccompPodAnnotation)}: ${gone}`)
  }
  const isTemplate = at !== FieldPath.root
  visitContainers(spec, at.child('spec'), (container, path) => {
    const { name, securityContext, resources } = container
    const seccompKey = `${seccompPrefix}${name}`
    if (securityContext?.seccompProfile === undefined && annotations?.[seccompKey] !== undefined) {
      found.push(`${annotationAt(seccompKey)}: ${gone}`)
    }
    const appArmorKey = `${appArmorPrefix}${name}`
    const annotation = annotations?.[appArmorKey]
    const ofPod = spec.securityContext?.appArmorProfile
    const isSaid = (text: string): boolean => ofPod !== undefined && (!mustAgree || namesProfile(text, ofPod))
    if (isTemplate && annotation !== undefined && !(securityContext?.appArmorProfile || isSaid(annotation))) {
      found.push(`${annotationAt(appArmorKey)}: deprecated since v1.30; use the "appArmorProfile" field instead`)
    }
    for (const resource of ['memory', 'ephemeral-storage']) {
      for (const list of ['limits', 'requests'] as const) {
        if (resources?.[list] !== undefined) {
          warnOfFraction(found, resources[list], resource, path().child('resources', list))
        }
      }
    }
    warnOfHiddenVariables(found, container, path)
  })
}

function warnOfHiddenVariables(found: Warnings, { env }: Container, path: () => FieldPath): void {
  if (env === undefined || env.length < 2) return
  const noNames = () => new Set<string>()
  withEachItem(found, env, noNames, (seen, found, { name, value = '', valueFrom }, i) => {
    const reference = `$(${name})`
    const hides = valueFrom !== undefined || value === reference || !value.includes(reference)
    if (seen.has(name) && hides) {
      const why = `hides previous definition of ${quote(name)}, which may be dropped when using apply`
      found.push(`${path().child('env').index(i)}: ${why}`)
    }
    seen.add(name)
  })
}

function warnOfPorts(found: Warnings, spec: PodSpec, at: FieldPath): void {
  const count = portCount(spec)
  if (count > 0)
    pushAll(
      found,
      stepsOfRules(spec, count, () => portWarnings(spec, at)),
    )
}

function warnOfPodAffinity(found: Warnings, { affinity }: PodSpec, at: FieldPath): void {
  for (const name of ['podAffinity', 'podAntiAffinity'] as const) {
    const part = affinity?.[name]
    part?.requiredDuringSchedulingIgnoredDuringExecution?.forEach(({ labelSelector }, i) => {
      if (labelSelector !== undefined) return
      const itemAt = at.child(name, 'requiredDuringSchedulingIgnoredDuringExecution').index(i)
      found.push(matchesNothing(itemAt.child('labelSelector')))
    })
    part?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ podAffinityTerm }, i) => {
      if (podAffinityTerm.labelSelector !== undefined) return
      const itemAt = at.child(name, 'preferredDuringSchedulingIgnoredDuringExecution').index(i)
      found.push(matchesNothing(itemAt.child('podAffinityTerm', 'labelSelector')))
    })
  }
}
