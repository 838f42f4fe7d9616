// Policies and webhooks of files beside those of the cluster: before them, and also about what configures admission.

import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { isUnderPolicy, isUnderStaticPolicy } from '../policy/exempt-resources.ts'
import { PolicyIndex } from '../policy/policy-index.ts'
import type { Policy, PolicyBinding } from '../policy/policy-objects.ts'
import { testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { WebhookIndex } from '../webhook/webhook.ts'
import type { PolicyManifests } from './policy-manifests.ts'
import { StaticSet } from './static-set.ts'

const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }]
const policy = (name: string): Policy =>
  testObject('ValidatingAdmissionPolicy', name, { spec: { matchConstraints: { resourceRules: rules } } }) as Policy
const binding = (name: string, policyName: string): PolicyBinding =>
  testObject('ValidatingAdmissionPolicyBinding', name, { spec: { policyName } }) as PolicyBinding
const hook = (name: string): KubeObject =>
  testObject('ValidatingWebhookConfiguration', name, { webhooks: [{ name: `of-${name}`, rules, clientConfig: {} }] })

const about = (resource: string) =>
  testRequest({
    resource: { group: 'admissionregistration.k8s.io', version: 'v1', resource },
    object: testObject('Any', 'x'),
    namespace: '',
  })
const pods = testRequest({ object: testObject('Pod', 'x'), namespace: '' })

describe('policies of files', () => {
  const group = 'admissionregistration.k8s.io'
  const cluster = testCluster({
    [`policies.${group}`]: [policy('a'), policy('b')],
    // That of a file is bound by files alone.
    [`bindings.${group}`]: [binding('a', 'a'), binding('c', 'z.static.k8s.io')],
  })
  const index = (statics?: StaticSet<PolicyManifests>) =>
    new PolicyIndex<string>({
      cluster,
      policies: 'policies',
      bindings: 'bindings',
      forms: () => [],
      compile: ({ metadata }) => metadata.name ?? '',
      statics,
    })
  const met = async (from: PolicyIndex<string>, request = pods): Promise<string[]> =>
    (await from.matching(request)).map(
      ({ compiled, bindings }) => `${compiled}: ${bindings.map(({ metadata }) => metadata.name).join('+')}`,
    )

  it('come first, and are made anew when the files change', async () => {
    const statics = new StaticSet<PolicyManifests>()
    const all = index(statics)
    expect(await met(all)).toEqual(['a: a'])
    statics.replace({ policies: [policy('z.static.k8s.io')], bindings: [binding('s', 'z.static.k8s.io')] })
    expect(await met(all)).toEqual(['z.static.k8s.io: s', 'a: a'])
    statics.replace({ policies: [policy('y.static.k8s.io')], bindings: [binding('s', 'y.static.k8s.io')] })
    expect(await met(all)).toEqual(['y.static.k8s.io: s', 'a: a'])
    statics.replace({ policies: [], bindings: [] })
    expect(await met(all)).toEqual(['a: a'])
  })

  it.each(['validatingadmissionpolicies', 'mutatingadmissionpolicybindings'])('are alone with %s', async (resource) => {
    const statics = new StaticSet<PolicyManifests>()
    statics.replace({ policies: [policy('z.static.k8s.io')], bindings: [binding('s', 'z.static.k8s.io')] })
    expect(await met(index(statics), about(resource))).toEqual(['z.static.k8s.io: s'])
    expect(await met(index(), about(resource))).toEqual([])
  })

  it.each([
    ['admissionregistration.k8s.io', 'validatingadmissionpolicies', false, true],
    ['admissionregistration.k8s.io', 'validatingwebhookconfigurations', true, true],
    ['authorization.k8s.io', 'subjectaccessreviews', false, false],
    ['', 'pods', true, true],
  ])('of %s/%s the cluster’s decide: %j, those of files: %j', (of, resource, live, fixed) => {
    const shape = { operation: 'CREATE', group: of, resource, subresource: '' } as const
    expect([isUnderPolicy(shape), isUnderStaticPolicy(shape)]).toEqual([live, fixed])
  })
})

describe('webhooks of files', () => {
  const cluster = testCluster({ 'hooks.admissionregistration.k8s.io': [hook('a')] })
  const index = (statics?: StaticSet<readonly KubeObject[]>) =>
    new WebhookIndex({ cluster, resource: 'hooks', forms: () => [], statics })
  const asked = async (from: WebhookIndex, request = pods): Promise<string[]> =>
    (await from.candidates(request)).map(({ webhook, index: at }) => `${at} ${webhook.name}`)

  it('come first, are made anew when the files change, and are alone with what configures admission', async () => {
    const statics = new StaticSet<readonly KubeObject[]>()
    const all = index(statics)
    expect(await asked(all)).toEqual(['0 of-a'])
    statics.replace([hook('z.static.k8s.io')])
    expect(await asked(all)).toEqual(['0 of-z.static.k8s.io', '1 of-a'])
    expect(await asked(all, about('validatingwebhookconfigurations'))).toEqual(['0 of-z.static.k8s.io'])
    statics.replace([])
    expect(await asked(all)).toEqual(['0 of-a'])
    expect(await asked(all, about('validatingwebhookconfigurations'))).toEqual([])
    expect(await asked(index(), about('validatingwebhookconfigurations'))).toEqual([])
  })

  it('are what requests about that are handled for', () => {
    const shape = { group: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations' }
    expect([index().handles(shape), index(new StaticSet()).handles(shape)]).toEqual([false, true])
  })
})
