/**
 * How pods are written: the main endpoint and its parts `status`, `ephemeralcontainers` and `resize`.
 * Mirrors pkg/registry/core/pod: podStrategy, podStatusStrategy, podEphemeralContainersStrategy, podResizeStrategy.
 */

import { forbidden } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { warningsForIp } from '../../../api/ip-validation.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { PodObject } from '../../../catalog/pod-object.ts'
import type { Container, Pod, PodSpec, PodStatus } from '../../../catalog/types/core-v1.ts'
import { memoizeWith, SideTable } from '../../../lib/memo.ts'
import type { DeleteOptions } from '../../../registry/delete-options.ts'
import type { Strategy, WriteContext } from '../../../registry/strategy.ts'
import type { Errors } from '../../checks/checks.ts'
import { keepField } from '../../plain-rules.ts'
import { validateImagePadding } from './containers.ts'
import { withoutDisabledFields, withoutDisabledStatus } from './disabled-fields.ts'
import { internedSpec } from './interned-spec.ts'
import { withLabelKeys, withSpreadKeys } from './label-keys.ts'
import {
  mirrorAnnotation,
  validateAnnotationChanges,
  validatePodAnnotations,
  validateProfilesAgree,
} from './pod-annotations.ts'
import { withNewPodCondition } from './pod-conditions.ts'
import { type PodOptions, type PodPolicy, podOptions, withAffinityTerms, withMetadataOptions } from './pod-options.ts'
import { syncAppArmor } from './pod-profiles.ts'
import { resizeRefusal, validateResize } from './pod-resize.ts'
import { type PodIdentity, validateNodeName, validatePodSpec } from './pod-spec.ts'
import { validateStatus } from './pod-status.ts'
import { mirrorRefusal, validateEphemeralUpdate, validateSpecUpdate } from './pod-update.ts'
import { nameWarnings, podWarnings } from './pod-warnings.ts'
import { type QosClass, qosClassOf } from './qos.ts'
import { ValidationMemo } from './validation-memo.ts'

type PodStrategy = Strategy<PodObject>

const metadataPath = FieldPath.of('metadata')
const specPath = FieldPath.of('spec')

/** Specifications that stay as they are, and the same together with what an update may do to them. */
const goodSpecs = new ValidationMemo<PodSpec>('pod-spec')

/** Metadata as every pod rule checks it, and the specification. */
function validateWhole(errors: Errors, pod: PodObject, options: PodOptions, old?: PodObject): void {
  const { metadata, spec } = pod
  validatePodAnnotations(errors, metadata.annotations, spec, metadataPath.child('annotations'), options)
  const name = metadata.name ?? ''
  const isMirror = metadata.annotations?.[mirrorAnnotation] !== undefined
  const validate = (): void => validateOwnSpec(errors, pod, options, { name, isMirror })
  if (old?.spec === spec) goodSpecs.check(spec, [options, name, isMirror], { errors, validate })
  else if (old === undefined) validateNew(errors, spec, { options, name, isMirror }, validate)
  else validate()
}

interface NewPod {
  readonly options: PodOptions
  readonly name: string
  readonly isMirror: boolean
}

/** One like it may have been found good. The name matters to what is made for the pod under names of its own. */
function validateNew(errors: Errors, spec: PodSpec, pod: NewPod, validate: () => void): void {
  const shared = internedSpec(spec)
  if (shared === undefined) {
    validate()
    return
  }
  const isNamed = spec.resourceClaims !== undefined || spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined)
  const under = [pod.options, isNamed === true ? pod.name : '', pod.isMirror]
  const wasValid = goodSpecs.check(shared, under, { errors, validate })
  if (wasValid) validateNodeName(errors, spec, specPath)
}

function validateOwnSpec(errors: Errors, pod: PodObject, options: PodOptions, identity: PodIdentity): void {
  const { spec } = pod
  validatePodSpec(errors, spec, specPath, options, identity)
  if ((spec.serviceAccountName ?? '') === '') validateNoTokens(errors, pod)
  validatePadding(errors, spec.containers, 'containers')
  validatePadding(errors, spec.initContainers, 'initContainers')
}

