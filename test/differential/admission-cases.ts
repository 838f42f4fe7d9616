/**
 * Admission policies and webhooks, and the requests that they see. Whatever is configured selects the objects of its own case
 * by their label, and a sentinel, configured last, tells when a server has noticed all of it.
 */
import type { Random } from '../harness/random.ts'
import { type CaseGenerator, type CaseSource, can, isParent, objectPath, post, seedOf } from './building.ts'
import { type Case, contentTypes, type Hook, type Step, sentinel } from './case.ts'
import { apply, create, patch, remove, removeCollection, subresource, update } from './cases.ts'
import { expression, randomExpression, type Scope } from './expressions.ts'
import { isMap, type Json, type JsonMap, merged, withValueAt } from './json.ts'
import { mutated, type Shape } from './mutate.ts'

const registration = '/apis/admissionregistration.k8s.io'
const guard = { matchLabels: { differential: '<name>' } }
const sentinelGuard = { matchLabels: { sentinel: '<name>' } }
const configMaps = '/api/v1/namespaces/<namespace>/configmaps'

/** Refused with this code by the sentinel alone. */
const probe = (until: number): Step => ({
  method: 'POST',
  path: `${configMaps}?dryRun=All`,
  body: { metadata: { name: `${sentinel}-<name>`, labels: { sentinel: '<name>' } } },
  until,
})

const metadataScope: Scope = {
  string: [
    'object.metadata.name',
    'object.kind',
    'request.operation',
    'request.userInfo.username',
    'request.resource.resource',
    'variables.s',
    'namespaceObject.metadata.name',
    'params.data.a',
    'oldObject.metadata.name',
    'request.name',
    'request.kind.kind',
    'request.subResource',
    'object.metadata.labels.differential',
  ],
  bool: [
    'variables.b',
    'has(object.metadata.labels)',
    'object == oldObject',
    'oldObject == null',
    'params != null',
    'request.dryRun',
    'has(object.spec)',
    "authorizer.group('').resource('pods').namespace('default').check('get').allowed()",
    "authorizer.requestResource.check('update').allowed()",
    "authorizer.path('/healthz').check('get').allowed()",
    'has(request.options)',
    "object.metadata.?labels['x'].hasValue()",
  ],
  int: ['variables.i', 'size(object.metadata.labels)', 'object.metadata.generation', 'size(request.userInfo.groups)'],
  list: ['request.userInfo.groups', 'object.metadata.ownerReferences', 'object.metadata.finalizers'],
  map: ['object.metadata.labels', 'object.metadata.annotations', 'params.data', 'object.spec', 'object.data', 'object'],
  time: ['object.metadata.creationTimestamp'],
  dyn: ['object.spec', 'object.status', 'params', 'request.options', "authorizer.serviceAccount('default', 'default')"],
}

const variables = [
  { name: 's', expression: "object.metadata.name + '!'" },
  { name: 'b', expression: 'has(object.metadata.labels)' },
  { name: 'i', expression: 'size(variables.s)' },
]

/** Every validation has an outcome that can be read off a warning: what it was, or why there is none. */
function validations(random: Random): Json {
  return Array.from({ length: random.pick([1, 2, 4, 8]) }, (): Json => {
    if (random.chance(0.4)) {
      const type = random.pick(['string', 'int', 'list', 'map', 'double', 'bool', 'dyn', 'time'] as const)
      const shown = `'%s'.format([${expression({ random, scope: metadataScope }, type, 2)}])`
      return { expression: 'false', messageExpression: shown }
    }
    return {
      expression: randomExpression(random, 'bool', metadataScope),
      ...(random.chance(0.3) ? { message: random.pick(['m', '', ' ', 'a\nb']) } : {}),
      ...(random.chance(0.2) ? { messageExpression: randomExpression(random, 'string', metadataScope) } : {}),
      ...(random.chance(0.2)
        ? { reason: random.pick(['Forbidden', 'Invalid', 'Unauthorized', 'RequestEntityTooLarge', 'x']) }
        : {}),
    }
  })
}

