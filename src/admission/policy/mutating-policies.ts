/**
 * MutatingAdmissionPolicy: expressions that change objects, as a configuration to merge or as a JSON patch. Policies
 * see what those before them made of the object, and those that ask for it get another look when it changed later.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/policy/mutating: dispatcher.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { ApiError, internalError } from '../../api/status-error.ts'
import { configurationOf } from '../../cel/apply-configuration.ts'
import { RUNTIME_BUDGET } from '../../cel/budgets.ts'
import { patchToJson } from '../../cel/mutation-types.ts'
import type { Activation } from '../../cel/program.ts'
import type { Value } from '../../cel/values.ts'
import { type Awaitable, whenReady } from '../../lib/awaitable.ts'
import { reasonOf } from '../../lib/fault.ts'
import { pushAll } from '../../lib/push-all.ts'
import { applyForeignPatch } from '../../patch/json-patch.ts'
import { denied } from '../denied.ts'
import { ConditionContext, judgeConditions } from '../matching/match-conditions.ts'
import type { ServedForm } from '../matching/rules.ts'
import type { MutationCheck } from '../observer.ts'
import type { EqualAdmitted } from '../patched-object.ts'
import type { AdmissionPlugin, Mutation, MutationPass } from '../plugin.ts'
import { type RestoreVersion, VersionedAttributes } from '../webhook/versioned-attributes.ts'
import { isUnderPolicy, isUnderStaticPolicy } from './exempt-resources.ts'
import {
  type CompiledExpression,
  conditionActivation,
  outOfBudget,
  PolicyExpressions,
  PolicyRun,
} from './expressions.ts'
import { ConfigurationError, collectParams, paramKindProblem } from './params.ts'
import { policyActivation } from './policy-activation.ts'
import { type MatchedPolicy, PolicyIndex } from './policy-index.ts'
import type { Policy, PolicyBinding } from './policy-objects.ts'
import type { PolicyDependencies } from './validating-policies.ts'

export interface MutatingPolicyDependencies extends PolicyDependencies {
  /** Reads an object that a patch made: typed, defaulted, in its own version. */
  readonly decode: (request: AdmissionRequest, object: JsonObject, sent: JsonObject) => Awaitable<KubeObject>
  readonly restoreVersion: RestoreVersion
  readonly equal: EqualAdmitted
  /** Merges a configuration into an object of its version, lists by their keys. Throws an Error that says why not. */
  readonly merge: (request: AdmissionRequest, object: KubeObject, configuration: JsonObject) => JsonObject
  /** Why a changed object cannot be brought into the version of the request by itself; undefined when it can. */
  readonly conversionProblem: (request: AdmissionRequest, object: KubeObject) => string | undefined
}

const name = 'MutatingAdmissionPolicy'

interface CompiledMutation {
  readonly expression: string
  readonly program: CompiledExpression
  readonly isPatch: boolean
}

class CompiledPolicy {
  readonly expressions: PolicyExpressions
  readonly mutations: readonly CompiledMutation[]
  readonly failOpen: boolean
  readonly reinvocable: boolean

  constructor({ spec }: Policy) {
    this.expressions = new PolicyExpressions(spec)
    this.failOpen = spec.failurePolicy === 'Ignore'
    this.reinvocable = spec.reinvocationPolicy === 'IfNeeded'
    this.mutations = (spec.mutations ?? []).map(({ jsonPatch, applyConfiguration }) => {
      const expression = (jsonPatch ?? applyConfiguration)?.expression ?? ''
      const program = this.expressions.compile(expression, { authorizer: true, patches: true })
      return { expression, program, isPatch: jsonPatch !== undefined }
    })
  }
}

/** What the first round leaves for the second. */
class Memory {
  readonly applied = new Set<string>()
  readonly again = new Set<string>()
  last: KubeObject | undefined

  onChange(): void {
    for (const id of this.applied) this.again.add(id)
    this.applied.clear()
  }
}

export function mutatingPolicies(dependencies: MutatingPolicyDependencies): AdmissionPlugin {
  const isOn = dependencies.cluster.gate('MutatingAdmissionPolicy')
  const index = new PolicyIndex<CompiledPolicy>({
    cluster: dependencies.cluster,
    forms: dependencies.forms,
    statics: dependencies.statics,
    policies: 'mutatingadmissionpolicies',
    bindings: 'mutatingadmissionpolicybindings',
    compile: (policy) => new CompiledPolicy(policy),
  })
  const isUnder = dependencies.statics === undefined ? isUnderPolicy : isUnderStaticPolicy
  return {
    name,
    handles: (shape) => isOn && shape.operation !== 'DELETE' && isUnder(shape),
    mutate: (request, pass) =>
      whenReady(
        index.matching(request),
        (matched): Awaitable<Mutation> =>
          matched.length === 0 ? undefined : new MutationRun(dependencies, { pass, request }).run(matched),
      ),
  }
}

