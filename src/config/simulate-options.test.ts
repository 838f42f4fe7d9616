import { describe, expect, it } from 'vitest'
import { controllerNames, isControllerEnabled } from './controller-selection.ts'
import { parseServerOptions } from './server-options.ts'

describe('--simulate', () => {
  const standard = { nodes: 3, seed: undefined, scheduler: true }
  const cases: readonly [flags: string[], expected: object | undefined][] = [
    [[], undefined],
    [['--simulate'], standard],
    [['--simulate=true'], standard],
    [['--simulate=false'], undefined],
    [['--simulate', '--simulate=false'], undefined],
    [['--simulate=nodes=50,seed=7'], { ...standard, nodes: 50, seed: 7 }],
    [['--simulate=nodes=50', '--simulate=scheduler=false'], { ...standard, nodes: 50, scheduler: false }],
    [['--simulate=missingImages=*:404+broken/*'], { ...standard, missingImages: ['*:404', 'broken/*'] }],
  ]
  for (const [flags, expected] of cases) {
    it(`reads ${flags.join(' ')}`, () => {
      const { simulate } = parseServerOptions(flags)
      if (expected === undefined) expect(simulate).toBeUndefined()
      else expect(simulate).toMatchObject(expected)
    })
  }

  const refused: readonly [string, string][] = [
    ['--simulate=ndoes=3', 'the settings are nodes'],
    ['--simulate=nodes', 'a value is missing: nodes=…'],
    ['--simulate=nodes=-1', 'must be between 0 and 5000'],
    ['--simulate=nodes=many', 'invalid syntax'],
    ['--simulate=__proto__=1', 'the settings are nodes'],
  ]
  for (const [flag, why] of refused) {
    it(`refuses ${flag}`, () => expect(() => parseServerOptions([flag])).toThrow(why))
  }
})

describe('--controllers', () => {
  const selection = (...flags: string[]) => parseServerOptions(flags).controllers

  it('knows all controllers of kube-controller-manager, and their older names', () => {
    for (const name of controllerNames) expect(() => selection(`--controllers=*,-${name}`)).not.toThrow()
    const chosen = selection('--controllers=*,-deployment,podgc')
    expect(isControllerEnabled(chosen, 'deployment-controller')).toBe(false)
    expect(isControllerEnabled(chosen, 'pod-garbage-collector-controller')).toBe(true)
    expect(isControllerEnabled(chosen, 'job-controller')).toBe(true)
    expect(() => selection('--controllers=deployments')).toThrow(
      '"deployments" is not in the list of known controllers',
    )
    expect(() => selection('--controllers=constructor')).toThrow('is not in the list of known controllers')
  })

  it('leaves some off unless they are named', () => {
    expect(isControllerEnabled(['*'], 'token-cleaner-controller')).toBe(false)
    expect(isControllerEnabled(['*', 'token-cleaner-controller'], 'token-cleaner-controller')).toBe(true)
  })
})