const conditions = (random: Random): Json =>
  Array.from({ length: random.pick([1, 1, 2]) }, (_, i) => ({
    name: `c${i}`,
    expression: random.chance(0.5)
      ? random.pick([
          'true',
          "request.operation != 'DELETE'",
          'has(object.metadata)',
          'object.x',
          '1 / 0 == 1',
          "!('x' in object.metadata.labels)",
        ])
      : randomExpression(random, 'bool', metadataScope),
  }))

const anyRule = (random: Random, subresources: string): JsonMap => ({
  apiGroups: ['*'],
  apiVersions: random.chance(0.8) ? ['*'] : ['v1'],
  operations: random.chance(0.7) ? ['*'] : random.pick([['CREATE'], ['UPDATE'], ['CREATE', 'UPDATE'], ['DELETE']]),
  resources: [random.pick(['*', subresources, subresources])],
  ...(random.chance(0.2) ? { scope: random.pick(['*', 'Namespaced', 'Cluster']) } : {}),
})

const constraints = (random: Random): JsonMap => ({
  objectSelector: guard,
  resourceRules: [anyRule(random, '*/*')],
  ...(random.chance(0.2) ? { matchPolicy: random.pick(['Exact', 'Equivalent']) } : {}),
  ...(random.chance(0.1) ? { namespaceSelector: { matchLabels: { a: 'b' } } } : {}),
  ...(random.chance(0.1)
    ? {
        excludeResourceRules: [
          { ...anyRule(random, '*/*'), ...(random.chance(0.3) ? { resourceNames: ['<name>'] } : {}) },
        ],
      }
    : {}),
})

const params = (random: Random): JsonMap => ({
  ...random.pick<JsonMap>([
    { name: '<name>-params' },
    { name: 'none' },
    { selector: { matchLabels: { params: '<name>' } } },
    { selector: { matchLabels: { params: 'none-<name>' } } },
  ]),
  ...(random.chance(0.8) ? { namespace: '<namespace>' } : {}),
  parameterNotFoundAction: random.pick(['Allow', 'Deny']),
})

interface PolicyChoice {
  readonly mutating: boolean
  readonly version: string
}

function policyOf(random: Random, { mutating, version }: PolicyChoice): JsonMap {
  const parameters = random.chance(0.4)
  return {
    apiVersion: `admissionregistration.k8s.io/${version}`,
    kind: mutating ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy',
    metadata: { name: '<name>' },
    spec: {
      matchConstraints: constraints(random),
      failurePolicy: random.pick(['Fail', 'Fail', 'Ignore']),
      ...(parameters ? { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } : {}),
      ...(random.chance(0.3) ? { matchConditions: conditions(random) } : {}),
      variables,
      ...(mutating
        ? { mutations: mutations(random), reinvocationPolicy: random.pick(['Never', 'IfNeeded']) }
        : {
            validations: validations(random),
            ...(random.chance(0.3)
              ? { auditAnnotations: [{ key: 'k', valueExpression: randomExpression(random, 'string', metadataScope) }] }
              : {}),
          }),
    },
  }
}

const labelsAt = 'Object{metadata: Object.metadata{labels:'
const mutations = (random: Random): Json =>
  Array.from({ length: random.pick([1, 1, 2]) }, () => {
    if (random.chance(0.5)) {
      const value = randomExpression(random, 'string', metadataScope)
      const text = random.pick([
        `${labelsAt} {'x': ${value}}}}`,
        `${labelsAt} {'x': 'y'}}}`,
        `${labelsAt} object.metadata.labels}}`,
        `Object{metadata: Object.metadata{annotations: {'a': ${value}}}}`,
        "Object{metadata: Object.metadata{finalizers: ['example.com/f']}}",
        'Object{spec: Object.spec{replicas: 3}}',
        "Object{data: Object.data{a: 'b'}}",
        'Object{}',
        "Object{metadata: Object.metadata{name: 'x'}}",
        'Object{none: 1}',
      ])
      return { patchType: 'ApplyConfiguration', applyConfiguration: { expression: text } }
    }
    const operation = random.pick([
      `JSONPatch{op: 'add', path: '/metadata/labels/x', value: ${randomExpression(random, 'string', metadataScope)}}`,
      "JSONPatch{op: 'add', path: '/metadata/labels/x', value: 'y'}",
      "JSONPatch{op: 'remove', path: '/metadata/labels/none'}",
      "JSONPatch{op: 'replace', path: '/metadata/labels', value: {'differential': 'x'}}",
      "JSONPatch{op: 'test', path: '/kind', value: 'X'}",
      "JSONPatch{op: 'copy', from: '/metadata/name', path: '/metadata/labels/x'}",
      "JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': 'b'}}",
      "JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'}",
      "JSONPatch{op: 'x', path: '/a'}",
    ])
    return { patchType: 'JSONPatch', jsonPatch: { expression: `[${operation}]` } }
  })

