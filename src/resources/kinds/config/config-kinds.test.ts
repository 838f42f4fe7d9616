import { describe, expect, it } from 'vitest'
import type { FieldError } from '../../../api/field-error.ts'
import { jsonObjectProblem } from '../../../api/golang/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import type { KindRules, KindServices } from '../../kind-rules.ts'
import { configMapRules } from './config-map/config-map.ts'
import { coreEventRules, eventRules } from './event/event.ts'
import { limitRangeRules } from './limit-range/limit-range.ts'
import { resourceQuotaRules } from './resource-quota/resource-quota.ts'
import { keyPairProblem } from './secret/key-pair.ts'
import { mergeStringData, secretRules } from './secret/secret.ts'

const context: WriteContext = { user: undefined, namespace: 'ns', dryRun: false, now: 0, gate: () => false }
const services = { clock: { uuid: () => 'a-uuid' } } as unknown as KindServices

const object = (fields: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name: 'x', namespace: 'ns' },
  ...fields,
})

const causes = (rules: unknown, fields: object, old?: object): string[] => {
  const { strategy } = rules as KindRules
  const before = old === undefined ? undefined : object(old)
  // Objects of tests take no turns.
  const inTurns = strategy.validateInTurns?.(object(fields), before, context) as FieldError[] | undefined
  const errors =
    inTurns ??
    (before === undefined
      ? strategy.validate?.(object(fields), context)
      : strategy.validateUpdate?.(object(fields), before, context))
  return (errors ?? []).map(({ field, message }) => `${field}: ${message}`)
}

const locked = 'Forbidden: field is immutable when `immutable` is set'

describe('config maps', () => {
  const rules = configMapRules()

  it.each([
    ['good', { data: { 'a.b-c_D': '' }, binaryData: { bin: 'AAEC' } }, []],
    [
      'twice',
      { data: { k: '' }, binaryData: { k: 'AA==' } },
      ['data[k]: Invalid value: "k": duplicate of key present in binaryData'],
    ],
    ['too much', { data: { k: 'x'.repeat(1024 * 1024 + 1) } }, ['[]: Too long: may not be more than 1048576 bytes']],
    ['just enough', { binaryData: { k: Buffer.alloc(1024 * 1024).toString('base64') } }, []],
  ])('%s', (_, fields, expected) => {
    expect(causes(rules, fields)).toEqual(expected)
  })

  it('refuses file names that lead upwards', () => {
    expect(causes(rules, { data: { '..': '' } })).toEqual([`data[..]: Invalid value: "..": must not be '..'`])
  })

  it('stays locked', () => {
    const old = { immutable: true, data: { k: 'v' } }
    expect(causes(rules, { data: { k: 'w' }, binaryData: { b: '' } }, old)).toEqual([
      `immutable: ${locked}`,
      `data: ${locked}`,
      `binaryData: ${locked}`,
    ])
    expect(causes(rules, old, old)).toEqual([])
  })
})

