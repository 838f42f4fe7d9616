import { expect, it } from 'vitest'
import { clusterKey } from './clusters.ts'
import { compare } from './compare.ts'
import type { Difference } from './execute.ts'
import type { Json } from './json.ts'
import type { Observed } from './normalise.ts'

const observed = (status: number, body: Json): Observed => ({
  status,
  contentType: 'application/json',
  headers: {},
  layout: 'compact',
  warnings: [],
  body,
})

function found(reference: Observed, server: Observed, path = '/api/v1/pods'): Difference {
  const each = { family: 'create', resource: 'pods v1', steps: [{ method: 'POST', path }], cleanup: [] }
  return { case: each, step: 0, reference, server, places: compare(reference, server) }
}

const refused = (message: string): Observed => observed(422, { kind: 'Status', message })

it('puts the same refusal of other fields and values together', () => {
  const first = found(refused('P "a" is invalid: spec.x: Invalid value: "1": must be small'), observed(201, {}))
  const second = found(refused('P "b" is invalid: spec.y: Invalid value: "22": must be small'), observed(201, {}))
  const other = found(refused('P "b" is invalid: spec.y: Required value'), observed(201, {}))
  expect(clusterKey(first)).toBe(clusterKey(found(first.reference, first.server)))
  expect(clusterKey(second)).not.toBe(clusterKey(other))
})

it('tells elements of lists apart by their place in the type alone', () => {
  const one = found(observed(200, { items: [{ a: 1 }] }), observed(200, { items: [{ a: 2 }] }))
  const two = found(observed(200, { items: [{}, { a: 1 }] }), observed(200, { items: [{}, { a: 2 }] }))
  expect(clusterKey(one)).toBe(clusterKey(two))
})

it.each([
  ['codes', found(observed(200, {}), observed(404, {})), found(observed(200, {}), observed(403, {}))],
  ['places', found(observed(200, { a: 1 }), observed(200, {})), found(observed(200, { b: 1 }), observed(200, {}))],
  [
    'subresources',
    found(observed(200, { a: 1 }), observed(200, {})),
    found(observed(200, { a: 1 }), observed(200, {}), '/api/v1/pods/x/status'),
  ],
])('keeps other %s apart', (_, one, other) => {
  expect(clusterKey(one)).not.toBe(clusterKey(other))
})