function bindingOf(random: Random, { mutating, version }: PolicyChoice, parameters: boolean): JsonMap {
  return {
    apiVersion: `admissionregistration.k8s.io/${version}`,
    kind: mutating ? 'MutatingAdmissionPolicyBinding' : 'ValidatingAdmissionPolicyBinding',
    metadata: { name: '<name>' },
    spec: {
      policyName: '<name>',
      ...(mutating
        ? {}
        : {
            validationActions: random.pick([
              ['Warn'],
              ['Warn'],
              ['Deny'],
              ['Deny'],
              ['Audit'],
              ['Deny', 'Audit'],
              ['Warn', 'Audit'],
            ]),
          }),
      ...(parameters || random.chance(0.05) ? { paramRef: params(random) } : {}),
      ...(random.chance(0.2) ? { matchResources: constraints(random) } : {}),
    },
  }
}

/** With parameters a sentinel does nothing until it sees those of the case. */
const sentinelParams = (given: boolean): { kind: Record<string, Json>; ref: Record<string, Json> } => {
  if (!given) return { kind: {}, ref: {} }
  const paramRef = { name: '<name>-params', parameterNotFoundAction: 'Allow' }
  return { kind: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }, ref: { paramRef } }
}

const sentinelPolicy = (version: string, withParams: boolean): Step[] => {
  const params = sentinelParams(withParams)
  const path = `${registration}/${version}`
  const name = `${sentinel}-<name>`
  const apiVersion = `admissionregistration.k8s.io/${version}`
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }
  const spec = {
    ...params.kind,
    matchConstraints: { objectSelector: sentinelGuard, resourceRules: [rule] },
    validations: [{ expression: 'false' }],
  }
  return [
    {
      method: 'POST',
      path: `${path}/validatingadmissionpolicies`,
      body: { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec },
    },
    {
      method: 'POST',
      path: `${path}/validatingadmissionpolicybindings`,
      body: {
        apiVersion,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name, ...params.ref, validationActions: ['Deny'] },
      },
    },
    probe(422),
  ]
}

const sentinelMutation = (withParams: boolean): Step[] => {
  const params = sentinelParams(withParams)
  const path = `${registration}/v1alpha1`
  const name = `${sentinel}-<name>`
  const apiVersion = 'admissionregistration.k8s.io/v1alpha1'
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }
  const mutation = {
    patchType: 'JSONPatch',
    jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/immutable/x', value: 1}]" },
  }
  const spec = {
    ...params.kind,
    matchConstraints: { objectSelector: sentinelGuard, resourceRules: [rule] },
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    mutations: [mutation],
  }
  return [
    {
      method: 'POST',
      path: `${path}/mutatingadmissionpolicies`,
      body: { apiVersion, kind: 'MutatingAdmissionPolicy', metadata: { name }, spec },
    },
    {
      method: 'POST',
      path: `${path}/mutatingadmissionpolicybindings`,
      body: {
        apiVersion,
        kind: 'MutatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name, ...params.ref },
      },
    },
    probe(403),
  ]
}

const inner = [create, create, update, patch, apply, remove, subresource, removeCollection]

/** What is done to objects once all is configured. */
function seen(source: CaseSource): Case {
  const { random, resources } = source
  const choices = resources.filter((each) => !each.groupVersion.startsWith('admissionregistration'))
  for (;;) {
    const made = random.pick(inner)({ ...source, resource: random.pick(choices) })
    if (made !== undefined) return made
  }
}