describe('secrets', () => {
  const rules = secretRules()
  const typed = (type: string, data: object = {}) => ({ type: `kubernetes.io/${type}`, data })
  const base64 = (text: string): string => Buffer.from(text).toString('base64')

  it.each([
    [typed('tls'), ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
    [typed('basic-auth'), ['data[username]: Required value', 'data[password]: Required value']],
    [typed('basic-auth', { password: '' }), []],
    [typed('ssh-auth', { 'ssh-privatekey': '' }), ['data[ssh-privatekey]: Required value']],
    [typed('dockercfg'), ['data[.dockercfg]: Required value']],
    [typed('dockerconfigjson', { '.dockerconfigjson': base64('{"auths":{}}') }), []],
    [
      typed('dockerconfigjson', { '.dockerconfigjson': base64('not json') }),
      [
        `data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character 'o' in literal null (expecting 'u')`,
      ],
    ],
    [typed('service-account-token'), ['metadata.annotations[kubernetes.io/service-account.name]: Required value']],
    [{ type: 'example.com/any' }, []],
  ])('of type %o', (fields, expected) => {
    expect(causes(rules, fields)).toEqual(expected)
  })

  it('keeps its type', () => {
    expect(causes(rules, { type: 'b' }, { type: 'a' })).toEqual(['type: Invalid value: "b": field is immutable'])
  })

  it('takes string data over data, and forgets it', () => {
    const merged = mergeStringData({
      kind: 'Secret',
      data: { k: 'b2xk', l: '' },
      stringData: { k: 'new' },
      type: 'Opaque',
    })
    expect(JSON.stringify(merged)).toBe('{"kind":"Secret","data":{"k":"bmV3","l":""},"type":"Opaque"}')
    const same = { data: {} }
    expect(mergeStringData(same)).toBe(same)
  })

  it('keeps strange keys plain', () => {
    const merged = mergeStringData(JSON.parse('{"stringData":{"__proto__":"x"}}'))
    expect(JSON.stringify(merged)).toBe('{"data":{"__proto__":"eA=="}}')
  })
})

describe('the words of the JSON reader', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['[f', "invalid character ' ' in literal false (expecting 'a')"],
    ['-', "invalid character ' ' in numeric literal"],
    ['[0.', "invalid character ' ' after decimal point in numeric literal"],
    ['[1e+', "invalid character ' ' in exponent of numeric literal"],
    ['"\\', "invalid character ' ' in string escape code"],
    ['"\\u00', "invalid character ' ' in \\u hexadecimal character escape"],
    ['"a', 'unexpected end of JSON input'],
    ['[1', 'unexpected end of JSON input'],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":"\n"}', "invalid character '\\n' in string literal"],
    ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
    ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
    ['[1]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['"x"', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    ['true', 'json: cannot unmarshal bool into Go value of type map[string]interface {}'],
    [' 1', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
    ['null', undefined],
    [' {"a":[1,{"b":"c"},-0.5e+3,true,false,null]} ', undefined],
  ])('%j', (text, expected) => {
    expect(jsonObjectProblem(text)).toBe(expected)
  })

  it('gives up where the reference does, not where the stack ends', () => {
    expect(jsonObjectProblem('['.repeat(20_000))).toBe('exceeded max depth')
  })
})

