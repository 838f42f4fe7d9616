/**
 * ValidatingAdmissionPolicy: every binding of every policy that matches is evaluated; the first denial is the answer.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/policy/validating: dispatcher, validator.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { goJson } from '../../api/golang/json-text.ts'
import type { KubeObject } from '../../api/object.ts'
import { RUNTIME_BUDGET } from '../../cel/budgets.ts'
import type { Activation } from '../../cel/program.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import type { PolicyManifests } from '../manifests/policy-manifests.ts'
import type { StaticSet } from '../manifests/static-set.ts'
import {
  ConditionContext,
  type ConditionOwner,
  type ConditionResult,
  judgeConditions,
} from '../matching/match-conditions.ts'
import type { EquivalentForms, ServedForm } from '../matching/rules.ts'
import type { AdmissionObserver, PolicyCheck } from '../observer.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { sharedObjects } from '../webhook/review.ts'
import { CompiledPolicy, type CompiledValidation } from './compiled-validations.ts'
import { type Denial, denialError, denialText } from './denial.ts'
import { isUnderPolicy, isUnderStaticPolicy } from './exempt-resources.ts'
import { type CompiledExpression, conditionActivation, outOfBudget, PolicyRun } from './expressions.ts'
import { ConfigurationError, collectParams, type FindParamKind, paramKindProblem } from './params.ts'
import { policyActivation, withoutAuthorizer } from './policy-activation.ts'
import { type MatchedPolicy, PolicyIndex } from './policy-index.ts'
import type { Policy, PolicyBinding } from './policy-objects.ts'

export interface PolicyDependencies {
  readonly cluster: Cluster
  readonly forms: EquivalentForms
  readonly findParamKind: FindParamKind
  /** Policies of files, where any are read. */
  readonly statics?: StaticSet<PolicyManifests> | undefined
  /** Absent: not counted. */
  readonly observer?: AdmissionObserver | undefined
}

export function validatingPolicies(dependencies: PolicyDependencies): AdmissionPlugin {
  const index = new PolicyIndex<CompiledPolicy>({
    cluster: dependencies.cluster,
    forms: dependencies.forms,
    statics: dependencies.statics,
    policies: 'validatingadmissionpolicies',
    bindings: 'validatingadmissionpolicybindings',
    compile: (policy) => {
      const begin = performance.now()
      const compiled = new CompiledPolicy(policy)
      dependencies.observer?.compiled((performance.now() - begin) / 1000)
      return compiled
    },
  })
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: dependencies.statics === undefined ? isUnderPolicy : isUnderStaticPolicy,
    validate: (request) =>
      whenReady(index.matching(request), (matched) =>
        matched.length === 0 ? undefined : new Evaluation(dependencies, request).run(matched),
      ),
  }
}

class Evaluation {
  readonly #dependencies: PolicyDependencies
  readonly #request: AdmissionRequest
  readonly #context = new ConditionContext()
  readonly #denials: Denial[] = []
  readonly #facts = new Map<string, Activation>()
  readonly #judged = new Map<CompiledPolicy, ConditionResult>()
  #isFailureNoted = false
  /** When the evaluation of the present binding began. */
  #began = 0

  constructor(dependencies: PolicyDependencies, request: AdmissionRequest) {
    this.#dependencies = dependencies
    this.#request = request
  }

