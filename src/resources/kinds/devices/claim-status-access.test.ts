import { expect, test } from 'vitest'
import { maxErrors } from '../../../api/error-limit.ts'
import type { RequestAttributes } from '../../../api/request-attributes.ts'
import { forbidden } from '../../../api/status-error.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import { statusAccessErrors } from './claim-status-access.ts'

const user = { name: 'ann', groups: [], extra: new Map() }
const allocation = { devices: {} }
const reported = (count: number) =>
  ({
    allocation,
    devices: Array.from({ length: count }, (_, i) => ({ driver: `d${i}.example.com`, pool: 'p', device: 'x' })),
  }) as never

async function errorsOf(count: number, verb: string | undefined, isAllowed: boolean) {
  const asked: RequestAttributes[] = []
  const access = {
    async denial(attributes: RequestAttributes) {
      asked.push(attributes)
      return isAllowed ? undefined : forbidden({ group: 'resource.k8s.io', resource: 'resourceclaims' }, '', 'no')
    },
  }
  const services = { access, gate: () => true } as never
  const context = { user, verb, namespace: 'ns' } as unknown as WriteContext
  const errors = await statusAccessErrors(services, { status: reported(count), old: { allocation } as never }, context)
  return { errors: errors.length, asked }
}

test.each([
  ['the server itself asks for nothing', 3, undefined, false, 0, 0],
  ['each driver is asked for', 3, 'patch', true, 0, 3],
  ['each that is not allowed is named', 3, 'patch', false, 3, 3],
  ['but no more than can be reported', 50_000, 'patch', false, maxErrors, maxErrors],
])('%s', async (_, count, verb, isAllowed, errors, calls) => {
  const found = await errorsOf(count, verb, isAllowed)
  expect([found.errors, found.asked.length]).toEqual([errors, calls])
  for (const { verb, subresource } of found.asked)
    expect([verb, subresource]).toEqual(['arbitrary-node:patch', 'driver'])
})

test('others have their turn between very many drivers', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const { asked } = await errorsOf(50_000, 'patch', true)
  clearImmediate(timer)
  expect([asked.length, turns > 1]).toEqual([50_000, true])
})
