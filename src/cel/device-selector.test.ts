import { describe, expect, test } from 'vitest'
import { type DeviceSelectorScope, deviceSelectorEnvironment, isTooComplexSelector } from './device-selector.ts'
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

describe('device selectors of later releases', () => {
  const shared = 'device.allowMultipleAllocations'
  const listed = 'device.attributes["d"].a.includes(1)'
  test.each<[string, boolean, DeviceSelectorScope, boolean]>([
    [shared, false, { release: 36, shared: true }, true],
    [shared, false, { release: 36, shared: false }, false],
    [shared, true, { release: 36, shared: false }, true],
    [shared, true, { release: 33 }, false],
    [listed, false, { release: 36, lists: true }, true],
    [listed, false, { release: 36 }, false],
    [listed, true, { release: 36 }, true],
    [listed, true, { release: 35 }, false],
    ['device.attributes["d"].a.exists(x, x == 1)', false, { release: 36, lists: true }, true],
    ['semver("1.2.3").major() == 1', false, { release: 35, oldest: 32 }, false],
    ['semver("1.2.3").major() == 1', false, { release: 35, oldest: 33 }, true],
  ])('%s, stored: %j, at %j: %j', (expression, stored, scope, expected) => {
    expect(deviceSelectorEnvironment(stored, scope).compile(expression).ok).toBe(expected)
  })

  test.each([
    ['[1, 2].includes(2)', true],
    ['[1, 2].includes(3)', false],
    ['"a".includes("a")', true],
    ['lists.range(48).includes(47)', true],
    ['lists.range(49).includes(49)', "'includes' function cannot be applied to lists longer than 48 values"],
  ])('%s: %j', (expression, expected) => {
    const compiled = deviceSelectorEnvironment(true, { release: 36 }).compile(expression)
    if (!compiled.ok) throw new Error(compiled.message)
    expect(compiled.program.evaluate({})).toMatchObject(
      typeof expected === 'boolean' ? { kind: 'value', value: expected } : { kind: 'error', message: expected },
    )
  })
})
