/**
 * ValidatingAdmissionPolicyBinding and MutatingAdmissionPolicyBinding: which policy, with which parameters, for what.
 * Mirrors pkg/apis/admissionregistration/validation: ValidateValidatingAdmissionPolicyBinding,
 * ValidateValidatingAdmissionPolicyBindingUpdate, ValidateMutatingAdmissionPolicyBinding,
 * ValidateMutatingAdmissionPolicyBindingUpdate.
 * Mirrors pkg/registry/admissionregistration/validatingadmissionpolicybinding:
 * validatingAdmissionPolicyBindingStrategy.
 * Mirrors pkg/registry/admissionregistration/mutatingadmissionpolicybinding: mutatingAdmissionPolicyBindingStrategy.
 */

import { limitErrorsOf } from '../../../../api/error-limit.ts'
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import { checkPathSegmentName, checkSubdomainName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { rulesInSteps } from '../../../../api/rules-in-steps.ts'
import { invalid as invalidObject } from '../../../../api/status-error.ts'
import { goStructs, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicyBindingSpec,
} from '../../../../catalog/types/admissionregistration-v1.ts'
import type { Awaitable } from '../../../../lib/awaitable.ts'
import { inTurns, type Steps } from '../../../../lib/in-turns.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { validateMatchResources, validateMutatingOperations } from '../match-rules.ts'
import { paramRefErrors } from '../param-access.ts'
import { withStaticNames } from '../static-names.ts'

type Spec = ValidatingAdmissionPolicyBindingSpec
type Binding = KubeObject & { spec: Spec }

const group = 'admissionregistration.k8s.io'
const specPath = FieldPath.of('spec')
const actions = ['Audit', 'Deny', 'Warn']
const notFoundActions = ['Deny', 'Allow']

function validateParamRef(ref: ParamRef | undefined, at: FieldPath): FieldError[] {
  if (ref === undefined) return []
  const { name = '', selector, parameterNotFoundAction: action = '' } = ref
  const errors: FieldError[] = []
  const both = name !== '' && selector !== undefined
  const exclusive = 'name and selector are mutually exclusive'
  if (name !== '')
    for (const message of checkPathSegmentName(name)) errors.push(invalid(at.child('name'), name, message))
  if (both) errors.push(forbidden(at.child('name'), exclusive))
  pushAll(errors, validateLabelSelector(selector, at.child('selector')))
  if (both) errors.push(forbidden(at.child('selector'), exclusive))
  if (name === '' && selector === undefined) {
    errors.push(required(at, 'one of name or selector must be specified'))
  }
  const actionAt = at.child('parameterNotFoundAction')
  if (action === '') errors.push(required(actionAt))
  else if (!notFoundActions.includes(action)) errors.push(notSupported(actionAt, action, notFoundActions))
  return errors
}

function validateActions(given: readonly string[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  given.forEach((action, i) => {
    if (!actions.includes(action)) errors.push(notSupported(at.index(i), action, actions))
    if (seen.has(action)) errors.push(duplicate(at.index(i), action))
    seen.add(action)
  })
  if (seen.has('Deny') && seen.has('Warn')) {
    const shown = goStructs('admissionregistration.ValidationAction', given, podSyntaxText)
    const why =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'
    errors.push(invalidAs(at, () => shown, why))
  }
  if (seen.size === 0) errors.push(required(at, 'at least one validation action is required'))
  return errors
}

function* validateCommon({ policyName = '', paramRef, matchResources }: Spec): Steps<FieldError[]> {
  const nameAt = specPath.child('policyName')
  return [
    ...(policyName === ''
      ? [required(nameAt)]
      : checkSubdomainName(policyName).map((message) => invalid(nameAt, policyName, message))),
    ...(yield* rulesInSteps(() => validateParamRef(paramRef, specPath.child('paramRef')))),
    ...(yield* validateMatchResources(matchResources, specPath.child('matchResources'))),
  ]
}

function* validateValidating(spec: Spec): Steps<FieldError[]> {
  const common = yield* validateCommon(spec)
  return [...common, ...validateActions(spec.validationActions ?? [], specPath.child('validationActions'))]
}

function* validateMutating(spec: Spec): Steps<FieldError[]> {
  const common = yield* validateCommon(spec)
  return [...common, ...validateMutatingOperations(spec.matchResources, specPath.child('matchResources'))]
}

interface BindingKind {
  readonly kind: string
  readonly policies: string
  readonly validateSpec: (spec: Spec) => Steps<FieldError[]>
}

function bindingRules(services: KindServices, { kind, policies, validateSpec }: BindingKind): KindRules<Binding> {
  const errorsOf = ({ spec }: Binding): Awaitable<FieldError[]> => inTurns(limitErrorsOf(validateSpec(spec)))
  const checkParams = async (draft: Binding, context: WriteContext): Promise<undefined> => {
    const { paramRef, policyName = '' } = draft.spec
    if (paramRef === undefined || (await errorsOf(draft)).length > 0) return undefined
    const known = (await services.objects(group, policies)).get('', policyName)
    const policy =
      known === undefined ? undefined : { paramKind: (known['spec'] as { paramKind?: ParamKind })?.paramKind }
    const errors = await paramRefErrors(services, context.user, { policyName, paramRef, policy })
    if (errors.length > 0) throw invalidObject({ group, kind }, draft.metadata.name ?? '', errors)
    return undefined
  }
  return {
    strategy: withStaticNames<Binding>({
      validateMetadata: (metadata) => metadata.validate({ anyFinalizer: true }),
      validateMetadataUpdate: (metadata) => metadata.validate({ anyFinalizer: true }),
      generation: 'spec',
      beginCreate: (draft, context) => (draft.spec.paramRef === undefined ? undefined : checkParams(draft, context)),
      beginUpdate: (draft, old, context) =>
        draft.spec.paramRef === undefined || sameParams(draft.spec, old.spec) ? undefined : checkParams(draft, context),
      validateInTurns: errorsOf,
    }),
  }
}

/** The reference compares what is a pointer by its address: with a selector or an action, no two references are the same. */
const sameParams = (a: Spec, b: Spec): boolean =>
  a.policyName === b.policyName && isPlain(a.paramRef) && isPlain(b.paramRef) && equalSemantic(a.paramRef, b.paramRef)

const isPlain = (paramRef: ParamRef | undefined): boolean =>
  paramRef?.selector === undefined && paramRef?.parameterNotFoundAction === undefined

export const validatingPolicyBindingRules = (services: KindServices): KindRules<Binding> =>
  bindingRules(services, {
    kind: 'ValidatingAdmissionPolicyBinding',
    policies: 'validatingadmissionpolicies',
    validateSpec: validateValidating,
  })

export const mutatingPolicyBindingRules = (services: KindServices): KindRules<Binding> =>
  bindingRules(services, {
    kind: 'MutatingAdmissionPolicyBinding',
    policies: 'mutatingadmissionpolicies',
    validateSpec: validateMutating,
  })
