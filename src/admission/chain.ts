/**
 * The chain of plugins in their order: first every mutation, then, after the object was validated, every validation.
 * Which plugins a request meets is worked out once for its kind. Nothing waits unless a plugin does.
 */

import type { Admission, AdmissionOperation, AdmissionRequest } from '../api/admission.ts'
import type { KubeObject } from '../api/object.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { AdmissionPlugin, Mutation, MutationPass, RequestShape } from './plugin.ts'

export type AdmissionPhase = 'admit' | 'validate'

/** Called with how long a plugin had a request. A refusal is an outcome, not an error. */
export interface PluginMeter {
  admitted(seconds: number): void
  refused(seconds: number): void
}

/** The meter of a plugin in a phase of an operation; asked for once. */
export type MeterOf = (plugin: string, phase: AdmissionPhase, operation: AdmissionOperation) => PluginMeter

const unmeasured: PluginMeter = { admitted: () => undefined, refused: () => undefined }

interface Step<Run> {
  readonly run: Run
  readonly meter: PluginMeter
}

type Mutator = Step<NonNullable<AdmissionPlugin['mutate']>>
type Validator = Step<NonNullable<AdmissionPlugin['validate']>>

interface Plan {
  readonly shape: RequestShape
  readonly mutators: readonly Mutator[]
  readonly validators: readonly Validator[]
}

/** Resources come and go with their definitions; beyond this many kinds of request all plans are made anew. */
const maxPlans = 10_000

export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[]
  readonly #meterOf: MeterOf
  readonly #plans = new Map<string, Plan>()
  /** The plan that was asked for last: most requests are like the one before. */
  #last: Plan | undefined

  constructor(plugins: readonly AdmissionPlugin[], meterOf: MeterOf = () => unmeasured) {
    this.#plugins = plugins
    this.#meterOf = meterOf
  }

  mutate(request: AdmissionRequest): Awaitable<KubeObject | undefined> {
    const { mutators } = this.#plan(request)
    const pass = new Pass()
    const first = mutateFrom(mutators, pass, request)
    return first instanceof Promise ? first.then((object) => again(mutators, pass, request, object)) : first
  }

  validate(request: AdmissionRequest): Awaitable<void> {
    return validateFrom(this.#plan(request).validators, 0, request)
  }

  #plan(request: AdmissionRequest): Plan {
    if (this.#last !== undefined && isOf(request, this.#last.shape)) return this.#last
    const { operation, resource, subresource } = request
    const key = `${operation}/${resource.group}/${resource.resource}/${subresource}`
    let plan = this.#plans.get(key)
    if (plan === undefined) {
      if (this.#plans.size >= maxPlans) this.#plans.clear()
      plan = this.#make({ operation, group: resource.group, resource: resource.resource, subresource })
      this.#plans.set(key, plan)
    }
    this.#last = plan
    return plan
  }

  #make(shape: RequestShape): Plan {
    const mutators: Mutator[] = []
    const validators: Validator[] = []
    for (const plugin of this.#plugins) {
      if (!plugin.handles(shape)) continue
      const { name, mutate, validate } = plugin
      const meter = (phase: AdmissionPhase): PluginMeter => this.#meterOf(name, phase, shape.operation)
      if (mutate !== undefined) mutators.push({ run: mutate, meter: meter('admit') })
      if (validate !== undefined) validators.push({ run: validate, meter: meter('validate') })
    }
    return { shape, mutators, validators }
  }
}

const isOf = ({ operation, resource, subresource }: AdmissionRequest, shape: RequestShape): boolean =>
  resource.resource === shape.resource &&
  operation === shape.operation &&
  subresource === shape.subresource &&
  resource.group === shape.group

class Pass implements MutationPass {
  round = 0
  isWanted = false
  #memory: Map<string, unknown> | undefined

  repeat(): void {
    this.isWanted = true
  }

  remember<T>(plugin: string, make: () => T): T {
    this.#memory ??= new Map()
    if (!this.#memory.has(plugin)) this.#memory.set(plugin, make())
    return this.#memory.get(plugin) as T
  }
}

type Mutated = Awaitable<KubeObject | undefined>

/** The second round, if a plugin asked for it; only those who waited for something ever do. */
function again(
  mutators: Plan['mutators'],
  pass: Pass,
  request: AdmissionRequest,
  object: KubeObject | undefined,
): Mutated {
  if (!pass.isWanted) return object
  pass.round = 1
  return mutateFrom(mutators, pass, withObject(request, object))
}

/** Time runs from one plugin to the next: where one ends, the next one begins. */
function mutateFrom(mutators: Plan['mutators'], pass: MutationPass, first: AdmissionRequest, start = 0): Mutated {
  let request = first
  let begin = performance.now()
  let i = start
  try {
    for (; i < mutators.length; i++) {
      const { run, meter } = mutators[i]!
      const result: Awaitable<Mutation> = run(request, pass)
      if (result instanceof Promise) {
        const [sent, next] = [request, i + 1]
        return measured(result, meter, begin).then((object) =>
          mutateFrom(mutators, pass, withObject(sent, object), next),
        )
      }
      request = withObject(request, result)
      begin = recordAdmitted(meter, begin)
    }
  } catch (error) {
    mutators[i]!.meter.refused(secondsSince(begin))
    throw error
  }
  return request.object
}

const withObject = (request: AdmissionRequest, object: KubeObject | undefined): AdmissionRequest =>
  object === undefined || object === request.object ? request : { ...request, object }

function validateFrom(validators: Plan['validators'], start: number, request: AdmissionRequest): Awaitable<void> {
  let begin = performance.now()
  let i = start
  try {
    for (; i < validators.length; i++) {
      const { run, meter } = validators[i]!
      const result = run(request)
      if (result instanceof Promise) {
        const next = i + 1
        return measured(result, meter, begin).then(() => validateFrom(validators, next, request))
      }
      begin = recordAdmitted(meter, begin)
    }
  } catch (error) {
    validators[i]!.meter.refused(secondsSince(begin))
    throw error
  }
}

const secondsSince = (begin: number): number => (performance.now() - begin) / 1000

function recordAdmitted(meter: PluginMeter, begin: number): number {
  const end = performance.now()
  meter.admitted((end - begin) / 1000)
  return end
}

function measured<T>(result: Promise<T>, meter: PluginMeter, begin: number): Promise<T> {
  return result.then(
    (value) => {
      recordAdmitted(meter, begin)
      return value
    },
    (error: unknown) => {
      meter.refused(secondsSince(begin))
      throw error
    },
  )
}