interface Facts {
  readonly pass: MutationPass
  readonly request: AdmissionRequest
}

interface Bound {
  readonly policy: Policy
  readonly compiled: CompiledPolicy
  readonly binding: PolicyBinding
}

/** Without a binding it is the policy itself that fails. */
type Failing = Pick<Bound, 'policy' | 'compiled'> & { readonly binding?: PolicyBinding }

interface Invocation extends Bound {
  readonly form: ServedForm
  readonly params: KubeObject | null
}

interface PolicyFailure {
  readonly message: string
  readonly reason: string
}

class MutationRun {
  readonly #dependencies: MutatingPolicyDependencies
  readonly #pass: MutationPass
  readonly #first: AdmissionRequest
  readonly #memory: Memory
  readonly #context = new ConditionContext()
  readonly #errors: PolicyFailure[] = []
  readonly #attributes: VersionedAttributes

  constructor(dependencies: MutatingPolicyDependencies, { pass, request }: Facts) {
    this.#dependencies = dependencies
    this.#pass = pass
    this.#first = request
    this.#attributes = new VersionedAttributes(request, dependencies.restoreVersion)
    this.#memory = pass.remember(name, () => new Memory())
  }

  async run(matched: readonly MatchedPolicy<CompiledPolicy>[]): Promise<Mutation> {
    if (this.#pass.round > 0 && !(await this.#isSame(this.#memory.last, this.#first.object))) this.#memory.onChange()
    for (const invocation of await this.#invocations(matched)) await this.#invoke(invocation)
    // Whatever was patched counts as changed, by the last policy, too, and though it be the same: all that may are invoked once more.
    if (this.#attributes.isPatched) this.#repeat()
    const object = await this.#restored()
    this.#memory.last = object
    if (this.#errors.length > 0) throw policyError(this.#first, this.#errors)
    return object === this.#first.object ? undefined : object
  }

  async #restored(): Promise<KubeObject | undefined> {
    try {
      return await this.#attributes.restore()
    } catch (error) {
      throw internalError(`failed to convert object: ${(error as Error).message}`)
    }
  }

  /** Whom the request meets, and with which parameters, is settled before anything changes. */
  async #invocations(matched: readonly MatchedPolicy<CompiledPolicy>[]): Promise<Invocation[]> {
    const { findParamKind } = this.#dependencies
    const invocations: Invocation[] = []
    for (const { policy, compiled, form, bindings } of matched) {
      const problem = await paramKindProblem(policy.spec, findParamKind)
      if (problem !== undefined) {
        this.#fail({ policy, compiled }, problem, 'Forbidden')
        continue
      }
      for (const binding of bindings) {
        const bound = { policy, compiled, binding }
        try {
          const source = { find: findParamKind, type: 'mutating' } as const
          const all = await collectParams(policy.spec, binding.spec.paramRef, this.#first, source)
          pushAll(
            invocations,
            all.map((params) => ({ ...bound, form, params })),
          )
        } catch (error) {
          if (!(error instanceof ConfigurationError)) throw error
          this.#fail(bound, `failed to configure binding: ${error.message}`, 'Forbidden')
        }
      }
    }
    return invocations
  }

  #fail({ policy, binding, compiled }: Failing, why: string, reason = 'Invalid'): void {
    if (compiled.failOpen) return
    const { name: policyName = '' } = policy.metadata
    const by =
      binding === undefined ? JSON.stringify(policyName) : `'${policyName}' with binding '${binding.metadata.name}'`
    this.#errors.push({ message: `policy ${by} denied request: ${why}`, reason })
  }

  async #invoke(bound: Invocation): Promise<void> {
    const { policy, binding, compiled, form, params } = bound
    const id = [policy, binding, params]
      .map((each) => `${each?.metadata.namespace ?? ''}/${each?.metadata.name ?? ''}`)
      .join(' ')
    const { object: before } = await this.#attributes.objectsIn(form)
    const seen = conditionActivation(compiled.expressions, await this.#activation(bound), this.#context)
    const matched = await judgeConditions(compiled.expressions.conditions, seen, this.#context, {
      observer: this.#dependencies.observer,
      name: policy.metadata.name ?? '',
      kind: 'policy',
      type: 'validate',
      operation: this.#first.operation,
    })
    if ('error' in matched) return this.#fail(bound, matched.error)
    if (!matched.matches || (this.#pass.round > 0 && !this.#memory.again.has(id))) return
    for (const mutation of compiled.mutations) {
      if (before === undefined) break
      const started = performance.now()
      try {
        await this.#mutate(mutation, await this.#prepare(bound), form)
        this.#observe(bound, undefined, started)
      } catch (error) {
        this.#observe(bound, error, started)
        if (error instanceof ApiError) throw error
        this.#fail(bound, reasonOf(error))
      }
    }
    if (!(await this.#isSame(before, (await this.#attributes.objectsIn(form)).object))) this.#repeat()
    if (compiled.reinvocable) this.#memory.applied.add(id)
  }

  #isSame(a: KubeObject | undefined, b: KubeObject | undefined): Awaitable<boolean> {
    return this.#dependencies.equal(this.#first, a, b)
  }

  #observe({ policy, binding }: Bound, error: unknown, started: number): void {
    this.#dependencies.observer?.mutationChecked?.({
      policy: policy.metadata.name ?? '',
      binding: binding.metadata.name ?? '',
      error: error === undefined ? 'no_error' : errorType(reasonOf(error)),
      seconds: (performance.now() - started) / 1000,
    })
  }

  #repeat(): void {
    this.#memory.onChange()
    this.#pass.repeat()
  }

