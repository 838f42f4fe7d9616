/**
 * Ingress classes: a controller that never changes, and parameters in the cluster or in one namespace.
 * Mirrors pkg/apis/networking/validation: ValidateIngressClass, ValidateIngressClassUpdate.
 * Mirrors pkg/registry/networking/ingressclass: ingressClassStrategy.
 */

import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { checkLabelName, isLongerThan, validateDomainPrefixedPath } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { IngressClassParametersReference, IngressClassSpec } from '../../../../catalog/types/networking-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { addMessages, type Errors, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { validateBackendReference } from '../ingress/ingress.ts'

type IngressClass = KubeObject & { spec: IngressClassSpec }

const spec = FieldPath.of('spec')
const maxController = 250
const scopes = ['Cluster', 'Namespace']

export const ingressClassRules = (): KindRules<IngressClass> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
    generation: 'spec',
    validate: (object) => validate(object),
    validateUpdate: (object, old) => [
      ...(object.spec.controller === old.spec.controller
        ? []
        : [invalid(spec.child('controller'), object.spec.controller ?? '', immutableMessage)]),
      ...validate(object),
    ],
  },
})

function validate({ spec: { controller = '', parameters } }: IngressClass): FieldError[] {
  const at = spec.child('controller')
  const errors: Errors = isLongerThan(controller, maxController) ? [tooLong(at, maxController)] : []
  pushAll(errors, validateDomainPrefixedPath(at, controller))
  if (parameters !== undefined) validateParameters(errors, parameters, spec.child('parameters'))
  return errors
}

function validateParameters(errors: Errors, parameters: IngressClassParametersReference, at: FieldPath): void {
  validateBackendReference(errors, parameters, at)
  const { scope, namespace } = parameters
  if (scope === undefined || scope === null) errors.push(required(at.child('scope')))
  else if (!scopes.includes(scope)) errors.push(notSupported(at.child('scope'), scope, scopes))
  else if (scope === 'Cluster' && namespace !== undefined) {
    errors.push(forbidden(at.child('namespace'), "`parameters.scope` is set to 'Cluster'"))
  } else if (scope === 'Namespace' && namespace === undefined) {
    errors.push(required(at.child('namespace'), "`parameters.scope` is set to 'Namespace'"))
  } else if (namespace !== undefined) {
    addMessages(errors, at.child('namespace'), namespace, checkLabelName(namespace))
  }
}
