import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import type { RequestAttributes } from '../api/request-attributes.ts'
import type { UserInfo } from '../api/user.ts'
import { configurationOf } from './apply-configuration.ts'
import { exceedsBudgetMessage, multiplyCost } from './budgets.ts'
import type { ComposedVariable } from './composed-variables.ts'
import { ComposedVariables } from './composed-variables.ts'
import type { Environment } from './environment.ts'
import { storedExpressions } from './environment.ts'
import { accessReviewEnvironment, admissionEnvironment, claimsEnvironment, userEnvironment } from './environments.ts'
import type { AuthorizerDecision } from './library/authorizer.ts'
import { authorizerValue, resourceCheckValue } from './library/authorizer.ts'
import { misplacedTypes, patchToJson } from './mutation-types.ts'
import type { Activation, Program } from './program.ts'
import { DecisionCache, evaluateAsync } from './program.ts'
import { MAX } from './ranges.ts'
import type { Type } from './types.ts'
import { INT, STRING } from './types.ts'
import type { Value } from './values.ts'

const base = storedExpressions()

function compile(environment: Environment, expression: string): Program {
  const compiled = environment.compile(expression)
  if (!compiled.ok) throw new Error(compiled.message)
  return compiled.program
}

const user: UserInfo = { name: 'ann', groups: ['dev'], extra: new Map() }

describe('cost', () => {
  it.each([
    ['1 + 1 == 2', 2],
    ["'a' in ['a', 'b']", 0],
    ['[1, 2].all(x, x > 0)', 11],
    ['[1, 2].exists(x, x == 1)', 10],
    ['[1, 2].map(x, x * 2).size() == 2', 31],
    ["has({'a': 1}.a)", 1],
    ['true ? 1 == 1 : false', 1],
  ])('%s costs %i', (expression, cost) => {
    expect(compile(base, expression).evaluate({})).toMatchObject({ kind: 'value', cost })
  })

  it('ends a run at the limit and nowhere else', () => {
    const program = compile(base, '[1, 2, 3].all(x, [1, 2, 3].all(y, x * y > 0))')
    const { cost } = program.evaluate({})
    expect(program.evaluate({}, { limit: cost })).toMatchObject({ kind: 'value', value: true })
    expect(program.evaluate({}, { limit: cost - 1 })).toMatchObject({
      kind: 'error',
      message: 'operation cancelled: actual cost limit exceeded',
      limitExceeded: true,
    })
  })

  it('is not absorbed by logic', () => {
    const program = compile(base, '[1, 2, 3, 4].all(x, x > 0) || true')
    expect(program.evaluate({}, { limit: 5 })).toMatchObject({ kind: 'error', limitExceeded: true })
  })

  it('stops lists that double', () => {
    const program = compile(base, `[[1]]${'.map(x, x + x)'.repeat(60)}[0].all(x, x == 1)`)
    expect(program.evaluate({})).toMatchObject({ kind: 'error', limitExceeded: true })
  })

  it('refuses macros that double the expression', () => {
    const compiled = base.compile(`optional.of(1)${'.optMap(x, x + 1)'.repeat(60)}.hasValue()`)
    expect(!compiled.ok && compiled.message).toContain('expression expands to more than 100000 nodes')
    expect(compile(base, `optional.of(1)${'.optMap(x, x + 1)'.repeat(8)}.value() == 9`).evaluate({})).toMatchObject({
      value: true,
    })
  })

  it('says by how much an estimate is too high', () => {
    const hint =
      '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
    expect(exceedsBudgetMessage('estimated rule cost', 12_000_000n, 10_000_000n)).toBe(
      `estimated rule cost exceeds budget by factor of 1.200000x ${hint}`,
    )
    expect(exceedsBudgetMessage('x', 25n, 10n)).toBe(`x exceeds budget by factor of 2.5x ${hint}`)
    expect(exceedsBudgetMessage('x', multiplyCost(MAX, 2n), 10n)).toBe(
      `x exceeds budget by factor of more than 100x ${hint}`,
    )
  })
})

describe('data from strangers', () => {
  const program = compile(admissionEnvironment(base), "has(object.__proto__) || object.constructor == 'x'")

  it('never looks at what objects inherit', () => {
    expect(program.evaluate({ object: {} })).toMatchObject({ kind: 'error', message: 'no such key: constructor' })
    const hostile = JSON.parse('{"__proto__": {"constructor": 1}}') as Activation
    expect(program.evaluate({ object: hostile as never })).toMatchObject({ kind: 'value', value: true })
  })

  it('reads numbers of unknown types by their values', () => {
    const sum = compile(
      admissionEnvironment(base),
      'type(object.a) == int && type(object.b) == double && object.c > 9007199254740993',
    )
    expect(sum.evaluate({ object: { a: 1, b: 1.5, c: 9007199254740995n } })).toMatchObject({ value: true })
  })
})