it('tells what is missing from a key pair', () => {
  const block = (type: string): string => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`
  expect(keyPairProblem('', '')).toBe('tls: failed to find any PEM data in certificate input')
  expect(keyPairProblem(block('RSA PRIVATE KEY'), '')).toMatch(/PEM inputs may have been switched$/)
  expect(keyPairProblem(block('CERTIFICATE'), '')).toBe('tls: failed to find any PEM data in key input')
  expect(keyPairProblem(block('CERTIFICATE'), block('CERTIFICATE'))).toMatch(
    /^tls: found a certificate rather than a key/,
  )
  expect(keyPairProblem(block('CERTIFICATE'), block('PRIVATE KEY'))).toBe('x509: malformed certificate')
})

describe('quotas', () => {
  const rules = resourceQuotaRules()
  const quota = (spec: object) => ({ spec, status: {} })

  it.each([
    [{ hard: { pods: '2', 'requests.cpu': '1', 'count/configmaps': '1', 'example.com/gpu': '3' } }, []],
    [{ hard: { cpu: '-1' } }, ['spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0']],
    [
      { hard: { cpu: '1' }, scopes: ['Never'] },
      ['spec.scopes: Invalid value: []core.ResourceQuotaScope{"Never"}: unsupported scope'],
    ],
    [
      { hard: { cpu: '1' }, scopes: ['BestEffort'] },
      ['spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: unsupported scope applied to resource'],
    ],
    [
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } },
      [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
    ],
    [
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Like', values: ['x'] }] } },
      ['spec.scopeSelector.matchExpressions.operator: Invalid value: "Like": not a valid selector operator'],
    ],
  ])('%o', (spec, expected) => {
    expect(causes(rules, quota(spec))).toEqual(expected)
  })

  it('keeps its scopes, in any order', () => {
    const scopes = ['NotTerminating', 'NotBestEffort']
    expect(causes(rules, quota({ scopes: [...scopes].reverse() }), quota({ scopes }))).toEqual([])
    expect(causes(rules, quota({}), quota({ scopes }))).toEqual([
      'spec.scopes: Invalid value: []core.ResourceQuotaScope(nil): field is immutable',
    ])
  })
})

describe('limit ranges', () => {
  const rules = limitRangeRules(services)
  const range = (...limits: object[]) => ({ spec: { limits } })
  const messages = (...limits: object[]): string[] =>
    causes(rules, range(...limits)).map((text) => text.replace(/Invalid value: resource\.Quantity\{.*?"\}: /, ''))

  it.each([
    [[{ type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' } }], []],
    [
      [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }],
      ['spec.limits[0].min[cpu]: min value 2 is greater than max value 1'],
    ],
    [
      [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' } }],
      ['spec.limits[0].default[cpu]: default value 2 is greater than max value 1'],
    ],
    [
      [{ type: 'Container', defaultRequest: { cpu: '3' }, default: { cpu: '2' } }],
      ['spec.limits[0].defaultRequest[cpu]: default request value 3 is greater than default limit value 2'],
    ],
    [
      [{ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }],
      ['spec.limits[0].maxLimitRequestRatio[cpu]: ratio 3 is greater than max/min = 2.000000'],
    ],
    [
      [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }],
      ['spec.limits[0].maxLimitRequestRatio[cpu]: ratio 500m is less than 1'],
    ],
    [
      [{ type: 'Pod', default: { cpu: '1' } }],
      ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
    ],
    [
      [{ type: 'PersistentVolumeClaim' }],
      [
        'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
      ],
    ],
    [[{ type: 'Pod' }, { type: 'Pod' }], ['spec.limits[1].type: Duplicate value: "Pod"']],
    [
      [{ type: 'Odd' }],
      ['spec.limits[0].type: Invalid value: "Odd": must be a standard limit type or fully qualified'],
    ],
    [
      [{ type: 'odd/one', max: { constructor: '1' }, min: { cpu: '1' } }],
      [
        'spec.limits[0].max[constructor]: Invalid value: constructor: must be a standard resource type or fully qualified',
      ],
    ],
  ])('%o', (limits, expected) => {
    expect(messages(...limits)).toEqual(expected)
  })

  it('show what was compared with an unbounded decimal as one', () => {
    const shown = (max: string): string[] =>
      causes(rules, range({ type: 'Container', min: { cpu: '1' }, max: { cpu: max }, default: { cpu: '100m' } }))
    expect(shown('1Pi')[0]).toContain('int64Amount{value:0, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(0x')
    expect(shown('1Gi')[0]).toContain('int64Amount{value:1, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}')
  })

  it('names itself when nobody does', () => {
    const draft = { apiVersion: 'v1', kind: 'LimitRange', metadata: {}, spec: { limits: [] } }
    rules.strategy.prepareForCreate?.(draft, context)
    expect(draft.metadata).toEqual({ name: 'a-uuid' })
  })
})

describe('events', () => {
  const bare = { involvedObject: { namespace: 'ns' }, source: {}, reportingComponent: '', reportingInstance: '' }
  const empty = { ...bare, eventTime: null, firstTimestamp: null, lastTimestamp: null }
  const whole = {
    ...empty,
    eventTime: '2024-01-01T00:00:00.123456Z',
    reportingComponent: 'example.com/ctl',
    reportingInstance: 'ctl-0',
    action: 'Pulling',
    reason: 'Pulled',
    type: 'Normal',
  }

  it('wants little through the core group', () => {
    expect(causes(coreEventRules(), empty)).toEqual([])
    expect(causes(coreEventRules(), { ...empty, involvedObject: { namespace: 'other' } })).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ])
    expect(causes(coreEventRules(), { ...whole, reportingComponent: '', action: 'a'.repeat(129) })).toContain(
      'action: Invalid value: "": can have at most 128 characters',
    )
  })

  it('wants more through the other', () => {
    expect(causes(eventRules(), whole)).toEqual([])
    expect(causes(eventRules(), empty)).toEqual([
      'eventTime: Required value',
      'type: Invalid value: "": has invalid value: ',
    ])
    expect(causes(eventRules(), { ...whole, metadata: { namespace: 'ns' }, action: '', type: '' })).toEqual([
      'action: Required value',
      'metadata.name: Required value: name or generateName is required',
      'type: Invalid value: "": has invalid value: ',
    ])
    const series = { count: 1, lastObservedTime: null }
    expect(causes(eventRules(), { ...whole, series, count: 3 })).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'count: Invalid value: "": needs to be unset',
    ])
  })

  it('takes a series later, and nothing else', () => {
    const series = { count: 2, lastObservedTime: '2024-01-01T00:00:01.500000Z' }
    expect(causes(eventRules(), { ...whole, series }, whole)).toEqual([])
    expect(causes(eventRules(), { ...whole, message: 'm', eventTime: '2024-01-01T00:00:01.500000Z' }, whole)).toEqual([
      'message: Invalid value: "m": field is immutable',
      'eventTime: Invalid value: 2024-01-01 00:00:01.5 +0000 UTC: field is immutable',
    ])
  })
})
