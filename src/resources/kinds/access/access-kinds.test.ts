import { createSign, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { FieldError } from '../../../api/field-error.ts'
import type { KubeObject } from '../../../api/object.ts'
import { ApiError } from '../../../api/status-error.ts'
import { bits, derInteger, derSet, explicit, implicit, objectId, sequence, utf8 } from '../../../lib/der.ts'
import { pemBlocks } from '../../../lib/pem.ts'
import type { WriteContext } from '../../../registry/strategy.ts'
import type { KindRules, KindServices } from '../../kind-rules.ts'
import { certificateProblem, certificateRequestProblem } from './certificate-signing-request/certificate-request.ts'
import { certificateSigningRequestRules } from './certificate-signing-request/certificate-signing-request.ts'
import { clusterRoleRules, roleRules } from './role/role.ts'
import { clusterRoleBindingRules, roleBindingRules } from './role-binding/role-binding.ts'

const user = { name: 'ann', uid: 'u', groups: ['devs'], extra: new Map([['team', ['x']]]) }
const context: WriteContext = { user, namespace: '', dryRun: false, now: 1_700_000_000_000, gate: () => false }
const now = '2023-11-14T22:13:20Z'

const services = {
  access: {
    refusal: async (_: unknown, { resource, object }: { resource: string; object: KubeObject }) =>
      object.metadata.name === 'bad' ? new ApiError({ code: 403, message: resource }) : undefined,
  },
} as unknown as KindServices

const object = (fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, ...fields })

const causes = (rules: unknown, fields: object, old?: object, part?: string): string[] => {
  const { strategy, parts } = rules as KindRules
  const used = part === undefined ? strategy : parts?.[part]
  const before = old === undefined ? undefined : object(old)
  const inTurns = used?.validateInTurns?.(object(fields), before, context) as FieldError[] | undefined
  const errors =
    inTurns ??
    (old === undefined
      ? used?.validate?.(object(fields), context)
      : used?.validateUpdate?.(object(fields), object(old), context))
  return (errors ?? []).map(({ field, message }) => `${field}: ${message}`)
}

describe('roles', () => {
  it.each([
    [{ rules: null }, []],
    [{ rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }, []],
    [
      { rules: [{ verbs: null }] },
      [
        'rules[0].verbs: Required value: verbs must contain at least one value',
        'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
        'rules[0].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    [
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] },
      [
        'rules[0].nonResourceURLs: Invalid value: []string{"/healthz"}: namespaced rules cannot apply to non-resource URLs',
      ],
    ],
  ])('%o', (fields, expected) => {
    expect(causes(roleRules(services), fields)).toEqual(expected)
  })

  it('aggregates by at least one selector', () => {
    const rules = clusterRoleRules(services)
    expect(causes(rules, { rules: null, aggregationRule: {} })).toEqual([
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ])
    expect(causes(rules, { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] })).toEqual([])
  })

  it('asks whether its writer may grant it, unless the server writes', async () => {
    const { strategy } = roleRules(services)
    const draft = { ...object({ rules: null }), metadata: { name: 'bad' } } as never
    await expect(strategy.beginCreate?.(draft, context)).rejects.toThrow('roles')
    await expect(strategy.beginUpdate?.(draft, draft, context)).rejects.toThrow('roles')
    await expect(strategy.beginCreate?.(draft, { ...context, user: undefined })).resolves.toBeUndefined()
  })
})

describe('bindings', () => {
  const group = 'rbac.authorization.k8s.io'
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'view' }

  it.each([
    [{ roleRef, subjects: [{ kind: 'User', name: 'u', apiGroup: group }] }, []],
    [
      { roleRef: { ...roleRef, kind: 'Role' } },
      ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    ],
    [{ roleRef, subjects: [{ kind: 'ServiceAccount', name: 's' }] }, ['subjects[0].namespace: Required value']],
    [
      { roleRef, subjects: [{ kind: 'Robot', name: '' }] },
      [
        'subjects[0].name: Required value',
        'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
      ],
    ],
  ])('%o', (fields, expected) => {
    expect(causes(clusterRoleBindingRules(services), fields)).toEqual(expected)
  })

  it('tells what is wrong with a change twice', () => {
    const cause = 'subjects[0].namespace: Required value'
    const subjects = [{ kind: 'ServiceAccount', name: 's' }]
    expect(causes(clusterRoleBindingRules(services), { roleRef, subjects }, { roleRef })).toEqual([cause, cause])
  })

  it('never changes its role', () => {
    expect(causes(roleBindingRules(services), { roleRef: { ...roleRef, name: 'edit' } }, { roleRef })).toEqual([
      `roleRef: Invalid value: rbac.RoleRef{APIGroup:"${group}", Kind:"ClusterRole", Name:"edit"}: cannot change roleRef`,
    ])
  })
})