/** The selector by which a case meets its own objects only stays, whatever a mutation did. */
function guarded(body: Json, path: readonly (string | number)[]): Json {
  return withValueAt(body, [...path, 'objectSelector'], guard) ?? body
}

export const policy: CaseGenerator = (source) => {
  const { random, resources } = source
  const mutating = random.chance(0.35) && resources.some(({ kind }) => kind === 'MutatingAdmissionPolicy')
  const version = mutating ? 'v1alpha1' : random.pick(['v1', 'v1', 'v1', 'v1beta1', 'v1alpha1'])
  const plural = mutating ? 'mutatingadmissionpolic' : 'validatingadmissionpolic'
  if (!resources.some(({ name, groupVersion }) => name === `${plural}ies` && groupVersion.endsWith(`/${version}`)))
    return undefined
  const body = policyOf(random, { mutating, version })
  const parameters = isMap(body['spec']) && 'paramKind' in body['spec']
  const path = `${registration}/${version}/${plural}`
  const made = seen(source)
  const paramObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: '<name>-params', labels: { params: '<name>' } },
    data: { a: 'b' },
  }
  const isThere = random.chance(0.7)
  const steps: Step[] = [
    ...(isThere ? [{ method: 'POST', path: configMaps, body: paramObject }] : []),
    { method: 'POST', path: `${path}ies`, body, needed: true },
    {
      method: 'POST',
      path: `${path}ybindings`,
      body: bindingOf(random, { mutating, version }, parameters),
      needed: true,
    },
    ...(mutating ? sentinelMutation(parameters && isThere) : sentinelPolicy(version, parameters && isThere)),
    // Parameters are followed only from when a policy names their kind.
    ...(parameters ? [{ method: 'GET', path: `${configMaps}/<name>-params`, pause: 2000 }] : []),
    ...made.steps,
  ]
  const owned = [
    `${path}ybindings/<name>`,
    `${path}ies/<name>`,
    `${path}ybindings/${sentinel}-<name>`,
    `${path}ies/${sentinel}-<name>`,
  ]
  const cleanup = [...owned, ...made.cleanup, `${configMaps}/<name>-params`]
  return { family: 'policy', resource: made.resource, steps, cleanup, audited: random.chance(0.4) }
}

/** Policies alone, without an effect: many expressions are compiled in one request. */
export const expressions: CaseGenerator = (source) => {
  const { random, resources } = source
  const body = policyOf(random, { mutating: false, version: 'v1' })
  const validationsMany = Array.from({ length: 12 }, () => ({
    expression: randomExpression(random, 'bool', metadataScope),
    ...(random.chance(0.5) ? { messageExpression: randomExpression(random, 'string', metadataScope) } : {}),
  }))
  const known = resources.find(
    ({ kind, groupVersion }) => kind === 'ValidatingAdmissionPolicy' && groupVersion.endsWith('/v1'),
  )
  const full = merged(body, { spec: { validations: validationsMany } })
  const sent =
    known === undefined || random.chance(0.8)
      ? full
      : guarded(mutated(random, full, known as Shape), ['spec', 'matchConstraints'])
  return {
    family: 'expressions',
    resource: 'validatingadmissionpolicies admissionregistration.k8s.io/v1',
    steps: [{ method: 'POST', path: `${registration}/v1/validatingadmissionpolicies?dryRun=All`, body: sent }],
    cleanup: [],
  }
}

const patchOperations: readonly Json[] = [
  [{ op: 'add', path: '/metadata/labels/hooked', value: 'true' }],
  [{ op: 'add', path: '/metadata/annotations', value: { a: 'b' } }],
  [{ op: 'remove', path: '/metadata/labels/none' }],
  [{ op: 'replace', path: '/metadata/labels', value: { differential: 'other' } }],
  [{ op: 'add', path: '/spec/unknown', value: 1 }],
  [{ op: 'replace', path: '/kind', value: 'X' }],
  [{ op: 'replace', path: '/metadata/name', value: 'x' }],
  [{ op: 'add', path: '/spec', value: 'x' }],
  [{ op: 'test', path: '/a', value: 1 }],
  [{ op: 'add', path: '/metadata/managedFields', value: [] }],
  [],
  {},
  'x',
]

