import { describe, expect, it } from 'vitest'
import { FieldPath } from '../../../api/field-path.ts'
import type { KubeObject } from '../../../api/object.ts'
import { validateUrl } from '../../../api/webhook-client-config.ts'
import { MetadataChecks } from '../../../registry/metadata-checks.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import type { KindRules, KindServices } from '../../kind-rules.ts'
import { apiServiceRules } from './api-service/api-service.ts'
import type { ExpressionChecker } from './expressions.ts'
import { flowSchemaRules } from './flow-schema/flow-schema.ts'
import { horizontalPodAutoscalerRules } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts'
import { mutatingAdmissionPolicyRules } from './mutating-admission-policy/mutating-admission-policy.ts'
import { validatingPolicyBindingRules } from './policy-binding/policy-binding.ts'
import { priorityLevelConfigurationRules } from './priority-level-configuration/priority-level-configuration.ts'
import { storageVersionRules } from './storage-version/storage-version.ts'
import { storageVersionMigrationRules } from './storage-version-migration/storage-version-migration.ts'
import { validatingAdmissionPolicyRules } from './validating-admission-policy/validating-admission-policy.ts'
import { webhookConfigurationRules } from './webhook-configuration/webhook-configuration.ts'

const user = { name: 'ann', groups: ['devs'], extra: new Map<string, string[]>() }
const context: WriteContext = { user, namespace: '', dryRun: false, now: 1_700_000_000_000, gate: () => false }

/** Everything compiles but what says that it does not; stored expressions always do. */
const checker: ExpressionChecker = {
  check: (expression, { stored }) =>
    expression.includes('bad') && !stored ? { detail: 'does not compile', internal: false } : undefined,
  declare: () => undefined,
}

const services = {
  gate: () => false,
  expressions: () => checker,
  objects: async () => ({ get: () => undefined }),
  access: { allows: async () => false, resourceOfKind: () => undefined },
} as unknown as KindServices

const object = (fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, ...fields })

const causes = async (rules: unknown, fields: object, old?: object): Promise<string[]> => {
  const { strategy } = rules as KindRules
  const before = old === undefined ? undefined : object(old)
  const errors =
    (await strategy.validateInTurns?.(object(fields), before, context)) ??
    (before === undefined
      ? strategy.validate?.(object(fields), context)
      : strategy.validateUpdate?.(object(fields), before, context))
  return (errors ?? []).map(({ field, message }) => `${field}: ${message}`)
}

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }

