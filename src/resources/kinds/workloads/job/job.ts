/**
 * Jobs: a selector that the server makes, a template that hardly ever changes.
 * Mirrors pkg/apis/batch/validation: ValidateJob, ValidateJobUpdate, ValidateJobSpecUpdate.
 * Mirrors pkg/registry/batch/job: jobStrategy.
 */

import { type FieldError, invalid, ofNamedText, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { equalSemantic, type JsonValue } from '../../../../api/json.ts'
import { validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import { checkDns1123Label, checkLabelValue } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goDump } from '../../../../catalog/golang/dump.ts'
import { podTemplateDump } from '../../../../catalog/golang/pod-spec.ts'
import { goNull, goSelector, goStringMap, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { Job, JobSpec } from '../../../../catalog/types/batch-v1.ts'
import type { Container, PodSpec, PodTemplateSpec } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { type Errors, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { dropDisabledFields } from '../../pods/disabled-fields.ts'
import { keepsInvalidValue, type PodOptions, templateOptions } from '../../pods/pod-options.ts'
import { nameWarnings, templateWarnings } from '../../pods/pod-warnings.ts'
import { readSelector, specPath } from '../workload-checks.ts'
import { validateJobSpec } from './job-spec.ts'
import { validateJobStatus } from './job-status.ts'

type JobObject = Job & KubeObject
type Gate = WriteContext['gate']

const podsStay =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning'
const nameLabels = ['job-name', 'batch.kubernetes.io/job-name']
const uidLabel = 'batch.kubernetes.io/controller-uid'
const uidLabels = ['controller-uid', uidLabel]

interface JobOptions {
  readonly pods: PodOptions
  /** The template has the labels with the project's prefix. */
  readonly prefixedLabels: boolean
  /** Where its pods may run can still change: it is held back and never started. */
  readonly mayBePlaced: boolean
  /** What its containers ask for can change: it is held back, and nothing of it runs. */
  readonly mayBeSized: boolean
}

/** What of the template can change depends on gates: whether the job never started, or whether nothing of it runs now. */
function mayChange(
  { spec, status }: JobObject,
  { gate }: WriteContext,
): Pick<JobOptions, 'mayBePlaced' | 'mayBeSized'> {
  const isHeld = spec.suspend === true
  const isNoted = status.conditions?.some(({ type, status: is }) => type === 'Suspended' && is === 'True') === true
  const isNew = gate('release:newJobsRest') && status.startTime === undefined
  const rests = (isNoted || isNew) && (status.active ?? 0) === 0
  const mayBePlaced = gate('MutableSchedulingDirectivesForSuspendedJobs') ? rests : status.startTime === undefined
  return {
    mayBePlaced: isHeld && mayBePlaced,
    mayBeSized: isHeld && rests && gate('MutablePodResourcesForSuspendedJobs'),
  }
}

export function jobRules(services: KindServices): KindRules<JobObject> {
  const optionsFor = (context: WriteContext, job: JobObject, old?: JobObject): JobOptions => {
    const pods = templateOptions(services, context, job.spec.template, old?.spec.template)
    if (old === undefined) return { pods, prefixedLabels: true, mayBePlaced: false, mayBeSized: false }
    const labels = old.spec.template.metadata.labels ?? {}
    return {
      pods: { ...pods, anyAffinityValue: pods.anyAffinityValue || keepsInvalidValue(old.spec.selector) },
      prefixedLabels: labels['batch.kubernetes.io/job-name'] !== undefined && labels[uidLabel] !== undefined,
      ...mayChange(old, context),
    }
  }
  return {
    strategy: withStatus<JobObject>({
      validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
      generation: 'spec',
      prepareForCreate(draft, { gate }) {
        if (draft.spec.manualSelector !== true) generateSelector(draft)
        dropDisabled(draft.spec, undefined, gate)
        fillLabels(draft)
      },
      validate(job, context) {
        const errors: Errors = []
        validateJob(errors, job, optionsFor(context, job))
        return errors
      },
      warningsOnCreate({ metadata, spec }, { gate }) {
        return [...nameWarnings(metadata.name ?? '', 'Pod names and hostnames'), ...jobWarnings(spec, specPath, gate)]
      },
      prepareForUpdate(draft, old, { gate }) {
        dropDisabled(draft.spec, old.spec, gate)
      },
      validateUpdate(job, old, context) {
        const options = optionsFor(context, job, old)
        const errors: Errors = []
        validateJob(errors, job, options)
        validateWholeSpec(errors, job.spec, options.pods)
        validateChanges(errors, job.spec, old.spec, options)
        return errors
      },
      warningsOnDelete({ propagationPolicy, orphanDependents }) {
        return propagationPolicy === undefined && orphanDependents === undefined ? [podsStay] : []
      },
      warningsOnUpdate(job, old, { gate }) {
        if (job.metadata.generation === old.metadata.generation) return []
        return jobWarnings(job.spec, specPath, gate)
      },
    }),
    parts: {
      status: statusOnly<JobObject>({
        validateUpdate(job, old, { gate }) {
          const errors: Errors = []
          validateJobStatus(errors, job, old, gate)
          return errors
        },
      }),
    },
    fields: { 'status.successful': ({ status }) => String((status as Job['status'] | undefined)?.succeeded ?? 0) },
  }
}

/** A job without labels has those of its pods; a read would fill them in, so that they are there from the start. */
function fillLabels({ metadata, spec }: JobObject): void {
  const { labels } = spec.template.metadata
  // Labels that no label can have are refused where they were meant for, and only there.
  if (metadata.labels !== undefined || labels === undefined || checkLabelValue(metadata.name ?? '').length > 0) return
  metadata.labels = { ...labels }
}

/** Labels that distinguish this job's pods from all others, and a selector of them. */
function generateSelector(job: JobObject): void {
  const { name = '', uid = '' } = job.metadata
  const { template } = job.spec
  // Labels that were filled in from the template's go on being the same.
  const isShared = job.metadata.labels !== undefined && job.metadata.labels === template.metadata.labels
  const labels: Record<string, string> = { ...template.metadata.labels }
  for (const key of nameLabels) labels[key] ??= name
  for (const key of uidLabels) labels[key] ??= uid
  job.spec.template = { ...template, metadata: { ...template.metadata, labels } }
  if (isShared) job.metadata.labels = { ...labels }
  const { selector = {} } = job.spec
  job.spec.selector = { ...selector, matchLabels: { [uidLabel]: uid, ...selector.matchLabels } }
}

function dropDisabled(spec: JobSpec, old: JobSpec | undefined, gate: Gate): void {
  if (old === undefined && !gate('JobManagedBy')) delete spec.managedBy
  if (!gate('JobSuccessPolicy') && old?.successPolicy === undefined) delete spec.successPolicy
  if (!gate('JobBackoffLimitPerIndex')) {
    if (old?.backoffLimitPerIndex === undefined) delete spec.backoffLimitPerIndex
    if (old?.maxFailedIndexes === undefined) delete spec.maxFailedIndexes
    if (old === undefined && spec.podFailurePolicy?.rules != null) {
      const rules = spec.podFailurePolicy.rules.filter(({ action }) => action !== 'FailIndex')
      spec.podFailurePolicy = { ...spec.podFailurePolicy, rules }
    }
  }
  if (!gate('JobPodReplacementPolicy') && old?.podReplacementPolicy === undefined) delete spec.podReplacementPolicy
  dropDisabledFields(spec, old, gate)
}

const tooManyToTrack =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail'

export function jobWarnings(spec: JobSpec, at: FieldPath, gate: Gate): string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec
  const huge = completionMode === 'Indexed' && completions > 100_000 && parallelism > 10_000
  return [...(huge ? [`${at}: ${tooManyToTrack}`] : []), ...templateWarnings(spec.template, at.child('template'), gate)]
}

function validateJob(errors: Errors, job: JobObject, options: JobOptions): void {
  validateGenerated(errors, job, options.prefixedLabels)
  validateWholeSpec(errors, job.spec, options.pods)
  const { completionMode, completions = 0 } = job.spec
  if (completionMode !== 'Indexed' || completions <= 0) return
  const { name = '' } = job.metadata
  const longest = `${name}-${completions - 1}`
  if (checkDns1123Label(longest).length === 0) return
  const why = `will not able to create pod with invalid DNS label: ${longest}`
  errors.push(invalid(FieldPath.of('metadata', 'name'), name, why))
}

/** Without a selector of the user's own, selector and labels are the generated ones. */
function validateGenerated(errors: Errors, { metadata, spec }: JobObject, prefixed: boolean): void {
  if (spec.manualSelector === true || spec.selector === undefined) return
  const { name = '', uid = '' } = metadata
  if (uid === '') errors.push(required(FieldPath.of('metadata', 'uid')))
  const expected: Record<string, string> = { 'controller-uid': uid, 'job-name': name }
  if (prefixed) Object.assign(expected, { [uidLabel]: uid, 'batch.kubernetes.io/job-name': name })
  for (const key of Object.keys(expected)) {
    const problem = labelProblem(spec.template, key, expected[key] ?? '')
    if (problem !== undefined) errors.push(problem)
  }
  if (readSelector(spec.selector)?.matches(expected) === false) {
    errors.push(invalidAs(specPath.child('selector'), () => goSelector(spec.selector), '`selector` not auto-generated'))
  }
}

function labelProblem({ metadata }: PodTemplateSpec, key: string, expected: string): FieldError | undefined {
  const at = specPath.child('template', 'metadata', 'labels').key(key)
  const value = metadata.labels?.[key]
  if (value === undefined) return required(at, `must be '${expected}'`)
  return value === expected ? undefined : invalidAs(at, () => goStringMap(metadata.labels), `must be '${expected}'`)
}

function validateWholeSpec(errors: Errors, spec: JobSpec, options: PodOptions): void {
  validateJobSpec(errors, spec, specPath, options)
  const selectorAt = specPath.child('selector')
  if (spec.selector === undefined) errors.push(required(selectorAt))
  else {
    const rules = { allowInvalidLabelValue: options.anyAffinityValue }
    pushAll(errors, validateLabelSelector(spec.selector, selectorAt, rules))
  }
  const { labels } = spec.template.metadata
  if (readSelector(spec.selector)?.matches(labels) === false) {
    const why = '`selector` does not match template `labels`'
    errors.push(invalidAs(specPath.child('template', 'metadata', 'labels'), () => goStringMap(labels), why))
  }
}

const equal = (a: unknown, b: unknown): boolean => equalSemantic(a, b)

/** Structs that messages show in Go's syntax. */
const printed: Readonly<Partial<Record<keyof JobSpec, (spec: JobSpec) => RenderedValue>>> = {
  template: ({ template }) => podTemplateDump(template),
  podFailurePolicy: ({ podFailurePolicy }) => goDump('batch.PodFailurePolicy', podFailurePolicy),
  successPolicy: ({ successPolicy }) => goDump('batch.SuccessPolicy', successPolicy),
}

function validateChanges(errors: Errors, spec: JobSpec, old: JobSpec, options: JobOptions): void {
  validateCompletions(errors, spec, old)
  const fixed = (name: keyof JobSpec, value: unknown, before: unknown): void => {
    if (equal(value, before)) return
    const at = specPath.child(name)
    const print = printed[name]
    if (name === 'selector') errors.push(invalidAs(at, () => goSelector(spec.selector), immutableMessage))
    else if (value !== undefined && print !== undefined) errors.push(invalidAs(at, () => print(spec), immutableMessage))
    else if (value === undefined) errors.push(invalidAs(at, () => goNull, immutableMessage))
    // All are pointers.
    else errors.push(ofNamedText(invalid(at, value as JsonValue, immutableMessage)))
  }
  fixed('selector', spec.selector, old.selector)
  const template = options.mayBePlaced ? placed(old.template, spec.template) : old.template
  if (options.mayBeSized) validateOnlySized(errors, spec.template.spec, template.spec)
  else fixed('template', spec.template, template)
  for (const name of [
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ] as const) {
    fixed(name, spec[name], old[name])
  }
}

/** Mirrors pkg/apis/batch/validation: validatePodResourceUpdatesOnly. */
function validateOnlySized(errors: Errors, spec: PodSpec, old: PodSpec): void {
  const sized = { ...old, ...sizedLists(spec, old) }
  if (equal(spec, sized)) return
  errors.push(invalidAs(specPath.child('template.spec'), () => goDump('core.PodSpec', spec), immutableMessage))
}

/** The old containers with what the new ones of their names ask for; as they were where there are more or less of them. */
function sizedLists(spec: PodSpec, old: PodSpec): Partial<Pick<PodSpec, 'containers' | 'initContainers'>> {
  const sized = (now: readonly Container[] = [], before: readonly Container[] = []): Container[] =>
    before.map((container, i) => {
      const other = now.length === before.length ? now[i] : undefined
      return other?.name === container.name ? withFields(container, other, ['resources']) : container
    })
  return {
    containers: sized(spec.containers ?? [], old.containers ?? []),
    ...(old.initContainers === undefined ? {} : { initContainers: sized(spec.initContainers, old.initContainers) }),
  }
}

/** Indexed jobs can be scaled, by both numbers at once. */
function validateCompletions(errors: Errors, spec: JobSpec, old: JobSpec): void {
  const at = specPath.child('completions')
  if (spec.completions === old.completions) return
  if (spec.completionMode !== 'Indexed') {
    if (spec.completions === undefined) errors.push(invalidAs(at, () => goNull, immutableMessage))
    else errors.push(invalid(at, spec.completions, immutableMessage))
  } else if (spec.completions !== undefined && spec.completions !== spec.parallelism) {
    errors.push(invalid(at, spec.completions, 'can only be modified in tandem with spec.parallelism'))
  }
}

/** The old template with what may change while nothing runs. */
function placed(old: PodTemplateSpec, template: PodTemplateSpec): PodTemplateSpec {
  const metadata = withFields(old.metadata, template.metadata, ['annotations', 'labels'])
  const spec = withFields(old.spec, template.spec, ['nodeSelector', 'tolerations', 'schedulingGates'])
  const { nodeAffinity: _, ...others } = old.spec.affinity ?? {}
  const { nodeAffinity } = template.spec.affinity ?? {}
  if (template.spec.affinity === undefined) {
    if (Object.keys(others).length === 0) delete spec.affinity
    else spec.affinity = others
  } else spec.affinity = nodeAffinity === undefined ? others : { nodeAffinity, ...others }
  return { metadata, spec }
}

function withFields<T extends object>(base: T, source: T, names: readonly (keyof T)[]): T {
  const copy = { ...base }
  for (const name of names) {
    if (source[name] === undefined) delete copy[name]
    else copy[name] = source[name]
  }
  return copy
}
