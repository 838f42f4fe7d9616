import { describe, expect, it } from 'vitest'
import {
  type ApiError,
  alreadyExists,
  conflict,
  forbidden,
  generatedNameTaken,
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