describe('webhooks', () => {
  const form = '; desired format: https://host[/path]'

  it.each([
    ['https://example.com/hook', []],
    ['https://[::1]:8443/x', []],
    ['http://example.com', [`Invalid value: "http": 'https' is the only allowed URL scheme${form}`]],
    ['https://user:pw@h', ['Invalid value: "user:pw": user information is not permitted in the URL']],
    [
      'https://h/a?b#c',
      [
        'Invalid value: "c": fragments are not permitted in the URL',
        'Invalid value: "b": query parameters are not permitted in the URL',
      ],
    ],
    [
      'nothing',
      [
        `Invalid value: "": 'https' is the only allowed URL scheme${form}`,
        `Invalid value: "": host must be specified${form}`,
      ],
    ],
    [':x', [`Required value: url must be a valid URL: parse ":x": missing protocol scheme${form}`]],
    [
      'https://h:p',
      [`Required value: url must be a valid URL: parse "https://h:p": invalid port ":p" after host${form}`],
    ],
    [
      'https://h/%zz',
      [`Required value: url must be a valid URL: parse "https://h/%zz": invalid URL escape "%zz"${form}`],
    ],
  ])('%s', (url, expected) => {
    expect(validateUrl(url, FieldPath.of('url')).map(({ message }) => message)).toEqual(expected)
  })

  const rules = webhookConfigurationRules(services)
  const hook = {
    name: 'a.example.com',
    clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }

  it.each([
    [{}, []],
    [
      { sideEffects: 'Some' },
      ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      { timeoutSeconds: 0 },
      ['webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      { rules: [{ ...rule, resources: ['*', 'pods'] }] },
      [
        `webhooks[0].rules[0].resources: Invalid value: []string{"*", "pods"}: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [
      { rules: [{ ...rule, resources: ['pods/*', 'pods/log'] }] },
      [
        `webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
      ],
    ],
    [
      { matchConditions: [{ name: '', expression: 'bad' }] },
      [
        'webhooks[0].matchConditions[0].expression: Invalid value: "bad": does not compile',
        'webhooks[0].matchConditions[0].name: Required value',
      ],
    ],
    // The reference tells of the other name.
    [
      { clientConfig: { service: { namespace: '', name: 's', port: 443 } } },
      ['webhooks[0].clientConfig.service.name: Required value: service name is required'],
    ],
  ])('%o', async (change, expected) => {
    expect(await causes(rules, { webhooks: [{ ...hook, ...change }] })).toEqual(expected)
  })

  it('lets faults be that were there before', async () => {
    const faulty = { ...hook, sideEffects: 'Some', admissionReviewVersions: ['v7'] }
    expect(await causes(rules, { webhooks: [faulty] }, { webhooks: [faulty] })).toEqual([])
    const conditions = { ...hook, matchConditions: [{ name: 'c', expression: 'bad' }] }
    const more = { ...conditions, matchConditions: [...conditions.matchConditions, { name: 'd', expression: 'true' }] }
    expect(await causes(rules, { webhooks: [more] }, { webhooks: [conditions] })).toEqual([])
  })
})

const matchConstraints = {
  resourceRules: [rule],
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
}

describe('policies', () => {
  const rules = validatingAdmissionPolicyRules(services)
  const spec = { failurePolicy: 'Fail', matchConstraints, validations: [{ expression: 'true' }] }

  it.each([
    [{}, []],
    [
      { failurePolicy: 'Shrug' },
      ['spec.failurePolicy: Unsupported value: "Shrug": supported values: "Fail", "Ignore"'],
    ],
    [
      { variables: [{ name: 'for', expression: 'true' }] },
      ['spec.variables[0].name: Invalid value: "for": name is not a valid CEL identifier'],
    ],
    [
      { validations: [{ expression: 'bad', message: 'a\nb', reason: 'Whim' }] },
      [
        'spec.validations[0].expression: Invalid value: "bad": does not compile',
        'spec.validations[0].message: Invalid value: "a\\nb": message must not contain line breaks',
        'spec.validations[0].reason: Unsupported value: "Whim": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
    ],
    [
      { paramKind: { apiVersion: 'a/b/c', kind: '' } },
      [
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        'spec.paramKind.kind: Required value',
      ],
    ],
    [
      { auditAnnotations: [{ key: 'k', valueExpression: '' }] },
      ['spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified'],
    ],
  ])('%o', async (change, expected) => {
    expect(await causes(rules, { spec: { ...spec, ...change }, status: {} })).toEqual(expected)
  })

  it('must be able to read what they show', async () => {
    const draft = object({ spec: { ...spec, paramKind: { apiVersion: 'v1', kind: 'Secret' } } }) as never
    await expect(rules.strategy.beginCreate?.(draft, context)).rejects.toThrow(
      'spec.paramKind: Forbidden: user &{ann  [devs] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
    )
    const binding = object({
      spec: { policyName: 'p', validationActions: ['Deny'], paramRef: { name: 'n', parameterNotFoundAction: 'Deny' } },
    }) as never
    await expect(validatingPolicyBindingRules(services).strategy.beginCreate?.(binding, context)).rejects.toThrow(
      'unable to get policy p to determine minimum required permissions',
    )
    const master = { ...context, user: { ...user, groups: ['system:masters'] } }
    await expect(rules.strategy.beginCreate?.(draft, master)).resolves.toBeUndefined()
  })

  it.each<[object, object, boolean]>([
    [{ name: 'n' }, { name: 'n' }, false],
    [{ name: 'n' }, { name: 'm' }, true],
    [{ name: 'n', parameterNotFoundAction: 'Deny' }, { name: 'n', parameterNotFoundAction: 'Deny' }, true],
    [{ selector: { matchLabels: { a: 'b' } } }, { selector: { matchLabels: { a: 'b' } } }, true],
  ])('are asked again when the reference %o of a binding becomes %o', async (old, paramRef, isAsked) => {
    const { strategy } = validatingPolicyBindingRules(services)
    const binding = (ref: object) =>
      object({
        spec: {
          policyName: 'p',
          validationActions: ['Deny'],
          paramRef: { parameterNotFoundAction: undefined, ...ref },
        },
      }) as never
    const before = strategy.beginUpdate?.(binding(paramRef), binding(old), context)
    if (isAsked) expect(before).toBeInstanceOf(Promise)
    else expect(before).toBeUndefined()
    await Promise.resolve(before).catch(() => undefined)
  })

  it('that change objects are about writes, and make one kind of patch', async () => {
    const mutation = { patchType: 'JSONPatch', applyConfiguration: { expression: 'x' } }
    const match = { ...matchConstraints, resourceRules: [{ ...rule, operations: ['DELETE'] }] }
    const fields = {
      failurePolicy: 'Fail',
      matchConstraints: match,
      mutations: [mutation],
      reinvocationPolicy: 'Never',
    }
    expect(await causes(mutatingAdmissionPolicyRules(services), { spec: fields })).toEqual([
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
      'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
    ])
  })
})

describe('flow control', () => {
  const schema = (spec: object) => ({
    spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 5, ...spec },
    status: {},
  })

  it.each([
    [{}, []],
    [
      { matchingPrecedence: 1 },
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [
      {
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'u' }, group: { name: 'g' } }],
            resourceRules: [{ verbs: ['eat'], apiGroups: ['*', 'a'], resources: ['*'], namespaces: ['Bad'] }],
          },
        ],
      },
      [
        "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
        'spec.rules[0].resourceRules[0].verbs: Unsupported value: []string{"eat"}: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
        `spec.rules[0].resourceRules[0].apiGroups: Invalid value: []string{"*", "a"}: if '*' is present, must not specify other api groups`,
      ],
    ],
  ])('%o', async (spec, expected) => {
    expect((await causes(flowSchemaRules(), schema(spec))).slice(0, 3)).toEqual(expected)
  })

  const level = (limited: object) => ({ spec: { type: 'Limited', limited }, status: {} })
  const queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 }

  it.each([
    [{ nominalConcurrencyShares: 1, limitResponse: { type: 'Queue', queuing } }, []],
    [
      { nominalConcurrencyShares: 1, limitResponse: { type: 'Queue', queuing: { ...queuing, handSize: 65 } } },
      ['spec.limited.limitResponse.queuing.handSize: Invalid value: 65: should not be greater than queues (64)'],
    ],
    [
      { nominalConcurrencyShares: 1, limitResponse: { type: 'Queue', queuing: { ...queuing, handSize: 11 } } },
      [
        'spec.limited.limitResponse.queuing.handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60',
      ],
    ],
  ])('%o', async (limited, expected) => {
    expect(await causes(priorityLevelConfigurationRules(), level(limited))).toEqual(expected)
  })
})

