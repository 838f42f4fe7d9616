import { describe, expect, it } from 'vitest'
import type { FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { Strategy, WriteContext } from '../../../registry/strategy.ts'
import type { KindRules, KindServices } from '../../kind-rules.ts'
import { claimRules, claimTemplateRules, deviceClassRules, sliceRules } from './device-kinds.ts'
import { taintRuleRules } from './taint-rule.ts'

const context = (gates: readonly string[] = []): WriteContext => ({
  user: undefined,
  namespace: 'n',
  dryRun: false,
  now: 0,
  gate: (name) => gates.includes(name),
})

const namespaces: Record<string, object> = { n: {}, admin: { labels: { 'resource.k8s.io/admin-access': 'true' } } }

/** Everything compiles but what says that it does not. */
const services = {
  gate: () => false,
  objects: async () => ({
    get: (_: string, name: string) => (namespaces[name] === undefined ? undefined : { metadata: namespaces[name] }),
  }),
  deviceSelector: (expression: string, stored: boolean) => {
    if (expression === 'long') return 'too-complex'
    return expression.includes('bad') && !stored ? { detail: 'does not compile', internal: false } : undefined
  },
} as unknown as KindServices

const object = (fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, ...fields })

async function told(strategy: Strategy, now: object, old?: object, where = context()): Promise<string[]> {
  const [next, before] = [object(now), old === undefined ? undefined : object(old)]
  const errors: FieldError[] =
    (await strategy.validateInTurns?.(next, before, where)) ??
    (before === undefined ? strategy.validate?.(next, where) : strategy.validateUpdate?.(next, before, where)) ??
    []
  return errors.map(({ field, message }) => `${field}: ${message}`)
}

const main = (rules: unknown): Strategy => (rules as KindRules).strategy
const status = (rules: unknown): Strategy => (rules as KindRules).parts?.['status'] as Strategy

const request = { name: 'r', deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 }
const claim = (devices: object): object => ({ spec: { devices: { requests: [request], ...devices } }, status: {} })
const requests = (...list: object[]): object => claim({ requests: list.map((one) => ({ ...request, ...one })) })
const at = 'spec.devices.requests[0]'

describe('claims', () => {
  it.each<[string, object, string[]]>([
    ['a good one', claim({}), []],
    ['no class', requests({ deviceClassName: '' }), [`${at}.exactly.deviceClassName: Required value`]],
    [
      'all, and so many',
      requests({ allocationMode: 'All' }),
      [`${at}.exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'`],
    ],
    ['two of a name', requests({}, {}), ['spec.devices.requests[1].name: Duplicate value: "r"']],
    [
      'nothing',
      claim({ requests: [{ name: 'r', deviceClassName: '' }] }),
      [`${at}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`],
    ],
    [
      'access alone',
      claim({ requests: [{ name: 'r', deviceClassName: '', adminAccess: false }] }),
      [
        `${at}.exactly.deviceClassName: Required value`,
        `${at}.exactly.allocationMode: Unsupported value: "": supported values: "All", "ExactCount"`,
      ],
    ],
    [
      'selectors',
      requests({ selectors: [{}, { cel: { expression: 'bad' } }, { cel: { expression: 'long' } }] }),
      [
        `${at}.exactly.selectors[0].cel: Required value`,
        `${at}.exactly.selectors[1].cel.expression: Invalid value: "bad": does not compile`,
        `${at}.exactly.selectors[2].cel.expression: Forbidden: too complex, exceeds cost limit`,
      ],
    ],
    [
      'tolerations',
      requests({
        tolerations: [
          { operator: 'Exists', value: 'v' },
          { operator: 'Odd', effect: 'Odd' },
        ],
      }),
      [
        `${at}.exactly.tolerations[0].value: Invalid value: "v": must be empty for operator \`Exists\``,
        `${at}.exactly.tolerations[1].operator: Unsupported value: "Odd": supported values: "Equal", "Exists"`,
        `${at}.exactly.tolerations[1].effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule"`,
      ],
    ],
    [
      'constraints',
      claim({ constraints: [{ requests: ['r', 'r/s'], matchAttribute: 'plain' }, {}] }),
      [
        'spec.devices.constraints[0].requests[1]: Invalid value: "r/s": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
        'spec.devices.constraints[0].matchAttribute: Invalid value: "plain": must include a domain',
        'spec.devices.constraints[1].matchAttribute: Required value',
      ],
    ],
    [
      'configurations',
      claim({ config: [{}, { opaque: { driver: 'd.example', parameters: 'text' } }] }),
      [
        'spec.devices.config[0].opaque: Required value',
        'spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": parameters must be a valid JSON object',
      ],
    ],
  ])('%s', async (_, fields, expected) => {
    expect(await told(main(claimRules(services)), fields)).toEqual(expected)
  })

  it('ask for the same as long as they are there', async () => {
    const errors = await told(main(claimRules(services)), requests({ count: 2 }), claim({}))
    expect(errors).toEqual([
      expect.stringMatching(/^spec: Invalid value: resource.ResourceClaimSpec\{Devices:.*\}: field is immutable$/),
    ])
  })

  it('have admin access in namespaces of administrators', async () => {
    const asked = requests({ adminAccess: true })
    const why =
      'Forbidden: admin access to devices requires the `resource.k8s.io/admin-access: true` label on the containing namespace'
    expect(await told(main(claimRules(services)), asked)).toEqual([`${at}.adminAccess: ${why}`])
    const admin = { ...context(), namespace: 'admin' }
    expect(await told(main(claimRules(services)), asked, undefined, admin)).toEqual([])
  })

  it('lose what their gates do not let them have', () => {
    const strategy = main(claimRules(services))
    const made = object(requests({ adminAccess: true, firstAvailable: [{ name: 'a', deviceClassName: 'c' }] }))
    strategy.prepareForCreate?.(made, context())
    expect(made['spec']).toEqual({ devices: { requests: [request] } })
    const kept = object(requests({ adminAccess: true }))
    strategy.prepareForUpdate?.(kept, object(requests({ adminAccess: true })), context())
    expect(kept['spec']).toEqual({ devices: { requests: [{ ...request, adminAccess: true }] } })
  })

  it('are templates with little metadata', async () => {
    const template = { spec: { metadata: { name: 'x' }, spec: { devices: { requests: [request] } } } }
    expect(await told(main(claimTemplateRules(services)), template)).toEqual([
      'spec.metadata.name: Forbidden: cannot be set',
    ])
  })
})