describe('admission', () => {
  const request = { operation: 'CREATE', namespace: 'default', userInfo: { username: 'ann', groups: ['dev'] } }

  it('knows the request and the namespace', () => {
    const program = compile(
      admissionEnvironment(base, { params: true }),
      "request.userInfo.username == 'ann' && 'dev' in request.userInfo.groups && namespaceObject.metadata.labels.env == 'test' && params == null && oldObject == null",
    )
    const activation: Activation = {
      object: {},
      oldObject: null,
      params: null,
      request,
      namespaceObject: { metadata: { labels: { env: 'test' } } },
    }
    expect(program.evaluate(activation)).toMatchObject({ value: true })
  })

  it('does not know what it was not given', () => {
    expect(admissionEnvironment(base).compile('params.x == 1').ok).toBe(false)
    expect(admissionEnvironment(base).compile('request.other == 1').ok).toBe(false)
    expect(admissionEnvironment(base).compile("authorizer.path('/').check('get').allowed()").ok).toBe(false)
  })

  it('composes variables when they are used, once', () => {
    const types = new Map<string, Type>([
      ['size', INT],
      ['twice', INT],
      ['broken', STRING],
    ])
    const environment = admissionEnvironment(base, { variables: types })
    const variables = new Map<string, ComposedVariable>([
      ['size', compile(environment, 'object.items.size()')],
      ['twice', compile(environment, 'variables.size * 2')],
      ['broken', { compileError: 'compilation failed' }],
    ])
    const activation: Activation = { object: { items: [1, 2] } }
    const composed = new ComposedVariables(variables, activation)
    const run = (expression: string) =>
      compile(environment, expression).evaluate({ ...activation, variables: composed as Value })
    expect(run('variables.twice == 4 && variables.size == 2')).toMatchObject({ value: true })
    expect(composed.takeCost()).toBe(6)
    expect(run('variables.twice + variables.twice == 8')).toMatchObject({ value: true })
    expect(composed.takeCost()).toBe(0)
    expect(run("variables.broken == ''")).toMatchObject({
      message: 'composited variable "broken" fails to compile: compilation failed',
    })
    expect(environment.compile('variables.none').ok).toBe(false)
  })

  it('makes parts of objects and patches', () => {
    const environment = admissionEnvironment(base, { patches: true })
    const program = compile(
      environment,
      "Object{spec: Object.spec{replicas: 1, items: [Object.spec.items{name: 'a'}]}}",
    )
    const result = program.evaluate({})
    const value = result.kind === 'value' ? result.value : null
    expect(configurationOf(value)).toEqual({ spec: { replicas: 1, items: [{ name: 'a' }] } })
    expect(misplacedTypes(value)).toEqual([])
    const wrong = compile(environment, 'Object{spec: Object.status{}}').evaluate({})
    expect(misplacedTypes(wrong.kind === 'value' ? wrong.value : null)).toEqual([
      'unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
    ])
    const patch = compile(
      environment,
      "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'x'}]",
    ).evaluate({})
    expect(patchToJson(patch.kind === 'value' ? patch.value : null)).toEqual([
      { op: 'add', path: '/metadata/labels/a~1b', value: 'x' },
    ])
    expect(environment.compile('JSONPatch{other: 1}').ok).toBe(false)
  })

  it.each<[string, JsonValue | Error]>([
    ["duration('90m')", '5400s'],
    ["duration('1500ms')", '1.5s'],
    ["timestamp('2024-01-01T00:00:00.5Z')", '2024-01-01T00:00:00.5Z'],
    ["timestamp('2024-01-01T1:00:00,5Z')", '2024-01-01T01:00:00.5Z'],
    ["b'abc'", 'YWJj'],
    ["optional.of([duration('1s')])", ['1s']],
    ["{'a': optional.of(1)}", { a: 1 }],
    ['optional.none()', new Error('optional.none() dereference')],
    ['int', new Error("type conversion not supported for 'type'")],
    ["[quantity('1')]", new Error("type conversion error from 'Quantity' to '*structpb.Value'")],
    ["{'a': ip('1.2.3.4')}", new Error("type conversion error from 'IP' to '*structpb.Value'")],
  ])('brings %s into a patch as JSON', (expression, json) => {
    const environment = admissionEnvironment(base, { patches: true })
    const made = compile(environment, `[JSONPatch{op: 'add', path: '/a', value: ${expression}}]`).evaluate({})
    if (made.kind !== 'value') throw new Error(JSON.stringify(made))
    if (json instanceof Error) expect(() => patchToJson(made.value)).toThrow(json.message)
    else expect(patchToJson(made.value)).toEqual([{ op: 'add', path: '/a', value: json }])
  })
})

