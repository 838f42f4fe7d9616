/**
 * Templates of pods, as every workload has one.
 * Mirrors pkg/apis/core/validation: ValidatePodTemplateSpec.
 */

import { forbidden } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { PodTemplateSpec } from '../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { validateAnnotations } from '../../../registry/object-meta.ts'
import { checkLabels, type Errors } from '../../checks/checks.ts'
import { validatePodAnnotations, validateProfilesAgree } from './pod-annotations.ts'
import type { PodOptions } from './pod-options.ts'
import { validatePodSpec } from './pod-spec.ts'

export function validateTemplate(errors: Errors, template: PodTemplateSpec, at: FieldPath, options: PodOptions): void {
  validateTemplateMeta(errors, template, at, options)
  const { spec, metadata } = template
  validatePodSpec(errors, spec, at.child('spec'), options)
  validateProfilesAgree(errors, metadata.annotations, spec, at.child('spec'))
  if ((spec.ephemeralContainers?.length ?? 0) > 0) {
    const why = 'ephemeral containers not allowed in pod template'
    errors.push(forbidden(at.child('spec', 'ephemeralContainers'), why))
  }
}

/** The labels and annotations alone; they are reported without the step through metadata. */
export function validateTemplateMeta(
  errors: Errors,
  { metadata, spec }: PodTemplateSpec,
  at: FieldPath,
  options: PodOptions,
): void {
  checkLabels(errors, metadata.labels, at.child('labels'))
  if (metadata.annotations === undefined) return
  pushAll(errors, validateAnnotations(metadata.annotations, at.child('annotations')))
  validatePodAnnotations(errors, metadata.annotations, spec, at.child('annotations'), options)
}
