/**
 * Pod templates that stand alone.
 * Mirrors pkg/apis/core/validation: ValidatePodTemplate, ValidatePodTemplateUpdate.
 * Mirrors pkg/registry/core/podtemplate: podTemplateStrategy.
 */
import { FieldPath } from '../../../../api/field-path.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { PodTemplate } from '../../../../catalog/types/core-v1.ts'
import type { Errors } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { dropDisabledFields } from '../../pods/disabled-fields.ts'
import { templateOptions } from '../../pods/pod-options.ts'
import { validateTemplate } from '../../pods/pod-template.ts'
import { templateWarnings } from '../../pods/pod-warnings.ts'

type Stored = PodTemplate & KubeObject

const templatePath = FieldPath.of('template')

export function storedTemplateRules(services: KindServices): KindRules<Stored> {
  return {
    strategy: {
      generation: 'spec',
      prepareForCreate(draft, { gate }) {
        dropDisabledFields(draft, undefined, gate)
      },
      validate({ template }, context) {
        const errors: Errors = []
        validateTemplate(errors, template, templatePath, templateOptions(services, context, template))
        return errors
      },
      warningsOnCreate: ({ template }, { gate }) => templateWarnings(template, templatePath, gate),
      prepareForUpdate(draft, old, { gate }) {
        dropDisabledFields(draft, old, gate)
      },
      validateUpdate({ template }, old, context) {
        const errors: Errors = []
        validateTemplate(errors, template, templatePath, templateOptions(services, context, template, old.template))
        return errors
      },
      warningsOnUpdate({ metadata, template }, old, { gate }) {
        if (metadata.generation === old.metadata.generation) return []
        return templateWarnings(template, templatePath, gate)
      },
    },
    returnsDeleted: true,
  }
}