describe('the status of claims', () => {
  const result = { request: 'r', driver: 'd.example', pool: 'p', device: 'd', adminAccess: null }
  const allocation = { devices: { results: [result] } }
  const device = { driver: 'd.example', pool: 'p', device: 'd', conditions: null }
  const of = (fields: object): object => ({ ...claim({}), status: fields })
  const user = { resource: 'pods', name: 'p', uid: '1' }

  it.each<[string, object, object, string[]]>([
    ['all is well', { allocation, reservedFor: [user], devices: [device] }, {}, []],
    [
      'reserved before it has anything',
      { reservedFor: [user] },
      {},
      ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
    ],
    [
      'a result of no request',
      { allocation: { devices: { results: [{ ...result, request: 'q' }] } } },
      {},
      [
        'status.allocation.devices.results[0].request: Invalid value: "q": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      ],
    ],
    [
      'another device than before',
      { allocation: { devices: { results: [{ ...result, device: 'e' }] } } },
      { allocation },
      [
        expect.stringMatching(
          /^status.allocation: Invalid value: resource.AllocationResult\{Devices:.*\}: field is immutable$/,
        ),
      ],
    ],
    [
      'a share that is no uid',
      { allocation, devices: [{ ...device, shareID: 'a b' }] },
      {},
      [
        'status.devices[0].shareID: Invalid value: "a b": error validating uid: invalid UUID length: 3',
        expect.stringContaining('must be an allocated device in the claim'),
      ],
    ],
    [
      'devices that it has not',
      { allocation, devices: [{ ...device, device: 'e', networkData: { ips: ['1.2.3.4'] } }, device, device] },
      {},
      [
        'status.devices[0]: Invalid value: d.example/p/e: must be an allocated device in the claim',
        'status.devices[0].networkData.ips[0]: Invalid value: "1.2.3.4": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
        'status.devices[2].deviceID: Duplicate value: d.example/p/d',
      ],
    ],
  ])('%s', async (_, now, old, expected) => {
    expect(await told(status(claimRules(services)), of(now), of(old))).toEqual(expected)
  })

  it('says nothing of devices that were given back', () => {
    const draft = object(of({ devices: [device] }))
    status(claimRules(services)).prepareForUpdate?.(draft, object(of({ allocation, devices: [device] })), context())
    expect(draft['status']).toEqual({})
  })
})

describe('slices', () => {
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 }
  const slice = (spec: object): object => ({
    spec: { driver: 'd.example', pool, nodeName: 'n', devices: null, ...spec },
  })
  const one = (basic: object, spec: object = {}): object => slice({ devices: [{ name: 'd', basic }], ...spec })
  const nodes = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'

  it.each<[string, object, string[]]>([
    ['a good one', one({ attributes: { 'd.example/a': { int: 1 } } }), []],
    ['nowhere', { spec: { driver: 'd.example', pool } }, [`spec: Required value: ${nodes}`]],
    [
      'here and everywhere',
      slice({ allNodes: true }),
      [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${nodes}, but multiple fields are set`],
    ],
    [
      'attributes',
      one({ attributes: { 'a-b': { version: '1' }, c: {} } }),
      [
        "spec.devices[0].attributes[a-b]: Invalid value: \"a-b\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
        'spec.devices[0].attributes[a-b].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
        'spec.devices[0].attributes[c]: Required value: exactly one value must be specified',
      ],
    ],
    [
      'counters of no set',
      one({ consumesCounters: [{ counterSet: 's', counters: { m: { value: '1' } } }] }),
      [
        'spec.devices[0].consumesCounters[0].counterSet: Invalid value: "s": must reference a counterSet defined in the ResourceSlice sharedCounters',
      ],
    ],
    [
      'a node of its own',
      one({ nodeName: 'm' }),
      [
        'spec.devices[0]: Invalid value: "null": `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      ],
    ],
  ])('%s', async (_, fields, expected) => {
    expect(await told(main(sliceRules()), fields)).toEqual(expected)
  })

  it('stay with their driver', async () => {
    expect(await told(main(sliceRules()), slice({ driver: 'e.example' }), slice({}))).toEqual([
      'spec.driver: Invalid value: "e.example": field is immutable',
    ])
  })

  it('lose what their gates do not let them have', () => {
    const numbered = (slice: KubeObject): KubeObject => ({ ...slice, metadata: { ...slice.metadata, generation: 1 } })
    const taints = [{ key: 'k', effect: 'NoSchedule' }]
    const made = object(one({ taints, nodeName: 'm' }, { sharedCounters: [], perDeviceNodeSelection: true }))
    main(sliceRules()).prepareForCreate?.(made, context())
    expect(made).toEqual(numbered(object(one({}))))
    const kept = object(one({ taints, nodeName: 'm' }))
    main(sliceRules()).prepareForCreate?.(kept, context(['DRADeviceTaints', 'DRAPartitionableDevices']))
    expect(kept).toEqual(numbered(object(one({ taints, nodeName: 'm' }))))
  })
})