describe('authorizers', () => {
  const environment = admissionEnvironment(base, { authorizer: true })

  function authorizer(): {
    asked: RequestAttributes[]
    authorize: (attributes: RequestAttributes) => Promise<AuthorizerDecision>
  } {
    const asked: RequestAttributes[] = []
    return {
      asked,
      authorize: (attributes) => {
        asked.push(attributes)
        return Promise.resolve({
          allowed: attributes.verb === 'get',
          reason: `${attributes.verb} by ${attributes.user.name}`,
        })
      },
    }
  }

  it('ends a run with the question and goes on with the answer', async () => {
    const { asked, authorize } = authorizer()
    const program = compile(
      environment,
      "authorizer.group('apps').resource('deployments').subresource('scale').namespace('ns').name('x').check('get').allowed() && !authorizer.serviceAccount('ns', 'sa').path('/healthz').check('post').allowed()",
    )
    const activation: Activation = { authorizer: authorizerValue(user, authorize) }
    const first = program.evaluate(activation)
    expect(first.kind).toBe('pending')
    expect(asked).toEqual([])
    expect(await evaluateAsync(program, activation)).toMatchObject({ kind: 'value', value: true, cost: 700_012 })
    expect(asked).toMatchObject([
      {
        verb: 'get',
        apiGroup: 'apps',
        apiVersion: '*',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'ns',
        name: 'x',
      },
      { verb: 'post', isResourceRequest: false, path: '/healthz', user: { name: 'system:serviceaccount:ns:sa' } },
    ])
  })

  it('asks the same question of one request once', async () => {
    const { asked, authorize } = authorizer()
    const decisions = new DecisionCache()
    const activation: Activation = {
      authorizer: authorizerValue(user, authorize),
      'authorizer.requestResource': resourceCheckValue(user, authorize, {
        group: '',
        resource: 'pods',
        subresource: '',
        namespace: 'ns',
        name: '',
      }),
    }
    const same = "authorizer.group('').resource('pods').namespace('ns').check('list').reason()"
    const program = compile(environment, `${same} == authorizer.requestResource.check('list').reason()`)
    expect(await evaluateAsync(program, activation, { decisions })).toMatchObject({ value: true })
    expect(
      await evaluateAsync(compile(environment, `${same} == 'list by ann'`), activation, { decisions }),
    ).toMatchObject({ value: true })
    expect(asked).toHaveLength(1)
  })

  it('passes on selectors that can be read', async () => {
    const { asked, authorize } = authorizer()
    const check =
      "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=n').labelSelector('a in (b)').check('list').allowed()"
    await evaluateAsync(compile(environment, check), { authorizer: authorizerValue(user, authorize) })
    expect(asked[0]).toMatchObject({
      fieldSelector: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }],
      labelSelector: [{ key: 'a', operator: 'In', values: ['b'] }],
    })
  })

  it('shows errors of the decision', async () => {
    const authorize = (): Promise<AuthorizerDecision> =>
      Promise.resolve({ allowed: false, reason: '', error: 'no answer' })
    const program = compile(environment, "authorizer.path('/x').check('get').error() == 'no answer'")
    expect(await evaluateAsync(program, { authorizer: authorizerValue(user, authorize) })).toMatchObject({
      value: true,
    })
  })

  it('waits inside composed variables', async () => {
    const { authorize } = authorizer()
    const types = new Map<string, Type>([['may', STRING]])
    const all = admissionEnvironment(base, { authorizer: true, variables: types })
    const decisions = new DecisionCache()
    const activation: Activation = { authorizer: authorizerValue(user, authorize) }
    const variables = new Map([['may', compile(all, "authorizer.path('/x').check('get').reason()")]])
    const composed = new ComposedVariables(variables, activation, { decisions })
    const program = compile(all, "variables.may == 'get by ann'")
    expect(await evaluateAsync(program, { ...activation, variables: composed as Value }, { decisions })).toMatchObject({
      value: true,
    })
    expect(composed.takeCost()).toBe(350_003)
  })

  it('gives way between composed variables, and makes none of them twice', async () => {
    const names = ['a', 'b', 'c', 'd']
    const all = admissionEnvironment(base, { variables: new Map<string, Type>(names.map((name) => [name, INT])) })
    const variables = new Map([
      ['a', compile(all, 'variables.b + 1')],
      ['b', compile(all, 'variables.c + variables.d')],
      ['c', compile(all, 'object.size()')],
      ['d', compile(all, 'variables.c')],
    ])
    let turns = 0
    const slice = {
      isOver: true,
      yieldToEventLoop: async () => {
        turns++
      },
    }
    const activation: Activation = { object: [1, 2] }
    const composed = new ComposedVariables(variables, activation, { slice })
    const program = compile(all, 'variables.a + variables.d == 7')
    expect(await evaluateAsync(program, { ...activation, variables: composed as Value })).toMatchObject({ value: true })
    expect(turns).toBe(1)
    expect(composed.takeCost()).toBe(12)
  })

  it('makes no more variables when the budget is spent', () => {
    const all = admissionEnvironment(base, { variables: new Map<string, Type>([['a', INT]]) })
    const variables = new Map([['a', compile(all, 'object.size()')]])
    const composed = new ComposedVariables(variables, { object: [] }, { budget: -1 })
    expect(compile(all, 'variables.a').evaluate({ variables: composed as Value })).toMatchObject({
      message: 'composited variable "a" is beyond the budget',
    })
  })

  it('can be called off', async () => {
    const { authorize } = authorizer()
    const program = compile(environment, "authorizer.path('/x').check('get').allowed()")
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(evaluateAsync(program, { authorizer: authorizerValue(user, authorize) }, { signal })).rejects.toThrow(
      'gone',
    )
  })
})

