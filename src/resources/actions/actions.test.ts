import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../api/json.ts'
import type { ActionRequest } from '../../registry/subresource.ts'
import type { KindServices } from '../kind-rules.ts'
import type { AccessServices } from './access-services.ts'
import { reviews } from './reviews.ts'
import { tokenAction } from './token.ts'

const user = { name: 'ann', groups: ['devs'], extra: new Map<string, string[]>() }

const access: Partial<AccessServices> = {
  reviewAccess: async (kind, { requestor: { name } }) => ({
    allowed: kind === 'SelfSubjectAccessReview' && name === 'ann',
  }),
  reviewRules: async () => ({ resourceRules: [] }),
  reviewToken: async () => ({ authenticated: true }),
  reviewSelf: ({ name }) => ({ userInfo: { username: name } }),
  issueToken: async (request, { name }) => ({
    object: { spec: request['spec'] ?? {}, status: { token: `for ${name}` } },
    warnings: ['short'],
    credentialId: 'JTI=1',
  }),
}
const services = { access, gate: () => false, clock: { now: () => 1_700_000_000_000 } } as unknown as KindServices

function request(body: JsonObject): ActionRequest & { readonly told: string[] } {
  const told: string[] = []
  return {
    namespace: 'ns',
    name: 'robot',
    body: { apiVersion: 'v1', kind: 'X', metadata: { creationTimestamp: null }, ...body },
    user,
    dryRun: false,
    options: {},
    fieldManager: 'm',
    warn: (text) => told.push(text),
    annotate: (key, value) => told.push(`${key}: ${value}`),
    admit: () => void told.push('admitted'),
    told,
  }
}

describe('reviews', () => {
  const served = new Map(reviews(services, () => true).map(({ action }) => [action.kind.kind, action]))

  it.each([
    ['TokenReview', { spec: { token: 't' }, status: { authenticated: true } }],
    ['SubjectAccessReview', { spec: { token: 't' }, status: { allowed: false } }],
    ['SelfSubjectAccessReview', { spec: { token: 't' }, status: { allowed: true } }],
    ['LocalSubjectAccessReview', { spec: { token: 't' }, status: { allowed: false } }],
    ['SelfSubjectRulesReview', { spec: {}, status: { resourceRules: [] } }],
    ['SelfSubjectReview', { status: { userInfo: { username: 'ann' } } }],
  ])('%s', async (kind, expected) => {
    const answer = await served.get(kind)?.create(request({ spec: { token: 't' } }))
    expect(answer).toMatchObject({ code: 201, body: expected })
  })

  it('are those that are served', () => {
    expect(reviews(services, ({ group }) => group === 'authentication.k8s.io')).toHaveLength(2)
  })
})

it('issues tokens for an hour unless told otherwise', async () => {
  const action = tokenAction(services)
  expect(action.withDefaults?.({ spec: {} })).toMatchObject({ spec: { expirationSeconds: 3600 } })
  const asked = request({ spec: { audiences: ['a'] } })
  expect(await action.create(asked)).toEqual({
    code: 201,
    body: { spec: { audiences: ['a'] }, status: { token: 'for robot' } },
  })
  expect(asked.told).toEqual(['short', 'authentication.kubernetes.io/issued-credential-id: JTI=1'])
})