function validatePadding(errors: Errors, containers: readonly Container[] | null | undefined, name: string): void {
  if (containers === null || containers === undefined) return
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i] as Container
    if (container.image?.trim() === container.image) continue
    validateImagePadding(errors, container, specPath.child(name).index(i))
  }
}

/** Tokens are of an account. */
function validateNoTokens(errors: Errors, { spec }: Pod): void {
  spec.volumes?.forEach(({ projected }, v) => {
    projected?.sources?.forEach(({ serviceAccountToken }, s) => {
      if (serviceAccountToken === undefined) return
      const at = specPath.child('volumes').index(v).child('projected', 'sources').index(s)
      errors.push(
        forbidden(at.child('serviceAccountToken'), 'must not be specified when serviceAccountName is not set'),
      )
    })
  })
}

/** The checks that all updates of the specification share. */
function validateUpdated(pod: PodObject, old: PodObject, options: PodOptions): Errors {
  const errors: Errors = []
  validateWhole(errors, pod, options, old)
  validateMetadataUpdate(errors, pod, old, options)
  return errors
}

function validateMetadataUpdate(errors: Errors, pod: PodObject, old: PodObject, options: PodOptions): void {
  const at = metadataPath.child('annotations')
  validateAnnotationChanges(errors, pod.metadata.annotations, old.metadata.annotations, at)
  validatePodAnnotations(errors, pod.metadata.annotations, pod.spec, at, options)
}

export function podStrategies(policy: PodPolicy): {
  readonly main: PodStrategy
  readonly parts: Readonly<Record<'status' | 'ephemeralcontainers' | 'resize', PodStrategy>>
} {
  // Without an old pod they depend on nothing but gates, which do not change.
  let forNew: PodOptions | undefined
  const forSame = new SideTable<PodSpec, PodOptions>()
  const optionsFor = (context: WriteContext, pod: PodObject, old?: PodObject): PodOptions => {
    if (old === undefined) {
      forNew ??= podOptions(policy, context, true)
      return forNew
    }
    if (pod.spec !== old.spec) return podOptions(policy, context, true, pod, old)
    const known = forSame.get(pod.spec)
    const options = known && withMetadataOptions(known, context, old)
    if (options !== undefined && options === known) return options
    const made = options ?? podOptions(policy, context, true, pod, old)
    forSame.set(pod.spec, made)
    return made
  }
  return {
    main: mainStrategy(optionsFor),
    parts: {
      status: statusStrategy(optionsFor),
      ephemeralcontainers: ephemeralStrategy(optionsFor),
      resize: resizeStrategy(optionsFor),
    },
  }
}

type OptionsFor = (context: WriteContext, pod: PodObject, old?: PodObject) => PodOptions

function mainStrategy(optionsFor: OptionsFor): PodStrategy {
  return {
    validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
    generation: 'spec',
    prepareForCreate(draft, { gate, now, warn }) {
      // Mirrors pkg/apis/core/helper/qos: GetPodQOS, which takes the class that is given.
      const { qosClass = '' } = draft.status ?? {}
      draft.spec = withoutDisabledFields(draft.spec, undefined, gate)
      draft.status = { phase: 'Pending' }
      if ((draft.spec.schedulingGates?.length ?? 0) > 0) draft.status.conditions = [gated(now)]
      draft.status.qosClass = qosClass || qosOfNew(draft.spec, gate('PodLevelResources'))
      applyLabelKeys(draft, gate)
      for (const warning of syncAppArmor(draft, gate('release:profilesAsFields'))) warn?.(warning)
    },
    validate(pod, context) {
      const options = optionsFor(context, pod)
      const errors: Errors = []
      validateWhole(errors, pod, options)
      const { spec, metadata } = pod
      if ((spec.ephemeralContainers?.length ?? 0) > 0) {
        errors.push(forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'))
      }
      if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates?.length ?? 0) > 0) {
        const why = 'cannot be set until all schedulingGates have been cleared'
        errors.push(forbidden(specPath.child('nodeName'), why))
      }
      validateProfilesAgree(errors, metadata.annotations, spec, specPath)
      return errors
    },
    warningsOnCreate(pod, { gate }) {
      return [...nameWarnings(pod.metadata.name ?? '', "the Pod's hostname"), ...podWarnings(pod, gate)]
    },
    prepareForUpdate(draft, old, { gate }) {
      keepField(draft, old, 'status')
      draft.spec = withoutDisabledFields(draft.spec, old.spec, gate)
    },
    validateUpdate(pod, old, context) {
      const options = optionsFor(context, pod, old)
      const errors = validateUpdated(pod, old, options)
      validateSpecUpdate(errors, pod.spec, old.spec, options)
      return errors
    },
    gracePeriodSeconds,
  }
}