describe('claims, users and reviews', () => {
  it.each([
    [
      claimsEnvironment(base),
      "claims.sub + ':' + claims.groups[0] == 'a:b' && claims.?none.orValue('x') == 'x'",
      { claims: { sub: 'a', groups: ['b'] } },
    ],
    [
      userEnvironment(base),
      "user.username == 'a' && user.extra['k'] == ['v']",
      { user: { username: 'a', extra: { k: ['v'] } } },
    ],
    [
      accessReviewEnvironment(base),
      "has(request.resourceAttributes) && request.resourceAttributes.verb == 'get' && !has(request.nonResourceAttributes)",
      { request: { resourceAttributes: { verb: 'get' } } },
    ],
  ])('%#', (environment, expression, activation) => {
    expect(compile(environment, expression).evaluate(activation)).toMatchObject({ kind: 'value', value: true })
  })

  it('sees which variables and fields an expression uses', () => {
    const program = compile(accessReviewEnvironment(base), 'has(request.resourceAttributes.fieldSelector)')
    expect(program.variables).toEqual(['request'])
    expect([program.selects('fieldSelector'), program.selects('labelSelector')]).toEqual([true, false])
  })
})

describe('work that has no price', () => {
  const environment = admissionEnvironment(base)
  const object = {
    few: Array.from({ length: 1000 }, (_, i) => i),
    many: Array.from({ length: 50_000 }, (_, i) => `s${i}`),
    text: 'a'.repeat(1_000_000),
  }

  it.each([
    "object.few.all(n, !('z' in object.many))",
    "object.few.all(n, object.many.lastIndexOf('z') < 0)",
    'object.few.all(n, bytes(object.text).size() > 0)',
    "object.few.all(n, '%s'.format([object.many]) != '')",
    "object.text.replace('a', object.text).size() > 0",
  ])('ends %s', (expression) => {
    expect(compile(environment, expression).evaluate({ object })).toMatchObject({ kind: 'error', limitExceeded: true })
  })
})

describe('null where a value of an opaque type is wanted passes the checker and is an error of the run', () => {
  const calls = [
    ['url', 'getHost()'],
    ['url', 'getEscapedPath()'],
    ['ip', 'family()'],
    ['ip', 'isLoopback()'],
    ['cidr', 'prefixLength()'],
    ['cidr', "containsIP('10.0.0.1')"],
    ['quantity', 'asInteger()'],
    ['quantity', "isLessThan(quantity('1'))"],
    ['semver', 'major()'],
    ['duration', 'getHours()'],
    ['timestamp', 'getFullYear()'],
    ['optional.of', 'value()'],
    ['optional.of', 'hasValue()'],
  ] as const
  const samples: Record<string, string> = {
    url: "'http://a/'",
    ip: "'10.0.0.1'",
    cidr: "'10.0.0.0/8'",
    quantity: "'1'",
    semver: "'1.2.3'",
    duration: "'1h'",
    timestamp: "'2024-01-01T00:00:00Z'",
    'optional.of': '1',
  }
  const environment = admissionEnvironment(base)
  const shapes = ([make, member]: (typeof calls)[number]): string[] => [
    `null.${member}`,
    `(object == 1 ? ${make}(${samples[make]}) : null).${member}`,
  ]
  it.each(calls.flatMap(shapes))('%s', (expression) => {
    const result = compile(environment, expression).evaluate({ object: 2 })
    expect(result).toMatchObject({ kind: 'error', message: expect.stringMatching(/^no such overload/) })
  })
})