  async run(matched: readonly MatchedPolicy<CompiledPolicy>[]): Promise<void> {
    for (const each of matched) {
      const passedOver = this.#isPassedOver(each)
      if (!(typeof passedOver === 'boolean' ? passedOver : await passedOver)) await this.#policy(each)
    }
    const [first] = this.#denials
    if (first === undefined) return
    this.#dependencies.observer?.denied?.(this.#denials.map(denialText))
    throw denialError(this.#request, first)
  }

  /** Most policies that are passed over are so by conditions about the request alone: these are judged once. */
  #isPassedOver({ policy, compiled, form, bindings }: MatchedPolicy<CompiledPolicy>): Awaitable<boolean> {
    const { conditions, areConditionsCommon } = compiled.expressions
    if (conditions.length === 0 || !areConditionsCommon) return false
    const { observer } = this.#dependencies
    if (observer !== undefined) this.#began = performance.now()
    const conclude = (outcome: ConditionResult): boolean => {
      this.#judged.set(compiled, outcome)
      if (!('matches' in outcome) || outcome.matches) return false
      if (observer !== undefined) for (const _ of bindings) observer.evaluated(this.#seconds())
      return true
    }
    return whenReady(this.#factsIn(form), (facts) =>
      whenReady(
        judgeConditions(
          conditions,
          conditionActivation(compiled.expressions, facts, this.#context),
          this.#context,
          this.#conditionOwner(policy),
        ),
        conclude,
      ),
    )
  }

  async #policy({ policy, compiled, form, bindings }: MatchedPolicy<CompiledPolicy>): Promise<void> {
    const problem = await paramKindProblem(policy.spec, this.#dependencies.findParamKind)
    if (problem !== undefined) {
      if (!compiled.failOpen) this.#denials.push({ message: problem, reason: 'Invalid', policy, binding: undefined })
      return
    }
    const annotations = new Map<string, Set<string>>()
    for (const binding of bindings) {
      try {
        await this.#binding({ policy, compiled, binding, annotations }, form)
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error
        if (compiled.failOpen) continue
        const message = `failed to configure binding: ${error.message}`
        this.#denials.push({ message, reason: 'Invalid', policy, binding })
      }
    }
    for (const [key, values] of annotations) {
      this.#request.annotate(`${policy.metadata.name}/${key}`, [...values].join(', '))
    }
  }

  async #binding(bound: Bound, form: ServedForm): Promise<void> {
    const { policy, binding } = bound
    const { findParamKind } = this.#dependencies
    const source = { find: findParamKind, type: 'validating' } as const
    const allParams = await collectParams(policy.spec, binding.spec.paramRef, this.#request, source)
    const facts = await this.#factsIn(form)
    for (const params of allParams) await this.#evaluate(bound, { ...facts, params })
  }

  /** What all policies see of the request in one form. */
  #factsIn(form: ServedForm): Awaitable<Activation> {
    const key = `${form.kind.group}/${form.kind.version}/${form.kind.kind}`
    const known = this.#facts.get(key)
    if (known !== undefined) return known
    return this.#makeFacts(form).then((facts) => {
      this.#facts.set(key, facts)
      return facts
    })
  }

  async #makeFacts(form: ServedForm): Promise<Activation> {
    const { cluster } = this.#dependencies
    const objects = await sharedObjects(this.#request, form)
    const namespace: KubeObject | undefined =
      this.#request.namespace === '' ? undefined : await cluster.namespace(this.#request.namespace)
    return policyActivation(cluster, this.#request, { form, objects, namespace, params: null })
  }

  async #evaluate(bound: Bound, activation: Activation): Promise<void> {
    this.#began = performance.now()
    await this.#evaluateAll(bound, activation)
    this.#dependencies.observer?.evaluated(this.#seconds())
  }

  #conditionOwner({ metadata }: KubeObject): ConditionOwner {
    const { operation } = this.#request
    return {
      observer: this.#dependencies.observer,
      name: metadata.name ?? '',
      kind: 'policy',
      type: 'validate',
      operation,
    }
  }

  #seconds(): number {
    return (performance.now() - this.#began) / 1000
  }

  async #evaluateAll(bound: Bound, activation: Activation): Promise<void> {
    const { expressions } = bound.compiled
    const context = this.#context
    const seen = (): Activation => conditionActivation(expressions, activation, context)
    const matched =
      this.#judged.get(bound.compiled) ??
      (await judgeConditions(expressions.conditions, seen(), context, this.#conditionOwner(bound.policy)))
    if ('error' in matched) {
      this.#failed(bound, matched.error, 0)
      return
    }
    if (!matched.matches) return
    const decisions = await this.#decide(bound, activation)
    const annotations = decisions && (await this.#annotations(bound, withoutAuthorizer(activation)))
    if (annotations === undefined) {
      this.#failed(bound, outOfBudget, 0)
      return
    }
    for (const [i, decision] of decisions!.entries()) {
      if ('error' in decision) this.#failed(bound, decision.error, i)
      else if (decision.denial !== undefined) this.#act(bound, { ...decision.denial, error: 'no_error' }, i)
    }
    for (const { key, result } of annotations) this.#annotate(bound, key, result)
  }

  /** One for each validation, or undefined when all of them together cost too much. */
  async #decide({ compiled }: Bound, activation: Activation): Promise<Decision[] | undefined> {
    const context = this.#context
    const run = new PolicyRun(compiled.expressions, activation, { context, budget: RUNTIME_BUDGET })
    const outcomes: Outcome[] = []
    for (const { program, expression } of compiled.validations) {
      outcomes.push(await run.evaluate(program, expression))
      if (run.isOutOfBudget) return undefined
    }
    // Messages are all made, and from the same budget; they cannot ask an authorizer, not even through a variable.
    const messages: string[] = []
    const speaking = new PolicyRun(compiled.expressions, withoutAuthorizer(activation), {
      context,
      budget: run.remaining,
    })
    for (const validation of compiled.validations) {
      messages.push(await evaluatedMessage(validation, speaking))
      if (speaking.isOutOfBudget) break
    }
    return outcomes.map((outcome, i): Decision => {
      if ('error' in outcome) return outcome
      if (speaking.isOutOfBudget) return { error: `failed messageExpression: ${outOfBudget}` }
      if (outcome.value === true) return { denial: undefined }
      const { message, expression, reason } = compiled.validations[i]!
      return { denial: { message: messages[i] || message || `failed expression: ${expression.trim()}`, reason } }
    })
  }

  /** Undefined when they cost too much; they have a budget of their own. */
  async #annotations(
    { compiled }: Bound,
    activation: Activation,
  ): Promise<readonly { readonly key: string; readonly result: Outcome }[] | undefined> {
    const run = new PolicyRun(compiled.expressions, activation, { context: this.#context, budget: RUNTIME_BUDGET })
    const results: { key: string; result: Outcome }[] = []
    for (const { key, program, expression } of compiled.auditAnnotations) {
      results.push({ key, result: await run.evaluate(program, expression) })
      if (run.isOutOfBudget) return undefined
    }
    return results
  }

  /** An error denies unless the policy ignores errors. */
  #failed(bound: Bound, message: string, index: number): void {
    const error = errorSort(bound.compiled.validations[index]?.program, message)
    if (bound.compiled.failOpen) this.#observe(bound, 'allow', error)
    else this.#act(bound, { message, reason: 'Invalid', error }, index)
  }

  #observe({ policy, binding }: Bound, action: PolicyCheck['action'], error: PolicyCheck['error']): void {
    this.#dependencies.observer?.policyChecked({
      policy: policy.metadata.name ?? '',
      binding: binding.metadata.name ?? '',
      action,
      error,
      seconds: this.#seconds(),
    })
  }

  #act(bound: Bound, { message, reason, error }: Failure, index: number): void {
    const { policy, binding } = bound
    const [policyName, bindingName] = [policy.metadata.name ?? '', binding.metadata.name ?? '']
    const validationActions = binding.spec.validationActions ?? []
    for (const action of validationActions) {
      this.#observe(bound, action.toLowerCase() as PolicyCheck['action'], error)
      if (action === 'Deny') this.#denials.push({ message, reason, policy, binding })
      else if (action === 'Warn') {
        this.#request.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${message}`,
        )
      } else if (action === 'Audit') {
        const value = { message, policy: policyName, binding: bindingName, expressionIndex: index, validationActions }
        this.#noteFailure(goJson([value]))
      }
    }
  }

  /** An annotation is set once: the first failure wins. */
  #noteFailure(value: string): void {
    if (this.#isFailureNoted) return
    this.#isFailureNoted = true
    this.#request.annotate('validation.policy.admission.k8s.io/validation_failure', value)
  }

  #annotate({ policy, binding, compiled, annotations }: Bound, key: string, result: Outcome): void {
    if ('error' in result) {
      if (compiled.failOpen) return
      this.#denials.push({ message: result.error, reason: 'Invalid', policy, binding })
    } else if (typeof result.value === 'string' && result.value.trim() !== '') {
      const value = Buffer.from(result.value.trim()).subarray(0, maxAnnotationBytes).toString('utf8')
      annotations.set(key, (annotations.get(key) ?? new Set()).add(value))
    }
  }
}