const base64 = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** A proper answer, most of the time. */
function hookAnswer(random: Random, mutating: boolean): Hook {
  const patched = mutating && random.chance(0.7)
  const response: JsonMap = {
    uid: '<request>',
    allowed: random.chance(0.7),
    ...(random.chance(0.3) ? { status: statusOf(random) } : {}),
    ...(random.chance(0.25)
      ? { warnings: random.pick<Json>([['w'], ['', 'a\nb'], ['x'.repeat(300)], ['ä "q"'], 'x', null]) }
      : {}),
    ...(random.chance(0.25)
      ? { auditAnnotations: random.pick<Json>([{ k: 'v' }, { 'a/b': 'v' }, {}, { 'bad key': 'v' }]) }
      : {}),
    ...(patched || random.chance(0.05)
      ? {
          patch: random.chance(0.9) ? base64(random.pick(patchOperations)) : random.pick(['x', '', '!']),
          ...(random.chance(0.9) ? { patchType: random.chance(0.95) ? 'JSONPatch' : 'x' } : {}),
        }
      : {}),
  }
  const review = { apiVersion: '<version>', kind: 'AdmissionReview', response }
  if (random.chance(0.75)) return { body: review }
  return random.pick<Hook>([
    { body: mutated(random, review, { schemas: {}, schema: undefined }) },
    { body: { ...review, response: { ...response, uid: 'other' } } },
    { body: { ...review, apiVersion: 'admission.k8s.io/v1beta1' } },
    { body: { ...review, apiVersion: 'admission.k8s.io/v2' } },
    { body: { ...review, kind: 'Pod' } },
    { body: { response } },
    { body: { ...review, response: null } },
    { status: 500, text: 'broken' },
    { status: 404, text: '' },
    { status: 400, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no', code: 400 } },
    { status: 429, headers: { 'retry-after': '1' }, text: 'later' },
    { status: 503, text: 'x'.repeat(3000) },
    { status: 302, headers: { location: '/none' } },
    { status: 307, headers: { location: `/${'x'}` } },
    { status: 201, body: review },
    { status: 204 },
    { text: 'no JSON' },
    { text: '' },
    { text: 'null' },
    { text: '[]' },
    { headers: { 'content-type': 'text/plain' }, body: review },
    { headers: { 'content-type': 'application/yaml' }, text: 'kind: AdmissionReview' },
    { cut: true },
    { delay: 15_000, body: review },
  ])
}

const statusOf = (random: Random): Json => ({
  ...(random.chance(0.6) ? { message: random.pick(['no', '', 'two\nlines', 'ä']) } : {}),
  ...(random.chance(0.5) ? { code: random.pick([400, 403, 418, 500, 200, 0, 99, 600]) } : {}),
  ...(random.chance(0.3) ? { reason: random.pick(['Forbidden', 'x', '']) } : {}),
  ...(random.chance(0.2) ? { status: random.pick(['Success', 'Failure', 'x']) } : {}),
  ...(random.chance(0.2)
    ? { details: { name: 'n', kind: 'k', causes: [{ field: 'f', message: 'm', reason: 'r' }] } }
    : {}),
})

function webhookOf(random: Random, { name, mutating }: { name: string; mutating: boolean }): JsonMap {
  return {
    name: `${name}.example.com`,
    clientConfig: {
      url: `<hooks>/${name}${random.chance(0.1) ? random.pick(['/', '//a', '/a%2Fb']) : ''}`,
      caBundle: '<ca>',
    },
    rules: [anyRule(random, '*/*')],
    objectSelector: guard,
    sideEffects: random.pick(['None', 'None', 'NoneOnDryRun']),
    admissionReviewVersions: random.pick([['v1'], ['v1'], ['v1beta1'], ['v1beta1', 'v1'], ['v2', 'v1']]),
    failurePolicy: random.pick(['Fail', 'Fail', 'Ignore']),
    timeoutSeconds: 8,
    ...(random.chance(0.2) ? { matchPolicy: random.pick(['Exact', 'Equivalent']) } : {}),
    ...(random.chance(0.25) ? { matchConditions: conditions(random) } : {}),
    ...(mutating && random.chance(0.3) ? { reinvocationPolicy: 'IfNeeded' } : {}),
  }
}

const configuration = (mutating: boolean): { readonly kind: string; readonly path: string } => ({
  kind: mutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
  path: `${registration}/v1/${mutating ? 'mutating' : 'validating'}webhookconfigurations`,
})

const configurationBody = (mutating: boolean, name: string, webhooks: readonly JsonMap[]): JsonMap => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: configuration(mutating).kind,
  metadata: { name },
  webhooks,
})