const qosOfShared = memoizeWith('pod-qos', (spec: PodSpec, podLevelResources: boolean) =>
  qosClassOf(spec, podLevelResources),
)

function qosOfNew(spec: PodSpec, podLevelResources: boolean): QosClass {
  const shared = internedSpec(spec)
  return shared === undefined ? qosClassOf(spec, podLevelResources) : qosOfShared(shared, podLevelResources)
}

const gated = (now: number) =>
  withNewPodCondition(
    undefined,
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
    now,
  )[0] as NonNullable<Pod['status']['conditions']>[number]

/** Pods that are on no node, or that have ended, need no time to end. */
function gracePeriodSeconds(pod: PodObject, { gracePeriodSeconds: asked }: DeleteOptions): number {
  const { spec, status } = pod
  if ((spec.nodeName ?? '') === '' || status.phase === 'Failed' || status.phase === 'Succeeded') return 0
  const seconds = Number(asked ?? spec.terminationGracePeriodSeconds ?? 0)
  return seconds < 0 ? 1 : seconds
}

function applyLabelKeys(draft: PodObject, gate: WriteContext['gate']): void {
  const { labels = {} } = draft.metadata
  if (draft.spec.affinity !== undefined && gate('MatchLabelKeysInPodAffinity')) {
    draft.spec = withAffinityTerms(draft.spec, (term) => withLabelKeys(term, labels))
  }
  const merges = gate('MatchLabelKeysInPodTopologySpread') && gate('MatchLabelKeysInPodTopologySpreadSelectorMerge')
  if (draft.spec.topologySpreadConstraints !== undefined && merges) draft.spec = withSpreadKeys(draft.spec, labels)
}

function statusStrategy(optionsFor: OptionsFor): PodStrategy {
  return {
    prepareForUpdate(draft, old, { gate }) {
      keepField(draft, old, 'spec')
      delete draft.metadata.deletionTimestamp
      if (old.metadata.ownerReferences === undefined) delete draft.metadata.ownerReferences
      else draft.metadata.ownerReferences = old.metadata.ownerReferences
      let { status } = draft
      const { qosClass } = old.status
      if ((status.qosClass ?? '') === '' && qosClass !== undefined) status = { ...status, qosClass }
      status = withObservedGenerations(status, old.status)
      draft.status = withoutDisabledStatus(status, { oldSpec: old.spec, oldStatus: old.status, gate })
    },
    validateUpdate(pod, old, context) {
      const options = optionsFor(context, pod, old)
      const errors: Errors = []
      validateMetadataUpdate(errors, pod, old, options)
      validateStatus(errors, pod, old, options)
      return errors
    },
    warningsOnUpdate({ status }) {
      const warn = (ips: readonly { ip: string }[] | undefined, name: string): string[] =>
        (ips ?? []).flatMap(({ ip }, i) => [...warningsForIp(FieldPath.of('status', name).index(i).child('ip'), ip)])
      return [...warn(status.podIPs, 'podIPs'), ...warn(status.hostIPs, 'hostIPs')]
    },
  }
}