describe('classes and taint rules', () => {
  it.each<[object, object, number]>([
    [{ a: 1 }, { a: 1, b: null }, 2],
    [{ a: 1 }, { a: 1, b: [] }, 2],
    [{ a: 1, b: {} }, { b: {}, a: 1 }, 2],
  ])('are another generation when raw parameters %j become %j', (before, after, generation) => {
    const spec = (parameters: object) => ({
      spec: { config: [{ opaque: { driver: 'd', parameters } }], selectors: [] },
    })
    const [old, draft] = [object(spec(before)), object(spec(after))]
    const strategy = main(deviceClassRules(services))
    strategy.prepareForCreate?.(old, context())
    draft.metadata.generation = old.metadata.generation as number
    strategy.prepareForUpdate?.(draft, old, context())
    expect(draft.metadata.generation).toBe(generation)
  })

  it('hold selectors that are new to more than stored ones', async () => {
    const spec = { selectors: [{ cel: { expression: 'bad' } }] }
    const error = 'spec.selectors[0].cel.expression: Invalid value: "bad": does not compile'
    expect(await told(main(deviceClassRules(services)), { spec })).toEqual([error])
    expect(await told(main(deviceClassRules(services)), { spec }, { spec: {} })).toEqual([error, error])
    const taint = { key: 'k', effect: 'NoSchedule' }
    const rule = { spec: { taint, deviceSelector: spec } }
    expect(await told(main(taintRuleRules(services)), rule, rule)).toEqual([])
  })

  it('name what they are about', async () => {
    const spec = { taint: { key: '', effect: '' }, deviceSelector: { pool: '', device: 'A' } }
    expect((await told(main(taintRuleRules(services)), { spec })).map((text) => text.split(': ')[0])).toEqual([
      'spec.deviceSelector.pool',
      'spec.deviceSelector.device',
      'spec.taint.key',
      'spec.taint.key',
      'spec.taint.effect',
    ])
  })
})
