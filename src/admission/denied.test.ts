/** How admission says no, and what it calls the object. */
import { expect, it } from 'vitest'
import { ApiError, badRequest, forbidden } from '../api/status-error.ts'
import { admittedName, denied } from './denied.ts'

const resource = { group: '', version: 'v1', resource: 'pods' }
const of = (name: string, metadata?: object) => ({
  resource,
  name,
  object: metadata === undefined ? undefined : ({ metadata } as never),
})

it.each<[string, ReturnType<typeof of>, string]>([
  ['the name of the request', of('x', { name: 'y' }), 'x'],
  ['the name of the object', of('', { name: 'y', generateName: 'z-' }), 'y'],
  ['the beginning of a name', of('', { generateName: 'z-' }), 'z-'],
  ['nothing that is known', of('', {}), 'Unknown'],
  ['nothing that is there', of(''), 'Unknown'],
  ['nothing of metadata', { ...of(''), object: {} as never }, 'Unknown'],
])('an object is called by %s', (_, subject, expected) => {
  expect(admittedName(subject)).toBe(expected)
  expect(denied(subject, 'no').message).toBe(`pods "${expected}" is forbidden: no`)
})

it('a refusal of somebody else is passed on, other errors become one', () => {
  const refusal = forbidden(resource, 'y', 'never')
  expect(denied(of('x'), refusal)).toBe(refusal)
  expect(denied(of('x'), badRequest('bad'))).toMatchObject({ code: 403, message: 'pods "x" is forbidden: bad' })
  const other = denied(of('x'), new Error('broken'))
  expect(other).toBeInstanceOf(ApiError)
  expect(other.message).toBe('pods "x" is forbidden: broken')
})