type Outcome = { readonly value: unknown } | { readonly error: string }

/** What becomes of a validation: it holds, it does not, or it could not be evaluated. */
type Decision =
  | { readonly error: string }
  | { readonly denial: { readonly message: string; readonly reason: string } | undefined }

interface Failure {
  readonly message: string
  readonly reason: string
  readonly error: PolicyCheck['error']
}

function errorSort(program: CompiledExpression | undefined, message: string): PolicyCheck['error'] {
  if (message.includes(outOfBudget)) return 'out_of_budget'
  return program !== undefined && 'compileError' in program ? 'compile_error' : 'invalid_error'
}

interface Bound {
  readonly policy: Policy
  readonly compiled: CompiledPolicy
  readonly binding: PolicyBinding
  readonly annotations: Map<string, Set<string>>
}

const maxAnnotationBytes = 10 * 1024
const maxMessageBytes = 5 * 1024

/** Empty when there is none that can be shown. */
async function evaluatedMessage(
  { messageProgram, messageExpression }: CompiledValidation,
  run: PolicyRun,
): Promise<string> {
  if (messageProgram === undefined) return ''
  const result = await run.evaluate(messageProgram, messageExpression)
  const text = 'value' in result && typeof result.value === 'string' ? result.value.trim() : ''
  return Buffer.byteLength(text) > maxMessageBytes || text.includes('\n') ? '' : text
}
