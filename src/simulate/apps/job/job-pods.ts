/**
 * The pods of a Job: made from its template, for an index or not.
 * Mirrors pkg/controller/job: addCompletionIndexEnvVariables, addIndexFailureCountAnnotation, podGenerateNameWithIndex.
 */
import type { Job } from '../../../catalog/types/batch-v1.ts'
import type { Container, Pod } from '../../../catalog/types/core-v1.ts'
import { controllerReference } from '../../framework/owners.ts'
import { podFromTemplate } from '../../framework/pod-control.ts'
import {
  failureCountAnnotation,
  failuresOfIndex,
  ignoredCountAnnotation,
  indexAnnotation,
  isIndexed,
  trackingFinalizer,
} from './job-facts.ts'
import { counts, judgeFailure } from './job-policies.ts'

const indexVariable = 'JOB_COMPLETION_INDEX'
const maxGeneratedLength = 58

export interface IndexedPod {
  readonly index: number
  /** The failed pod whose place it takes; its failures are counted on. */
  readonly replaces: Pod | undefined
  readonly hasIndexLabel: boolean
}

export function jobPod(job: Job, indexed?: IndexedPod): Pod {
  const pod = podFromTemplate(job.spec.template, job, controllerReference(job, 'batch/v1', 'Job'))
  const finalizers = [...new Set([...(pod.metadata.finalizers ?? []), trackingFinalizer])]
  const tracked = { ...pod, metadata: { ...pod.metadata, finalizers } }
  return indexed === undefined || !isIndexed(job) ? tracked : withIndex(tracked, job, indexed)
}

function withIndex(pod: Pod, job: Job, { index, replaces, hasIndexLabel }: IndexedPod): Pod {
  const { name = '' } = job.metadata
  const { metadata, spec } = pod
  const text = String(index)
  const variable = (container: Container): Container => withVariable(container, hasIndexLabel)
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: generateName(name, `-${index}-`),
      annotations: { ...metadata.annotations, [indexAnnotation]: text, ...failureAnnotations(job, replaces) },
      labels: { ...metadata.labels, ...(hasIndexLabel ? { [indexAnnotation]: text } : {}) },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(variable) }),
      containers: (spec.containers ?? []).map(variable),
    },
  }
}

const generateName = (name: string, suffix: string): string =>
  name.length + suffix.length > maxGeneratedLength
    ? name.slice(0, maxGeneratedLength - suffix.length) + suffix
    : name + suffix

function withVariable(container: Container, hasIndexLabel: boolean): Container {
  if (container.env?.some(({ name }) => name === indexVariable)) return container
  const fieldPath = `metadata.${hasIndexLabel ? 'labels' : 'annotations'}['${indexAnnotation}']`
  return {
    ...container,
    env: [...(container.env ?? []), { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } }],
  }
}

function failureAnnotations(job: Job, replaces: Pod | undefined): Record<string, string> {
  if (job.spec.backoffLimitPerIndex === undefined) return {}
  const before = replaces === undefined ? { failed: 0, ignored: 0 } : failuresOfIndex(replaces)
  const isCounted = replaces !== undefined && counts(judgeFailure(job, replaces))
  const failed = before.failed + (isCounted ? 1 : 0)
  const ignored = before.ignored + (replaces !== undefined && !isCounted ? 1 : 0)
  return {
    [failureCountAnnotation]: String(failed),
    ...(ignored > 0 ? { [ignoredCountAnnotation]: String(ignored) } : {}),
  }
}
