// Cases are data that follows from the seed, and none of them can reach what other cases work on.
import { expect, it } from 'vitest'
import { seededRandom } from '../harness/random.ts'
import type { CaseSource } from './building.ts'
import { families } from './families.ts'
import { isMap, type Json, pathsOf, valueAt } from './json.ts'
import { mutated } from './mutate.ts'
import type { Resource } from './resources.ts'

const text = { type: 'string' }
const schema = {
  type: 'object',
  properties: {
    data: { type: 'object', additionalProperties: text },
    spec: { type: 'object', properties: { a: text } },
  },
}
const resource = (name: string, kind: string, groupVersion = 'v1', namespaced = true): Resource => ({
  groupVersion,
  name,
  kind,
  namespaced,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  schemas: {},
  schema,
})
const registration = 'admissionregistration.k8s.io'
const resources = [
  resource('configmaps', 'ConfigMap'),
  resource('pods', 'Pod'),
  resource('pods/status', 'Pod'),
  resource('namespaces', 'Namespace', 'v1', false),
  resource('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', `${registration}/v1`, false),
  resource('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', `${registration}/v1alpha1`, false),
]
const source = (seed: number): CaseSource => {
  const random = seededRandom(seed)
  return { random, resource: random.pick(resources), resources }
}

it.each(families)('$name makes the same cases of the same seed, and others of others', ({ generate }) => {
  const made = Array.from({ length: 40 }, (_, seed) => JSON.stringify(generate(source(seed))))
  expect(Array.from({ length: 40 }, (_, seed) => JSON.stringify(generate(source(seed))))).toEqual(made)
  expect(new Set(made).size).toBeGreaterThan(3)
})

const isSelected = (body: Json, path: readonly (string | number)[]): boolean => {
  const selector = valueAt(body, path)
  return isMap(selector) && JSON.stringify(selector).includes('<name>')
}

it.each(families.filter(({ name }) => ['policy', 'webhook', 'chain'].includes(name)))(
  '$name selects the objects of its own case',
  ({ generate }) => {
    for (let seed = 0; seed < 60; seed++) {
      const steps = generate(source(seed))?.steps ?? []
      const bodies = steps.filter(({ path }) => path.includes(registration)).flatMap(({ body }) => body ?? [])
      for (const body of bodies) {
        const rules = [...pathsOf(body)].filter((path) => path.at(-1) === 'resourceRules' || path.at(-1) === 'rules')
        for (const path of rules) expect(isSelected(body, [...path.slice(0, -1), 'objectSelector'])).toBe(true)
      }
    }
  },
)

it('mutates a copy, and mostly leaves what addresses the object', () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' }, data: { k: 'v' } }
  const before = JSON.stringify(object)
  const results = Array.from({ length: 300 }, (_, seed) => mutated(seededRandom(seed), object, { schemas: {}, schema }))
  expect(JSON.stringify(object)).toBe(before)
  expect(results.filter((each) => valueAt(each, ['metadata', 'name']) === 'a').length).toBeGreaterThan(240)
  expect(new Set(results.map((each) => JSON.stringify(each))).size).toBeGreaterThan(100)
})
