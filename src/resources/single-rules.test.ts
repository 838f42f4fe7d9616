/** Rules of actions, and those that kinds and releases share, each with what it says. */
import { describe, expect, it, test } from 'vitest'
import { limitErrors } from '../api/error-limit.ts'
import type { FieldError } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import type { JsonObject } from '../api/json.ts'
import type { ObjectMeta } from '../api/object.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { checkLargeMetadata, validateObjectMeta, validateObjectMetaUpdate } from '../registry/object-meta.ts'
import type { ActionRequest, ActionSubresource } from '../registry/subresource.ts'
import { checkUserAnnotations } from './checks/user-annotations.ts'
import { checkFormat } from './declared-formats.ts'
import type { KindServices } from './kind-rules.ts'
import { expressionErrors } from './kinds/control/expressions.ts'
import { poolStatusRequestRules } from './kinds/devices/pool-status-request.ts'
import { bindingAction } from './kinds/pods/binding.ts'
import { evictionAction } from './kinds/pods/eviction.ts'
import { writerOf } from './kinds/pods/test-writer.ts'
import { rollbackAction } from './kinds/workloads/deployment/rollback.ts'
import { podGroupRules } from './kinds/workloads/pod-group/pod-group.ts'

const at = FieldPath.of('f')
const told = (errors: readonly FieldError[]): string[] => errors.map(({ field, message }) => `${field}: ${message}`)

describe('actions refuse', () => {
  const services = { gate: () => false } as unknown as KindServices
  const request = (body: JsonObject): ActionRequest =>
    ({ namespace: 'ns', name: 'a', body: { metadata: { name: 'a' }, ...body } }) as unknown as ActionRequest
  const rollback = rollbackAction(services, { group: 'extensions', version: 'v1beta1' })

  test.each<[string, ActionSubresource, JsonObject, string]>([
    [
      'bindings to what is no node',
      bindingAction(services),
      { target: { kind: 'Pod' } },
      '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
    ],
    [
      'evictions that break the cluster',
      evictionAction(services, {}),
      { deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } },
      'Eviction.policy "a" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
    ],
    [
      'rollbacks of nothing',
      rollback,
      { rollbackTo: { revision: -1 } },
      'DeploymentRollback.apps "" is invalid: [name: Required value: name is required, rollback.version: Invalid value: -1: must be greater than or equal to 0]',
    ],
  ])('%s', async (_, action, body, message) => {
    await expect(action.create(request(body))).rejects.toThrow(message)
  })
})

describe('formats that are declared', () => {
  const subdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
  test.each<[string, string[]]>([
    ['a.b/c', []],
    ['A/b', [`f: Invalid value: "A": segment 0: ${subdomain}`]],
    ['a//b', ['f: Invalid value: "a//b": segment 1: must not be empty']],
    [
      `${'a'.repeat(254)}`,
      [
        'f: Too long: may not be more than 253 bytes',
        `f: Invalid value: "${'a'.repeat(254)}": segment 0: must be no more than 253 bytes`,
      ],
    ],
  ])('of a pool: %s', (value, errors) => {
    expect(told(checkFormat('k8s-resource-pool-name', value, at))).toEqual(errors)
  })
})

test('annotations for a signer have keys, and a bound to all of them', () => {
  const errors: FieldError[] = []
  checkUserAnnotations(errors, { '': 'a', 'b.c/d': 'x'.repeat(256 * 1024) }, at)
  expect(told(errors)).toEqual(['f: Required value', 'f: Too long: may not be more than 262144 bytes'])
})

test('what the server cannot compile is its own fault', () => {
  expect(told(expressionErrors({ detail: 'why', internal: true }, at, '1'))).toEqual(['f: Internal error: why'])
  expect(told(expressionErrors({ detail: 'why', internal: false }, at, '1'))).toEqual(['f: Invalid value: "1": why'])
})

describe('statuses', () => {
  const context = {} as never
  const rules = { group: podGroupRules().parts?.['status'], pools: poolStatusRequestRules().parts?.['status'] }

  it('of pod groups name claims that the spec has', () => {
    const group = { spec: { resourceClaims: [{ name: 'a' }] }, status: { resourceClaimStatuses: [{ name: 'b' }] } }
    expect(told(rules.group?.validateUpdate?.(group as never, group as never, context) ?? [])).toEqual([
      'status.resourceClaimStatuses[0].name: Invalid value: "b": must match the name of an entry in `spec.resourceClaims`',
    ])
  })

  it('of requests for the state of pools are written once', () => {
    const [now, old] = [{ status: { poolCount: 2 } }, { status: { poolCount: 1 } }]
    const errors = rules.pools?.validateUpdate?.(now as never, old as never, context) ?? []
    expect(told(errors)).toEqual([expect.stringMatching(/^status: Invalid value: .*: field is immutable$/s)])
    expect(rules.pools?.validateUpdate?.(old as never, old as never, context)).toEqual([])
  })
})

describe('pods', () => {
  const container = { name: 'c', image: 'i' }
  const refused = (gates: readonly string[], spec: JsonObject): string[] =>
    told(writerOf('v1', 'pods', (name) => gates.includes(name)).create({ metadata: { name: 'p' }, spec }).errors)

  it('are no processes of their host where nothing is privileged', () => {
    const spec = {
      hostNetwork: true,
      os: { name: 'windows' },
      securityContext: { windowsOptions: { hostProcess: true } },
    }
    expect(refused([], { ...spec, containers: [container] })).toContain(
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    )
  })
})

describe('metadata', () => {
  const options = { namespaced: false, validateName: () => [], anyFinalizer: true }

  it('that is large is measured in steps, and refused once', () => {
    const annotations = Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`a${i}`, 'x'.repeat(100)]))
    const meta: ObjectMeta = { name: 'a', annotations }
    runToEnd(checkLargeMetadata(meta))
    expect(told(limitErrors(() => validateObjectMeta(meta, options)))).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ])
  })

  it('shows times that do not change as Go prints them', () => {
    const old: ObjectMeta = { name: 'a', resourceVersion: '1', deletionTimestamp: '2024-01-01T00:00:00Z' }
    const now: ObjectMeta = { ...old, deletionTimestamp: '2024-01-02T00:00:00Z' }
    expect(told(validateObjectMetaUpdate(now, old, { anyFinalizer: true }))).toEqual([
      'metadata.deletionTimestamp: Invalid value: 2024-01-02 00:00:00 +0000 UTC: field is immutable',
    ])
  })
})