describe('api services', () => {
  const spec = { group: 'g.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 }
  const named = (fields: object) => ({ metadata: { name: 'v1.g.example.com' }, ...fields })

  it.each([
    [named({ spec }), []],
    [
      named({ spec: { ...spec, insecureSkipTLSVerify: true, caBundle: 'eA==' } }),
      [
        'spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
      ],
    ],
  ])('%o', async (fields, expected) => {
    expect(await causes(apiServiceRules(), fields)).toEqual(expected)
  })

  // With the rest of metadata, of which names come first.
  it.each([
    ['g.example.com', 'v1.g.example.com'],
    ['\0', 'v1.\\x00'],
  ])('are named by version and group: %j', (group, wanted) => {
    const metadata = { name: 'x', labels: { a: '?' } }
    const checks = new MetadataChecks({ metadata, namespaced: false })
    const made = object({ metadata, spec: { ...spec, group } }) as never
    const errors = apiServiceRules().strategy.validateMetadata?.(checks, made) ?? []
    expect(errors.map(({ field, message }) => `${field}: ${message.slice(0, 70)}`)).toEqual([
      `metadata.name: ${`Invalid value: "x": must be \`spec.version+"."+spec.group\`: "${wanted}"`.slice(0, 70)}`,
      expect.stringContaining('metadata.labels: '),
    ])
  })

  it('are available from the start when they are local', () => {
    const draft = object({ spec, status: { conditions: [] } })
    apiServiceRules().strategy.prepareForCreate?.(draft as never, context)
    expect(draft['status']).toMatchObject({ conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] })
  })
})

describe('autoscalers', () => {
  const rules = horizontalPodAutoscalerRules(services)
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 }
  const status = { desiredReplicas: 0, currentMetrics: null }

  it.each([
    [{ minReplicas: 1 }, []],
    [
      { minReplicas: 0 },
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    [
      { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }] },
      [
        'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      ],
    ],
    [
      { behavior: { scaleUp: { policies: [{ type: 'Odd', value: 0, periodSeconds: 1801 }] } } },
      [
        'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Odd": supported values: "Percent", "Pods"',
        'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
        'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      ],
    ],
  ])('%o', async (change, expected) => {
    expect(await causes(rules, { spec: { ...spec, ...change }, status })).toEqual(expected)
  })

  it('lose a tolerance that its gate does not allow', () => {
    const behavior = { scaleDown: { tolerance: '0.1', policies: [] } }
    const draft = object({ spec: { ...spec, behavior }, status })
    rules.strategy.prepareForCreate?.(draft as never, context)
    expect(draft['spec']).toEqual({ ...spec, behavior: { scaleDown: { policies: [] } } })
  })
})

describe('storage versions', () => {
  const told = (rules: unknown, status: object, old: object = {}): string[] => {
    const part = (rules as KindRules).parts?.['status']
    const errors = part?.validateUpdate?.(object({ status }), object({ status: old }), context) ?? []
    return errors.map(({ field, message }) => `${field}: ${message}`)
  }
  const server = { apiServerID: 'a', encodingVersion: 'v1', decodableVersions: ['v1'] }

  it.each<[object, string[]]>([
    [{ storageVersions: [server], commonEncodingVersion: 'v1' }, []],
    [
      { storageVersions: [server] },
      ['status.commonEncodingVersion: Invalid value: "null": the common encoding version is v1'],
    ],
    [
      { storageVersions: [server, { ...server, servedVersions: ['g/v2'] }], commonEncodingVersion: 'v1' },
      [
        'status.storageVersions[1].apiServerID: Duplicate value: "a"',
        'status.storageVersions[1].servedVersions[0]: Invalid value: "g/v2": individual served version : g/v2 must be included in decodableVersions : [v1]',
      ],
    ],
    [
      { storageVersions: [{ ...server, encodingVersion: '/V1' }], commonEncodingVersion: '/V1' },
      [
        "status.storageVersions[0].encodingVersion: Invalid value: \"/V1\": group part: must be non-empty,version part: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        'status.storageVersions[0].decodableVersions: Invalid value: []string{"v1"}: decodableVersions must include encodingVersion /V1',
      ],
    ],
    [
      { conditions: [{ type: 'A', status: 'True', reason: '', message: 'm' }] },
      ['status[0].reason: Required value: reason cannot be empty'],
    ],
  ])('%j', (status, expected) => {
    expect(told(storageVersionRules(), status)).toEqual(expected)
  })

  it.each<[string, readonly string[]]>([
    ['apps.deployments', []],
    ['deployments', ['Invalid value: "deployments": name must be in the form of <group>.<resource>']],
  ])('are named %s', (name, expected) => {
    const checks = new MetadataChecks({ metadata: { name }, namespaced: false })
    const errors = storageVersionRules().strategy.validateMetadata?.(checks, { metadata: { name } } as never) ?? []
    expect(errors.map(({ message }) => message)).toEqual(expected)
  })

  it('are migrated for one resource, which ends in one way', async () => {
    const spec = { resource: { group: 'apps', version: 'v1', resource: 'deployments' } }
    const rules = storageVersionMigrationRules()
    expect(await causes(rules, { spec: { resource: {} } })).toEqual([
      'spec.resource.resource: Required value: resource is required',
      'spec.resource.version: Required value: version is required',
    ])
    expect(await causes(rules, { spec: { resource: { ...spec.resource, version: 'v2' } } }, { spec })).toEqual([
      'version: Invalid value: "v2": field is immutable',
    ])
    const at = '2024-01-02T03:04:05Z'
    const ended = (type: string) => ({ type, status: 'True', lastUpdateTime: at, reason: 'Why' })
    const both = { resourceVersion: 'x', conditions: [ended('Succeeded'), ended('Failed')] }
    const [unreadable, changed, twofold, ...rest] = told(rules, both, { resourceVersion: '3' })
    expect(unreadable).toBe(
      'status.resourceVersion: Invalid value: "x": failed to parse resource version "x": strconv.ParseInt: parsing "x": invalid syntax',
    )
    expect(changed).toBe('status.resourceVersion: Invalid value: "x": resourceVersion cannot be updated')
    expect(twofold).toMatch(
      /^status.conditions: .*: Both success and failed conditions cannot be true at the same time$/,
    )
    expect(rest).toEqual([])
  })
})
