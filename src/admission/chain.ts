/**
 * The chain of plugins in their order: first every mutation, then, after the object was validated, every validation.
 * Which plugins a request meets is worked out once for its kind. Nothing waits unless a plugin does.
 */
import type { Admission, AdmissionRequest } from '../api/admission.ts'
import type { KubeObject } from '../api/object.ts'
import type { AdmissionPlugin, Mutation } from './plugin.ts'

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
    return mutateFrom(this.#plan(request).mutators, 0, request)
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

function mutateFrom(
  mutators: Plan['mutators'],
  start: number,
  first: AdmissionRequest,
): KubeObject | undefined | Promise<KubeObject | undefined> {
  let request = first
  for (let i = start; i < mutators.length; i++) {
    const result: Mutation | Promise<Mutation> = mutators[i]!(request)
    if (result instanceof Promise) {
      const sent = request
      return result.then((object) => mutateFrom(mutators, i + 1, withObject(sent, object)))
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
