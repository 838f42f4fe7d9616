/**
 * The metrics that an autoscaler goes by: one source each, of the type that it says, with a target that the type can have.
 * Mirrors pkg/apis/autoscaling/validation: validateMetrics.
 */

import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  ofPlainText,
  required,
} from '../../../../api/field-error.ts'
import type { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import { goQuantity } from '../../../../api/golang/quantity.ts'
import { parseGroupVersion } from '../../../../api/group-version.ts'
import { checkDns1123Label, checkPathSegmentName, checkQualifiedName } from '../../../../api/names.ts'
import { Quantity } from '../../../../api/quantity.ts'
import { invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../../../../catalog/types/autoscaling-v2.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { validateContainerResourceName } from '../../pods/resource-requirements.ts'

const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']

/** The field of each type, in the order in which they are looked at. */
const sources = [
  ['Object', 'object'],
  ['External', 'external'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
] as const

export function validateMetrics(
  metrics: readonly MetricSpec[],
  at: FieldPath,
  { minReplicas, objects }: { readonly minReplicas: number | undefined; readonly objects: GroupRule },
): FieldError[] {
  const errors = metrics.flatMap((metric, i) => validateMetric(metric, at.index(i), objects))
  const fromOutside = metrics.some(({ type }) => type === 'Object' || type === 'External')
  if (minReplicas !== 0 || fromOutside) return errors
  const why = 'must specify at least one Object or External metric to support scaling to zero replicas'
  return [...errors, forbidden(at, why)]
}

function validateMetric(metric: MetricSpec, at: FieldPath, objects: GroupRule): FieldError[] {
  const { type } = metric
  const errors: FieldError[] = []
  if (type === '') errors.push(required(at.child('type'), 'must specify a metric source type'))
  if (!types.includes(type)) errors.push(notSupported(at.child('type'), type, types))
  const present = sources.map(([, field]) => field).filter((field) => metric[field] !== undefined)
  if (present[0] !== undefined) {
    const source = { field: present[0], objects }
    pushAll(errors, validateSource(metric, source, at.child(present[0])))
  }
  const expected = sources.find(([name]) => name === type)?.[1]
  if (expected === undefined) errors.push(notSupported(at.child('type'), type, types))
  else if (metric[expected] === undefined) {
    errors.push(required(at.child(expected), 'must populate information for the given metric source'))
  }
  if (present.length === 1) return errors
  const unexpected = present.filter((field) => field !== expected)
  return [
    ...errors,
    ...unexpected.map((field) => forbidden(at.child(field), 'must populate the given metric source only')),
  ]
}

interface SourceRule {
  readonly field: (typeof sources)[number][1]
  readonly objects: GroupRule
}

function validateSource(metric: MetricSpec, { field, objects }: SourceRule, at: FieldPath): FieldError[] {
  const source = metric[field]
  switch (field) {
    case 'object':
      return validateObject(source as ObjectMetricSource, at, objects)
    case 'external':
      return validateExternal(source as ExternalMetricSource, at)
    case 'pods':
      return validatePods(source as PodsMetricSource, at)
    case 'resource':
      return validateResource(source as ResourceMetricSource, at)
    case 'containerResource':
      return validateContainerResource(source as ContainerResourceMetricSource, at)
  }
}

/** Whether a reference may be of the core group, which is not named, or of no group at all. */
export type GroupRule = 'any' | 'core' | 'named'

export function validateReference(
  reference: CrossVersionObjectReference,
  at: FieldPath,
  groups: GroupRule,
): FieldError[] {
  const { kind, name, apiVersion = '' } = reference
  const part = (field: string, value: string): FieldError[] =>
    value === ''
      ? [required(at.child(field))]
      : checkPathSegmentName(value).map((message) => invalid(at.child(field), value, message))
  const problem = apiVersionProblem(reference, groups)
  const wrongVersion = problem === undefined ? [] : [invalid(at.child('apiVersion'), apiVersion, problem)]
  return [...part('kind', kind), ...part('name', name), ...wrongVersion]
}

export function apiVersionProblem(
  { apiVersion = '' }: CrossVersionObjectReference,
  groups: GroupRule,
): string | undefined {
  if (groups === 'any') return undefined
  const version = apiVersion === '' ? { group: '', version: '' } : parseGroupVersion(apiVersion)
  if (version === undefined) return `unexpected GroupVersion string: ${apiVersion}`
  return groups === 'named' && version.group === '' ? 'apiVersion must specify API group' : undefined
}

function validateObject(
  { describedObject, metric, target }: ObjectMetricSource,
  at: FieldPath,
  groups: GroupRule,
): FieldError[] {
  const none = target.value === undefined && target.averageValue === undefined
  return [
    ...validateReference(describedObject, at.child('describedObject'), groups),
    ...validateIdentifier(metric, at.child('metric')),
    ...validateTarget(target, at.child('target')),
    ...(none ? [required(at.child('target', 'averageValue'), 'must set either a target value or averageValue')] : []),
  ]
}

function validateExternal({ metric, target }: ExternalMetricSource, at: FieldPath): FieldError[] {
  const { value, averageValue } = target
  const errors = [...validateIdentifier(metric, at.child('metric')), ...validateTarget(target, at.child('target'))]
  if (value === undefined && averageValue === undefined) {
    const why = 'must set either a target value for metric or a per-pod target'
    errors.push(required(at.child('target', 'averageValue'), why))
  }
  if (value !== undefined && averageValue !== undefined) {
    const why = 'may not set both a target value for metric and a per-pod target'
    errors.push(forbidden(at.child('target', 'value'), why))
  }
  return errors
}

function validatePods({ metric, target }: PodsMetricSource, at: FieldPath): FieldError[] {
  const errors = [...validateIdentifier(metric, at.child('metric')), ...validateTarget(target, at.child('target'))]
  if (target.averageValue !== undefined) return errors
  return [...errors, required(at.child('target', 'averageValue'), 'must specify a positive target averageValue')]
}

function validateResource({ name, target }: ResourceMetricSource, at: FieldPath): FieldError[] {
  return [
    ...(name === '' ? [required(at.child('name'), 'must specify a resource name')] : []),
    ...validateUtilization(target, at.child('target')),
  ]
}

function validateContainerResource(source: ContainerResourceMetricSource, at: FieldPath): FieldError[] {
  const { name, container, target } = source
  const errors: FieldError[] = []
  if (name === '') errors.push(required(at.child('name'), 'must specify a resource name'))
  else validateResourceName(errors, name, at.child('name'))
  if (container === '') errors.push(required(at.child('container'), 'must specify a container'))
  else {
    for (const message of checkDns1123Label(container)) errors.push(invalid(at.child('container'), container, message))
  }
  return [...errors, ...validateUtilization(target, at.child('target'))]
}

/** As for containers, but what is wrong with it as a qualified name is reported of a quoted one. */
function validateResourceName(errors: FieldError[], name: string, at: FieldPath): void {
  const messages = checkQualifiedName(name)
  const found: FieldError[] = []
  validateContainerResourceName(found, name, at)
  pushAll(
    errors,
    messages.map((message) => ofPlainText(invalid(at, name, message))),
  )
  pushAll(errors, found.slice(messages.length))
}

function validateUtilization(target: MetricTarget, at: FieldPath): FieldError[] {
  const { averageUtilization, averageValue } = target
  const errors = validateTarget(target, at)
  if (averageUtilization === undefined && averageValue === undefined) {
    const why = 'must set either a target raw value or a target utilization'
    errors.push(required(at.child('averageUtilization'), why))
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    errors.push(forbidden(at.child('averageValue'), 'may not set both a target raw value and a target utilization'))
  }
  return errors
}

function validateTarget(target: MetricTarget, at: FieldPath): FieldError[] {
  const { type, value, averageValue, averageUtilization } = target
  const errors: FieldError[] = []
  if (type === '') errors.push(required(at.child('type'), 'must specify a metric target type'))
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    errors.push(invalid(at.child('type'), type, 'must be either Utilization, Value, or AverageValue'))
  }
  const positive = (field: string, text: string | undefined): void => {
    if (text === undefined || Quantity.parse(text).sign() > 0) return
    errors.push(
      invalidAs(at.child(field), () => goQuantity(text, { written: writingOf(target, field) }), 'must be positive'),
    )
  }
  positive('value', value)
  positive('averageValue', averageValue)
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(invalid(at.child('averageUtilization'), averageUtilization, 'must be greater than 0'))
  }
  return errors
}

function validateIdentifier({ name }: MetricIdentifier, at: FieldPath): FieldError[] {
  if (name === '') return [required(at.child('name'), 'must specify a metric name')]
  return checkPathSegmentName(name).map((message) => invalid(at.child('name'), name, message))
}
