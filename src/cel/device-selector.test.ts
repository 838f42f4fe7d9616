import { describe, expect, test } from 'vitest'
import { deviceSelectorEnvironment, isTooComplexSelector } from './device-selector.ts'
import { formatType } from './types.ts'

const environment = deviceSelectorEnvironment(false)

/** The type of what the expression makes, with `!` where it could take too long; or that it does not compile. */
function made(expression: string): string {
  const compiled = environment.compile(expression)
  if (!compiled.ok) return compiled.reason
  return `${formatType(compiled.program.resultType)}${isTooComplexSelector(compiled.program) ? '!' : ''}`
}

describe('device selectors', () => {
  test.each([
    ['device.driver == "d.example"', 'bool'],
    ['device.attributes["d.example"].name == "x"', 'bool'],
    ['device.attributes["d.example"].name', 'any'],
    ['device.capacity["d.example"].memory.isGreaterThan(quantity("1Gi"))', 'bool'],
    ['cel.bind(dra, device.attributes["d.example"], dra.a == 1 && dra.b)', 'bool'],
    ['device.attributes["d.example"].version.isGreaterThan(semver("1.2.3"))', 'bool'],
    ['device.attributes.all(d, device.attributes.all(e, d != e || d.startsWith("x")))', 'bool'],
    ['device.driver', 'string'],
    ['device.colour', 'compile'],
    ['other', 'compile'],
    [`${'device.attributes.all(x, '.repeat(5)}true${')'.repeat(5)}`, 'bool!'],
  ])('%s', (expression, expected) => {
    expect(made(expression)).toBe(expected)
  })
})