/** A report that leaves a generation out does not take it away. */
function withObservedGenerations(status: PodStatus, old: PodStatus): PodStatus {
  const { observedGeneration } = old
  const whole =
    status.observedGeneration === undefined && observedGeneration !== undefined
      ? { ...status, observedGeneration }
      : status
  const rest = [...(old.conditions ?? [])]
  if (rest.every((condition) => condition.observedGeneration === undefined)) return whole
  const conditions = status.conditions?.map((condition) => {
    const i = rest.findIndex(({ type }) => type === condition.type)
    const [before] = i < 0 ? [] : rest.splice(i, 1)
    if (condition.observedGeneration !== undefined || before?.observedGeneration === undefined) return condition
    return { ...condition, observedGeneration: before.observedGeneration }
  })
  const isSame = conditions === undefined || conditions.every((condition, i) => condition === status.conditions?.[i])
  return isSame ? whole : { ...whole, conditions }
}

const keptMetadata = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const

/** All of the pod but what the endpoint is for goes back to what it was. */
function keepPod(draft: PodObject, old: PodObject): void {
  draft.spec = { ...old.spec }
  keepField(draft, old, 'status')
  for (const name of keptMetadata)
    keepField(draft.metadata as unknown as KubeObject, old.metadata as unknown as KubeObject, name)
}

function ephemeralStrategy(optionsFor: OptionsFor): PodStrategy {
  return {
    validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
    generation: 'spec',
    prepareForUpdate(draft, old, { gate }) {
      const { ephemeralContainers } = draft.spec
      keepPod(draft, old)
      if (ephemeralContainers === undefined) delete draft.spec.ephemeralContainers
      else draft.spec.ephemeralContainers = ephemeralContainers
      draft.spec = withoutDisabledFields(draft.spec, old.spec, gate)
    },
    validateUpdate(pod, old, context) {
      const refused = mirrorRefusal(old, 'static pods do not support ephemeral containers')
      if (refused !== undefined) return refused
      const errors = validateUpdated(pod, old, optionsFor(context, pod, old))
      validateEphemeralUpdate(errors, pod, old)
      return errors
    },
  }
}

function resizeStrategy(optionsFor: OptionsFor): PodStrategy {
  return {
    validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
    generation: 'spec',
    prepareForUpdate(draft, old, { gate }) {
      const { containers, initContainers, resources } = draft.spec
      const sameCount =
        (containers ?? []).length === (old.spec.containers ?? []).length &&
        (initContainers ?? []).length === (old.spec.initContainers ?? []).length
      if (sameCount) {
        keepPod(draft, old)
        draft.spec.containers = resized(containers ?? [], old.spec.containers ?? [])
        if (initContainers !== undefined) {
          draft.spec.initContainers = resized(initContainers, old.spec.initContainers ?? [])
        }
        if (gate('InPlacePodLevelResourcesVerticalScaling')) {
          if (resources === undefined) delete draft.spec.resources
          else draft.spec.resources = resources
        }
      }
      draft.spec = withoutDisabledFields(draft.spec, old.spec, gate)
    },
    validateUpdate(pod, old, context) {
      const options = optionsFor(context, pod, old)
      const refused = resizeRefusal(pod, old, options)
      if (refused !== undefined) return refused
      const errors: Errors = []
      validateWhole(errors, pod, options)
      validateResize(errors, pod, old, options)
      return errors
    },
  }
}

/** The old containers with the new resources and resize policies; unless they are others, which validation refuses. */
function resized(containers: readonly Container[], old: readonly Container[]): Container[] {
  if (containers.some(({ name }, i) => name !== old[i]?.name)) return [...containers]
  return containers.map(({ resources, resizePolicy }, i) => {
    const { resizePolicy: _, ...before } = old[i] as Container
    return { ...before, resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) }
  })
}
