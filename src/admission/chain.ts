/**
 * The chain of plugins in their order: first every mutation, then, after the object was validated, every validation.
 * Which plugins a request meets is worked out once for its kind. Nothing waits unless a plugin does.
 */
import type { Admission, AdmissionRequest } from '../api/admission.ts'
import type { KubeObject } from '../api/object.ts'
import type { AdmissionPlugin, Mutation, MutationPass } from './plugin.ts'

interface Plan {
  readonly mutators: readonly NonNullable<AdmissionPlugin['mutate']>[]
  readonly validators: readonly NonNullable<AdmissionPlugin['validate']>[]
}

/** Resources come and go with their definitions; beyond this many kinds of request all plans are made anew. */
const maxPlans = 10_000

export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[]
  readonly #plans = new Map<string, Plan>()

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins
  }

  mutate(request: AdmissionRequest): KubeObject | undefined | Promise<KubeObject | undefined> {
    const { mutators } = this.#plan(request)
    const pass = new Pass()
    const first = mutateFrom(mutators, pass, request)
    return first instanceof Promise ? first.then((object) => again(mutators, pass, request, object)) : first
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    return validateFrom(this.#plan(request).validators, 0, request)
  }

  #plan({ operation, resource, subresource }: AdmissionRequest): Plan {
    const key = `${operation}/${resource.group}/${resource.resource}/${subresource}`
    let plan = this.#plans.get(key)
    if (plan === undefined) {
      if (this.#plans.size >= maxPlans) this.#plans.clear()
      const shape = { operation, group: resource.group, resource: resource.resource, subresource }
      const caring = this.#plugins.filter((plugin) => plugin.handles(shape))
      plan = {
        mutators: caring.flatMap(({ mutate }) => mutate ?? []),
        validators: caring.flatMap(({ validate }) => validate ?? []),
      }
      this.#plans.set(key, plan)
    }
    return plan
  }
}

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

type Mutated = KubeObject | undefined | Promise<KubeObject | undefined>

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

function mutateFrom(mutators: Plan['mutators'], pass: MutationPass, first: AdmissionRequest, start = 0): Mutated {
  let request = first
  for (let i = start; i < mutators.length; i++) {
    const result: Mutation | Promise<Mutation> = mutators[i]!(request, pass)
    if (result instanceof Promise) {
      const sent = request
      return result.then((object) => mutateFrom(mutators, pass, withObject(sent, object), i + 1))
    }
    request = withObject(request, result)
  }
  return request.object
}

const withObject = (request: AdmissionRequest, object: KubeObject | undefined): AdmissionRequest =>
  object === undefined || object === request.object ? request : { ...request, object }

function validateFrom(validators: Plan['validators'], start: number, request: AdmissionRequest): void | Promise<void> {
  for (let i = start; i < validators.length; i++) {
    const result = validators[i]!(request)
    if (result instanceof Promise) return result.then(() => validateFrom(validators, i + 1, request))
  }
}
