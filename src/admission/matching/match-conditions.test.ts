/** Match conditions: what decides, what fails, what is told of them, and what they may cost. */
import { describe, expect, it } from 'vitest'
import { newestRelease } from '../../api/release-facts.ts'
import { storedExpressions } from '../../cel/environment.ts'
import { admissionEnvironment } from '../../cel/environments.ts'
import { authorizerValue } from '../../cel/library/authorizer.ts'
import { BOOL } from '../../cel/types.ts'
import type { AdmissionObserver, ConditionJudgement } from '../observer.ts'
import { ConditionContext, compileErrorText, judgeConditions, type NamedCondition } from './match-conditions.ts'

function condition(expression: string, i: number): NamedCondition {
  const environment = admissionEnvironment(storedExpressions(newestRelease), { authorizer: true })
  const compiled = environment.compile(expression, { expectedTypes: [BOOL] })
  return {
    name: `c${i}`,
    expression,
    program: compiled.ok ? compiled.program : { compileError: compileErrorText(compiled) },
  }
}

/** Conditions over an object, with an authorizer that notes what it is asked. */
function judged(expressions: readonly string[], isObserved = true) {
  const asked: string[] = []
  const told: ConditionJudgement[] = []
  const authorize = async ({ verb }: { readonly verb: string }) => {
    asked.push(verb)
    return { allowed: verb === 'get', reason: '' }
  }
  const user = { name: 'u', groups: [], extra: new Map() }
  const activation = {
    object: { a: 1, text: 'x'.repeat(10_000) },
    authorizer: authorizerValue(user, authorize as never),
  }
  const observer = {
    conditionsJudged: (one: ConditionJudgement) => void told.push(one),
  } as unknown as AdmissionObserver
  const result = judgeConditions(expressions.map(condition), activation, new ConditionContext(), {
    observer: isObserved ? observer : undefined,
    name: 'n',
    kind: 'webhook',
    type: 'admit',
    operation: 'CREATE',
  })
  return { result, asked, told }
}

const holds = 'object.a == 1'
const fails = 'object.a == 2'
const breaks = 'object.none == 1'
const broken = "expression 'object.none == 1' resulted in error: no such key: none"
const allowed = (verb: string): string => `authorizer.group('').resource('pods').check('${verb}').allowed()`

describe('conditions', () => {
  it.each<[string, string[], object, string | undefined]>([
    ['are none', [], { matches: true }, undefined],
    ['all hold', [holds, holds], { matches: true }, 'match'],
    ['do not hold', [holds, fails, fails], { matches: false, failed: 'c1' }, 'exclusion'],
    ['that break fail', [holds, breaks], { error: broken }, 'error'],
    ['that break are told of once', [breaks, breaks], { error: broken }, 'error'],
    ['do not hold, though one before broke', [breaks, fails], { matches: false, failed: 'c1' }, 'exclusion'],
    ['that are not looked at do not break', [fails, breaks], { matches: false, failed: 'c0' }, 'exclusion'],
    [
      'that cannot be compiled fail, with the others',
      ['object.', breaks],
      { error: expect.stringMatching(/^\[compilation error: compilation failed: ERROR.*, expression 'object.none/s) },
      'error',
    ],
    ['that cannot be compiled may be overruled', ['object.', fails], { matches: false, failed: 'c1' }, 'exclusion'],
    ['of another type fail', ['1'], { error: 'compilation error: must evaluate to bool but got int' }, 'error'],
    ['that are waited for hold', [allowed('get'), holds], { matches: true }, 'match'],
    ['that are waited for do not hold', [allowed('list'), breaks], { matches: false, failed: 'c0' }, 'exclusion'],
    [
      'after one that was waited for do not hold',
      [allowed('get'), holds, fails, breaks],
      { matches: false, failed: 'c2' },
      'exclusion',
    ],
    ['after one that was waited for break', [allowed('get'), breaks], { error: broken }, 'error'],
  ])('%s', async (_, expressions, expected, outcome) => {
    const { result, told } = judged(expressions)
    expect(await result).toEqual(expected)
    expect(told.map((one) => one.outcome)).toEqual(outcome === undefined ? [] : [outcome])
    expect(await judged(expressions, false).result).toEqual(expected)
  })

  it('are told of with their owner and their time', async () => {
    const { result, told } = judged([holds])
    expect(result).toEqual({ matches: true })
    expect(told).toEqual([
      { name: 'n', kind: 'webhook', type: 'admit', operation: 'CREATE', outcome: 'match', seconds: expect.any(Number) },
    ])
    expect(told[0]!.seconds).toBeGreaterThanOrEqual(0)
    expect(told[0]!.seconds).toBeLessThan(1000)
  })

  it('ask an authorizer once for the same', async () => {
    const { result, asked } = judged([allowed('get'), allowed('get'), holds])
    expect([await result, asked]).toEqual([{ matches: true }, ['get']])
  })

  it('share what they may cost', async () => {
    const dear = 'object.text.contains(object.text)'
    expect(await judged([breaks, dear, dear, fails]).result).toEqual({ matches: false, failed: 'c3' })
    expect(await judged([breaks, dear, dear, dear, fails]).result).toEqual({
      error: 'validation failed due to running out of cost budget, no further validation rules will be run',
    })
  })
})

it.each([
  ['compile', 'compilation failed: m'],
  ['program', 'program instantiation failed: m'],
  ['result-type', 'm'],
])('an expression is wrong: %s', (reason, expected) => {
  expect(compileErrorText({ ok: false, reason, message: 'm' } as never)).toBe(expected)
})