const pem = (type: string, bytes: Buffer): string =>
  `-----BEGIN ${type}-----\n${bytes.toString('base64')}\n-----END ${type}-----\n`

const noAttributes = explicit(0, Buffer.alloc(0))

function signedRequest(spoil = false, attributes = noAttributes): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const subject = sequence(derSet(sequence(objectId('2.5.4.3'), utf8('ann'))))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const info = sequence(derInteger(0), subject, key, attributes)
  const signature = createSign('sha256')
    .update(spoil ? Buffer.from('other') : info)
    .sign(privateKey)
  return pem('CERTIFICATE REQUEST', sequence(info, sequence(objectId('1.2.840.10045.4.3.2')), bits(signature)))
}

describe('certificate requests', () => {
  it.each([
    ['a good one', signedRequest(), undefined],
    ['text around it', `before\n${signedRequest()}after`, undefined],
    ['another key', signedRequest(true), 'x509: ECDSA verification failure'],
    ['no PEM', 'nothing', 'PEM block type must be CERTIFICATE REQUEST'],
    [
      'not ASN.1',
      pem('CERTIFICATE REQUEST', Buffer.from('xx')),
      'asn1: structure error: malformed certificate request',
    ],
    ['fields that came later', signedRequest(false, Buffer.concat([noAttributes, derInteger(1)])), undefined],
    ['no attributes', signedRequest(false, Buffer.alloc(0)), 'asn1: structure error: malformed certificate request'],
    [
      'attributes of another form',
      signedRequest(false, implicit(0, Buffer.alloc(0))),
      'asn1: structure error: malformed certificate request',
    ],
  ])('%s', (_, text, expected) => {
    expect(certificateRequestProblem(text)).toBe(expected)
  })

  it('knows certificates from other blocks', () => {
    expect(certificateProblem('')).toBeUndefined()
    expect(certificateProblem('x')).toBe('must contain at least one CERTIFICATE PEM block')
    expect(certificateProblem(signedRequest())).toBe(
      'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
    )
    expect(certificateProblem(pem('CERTIFICATE', Buffer.from('xx')))).toBe('x509: malformed certificate')
  })

  it('looks through a text of beginnings once', () => {
    const many = '-----BEGIN A-----\n'.repeat(100_000)
    expect(pemBlocks(many)).toEqual([])
    expect(pemBlocks(`${many}${pem('B', Buffer.from('b'))}`)).toEqual([
      { type: 'B', hasHeaders: false, bytes: Buffer.from('b') },
    ])
  })
})

describe('signing requests', () => {
  const rules = certificateSigningRequestRules({})
  const spec = {
    request: Buffer.from(signedRequest()).toString('base64'),
    signerName: 'example.com/signer',
    usages: ['client auth'],
  }
  const approved = { type: 'Approved', status: 'True', lastUpdateTime: null, lastTransitionTime: null }

  it('are written by who sends them', () => {
    const draft = object({ spec: { ...spec, username: 'mallory', groups: ['x'] }, status: { conditions: [approved] } })
    rules.strategy.prepareForCreate?.(draft as never, context)
    expect(draft['spec']).toEqual({ ...spec, username: 'ann', uid: 'u', groups: ['devs'], extra: { team: ['x'] } })
    expect(draft['status']).toEqual({})
  })

  it.each([
    [{}, []],
    [{ usages: [] }, ['spec.usages: Required value']],
    [{ usages: ['client auth', 'client auth'] }, ['spec.usages[1]: Duplicate value: "client auth"']],
    [
      { signerName: 'plain' },
      [
        `spec.signerName: Invalid value: "plain": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
      ],
    ],
    [
      { expirationSeconds: 5 },
      ['spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)'],
    ],
    [{ request: null }, ['spec.request: Invalid value: []byte(nil): PEM block type must be CERTIFICATE REQUEST']],
  ])('%o', (change, expected) => {
    expect(causes(rules, { spec: { ...spec, ...change }, status: {} })).toEqual(expected)
  })

  it('are decided through their own endpoint, once', () => {
    const old = { spec, status: {} }
    const decided = { spec, status: { conditions: [approved] } }
    expect(causes(rules, decided, old, 'status')).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ])
    expect(causes(rules, decided, old, 'approval')).toEqual([])
    expect(causes(rules, old, decided, 'approval')).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ])
    const both = { spec, status: { conditions: [approved, { ...approved, type: 'Denied' }] } }
    expect(causes(rules, both, old, 'approval')).toEqual([
      'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ])
  })

  it('remember since when they are decided', () => {
    const draft = object({ spec: {}, status: { conditions: [approved], certificate: 'AA==' } })
    const old = object({ spec, status: {} })
    rules.parts?.['approval']?.prepareForUpdate?.(draft as never, old as never, context)
    expect(draft['spec']).toEqual(spec)
    expect(draft['status']).toEqual({ conditions: [{ ...approved, lastUpdateTime: now, lastTransitionTime: now }] })
  })
})