  /** Every mutation sees the object as the one before it left it. */
  async #prepare(bound: Invocation): Promise<PolicyRun> {
    const activation = await this.#activation(bound)
    return new PolicyRun(bound.compiled.expressions, activation, { context: this.#context, budget: RUNTIME_BUDGET })
  }

  async #activation({ form, params }: Invocation): Promise<Activation> {
    const { cluster } = this.#dependencies
    const objects = await this.#attributes.objectsIn(form)
    const { request } = this.#attributes
    const namespace = request.namespace === '' ? undefined : await cluster.namespace(request.namespace)
    return policyActivation(cluster, request, { form, objects, namespace, params })
  }

  async #mutate(mutation: CompiledMutation, run: PolicyRun, form: ServedForm): Promise<void> {
    const { decode, merge } = this.#dependencies
    const result = await run.evaluate(mutation.program, mutation.expression)
    if (run.isOutOfBudget) throw new Error(outOfBudget)
    if ('error' in result) throw new Error(result.error)
    const object = (await this.#attributes.objectsIn(form)).object!
    const { request } = this.#attributes
    if (!mutation.isPatch) {
      this.#take(await decode(request, merge(request, object, configurationOf(result.value)), object))
      return
    }
    const patched = patchedBy(object, patchOf(result.value))
    this.#take(patched === undefined ? object : await this.#decodePatched(patched, object))
  }

  async #decodePatched(patched: JsonObject, object: KubeObject): Promise<KubeObject> {
    try {
      return await this.#dependencies.decode(this.#attributes.request, patched, object)
    } catch (error) {
      throw error instanceof ApiError ? error : internalError(reasonOf(error))
    }
  }

  #take(object: KubeObject): void {
    const problem = this.#dependencies.conversionProblem(this.#first, object)
    if (problem !== undefined) throw new Error(problem)
    this.#attributes.change(object)
  }
}

/** Mirrors admission/plugin/policy/mutating: ErrorType. */
function errorType(reason: string): MutationCheck['error'] {
  if (reason.startsWith('compilation')) return 'compile_error'
  return reason.startsWith(outOfBudget) ? 'out_of_budget' : 'invalid_error'
}

function patchOf(value: Value): JsonValue {
  const json = patchToJson(value)
  if (!Array.isArray(json)) throw new Error('type mismatch: JSONPatchType.expression should evaluate to array')
  return json.map((operation) => ({ op: '', path: '', ...(operation as JsonObject) }))
}

/** Undefined when a test in the patch fails: then the policy does not care for the object. */
function patchedBy(object: KubeObject, patch: JsonValue): JsonObject | undefined {
  try {
    const result = applyForeignPatch(object, patch)
    if (!isJsonObject(result)) throw new Error('the patch leaves no object')
    return result
  } catch (error) {
    const { message } = error as Error
    if (message.endsWith('test failed')) return undefined
    throw new Error(`JSON Patch: ${message}`)
  }
}

function policyError(request: AdmissionRequest, errors: readonly PolicyFailure[]): ApiError {
  const { status } = denied(request, '')
  return new ApiError({
    ...status,
    reason: errors[0]?.reason ?? '',
    message: errors[0]?.message ?? '',
    details: { ...status.details, causes: errors.map(({ message }) => ({ message })) },
  })
}
