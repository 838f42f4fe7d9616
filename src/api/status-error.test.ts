import { describe, expect, it } from 'vitest'
import {
  type ApiError,
  alreadyExists,
  conflict,
  forbidden,
  generatedNameTaken,
  internalError,
  invalid,
  notFound,
} from './status-error.ts'

const resource = { group: 'apps', resource: 'deployments' }
const kind = { group: 'apps', kind: 'Deployment' }

describe('an error of an object with a long name', () => {
  it.each<[string, (name: string) => ApiError]>([
    ['invalid', (name) => invalid(kind, name, [])],
    ['notFound', (name) => notFound(resource, name)],
    ['forbidden', (name) => forbidden(resource, name, 'because')],
    ['conflict', (name) => conflict(resource, name, 'because')],
    ['alreadyExists', (name) => alreadyExists(resource, name)],
    ['generatedNameTaken', (name) => generatedNameTaken(resource, name)],
  ])('shows how the name begins: %s', (_, make) => {
    const name = 'x'.repeat(3_000_000)
    const { message, details } = make(name).toStatus() as { message: string; details: { name: string } }
    expect(message).toContain('"xxx')
    expect(message).toContain('xxx"...')
    expect(details.name).toMatch(/^x+\.\.\.$/)
    expect(message.length + details.name.length).toBeLessThan(300_000)
  })
})

it('shows how a message begins that is longer than any that people read', () => {
  const why = 'x'.repeat(3_000_000)
  const status = internalError(why).toStatus() as { message: string; details: { causes: { message: string }[] } }
  for (const text of [status.message, status.details.causes[0]?.message ?? '']) {
    expect(text).toMatch(/xxx\.\.\.$/)
    expect(text.length).toBeLessThan(600_000)
  }
})
