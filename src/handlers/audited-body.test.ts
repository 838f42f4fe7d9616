import { expect, test } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { auditObject } from './audited-body.ts'

const sent = { kind: 'Thing', metadata: { name: 'a', creationTimestamp: null } }

test.each<[string, number | undefined, JsonObject, JsonObject]>([
  ['has the time that it does not have yet', undefined, sent, sent],
  ['has it not since 1.34', 34, sent, { kind: 'Thing', metadata: { name: 'a' } }],
  [
    'has the time that was given',
    34,
    { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } },
    { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } },
  ],
  ['may have no metadata', 34, { kind: 'Scale' }, { kind: 'Scale' }],
  [
    'may have empty ones',
    34,
    { kind: 'Thing', metadata: { creationTimestamp: null } },
    { kind: 'Thing', metadata: {} },
  ],
])('what is recorded of a body %s', async (_, release, object, wanted) => {
  const noted: JsonObject[] = []
  const audit = { requestObject: (each: JsonObject) => void noted.push(each) }
  await auditObject({ audit, bodyBytes: 10 } as never, object, release)
  expect(noted).toEqual([wanted])
  expect(sent.metadata).toHaveProperty('creationTimestamp', null)
})

test.each([
  [33, { kind: 'Thing', metadata: { creationTimestamp: null } }],
  [34, { kind: 'Thing' }],
])('metadata that a body lacks are recorded up to 1.33: %d', async (release, wanted) => {
  const noted: JsonObject[] = []
  const audit = { requestObject: (each: JsonObject) => void noted.push(each) }
  const object = { kind: 'Thing', metadata: { creationTimestamp: null } }
  await auditObject({ audit, bodyBytes: 10 } as never, object, release, true)
  expect(noted).toEqual([wanted])
})
