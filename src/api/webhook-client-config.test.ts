import { expect, test } from 'vitest'
import { FieldPath } from './field-path.ts'
import { validateClientConfig } from './webhook-client-config.ts'

const start = "must start with a '/'"

test.each([
  ['/', []],
  ['/a/b/', []],
  ['//', ['segment[0] may not be empty']],
  ['/a//b', ['segment[1] may not be empty']],
  ['a', [start, 'segment[0] may not be empty']],
  ['\u200b', [start, expect.stringMatching(/^segment\[0\]: a lowercase/)]],
  ['é/', [start, expect.stringMatching(/^segment\[0\]: a lowercase/)]],
])('the path %j of a service', (path, expected) => {
  const service = { namespace: 'n', name: 's', port: 443, path }
  const errors = validateClientConfig({ service }, FieldPath.of('clientConfig'), false)
  expect(errors.map(({ message }) => message.replace(/^Invalid value: "[^"]*": /, ''))).toEqual(expected)
})
