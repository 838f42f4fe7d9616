/** Pod specs in the shape of the reference's internal type. */

import type { RenderedValue } from '../../api/golang/literal.ts'
import type { PodSpec, PodTemplateSpec } from '../types/core-v1.ts'
import { goDiff } from './diff-report.ts'
import { goDump } from './dump.ts'

/** What the versioned type has beside the security context, and the internal one inside. */
const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'] as const

function internalPodSpec(spec: PodSpec): object {
  const moved: Record<string, unknown> = {}
  for (const name of hostFields) if (spec[name] !== undefined) moved[name] = spec[name]
  return { ...spec, securityContext: { ...spec.securityContext, ...moved } }
}

export const podSpecDiff = (before: PodSpec, after: PodSpec, release: number): string =>
  goDiff('core.PodSpec', { before: internalPodSpec(before), after: internalPodSpec(after) }, release)

export const podTemplateDump = (template: PodTemplateSpec): RenderedValue =>
  goDump('core.PodTemplateSpec', { ...template, spec: internalPodSpec(template.spec) })