function sentinelHook(mutating: boolean): Step[] {
  const webhook = {
    name: 'sentinel.example.com',
    clientConfig: { url: `<hooks>/${sentinel}`, caBundle: '<ca>' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    objectSelector: sentinelGuard,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  const { path } = configuration(mutating)
  return [{ method: 'POST', path, body: configurationBody(mutating, `${sentinel}-<name>`, [webhook]) }, probe(418)]
}

const denial: Hook = {
  body: {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: '<request>', allowed: false, status: { code: 418 } },
  },
}

export const webhook: CaseGenerator = (source) => {
  const { random } = source
  const mutating = random.chance(0.5)
  const names = Array.from({ length: random.pick([1, 1, 2]) }, (_, i) => `${mutating ? 'm' : 'v'}${i}`)
  const body = configurationBody(
    mutating,
    '<name>',
    names.map((name) => webhookOf(random, { name, mutating })),
  )
  const { path } = configuration(mutating)
  const made = seen(source)
  return {
    family: 'webhook',
    resource: made.resource,
    steps: [{ method: 'POST', path, body, needed: true }, ...sentinelHook(mutating), ...made.steps],
    cleanup: [`${path}/<name>`, `${path}/${sentinel}-<name>`, ...made.cleanup],
    hooks: { ...Object.fromEntries(names.map((name) => [name, hookAnswer(random, mutating)])), [sentinel]: denial },
    audited: random.chance(0.4),
  }
}

/** One object under a webhook and a policy at once, written over and over: the order of what sees it. */
export const chain: CaseGenerator = (source) => {
  const { random, resource } = source
  if (
    !isParent(resource) ||
    !can(resource, 'create', 'patch', 'delete') ||
    resource.groupVersion.startsWith('admissionregistration')
  )
    return undefined
  const seed = seedOf(source)
  const webhooks = (mutating: boolean): JsonMap[] => [webhookOf(random, { name: mutating ? 'm0' : 'v0', mutating })]
  const [mutatingPath, validatingPath] = [configuration(true).path, configuration(false).path]
  const at = objectPath(resource, seed)
  const steps: Step[] = [
    { method: 'POST', path: mutatingPath, body: configurationBody(true, '<name>', webhooks(true)), needed: true },
    { method: 'POST', path: validatingPath, body: configurationBody(false, '<name>', webhooks(false)), needed: true },
    ...sentinelHook(true),
    { method: 'DELETE', path: `${mutatingPath}/${sentinel}-<name>` },
    ...sentinelHook(false),
    post(resource, seed),
    {
      method: 'PATCH',
      path: at,
      headers: { 'content-type': contentTypes.mergePatch },
      body: { metadata: { labels: { step: 'two' } } },
    },
    { method: 'DELETE', path: at },
  ]
  const cleanup = [mutatingPath, validatingPath].flatMap((path) => [`${path}/<name>`, `${path}/${sentinel}-<name>`])
  return {
    family: 'chain',
    resource: `${resource.name} ${resource.groupVersion}`,
    steps,
    cleanup: [...cleanup, at],
    hooks: { m0: hookAnswer(random, true), v0: hookAnswer(random, false), [sentinel]: denial },
    audited: random.chance(0.4),
  }
}
