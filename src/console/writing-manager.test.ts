import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/object.ts'
import { writingManager } from './writing-manager.ts'

const entry = (manager: string, second: number, fields = 'a', subresource?: string) => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: `2026-11-16T10:00:0${second}Z`,
  fieldsType: 'FieldsV1',
  fieldsV1: { [`f:${fields}`]: {} },
  ...(subresource === undefined ? {} : { subresource }),
})

const version = (...managedFields: object[]): KubeObject =>
  ({ apiVersion: 'v1', kind: 'A', metadata: { name: 'a', managedFields } }) as unknown as KubeObject

describe('the manager that wrote a version', () => {
  const cases: [string, KubeObject, KubeObject | undefined, string | undefined][] = [
    ['the first one', version(entry('a', 1)), undefined, 'a'],
    ['a new one', version(entry('a', 1), entry('b', 1, 'b')), version(entry('a', 1)), 'b'],
    ['one that wrote again', version(entry('a', 3), entry('b', 2)), version(entry('a', 1), entry('b', 2)), 'a'],
    [
      'the one that took a field of another',
      version(entry('a', 1, 'x'), entry('b', 2, 'y')),
      version(entry('a', 1, 'y')),
      'b',
    ],
    [
      'within the same second, other fields',
      version(entry('a', 1, 'x'), entry('b', 1)),
      version(entry('a', 1), entry('b', 1)),
      'a',
    ],
    [
      'within the same second, the same fields',
      version(entry('a', 1), entry('b', 2)),
      version(entry('a', 1), entry('b', 2)),
      'b',
    ],
    [
      'which of two is not known',
      version(entry('a', 2), entry('b', 2)),
      version(entry('a', 2), entry('b', 2)),
      undefined,
    ],
    [
      'the same manager by a subresource',
      version(entry('a', 1), entry('a', 1, 's', 'status')),
      version(entry('a', 1)),
      'a',
    ],
    ['nobody', version(), version(), undefined],
  ]
  it.each(cases)('is %s', (_, now, before, manager) => {
    expect(writingManager(now, before)?.['manager']).toBe(manager)
  })
})
