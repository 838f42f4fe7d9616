// Every rule explains what it says, and nothing beside it: an answer that differs in one more place is still a fault.
import { describe, expect, it } from 'vitest'
import type { Hook, Step } from './case.ts'
import { compare } from './compare.ts'
import type { Difference } from './execute.ts'
import type { Json } from './json.ts'
import { explained, knownDifferences } from './known-differences.ts'
import type { Observed } from './normalise.ts'

const observed = (status: number, body: Json, more: Partial<Observed> = {}): Observed => ({
  status,
  contentType: 'application/json',
  headers: {},
  layout: 'compact',
  warnings: [],
  body,
  ...more,
})

function difference(step: Partial<Step>, reference: Observed, server: Observed): Difference {
  const steps = [{ method: 'GET', path: '/api/v1/pods', ...step }]
  const each = { family: 'x', resource: 'pods v1', steps, cleanup: [] }
  return { case: each, step: 0, reference, server, places: compare(reference, server) }
}

const hooked = (hooks: Readonly<Record<string, Hook>>, reference: Observed, server: Observed): Difference => {
  const plain = difference({ method: 'POST' }, reference, server)
  return { ...plain, case: { ...plain.case, hooks } }
}

const status = (code: number, message: string): Observed => observed(code, { kind: 'Status', message, code })
const outOfTime = status(504, 'Timeout: request did not complete within requested timeout - context deadline exceeded')
const nameless = status(
  500,
  'Internal error occurred: failed to allocate a serviceIP: IPAddress.networking.k8s.io "CLUSTERIP" is invalid: spec.parentRef.name: Required value',
)
const applying = { method: 'PATCH', headers: { 'content-type': 'application/apply-patch+yaml' } }
const applyingScale = { ...applying, path: '/apis/a/v1/namespaces/b/cs/d/scale?fieldManager=e' }
const unconvertibleScale =
  'failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1'
const afterDelete = (reference: Observed, server: Observed): Difference => {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a'
  const found = difference({ method: 'GET', path }, reference, server)
  const steps = [{ method: 'DELETE', path }, ...found.case.steps]
  return { ...found, case: { ...found.case, steps }, step: found.step + 1 }
}
/** An event of a watch in Protobuf, with the fields of its object. */
const wireEvent = (type: string, fields: readonly Json[]): Json => [
  { '1': type },
  { '2': [{ '1': [{ '1': 'meta' }, { '2': fields }] }] },
]
const list = (items: readonly Json[], metadata: Json = {}): Observed =>
  observed(200, { kind: 'PodList', metadata, items })
const yaml = (rest: string): Observed => observed(200, `apiVersion: v1\n${rest}`)
/** Lines of YAML that were joined: no longer YAML. */
const joined = (text: string): Observed => yaml(`details: causes: "${text}"\n`)
const autoscaling = { method: 'POST', path: '/apis/autoscaling/v2/namespaces/a/horizontalpodautoscalers' }
const autoscaler = (metrics: number): Observed => observed(201, { spec: { metrics: Array(metrics).fill('a') } })
const afterWebhook = (step: Partial<Step>, reference: Observed, server: Observed): Difference => {
  const plain = difference(step, reference, server)
  const webhook = { method: 'POST', path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations' }
  return { ...plain, step: 1, case: { ...plain.case, steps: [webhook, ...plain.case.steps] } }
}
const creatingInCbor = {
  method: 'POST',
  path: '/apis/a.example.com/v1/things',
  headers: { 'content-type': 'application/cbor' },
}
const told = (calls: readonly Json[]): Observed => observed(200, {}, { calls } as Partial<Observed>)
const flowUpdate = (label: string): Json => ({
  hook: 'v0',
  body: { request: { kind: { kind: 'FlowSchema' }, object: { metadata: { labels: { a: label } } } } },
})
const flowStatusUpdate: Json = {
  hook: 'v0',
  body: { request: { kind: { kind: 'FlowSchema' }, subResource: 'status' } },
}
const namespace = (...finalizers: readonly string[]): Observed =>
  observed(202, { kind: 'Namespace', metadata: { finalizers } })
const shownOwners = (...managers: readonly string[]): Json => ({
  hook: 'v0',
  body: { request: { object: { metadata: { managedFields: managers.map((manager) => ({ manager })) } } } },
})
const embedded = (path: string): Observed =>
  status(422, `patch: Invalid value: "x": ${path}: Invalid value: 1: must be a string`)
const unfit = (why: string): Observed => status(422, ` "" is invalid: patch: Invalid value: "x": ${why}`)
const ignoring = { method: 'POST', path: '/apis/a.example.com/v1/things?fieldValidation=Ignore' }
const noKind = `Object 'Kind' is missing in '{}'`
const kindless = status(400, `the object provided is unrecognized (must be of type A): ${noKind} ({})`)
const yamlErrors = (...values: readonly string[]): Observed =>
  yaml(
    `kind: Status\nmessage: "A is invalid: [${values.map((value) => `m.labels: ${value}`).join(', ')}]"\n` +
      `details: {causes: [${values.map((value) => `{field: m.labels, message: ${value}}`).join(', ')}]}\n`,
  )
const review = (...rules: readonly string[]): string =>
  `kind: SelfSubjectRulesReview\nstatus: {resourceRules: [${rules.join(', ')}]}\n`
const one = (metadata: Json): Observed => observed(200, { kind: 'Pod', metadata })

const asYaml = { contentType: 'application/yaml' } as const
const yamlPod = observed(200, 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n', asYaml)
const yamlRefusal = (message: string): Observed =>
  observed(
    406,
    `apiVersion: v1\nkind: Status\nmessage: 'only the following media types are accepted: ${message}'\nmetadata: {}\n`,
    asYaml,
  )

const immutable = (field: string): string => `${field}: Invalid value: "a": field is immutable`

const services = '/api/v1/namespaces/default/services'
const watchedDefinitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=true'
const going = (type: string, status: number): Json => ({
  type,
  object: { metadata: { deletionTimestamp: 'NOW' }, status },
})
/** An event of a watch as a table. */
const row = (type: string, metadata: Json, description?: string): Json => ({
  type,
  object: { columnDefinitions: description === undefined ? null : [{ description }], rows: [{ object: { metadata } }] },
})
const hasError = 'ERROR: <input>:1:5: invalid argument to has() macro\n | has(self)x\n | ....^\n'
const refused = (...messages: readonly string[]): Observed =>
  observed(422, {
    kind: 'Status',
    message: messages.join(', '),
    details: { causes: messages.map((message) => ({ field: 'f', message })) },
  })
const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a'
const admitted = (objects: readonly Json[]): Observed =>
  observed(200, {}, { calls: objects.map((object) => ({ hook: 'v0', body: { request: { object } } })) })

const patchingFlow = { method: 'PATCH', path: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/a' }
const dangling = { manager: 'api-priority-and-fairness-config-consumer-v1', operation: 'Apply' }
const flow = (name: string, managedFields: readonly Json[], shown: Json): Observed => {
  const object = { kind: 'FlowSchema', metadata: { name, managedFields }, status: shown }
  return observed(200, object, { calls: [{ body: { request: { object } } }] })
}

const replacing = (memory: string) => ({ method: 'PUT', body: { spec: { limits: [{ max: { memory } }] } } })
const accepted = (conditions: Json): Observed => observed(200, { status: { conditions } })
/** An answer, and what a webhook was sent of it. */
const sentOn = (reason: string, spec: Json = {}): Observed => {
  const { body } = accepted([{ type: 'Established', reason }])
  return observed(200, body, { calls: [{ hook: 'v0', body: { request: { object: { ...(body as object), spec } } } }] })
}
const requested = (key: Json): Observed => observed(404, {}, { events: [{ requestObject: { data: { key } } }] })
const brokenQuantity = (type: string, storage: string) => ({
  method: 'PUT',
  headers: { 'content-type': type },
  body: { spec: { hard: { storage } } },
})
const quantityRefused = status(400, "quantities must match the regular expression '^…$'")
const nulSelector = { path: '/api/v1/pods?labelSelector=a%3Db%00c&limit=1' }
const reasoned = (reason: string): Observed =>
  observed(200, {}, { events: [{ annotations: { 'authorization.k8s.io/reason': reason } }] })

const macroError = 'ERROR: <input>:1:4: invalid argument to has() macro\n | "é"&&has(a&&)\n | .．..^\n'

const forms = 'Available representations: application/json, application/cbor'
const streamForms = `${forms}, application/json;stream=watch, application/cbor-seq`
const emptyPatch = Buffer.from('[{"op":"add","path":"/metadata/managedFields","value":[]}]').toString('base64')
const emptying = { m0: { body: { response: { patch: emptyPatch } } } }
const mutated = (webhook: string, changed: boolean): Observed =>
  observed(
    200,
    {},
    {
      events: [
        {
          annotations: {
            'mutation.webhook.admission.k8s.io/round_0_index_0': `{"webhook":"${webhook}","mutated":${changed}}`,
          },
        },
      ],
    },
  )

/** What it explains, and the nearest that it must not. */
const cases: readonly { readonly rule: string; readonly hides: Difference; readonly shows: readonly Difference[] }[] = [
  {
    rule: 'strict patches are 400',
    hides: difference({ method: 'PATCH' }, status(422, 'x'), status(400, 'strict decoding error: unknown field "a"')),
    shows: [
      difference({ method: 'PUT' }, status(422, 'x'), status(400, 'strict decoding error: unknown field "a"')),
      difference({ method: 'PATCH' }, status(200, 'x'), status(400, 'strict decoding error: unknown field "a"')),
      difference({ method: 'PATCH' }, status(422, 'x'), status(400, 'other')),
    ],
  },
  {
    rule: 'unknown fields in an apply patch follow fieldValidation',
    hides: difference(applying, status(500, '.spec.a: field not declared in schema'), one({ name: 'a' })),
    shows: [
      difference({ method: 'PATCH' }, status(500, '.spec.a: field not declared in schema'), one({ name: 'a' })),
      difference(applying, status(500, 'other'), one({ name: 'a' })),
      difference(applying, status(500, '.spec.a: field not declared in schema'), status(503, 'x')),
      difference(applying, status(500, '.spec.a: field not declared in schema'), status(500, 'x')),
    ],
  },
  {
    rule: 'unknown fields in an apply patch follow fieldValidation',
    hides: difference(applying, status(500, '.spec.a: field not declared in schema'), {
      ...status(418, 'denied'),
      warnings: ['299 - "unknown field \\"spec.a\\""'],
    }),
    shows: [difference(applying, status(500, '.spec.a: field not declared in schema'), status(418, 'denied'))],
  },
  {
    rule: 'one of several refusals of validating webhooks',
    hides: hooked(
      { v0: {}, v1: {} },
      status(400, 'admission webhook "v0.example.com" denied the request'),
      status(500, 'Internal error occurred: failed calling webhook "v1.example.com": x'),
    ),
    shows: [
      hooked(
        { v0: {}, m0: {} },
        status(400, 'admission webhook "v0.example.com" denied the request'),
        status(400, 'admission webhook "m0.example.com" denied the request'),
      ),
      hooked(
        { v0: {}, v1: {} },
        status(400, 'admission webhook "v0.example.com" denied the request: a'),
        status(400, 'admission webhook "v0.example.com" denied the request: b'),
      ),
      hooked({ v0: {}, v1: {} }, status(400, 'admission webhook "v0.example.com" denied the request'), one({})),
      hooked(
        { v0: {}, v1: {} },
        { ...status(400, 'admission webhook "v0.example.com" denied the request'), calls: [{ hook: 'v0' }] },
        { ...status(400, 'admission webhook "v1.example.com" denied the request'), calls: [{ hook: 'v1' }] },
      ),
    ],
  },
  {
    rule: 'a call whose connection is cut may be made again',
    hides: hooked(
      { v0: { cut: true }, m0: {} },
      { ...one({}), calls: [{ hook: 'v0', body: { a: 1, b: 2 } }, { hook: 'm0' }] },
      {
        ...one({}),
        calls: [{ hook: 'v0', body: { b: 2, a: 1 } }, { hook: 'v0', body: { a: 1, b: 2 } }, { hook: 'm0' }],
      },
    ),
    shows: [
      hooked(
        { v0: {} },
        { ...one({}), calls: [{ hook: 'v0' }] },
        { ...one({}), calls: [{ hook: 'v0' }, { hook: 'v0' }] },
      ),
      hooked({ v0: { cut: true } }, { ...one({}), calls: [] }, { ...one({}), calls: [{ hook: 'v0' }] }),
      hooked({ v0: { cut: true } }, { ...one({}), calls: [{ hook: 'v0' }] }, { ...one({}), calls: [] }),
    ],
  },
  {
    rule: 'the phase of a new claim is stored at once',
    hides: difference(
      { path: `${claims}?watch=1`, during: [] },
      observed(200, [{ type: 'ADDED' }, { type: 'MODIFIED', object: 1 }, { type: 'MODIFIED', object: 2 }]),
      observed(200, [{ type: 'ADDED' }, { type: 'MODIFIED', object: 2 }]),
    ),
    shows: [
      difference(
        { path: `${claims}?watch=1`, during: [] },
        observed(200, [{ type: 'ADDED' }, { type: 'ADDED' }]),
        observed(200, [{ type: 'ADDED' }]),
      ),
      difference(
        { path: `${claims}?watch=1`, during: [] },
        observed(200, [{ type: 'ADDED' }, { type: 'MODIFIED', object: 1 }]),
        observed(200, [{ type: 'MODIFIED', object: 2 }]),
      ),
      difference(
        { path: `${services}?watch=1`, during: [] },
        observed(200, [{ type: 'MODIFIED' }, { type: 'MODIFIED' }]),
        observed(200, [{ type: 'MODIFIED' }]),
      ),
    ],
  },
  {
    rule: 'the phase of a new claim is stored at once',
    hides: difference(
      { path: `${claims}/a` },
      { ...one({}), calls: [{ hook: 'v0' }, { hook: 'v0' }] },
      { ...one({}), calls: [{ hook: 'v0' }] },
    ),
    shows: [
      difference(
        { path: `${claims}/a` },
        { ...one({}), calls: [{ hook: 'v0' }] },
        { ...one({}), calls: [{ hook: 'v0' }, { hook: 'v0' }] },
      ),
      difference(
        { path: `${claims}/a` },
        { ...one({}), calls: [{ hook: 'v0', body: 1 }, { hook: 'v0' }] },
        { ...one({}), calls: [{ hook: 'v0' }] },
      ),
      difference(
        { path: `${services}/a` },
        { ...one({}), calls: [{ hook: 'v0' }, { hook: 'v0' }] },
        { ...one({}), calls: [{ hook: 'v0' }] },
      ),
    ],
  },
  {
    rule: 'a webhook that asks to be called later is called as often as there is time',
    hides: hooked(
      { m0: { headers: { 'retry-after': '1' } } },
      { ...one({}), calls: [{ hook: 'm0' }, { hook: 'm0' }] },
      { ...one({}), calls: [{ hook: 'm0' }] },
    ),
    shows: [
      hooked({ m0: {} }, { ...one({}), calls: [{ hook: 'm0' }] }, { ...one({}), calls: [] }),
      hooked(
        { m0: { headers: { 'retry-after': '1' } } },
        { ...one({}), calls: [{ hook: 'm0', body: 1 }] },
        { ...one({}), calls: [{ hook: 'm0', body: 2 }] },
      ),
    ],
  },
  {
    rule: 'definitions go in steps',
    hides: difference(
      { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a' },
      observed(200, { metadata: { deletionTimestamp: 'NOW' }, status: { conditions: [{ status: 'False' }] } }),
      observed(200, { metadata: { deletionTimestamp: 'NOW' }, status: { conditions: [{ status: 'True' }] } }),
    ),
    shows: [
      difference(
        { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a' },
        observed(200, { metadata: {}, status: { conditions: [{ status: 'False' }] } }),
        observed(200, { metadata: {}, status: { conditions: [{ status: 'True' }] } }),
      ),
      difference(
        { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a' },
        observed(200, { metadata: { deletionTimestamp: 'NOW' }, spec: { a: 1 } }),
        observed(200, { metadata: { deletionTimestamp: 'NOW' }, spec: { a: 2 } }),
      ),
    ],
  },
  {
    rule: 'flow schemas get their status in a moment',
    hides: difference(
      patchingFlow,
      status(409, 'the object has been modified; please apply your changes to the latest version and try again'),
      flow('a', [], {}),
    ),
    shows: [
      difference(patchingFlow, status(409, 'something else'), flow('a', [], {})),
      difference({ method: 'PATCH' }, status(409, 'the object has been modified'), flow('a', [], {})),
    ],
  },
  {
    rule: 'flow schemas get their status in a moment',
    hides: difference(patchingFlow, flow('a', [dangling], { conditions: [{ type: 'Dangling' }] }), flow('a', [], {})),
    shows: [
      difference(patchingFlow, flow('a', [dangling], {}), flow('b', [], {})),
      difference(patchingFlow, flow('a', [{ manager: 'else' }], {}), flow('a', [], {})),
      difference({ method: 'PATCH' }, flow('a', [dangling], {}), flow('a', [], {})),
    ],
  },
  {
    rule: 'flow schemas get their status in a moment',
    hides: difference(
      patchingFlow,
      told([flowUpdate('a')]),
      told([flowStatusUpdate, flowUpdate('a'), flowUpdate('a')]),
    ),
    shows: [
      difference(patchingFlow, told([flowUpdate('a')]), told([flowStatusUpdate, flowUpdate('b')])),
      difference(patchingFlow, told([flowUpdate('a')]), told([flowStatusUpdate])),
    ],
  },
  {
    rule: 'finalizers of a namespace in the order of a Go map',
    hides: difference({ method: 'DELETE' }, namespace('a', 'b'), namespace('b', 'a')),
    shows: [
      difference({ method: 'DELETE' }, namespace('a', 'b'), namespace('b', 'c')),
      difference({ method: 'DELETE' }, one({ finalizers: ['a', 'b'] }), one({ finalizers: ['b', 'a'] })),
    ],
  },
  {
    rule: 'which of several wrong parts is named',
    hides: difference({}, embedded('a.b.apiVersion'), embedded('a.b.metadata')),
    shows: [
      difference({}, embedded('a.b.apiVersion'), embedded('a.c.metadata')),
      difference({}, embedded('a.b.apiVersion'), embedded('a.b.spec')),
      difference(
        {},
        embedded('a.b.apiVersion'),
        status(400, 'patch: Invalid value: "x": a.b.metadata: Invalid value: 1'),
      ),
    ],
  },
  {
    rule: 'which of several wrong parts is named',
    hides: difference({}, unfit('cannot convert int64 to string'), unfit('unrecognized type: string')),
    shows: [
      difference({}, unfit('cannot convert int64 to string'), unfit('something else')),
      difference(
        {},
        unfit('cannot convert int64 to string'),
        status(422, 'patch: Invalid value: "y": unrecognized type: string'),
      ),
    ],
  },
  {
    rule: 'a NUL in a selector is refused',
    hides: difference(nulSelector, list([]), status(400, "unable to parse requirement: found '\\x00'")),
    shows: [
      difference(nulSelector, list([]), status(500, "unable to parse requirement: found '\\x00'")),
      difference(nulSelector, list([]), status(400, 'unable to parse requirement')),
      difference({}, list([]), status(400, "unable to parse requirement: found '\\x00'")),
    ],
  },
  {
    rule: 'a panic of a function in an expression',
    hides: difference(
      { method: 'POST' },
      status(
        403,
        "expression 'a.distinct()' resulted in error: internal error: interface conversion: *types.Err is no",
      ),
      status(403, "expression 'a.distinct()' resulted in error: no such key: a"),
    ),
    shows: [
      difference(
        { method: 'POST' },
        status(403, "expression 'a.distinct()' resulted in error: no such key: b"),
        status(403, "expression 'a.distinct()' resulted in error: no such key: a"),
      ),
      difference(
        { method: 'POST' },
        status(422, 'Invalid value: "object": internal error: runtime error: index out of range evaluating rule: x'),
        status(201, ''),
      ),
    ],
  },
  {
    rule: 'an empty certificate bundle is none',
    hides: difference(
      { method: 'PUT', body: { webhooks: [{ clientConfig: { caBundle: '' } }] } },
      observed(200, { metadata: { generation: 2 } }),
      observed(200, { metadata: { generation: 1 } }),
    ),
    shows: [
      difference(
        { method: 'PUT', body: { webhooks: [] } },
        observed(200, { metadata: { generation: 2 } }),
        observed(200, { metadata: { generation: 1 } }),
      ),
      difference(
        { method: 'PUT', body: { webhooks: [{ clientConfig: { caBundle: '' } }] } },
        observed(200, { metadata: { generation: 2 }, webhooks: 1 }),
        observed(200, { metadata: { generation: 1 }, webhooks: 2 }),
      ),
    ],
  },
  {
    rule: 'an empty certificate bundle is none',
    hides: difference(
      { method: 'PUT', body: { webhooks: [{ clientConfig: { caBundle: '\n' } }] } },
      observed(200, { metadata: { generation: 2 } }),
      observed(200, { metadata: { generation: 1 } }),
    ),
    shows: [
      difference(
        { method: 'PUT', body: { webhooks: [{ clientConfig: { caBundle: 'AA==' } }] } },
        observed(200, { metadata: { generation: 2 } }),
        observed(200, { metadata: { generation: 1 } }),
      ),
    ],
  },
  {
    rule: 'the time of a taint decides its generation',
    hides: difference(
      { method: 'PUT', path: '/apis/resource.k8s.io/v1alpha3/devicetaintrules/a' },
      observed(200, { metadata: { generation: 1 } }),
      observed(200, { metadata: { generation: 2 } }),
    ),
    shows: [
      difference(
        { method: 'PUT' },
        observed(200, { metadata: { generation: 1 } }),
        observed(200, { metadata: { generation: 2 } }),
      ),
      difference(
        { method: 'PUT', path: '/apis/resource.k8s.io/v1alpha3/devicetaintrules/a' },
        observed(200, { metadata: { generation: 1 }, spec: 1 }),
        observed(200, { metadata: { generation: 2 }, spec: 2 }),
      ),
    ],
  },
  {
    rule: 'lists that Go compares from either end',
    hides: difference(
      { method: 'PATCH' },
      status(422, 'immutable\n  \t{\n+ \t"a",\n  \t"a",\n'),
      status(422, 'immutable\n  \t{\n  \t"a",\n+ \t"a",\n'),
    ),
    shows: [
      difference(
        { method: 'PATCH' },
        status(422, 'immutable\n  \t{\n+ \t"a",\n  \t"a",\n'),
        status(422, 'immutable\n  \t{\n  \t"a",\n+ \t"b",\n'),
      ),
      difference({ method: 'PATCH' }, status(422, 'a\nb'), status(422, 'b\na')),
    ],
  },
  {
    rule: 'one of several bindings that allow a request',
    hides: difference({}, reasoned('RBAC: allowed by RoleBinding "a"'), reasoned('RBAC: allowed by RoleBinding "b"')),
    shows: [
      difference({}, reasoned('RBAC: allowed by RoleBinding "a"'), reasoned('')),
      difference({}, reasoned('Node: no'), reasoned('RBAC: allowed by RoleBinding "b"')),
    ],
  },
  {
    rule: 'watches begin earlier',
    hides: difference(
      {},
      observed(200, [{ type: 'ERROR', object: { message: 'too old resource version: 1 (RV)' } }]),
      observed(200, [{ type: 'ADDED', object: {} }]),
    ),
    shows: [
      difference(
        {},
        observed(200, [{ type: 'ADDED', object: {} }]),
        observed(200, [{ type: 'ERROR', object: { message: 'too old resource version: 1 (RV)' } }]),
      ),
      difference({}, observed(200, []), observed(200, [{ type: 'ADDED', object: {} }])),
      difference(
        {},
        observed(200, [{ type: 'ERROR', object: { message: 'too old resource version: 1 (RV)' } }]),
        observed(200, [{ type: 'ADDED', object: {} }], { layout: 'pretty' }),
      ),
    ],
  },
  {
    rule: 'owners in a version that a definition no longer has',
    hides: difference(
      applying,
      status(500, 'request to convert CR to an invalid group/version: example.com/v1'),
      one({ name: 'a' }),
    ),
    shows: [
      difference(
        applying,
        status(500, 'request to convert CR to an invalid group/version: example.com/v1'),
        status(409, 'x'),
      ),
      difference(applying, status(500, 'other'), one({ name: 'a' })),
    ],
  },
  {
    rule: 'a definition that is being deleted',
    hides: afterDelete(one({ name: 'a', deletionTimestamp: 'NOW' }), status(404, 'not found')),
    shows: [
      afterDelete(one({ name: 'a' }), status(404, 'not found')),
      afterDelete(status(404, 'not found'), one({ name: 'a', deletionTimestamp: 'NOW' })),
    ],
  },
  {
    rule: 'a map in an expression has no order',
    hides: difference({ body: { rule: "{'a': 'x', 'b': 'y'}" } }, status(422, 'b-a'), status(422, 'a-b')),
    shows: [
      difference({ body: { rule: 'x' } }, status(422, 'b-a'), status(422, 'a-b')),
      difference({ body: { rule: "{'a': 'x', 'b': 'y'}" } }, status(422, 'b-a'), status(422, 'a')),
    ],
  },
  {
    rule: 'a map in an expression has no order',
    hides: difference(
      { body: { rule: "{'a': 'x', 'b': 'y'}.map(k, k).isSorted()" } },
      status(422, 'no'),
      status(201, ''),
    ),
    shows: [difference({ body: { rule: "{'a': 1}.map(k, k).isSorted()" } }, status(422, 'no'), status(201, ''))],
  },
  {
    rule: 'null in a map of texts in CBOR is an empty text',
    hides: difference(
      { ...creatingInCbor, body: { data: { a: '1', b: null } } },
      observed(201, { data: { a: '1', b: '1' } }),
      observed(201, { data: { a: '1', b: '' } }),
    ),
    shows: [
      difference(
        { ...creatingInCbor, body: { data: { a: '1', b: '1' } } },
        observed(201, { data: { a: '1', b: '1' } }),
        observed(201, { data: { a: '1', b: '' } }),
      ),
    ],
  },
  {
    rule: 'addresses that the reference has lost',
    hides: difference(
      {},
      status(500, 'Internal error occurred: failed to allocate a serviceIP: range is full'),
      status(500, 'failed to allocate a serviceIP: IPAddress "x" is invalid: spec.parentRef.name: Required value'),
    ),
    shows: [
      difference({}, status(500, 'range is full'), one({ name: 'a' })),
      difference(
        {},
        status(500, 'failed to allocate a serviceIP: IPAddress "x" is invalid: spec.parentRef.name: Required value'),
        status(500, 'Internal error occurred: failed to allocate a serviceIP: range is full'),
      ),
    ],
  },
  {
    rule: 'addresses that the reference has lost',
    hides: difference(
      {},
      status(500, 'Internal error occurred: failed to allocate a serviceIP: range is full'),
      observed(201, { kind: 'Service' }),
    ),
    shows: [
      difference({}, observed(201, { kind: 'Service' }), status(500, 'failed to allocate a serviceIP: range is full')),
    ],
  },
  {
    rule: 'addresses that are tried in vain',
    hides: difference({}, outOfTime, nameless),
    shows: [
      difference({}, outOfTime, observed(201, { kind: 'Service' })),
      difference({}, outOfTime, status(500, 'Internal error occurred: failed to allocate a serviceIP: range is full')),
      difference({}, outOfTime, status(422, 'IPAddress.x "a" is invalid: spec.parentRef.name: Required value')),
      difference({}, nameless, outOfTime),
      difference({}, status(504, 'Timeout: Too large resource version: 9, current: 1'), nameless),
    ],
  },
  {
    rule: 'apply to a custom object that does not fit the schema of the version',
    hides: difference(
      applying,
      status(
        500,
        'failed to create manager for existing fields: failed to convert new object (/a; example.com/v1, Kind=A) to smd typed: .a: expected string',
      ),
      one({ name: 'a' }),
    ),
    shows: [difference(applying, status(500, 'failed to create manager for existing fields: x'), one({ name: 'a' }))],
  },
  {
    rule: 'apply to a custom object that does not fit the schema of the version',
    hides: difference(
      applying,
      status(500, 'failed to create typed live object (/a; example.com/v1, Kind=A): .data: expected map, got &{[b]}'),
      one({ name: 'a' }),
    ),
    shows: [difference(applying, status(500, 'failed to create typed patch object'), one({ name: 'a' }))],
  },
  {
    rule: 'apply to the scale of a custom object',
    hides: difference(applyingScale, status(500, unconvertibleScale), status(409, 'Apply failed with 1 conflict')),
    shows: [
      difference(applyingScale, status(500, unconvertibleScale), status(500, 'panic')),
      difference(applyingScale, status(500, 'panic'), status(500, 'value cannot be set because .spec is not a map')),
      difference(applyingScale, status(500, 'panic'), status(500, 'failed to create typed patch object (a): x')),
      difference(applyingScale, status(500, 'failed to create manager'), status(200, '')),
      difference(applyingScale, status(500, 'failed to convert new object (a): x'), status(200, '')),
      difference(applying, status(500, unconvertibleScale), status(200, '')),
    ],
  },
  {
    rule: 'raw JSON is values in order',
    hides: difference(
      { method: 'PUT', path: '/apis/apps/v1/namespaces/a/controllerrevisions/b' },
      status(422, 'data: Invalid value: field is immutable'),
      one({ name: 'b' }),
    ),
    shows: [
      difference(
        { method: 'PUT', path: '/apis/apps/v1/namespaces/a/controllerrevisions/b' },
        status(422, 'other'),
        one({ name: 'b' }),
      ),
      difference(
        { method: 'PUT', path: '/apis/apps/v1/namespaces/a/deployments/b' },
        status(422, 'data: Invalid value: field is immutable'),
        one({ name: 'b' }),
      ),
    ],
  },
  {
    rule: 'managedFields: [] does not reset',
    hides: difference(
      { method: 'PUT', body: { metadata: { managedFields: [{}] } } },
      told([{ hook: 'm0', body: { request: { object: { metadata: {} } } } }]),
      told([{ hook: 'm0', body: { request: { object: { metadata: { managedFields: [{ manager: 'm' }] } } } } }]),
    ),
    shows: [
      difference(
        { method: 'PUT', body: { metadata: { managedFields: [{}] } } },
        told([{ hook: 'm0', body: { request: { oldObject: { metadata: {} } } } }]),
        told([{ hook: 'm0', body: { request: { oldObject: { metadata: { managedFields: [{ manager: 'm' }] } } } } }]),
      ),
    ],
  },
  {
    rule: 'managedFields: [] does not reset',
    hides: difference(
      { method: 'PUT', body: { metadata: { managedFields: [] } } },
      one({ name: 'a' }),
      one({ name: 'a', managedFields: [{ manager: 'm' }] }),
    ),
    shows: [
      difference(
        { method: 'PUT', body: { metadata: { managedFields: [{ manager: 'x' }] } } },
        one({ name: 'a' }),
        one({ name: 'a', managedFields: [{ manager: 'm' }] }),
      ),
      difference(
        { method: 'PUT', body: { metadata: { managedFields: [] } } },
        one({ name: 'a' }),
        one({ name: 'b', managedFields: [{ manager: 'm' }] }),
      ),
    ],
  },
  {
    rule: 'managedFields: [] of a webhook does not reset',
    hides: hooked(emptying, mutated('m0', false), mutated('m0', true)),
    shows: [
      hooked({}, mutated('m0', false), mutated('m0', true)),
      hooked(emptying, mutated('m0', false), mutated('m1', true)),
      hooked(emptying, one({ name: 'a' }), one({ name: 'b' })),
    ],
  },
  {
    rule: 'limit with resourceVersion=0 is honoured',
    hides: difference(
      { path: '/api/v1/pods?limit=1&resourceVersion=0' },
      list([{ a: 1 }, { a: 2 }]),
      list([{ a: 1 }], { continue: 'TOKEN', remainingItemCount: 1 }),
    ),
    shows: [
      difference(
        { path: '/api/v1/pods?limit=1&resourceVersion=0' },
        list([{ a: 1 }, { a: 2 }]),
        list([{ a: 3 }], { continue: 'TOKEN' }),
      ),
      difference({ path: '/api/v1/pods?limit=1&resourceVersion=0' }, list([{ a: 1 }]), status(400, 'x')),
      difference({ path: '/api/v1/pods?limit=1&resourceVersion=05' }, list([{ a: 1 }, { a: 2 }]), list([{ a: 1 }])),
      difference({ path: '/api/v1/pods?limit=1' }, list([{ a: 1 }, { a: 2 }]), list([{ a: 1 }])),
    ],
  },
  {
    rule: 'bookmarks are bare',
    hides: difference(
      {},
      observed(200, [{ type: 'BOOKMARK', object: { kind: 'Pod', spec: {} } }]),
      observed(200, [{ type: 'BOOKMARK', object: { kind: 'Pod' } }]),
    ),
    shows: [
      difference(
        {},
        observed(200, [{ type: 'ADDED', object: { kind: 'Pod', spec: {} } }]),
        observed(200, [{ type: 'ADDED', object: { kind: 'Pod' } }]),
      ),
      difference(
        {},
        observed(200, [{ type: 'BOOKMARK', object: { kind: 'Pod' } }]),
        observed(200, [{ type: 'BOOKMARK', object: { kind: 'Pod', spec: {} } }]),
      ),
    ],
  },
  {
    rule: 'bookmarks are bare',
    hides: difference(
      {},
      observed(200, [wireEvent('BOOKMARK', [{ '1': 'meta' }, { '2': [{ '1': '0' }, { '3': 'x' }] }])]),
      observed(200, [wireEvent('BOOKMARK', [{ '1': 'meta' }, { '2': [{ '3': 'x' }] }])]),
    ),
    shows: [
      difference(
        {},
        observed(200, [wireEvent('BOOKMARK', [{ '1': [{ '12': [{ '1': 'k8s.io/initial-events-end' }] }] }])]),
        observed(200, [wireEvent('BOOKMARK', [{ '1': [] }])]),
      ),
      difference(
        {},
        observed(200, [wireEvent('ADDED', [{ '1': 'meta' }, { '2': [{ '1': '0' }] }])]),
        observed(200, [wireEvent('ADDED', [{ '1': 'meta' }, { '2': [] }])]),
      ),
    ],
  },
  {
    rule: 'a single object can be watched by ?watch',
    hides: difference(
      { path: '/api/v1/namespaces/a/pods/b?watch=1' },
      one({ name: 'b' }),
      observed(200, { type: 'ADDED', object: { kind: 'Pod' } }),
    ),
    shows: [
      difference({ path: '/api/v1/namespaces/a/pods/b?watch=1' }, one({ name: 'b' }), status(404, 'x')),
      difference(
        { path: '/api/v1/namespaces/a/pods?watch=1' },
        list([]),
        observed(200, { type: 'ADDED', object: { kind: 'Pod' } }),
      ),
    ],
  },
  {
    rule: 'a single object can be watched by ?watch',
    hides: difference({ path: '/api/v1/pods/a?watch=x' }, status(406, forms), status(406, streamForms)),
    shows: [
      difference({ path: '/api/v1/pods/a?watch=0' }, status(406, forms), status(406, streamForms)),
      difference({ path: '/api/v1/pods/a?watch=1' }, status(406, forms), status(406, `${streamForms}, text/plain`)),
    ],
  },
  {
    rule: 'a single object can be watched by ?watch',
    hides: difference({ path: '/api/v1/pods/a?watch=x' }, yamlPod, yamlRefusal('application/json;stream=watch, x')),
    shows: [
      difference({ path: '/api/v1/pods/a' }, yamlPod, yamlRefusal('application/json;stream=watch, x')),
      difference({ path: '/api/v1/pods/a?watch=x' }, yamlPod, yamlRefusal('application/json, x')),
      difference(
        { path: '/api/v1/pods/a?watch=x' },
        one({ name: 'a' }),
        yamlRefusal('application/json;stream=watch, x'),
      ),
    ],
  },
  {
    rule: 'owners in the order of their seconds',
    hides: difference({}, told([shownOwners('a', 'b')]), told([shownOwners('b', 'a')])),
    shows: [difference({}, told([shownOwners('a', 'b')]), told([shownOwners('b', 'b')]))],
  },
  {
    rule: 'owners in the order of their seconds',
    hides: difference(
      {},
      one({ managedFields: [{ manager: 'a', operation: 'Update' }, { manager: 'b' }] }),
      one({ managedFields: [{ manager: 'b' }, { operation: 'Update', manager: 'a' }] }),
    ),
    shows: [
      difference({}, one({ managedFields: [{ manager: 'a' }] }), one({ managedFields: [{ manager: 'b' }] })),
      difference(
        {},
        one({ name: 'a', managedFields: [{ manager: 'a' }, { manager: 'b' }] }),
        one({ name: 'b', managedFields: [{ manager: 'b' }, { manager: 'a' }] }),
      ),
    ],
  },
  {
    rule: 'an empty dryRun is unset',
    hides: difference(
      { method: 'POST', path: '/api/v1/pods?dryRun=' },
      status(422, 'dryRun: Unsupported value: ""'),
      one({ name: 'a' }),
    ),
    shows: [
      difference({ method: 'POST', path: '/api/v1/pods?dryRun=' }, one({ name: 'a' }), one({ name: 'b' })),
      difference({ method: 'POST', path: '/api/v1/pods?dryRun=All' }, status(422, 'dryRun'), one({ name: 'b' })),
    ],
  },
  {
    rule: 'an exact list at a future version is 504',
    hides: difference({ path: '/api/v1/pods?resourceVersion=9' }, status(500, 'x'), status(504, 'y')),
    shows: [difference({}, status(500, 'x'), status(504, 'y'))],
  },
  {
    rule: 'an unreadable query is refused',
    hides: difference({ path: '/api/v1/pods?x=%zz' }, list([]), status(400, 'unreadable query: x')),
    shows: [difference({ path: '/api/v1/pods?x=%zz' }, list([]), status(400, 'other'))],
  },
  {
    rule: 'an empty namespace in a path is refused',
    hides: difference({ path: '/api/v1/namespaces//pods' }, list([]), status(404, 'x')),
    shows: [difference({ path: '/api/v1/namespaces//pods' }, list([]), list([{ a: 1 }]))],
  },
  {
    rule: 'the version names the product',
    hides: difference({ path: '/version' }, observed(200, { goVersion: 'a' }), observed(200, { goVersion: 'b' })),
    shows: [
      difference({ path: '/version' }, observed(200, {}), status(404, 'x')),
      difference({ path: '/versions' }, observed(200, { goVersion: 'a' }), observed(200, { goVersion: 'b' })),
    ],
  },
  {
    rule: 'Protobuf for a custom resource is 415',
    hides: difference(
      { method: 'PUT' },
      observed(0, 'no answer'),
      status(415, 'the body of the request was in an unknown format - accepted media types include: x'),
    ),
    shows: [difference({ method: 'PUT' }, observed(0, 'no answer'), status(500, 'x'))],
  },
  {
    rule: 'CBOR is read as the JSON that it stands for',
    hides: difference(
      { method: 'POST', headers: { 'content-type': 'application/cbor' } },
      status(400, 'Pod cannot be handled as a Pod: cbor: cannot unmarshal array into Go struct field v1.Pod.spec'),
      status(400, 'Pod cannot be handled as a Pod: json: cannot unmarshal array into Go struct field PodSpec.spec.a'),
    ),
    shows: [
      difference({ method: 'POST' }, status(400, 'x: cbor: cannot unmarshal array'), status(400, 'y')),
      difference(
        { method: 'POST', headers: { 'content-type': 'application/cbor' } },
        status(400, 'other'),
        status(400, 'different'),
      ),
      difference(
        { method: 'POST', headers: { 'content-type': 'application/cbor' } },
        { ...one({ name: 'a' }), warnings: ['299 - "cbor: found unknown field at map element index 0"'] },
        one({ name: 'b' }),
      ),
    ],
  },
  {
    rule: 'CBOR is read as the JSON that it stands for',
    hides: difference(
      { method: 'POST', headers: { 'content-type': 'application/cbor' } },
      status(400, 'Pod in version "v1" cannot be handled as a Pod: cbor: cannot unmarshal UTF-8 text string into Go x'),
      observed(400, { kind: 'Status', message: 'denied', code: 400, reason: 'x' }),
    ),
    shows: [
      difference(
        { method: 'POST', headers: { 'content-type': 'application/cbor' } },
        status(400, 'denied: cbor: cannot unmarshal UTF-8 text string into Go x'),
        observed(400, { kind: 'Status', message: 'denied', code: 400, reason: 'x' }),
      ),
    ],
  },
  {
    rule: 'what makes the reference panic is refused',
    hides: difference(
      { method: 'GET', during: [{ method: 'PATCH', path: '/a' }] },
      observed(0, 'closed with NGHTTP2_INTERNAL_ERROR'),
      one({ name: 'a' }),
    ),
    shows: [
      difference({ method: 'GET', during: [{ method: 'PATCH', path: '/a' }] }, observed(0, 'closed'), one({})),
      difference({ method: 'GET', during: [] }, observed(0, 'closed with NGHTTP2_INTERNAL_ERROR'), one({})),
    ],
  },
  {
    rule: 'what makes the reference panic is refused',
    hides: difference(
      { method: 'PATCH' },
      observed(0, 'closed with NGHTTP2_INTERNAL_ERROR'),
      status(500, 'list element types are not identical: [[<nil>] [a]]'),
    ),
    shows: [difference({ method: 'PATCH' }, status(200, ''), status(500, 'list element types are not identical: []'))],
  },
  {
    rule: 'errors in the order of a Go map, in YAML',
    hides: difference({ method: 'PUT' }, yamlErrors('a', 'b'), yamlErrors('b', 'a')),
    shows: [
      difference({ method: 'PUT' }, yamlErrors('a', 'b'), yamlErrors('b', 'b')),
      difference({ method: 'PUT' }, yamlErrors('a', 'b'), { ...yamlErrors('b', 'a'), status: 400 }),
      difference({ method: 'PUT' }, yaml('kind: Pod\na: [1, 2]\n'), yaml('kind: Pod\na: [2, 1]\n')),
    ],
  },
  {
    rule: 'what makes the reference panic is refused',
    hides: difference({ method: 'PATCH' }, observed(0, 'closed with NGHTTP2_INTERNAL_ERROR'), status(422, 'x')),
    shows: [
      difference({ method: 'PATCH' }, observed(0, 'closed with NGHTTP2_INTERNAL_ERROR'), status(500, 'x')),
      difference({ method: 'PATCH' }, observed(0, 'closed with NGHTTP2_INTERNAL_ERROR'), one({ name: 'a' })),
      difference({ method: 'PATCH' }, observed(0, 'connect ECONNREFUSED'), status(422, 'x')),
    ],
  },
  ...[autoscaler(2), status(422, 'spec.metrics[2].type: Required value: must specify a metric source type')].map(
    (reference) => ({
      rule: 'metrics of an autoscaler that a webhook changed in v1',
      hides: afterWebhook(autoscaling, reference, autoscaler(1)),
      shows: [
        difference(autoscaling, reference, autoscaler(1)),
        afterWebhook({ method: 'POST' }, reference, autoscaler(1)),
      ],
    }),
  ),
  {
    rule: 'unknown fields of custom objects in CBOR',
    hides: difference(creatingInCbor, observed(201, {}), status(400, 'a: strict decoding error: unknown field "spec"')),
    shows: [
      difference(creatingInCbor, observed(201, {}), status(400, 'strict decoding error: duplicate field "spec"')),
      difference(
        { ...creatingInCbor, path: '/api/v1/pods' },
        observed(201, {}),
        status(400, 'a: strict decoding error: unknown field "spec"'),
      ),
    ],
  },
  {
    rule: 'unknown fields of custom objects in CBOR',
    hides: difference(creatingInCbor, status(422, 'a'), { ...status(422, 'a'), warnings: ['299 - "unknown field"'] }),
    shows: [
      difference(creatingInCbor, status(422, 'a'), { ...status(422, 'b'), warnings: ['299 - "unknown field"'] }),
      difference({ method: 'POST' }, status(422, 'a'), { ...status(422, 'a'), warnings: ['299 - "unknown field"'] }),
    ],
  },
  {
    rule: 'words of a custom object without a kind',
    hides: difference(ignoring, status(400, `A in version "v1" cannot be handled as a A: ${noKind}`), kindless),
    shows: [
      difference({ method: 'POST' }, status(400, `A in version "v1" cannot be handled as a A: ${noKind}`), kindless),
      difference(ignoring, status(400, 'A in version "v1" cannot be handled as a A: x'), kindless),
      difference(ignoring, status(422, noKind), kindless),
    ],
  },
  {
    rule: 'codes above 599 are 500',
    hides: difference({ method: 'POST' }, observed(600, { message: 'no' }), observed(500, { message: 'no' })),
    shows: [
      difference({ method: 'POST' }, observed(600, { message: 'no' }), observed(500, { message: 'yes' })),
      difference({ method: 'POST' }, observed(418, { message: 'no' }), observed(500, { message: 'no' })),
    ],
  },
  {
    rule: 'quantities in lists that are owned whole',
    hides: difference(replacing('2048Mi'), one({ managedFields: [{ a: 1 }] }), one({ managedFields: [] })),
    shows: [
      difference(replacing('2Gi'), one({ managedFields: [{ a: 1 }] }), one({ managedFields: [] })),
      difference(replacing('2048Mi'), one({ labels: { a: 'b' } }), one({ managedFields: [] })),
    ],
  },
  {
    rule: 'bytes that are null are empty',
    hides: difference({ method: 'POST' }, requested(null), requested('')),
    shows: [
      difference({ method: 'POST' }, requested(null), requested('AA==')),
      difference({ method: 'POST' }, requested(null), { ...requested(''), body: 'x' }),
    ],
  },
  {
    rule: 'bytes that are null are empty',
    hides: difference({ method: 'POST' }, admitted([{ data: { a: null } }]), admitted([{ data: { a: '' } }])),
    shows: [
      difference({ method: 'POST' }, admitted([{ data: { a: null } }]), admitted([{ data: { a: 'AA==' } }])),
      difference({ method: 'POST' }, admitted([{ spec: { a: null } }]), admitted([{ spec: { a: '' } }])),
    ],
  },
  {
    rule: 'a patch that is no JSON has its event',
    hides: difference({ method: 'PATCH', text: '{"a":{' }, observed(404, {}, { events: [] }), requested('')),
    shows: [
      difference({ method: 'PATCH', text: '{"a":{}}' }, observed(404, {}, { events: [] }), requested('')),
      difference({ method: 'PATCH', text: '{"a":{' }, requested(''), observed(404, {}, { events: [] })),
      difference({ method: 'POST', text: '{"a":{' }, observed(404, {}, { events: [] }), requested('')),
    ],
  },
  {
    rule: 'a quantity with a line break is refused in CBOR, too',
    hides: difference(brokenQuantity('application/cbor', '5Pi\n'), status(404, 'not found'), quantityRefused),
    shows: [
      difference(brokenQuantity('application/cbor', '5Px'), status(404, 'not found'), quantityRefused),
      difference(brokenQuantity('application/json', '5Pi\n'), status(404, 'not found'), quantityRefused),
      difference(brokenQuantity('application/cbor', '5Pi\n'), status(404, 'not found'), status(400, 'other')),
    ],
  },
  {
    rule: 'what a binding gives to its pod is validated',
    hides: difference(
      { path: '/api/v1/namespaces/a/pods/b/binding' },
      observed(201, {}),
      status(422, 'Pod "b" is invalid: metadata.labels: Invalid value'),
    ),
    shows: [difference({ path: services }, observed(201, {}), status(422, 'metadata.labels: Invalid value'))],
  },
  {
    rule: 'a syntax error is reported alone',
    hides: difference(
      {},
      status(422, `${macroError}ERROR: <input>:1:6: Syntax error: x\n | has(a&&)\n | .....^`),
      status(422, 'ERROR: <input>:1:6: Syntax error: x\n | has(a&&)\n | .....^'),
    ),
    shows: [
      difference({}, status(422, `${macroError}ERROR: <input>:1:6: other`), status(422, 'ERROR: <input>:1:6: other')),
      difference(
        {},
        status(422, 'ERROR: <input>:1:6: Syntax error: x\nERROR: y'),
        status(422, 'ERROR: <input>:1:6: Syntax error: x'),
      ),
    ],
  },
  {
    rule: 'a single object can be watched by ?watch',
    hides: difference(
      { path: '/api/v1/namespaces/default?watch=x' },
      one({ name: 'default' }),
      observed(0, 'no answer'),
    ),
    shows: [difference({ path: '/api/v1/namespaces/default' }, one({ name: 'default' }), observed(0, 'no answer'))],
  },
  {
    rule: 'the reference has not noticed in time',
    hides: difference({ until: 403 }, observed(201, {}), observed(403, {})),
    shows: [
      difference({ until: 403 }, observed(403, {}), observed(201, {})),
      difference({}, observed(201, {}), observed(403, {})),
    ],
  },
  {
    rule: 'a page that ends at an object of another case',
    hides: difference({ path: '/api/v1/pods?labelSelector=a&limit=1' }, list([]), list([], { continue: 'TOKEN' })),
    shows: [
      difference({ path: '/api/v1/pods?limit=1' }, list([]), list([], { continue: 'TOKEN' })),
      difference({ path: '/api/v1/pods?labelSelector=a&limit=1' }, list([{ a: 1 }]), list([], { continue: 'TOKEN' })),
    ],
  },
  {
    rule: 'a watch whose time is over before it begins',
    hides: difference(
      { path: '/api/v1/pods?watch=1&timeoutSeconds=-1' },
      observed(200, { type: 'ADDED' }),
      observed(200, ''),
    ),
    shows: [
      difference(
        { path: '/api/v1/pods?watch=1&timeoutSeconds=1' },
        observed(200, { type: 'ADDED' }),
        observed(200, ''),
      ),
      difference(
        { path: '/api/v1/pods?watch=1&timeoutSeconds=-1' },
        observed(200, ''),
        observed(200, { type: 'ADDED' }),
      ),
    ],
  },
  {
    rule: 'a watch that is too old, in the words of the cache',
    hides: difference(
      {},
      observed(200, { object: { message: 'The resourceVersion for the provided watch is too old.', code: 410 } }),
      observed(200, { object: { message: 'too old resource version: 1 (RV)', code: 410 } }),
    ),
    shows: [
      difference(
        {},
        observed(200, { object: { message: 'The resourceVersion for the provided watch is too old.', code: 410 } }),
        observed(200, { object: { message: 'too old resource version: 1 (RV)', code: 400 } }),
      ),
      difference(
        {},
        observed(200, { object: { message: 'The resourceVersion for the provided watch is too old.' } }),
        observed(200, { object: { message: 'gone' } }),
      ),
    ],
  },
  {
    rule: 'the names of a definition are accepted meanwhile',
    hides: difference(
      { path: definitions },
      status(422, 'invalid: [spec.group: Required value, spec.scope: Required value]'),
      status(422, `invalid: [spec.group: Required value, ${immutable('spec.scope')}, spec.scope: Required value]`),
    ),
    shows: [
      difference(
        { path: definitions },
        status(422, 'invalid: [spec.group: Required value]'),
        status(422, `invalid: [${immutable('spec.group')}, spec.group: Required value]`),
      ),
      difference(
        { path: definitions },
        status(422, 'invalid: [spec.group: Required value]'),
        status(422, `invalid: [${immutable('spec.scope')}, spec.names: Required value]`),
      ),
      difference({ path: definitions }, status(422, 'invalid: a'), status(422, 'invalid: b')),
    ],
  },
  {
    rule: 'the names of a definition are accepted meanwhile',
    hides: difference(
      { path: definitions },
      admitted([{ status: { a: 1 }, spec: 1 }]),
      admitted([{ spec: 1 }, { spec: 1 }]),
    ),
    shows: [
      difference({ path: definitions }, admitted([{ status: { a: 1 }, spec: 1 }]), admitted([{ spec: 2 }])),
      difference({ path: definitions }, admitted([{ spec: 1 }]), admitted([])),
      difference({ path: definitions }, observed(200, { status: { a: 1 } }), observed(200, { status: { a: 2 } })),
      difference({ path: services }, admitted([{ status: { a: 1 }, spec: 1 }]), admitted([{ spec: 1 }])),
    ],
  },
  {
    rule: 'the names of a definition are accepted meanwhile',
    hides: difference(
      { method: 'PATCH', path: `${definitions}/status` },
      observed(200, { status: { a: 1 } }),
      observed(200, { status: { a: 2 } }),
    ),
    shows: [
      difference(
        { method: 'PATCH', path: `${definitions}/status` },
        observed(200, { spec: { a: 1 } }),
        observed(200, { spec: { a: 2 } }),
      ),
    ],
  },
  {
    rule: 'the names of a definition are accepted meanwhile',
    hides: difference({ path: definitions }, accepted([{ type: 'NamesAccepted' }]), accepted(null)),
    shows: [
      difference({ path: definitions }, accepted([{ type: 'NamesAccepted' }]), accepted([])),
      difference({ path: definitions }, accepted([]), observed(200, { spec: {}, status: { conditions: null } })),
      difference({ path: services }, accepted([{ type: 'NamesAccepted' }]), accepted(null)),
    ],
  },
  {
    rule: 'the names of a definition are accepted meanwhile',
    hides: difference({ method: 'PATCH', path: definitions }, sentOn('Installing'), sentOn('InitialNamesAccepted')),
    shows: [
      difference(
        { method: 'PATCH', path: definitions },
        sentOn('Installing', { scope: 'Cluster' }),
        sentOn('InitialNamesAccepted', { scope: 'Namespaced' }),
      ),
    ],
  },
  {
    rule: 'the names of a definition are accepted meanwhile',
    hides: difference(
      { path: definitions },
      accepted([{ type: 'Established', status: 'False', reason: 'Installing' }]),
      accepted([{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted' }]),
    ),
    shows: [
      difference(
        { path: definitions },
        accepted([{ type: 'Established', status: 'False', reason: 'NotAccepted' }]),
        accepted([{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted' }]),
      ),
    ],
  },
  {
    rule: 'the names of a definition are accepted meanwhile',
    hides: difference(
      { method: 'PATCH', path: definitions },
      status(422, ' "" is invalid: patch: Invalid value: "{\\"conditions\\":null}": json: a'),
      status(422, ' "" is invalid: patch: Invalid value: "{\\"conditions\\":[]}": json: a'),
    ),
    shows: [
      difference(
        { method: 'PATCH', path: definitions },
        status(422, ' "" is invalid: patch: Invalid value: "{\\"conditions\\":null}": json: a'),
        status(422, ' "" is invalid: patch: Invalid value: "{\\"conditions\\":[]}": json: b'),
      ),
      difference(
        { method: 'PATCH', path: definitions },
        status(422, ' "" is invalid: patch: Invalid value: "{\\"a\\":null}": json: a'),
        status(422, ' "" is invalid: patch: Invalid value: "{\\"a\\":[]}": json: a'),
      ),
    ],
  },
  {
    rule: 'the service of an APIService is looked for meanwhile',
    hides: difference(
      { path: '/apis/apiregistration.k8s.io/v1/apiservices/a' },
      admitted([{ status: { a: 1 }, spec: 1 }]),
      admitted([{ spec: 1 }, { spec: 1 }]),
    ),
    shows: [
      difference(
        { path: '/apis/apiregistration.k8s.io/v1/apiservices/a' },
        admitted([{ status: { a: 1 }, spec: 1 }]),
        admitted([{ spec: 2 }]),
      ),
      difference(
        { path: '/apis/apiregistration.k8s.io/v1/apiservices/a' },
        observed(200, { status: { a: 1 } }),
        observed(200, { status: { a: 2 } }),
      ),
    ],
  },
  {
    rule: 'a limit range of another case that is gone',
    hides: difference({ path: claims }, status(403, 'maximum storage usage per Pod is 1, but'), observed(201, {})),
    shows: [
      difference({ path: claims }, status(403, 'exceeded quota'), observed(201, {})),
      difference({ path: claims }, observed(201, {}), status(403, 'maximum storage usage per Pod is 1, but')),
      difference(
        { path: '/api/v1/namespaces/a/limitranges' },
        status(403, 'maximum storage usage per Pod is 1, but'),
        observed(201, {}),
      ),
    ],
  },
  {
    rule: 'rules of a review in the order of a map',
    hides: difference({}, yaml(review('{a: [1]}', '{a: [2]}')), yaml(review('{a: [2]}', '{a: [1]}'))),
    shows: [
      difference({}, yaml(review('{a: [1]}', '{a: [2]}')), yaml(review('{a: [2]}', '{a: [3]}'))),
      difference({}, yaml('status: {r: [1, 2]}\n'), yaml('status: {r: [2, 1]}\n')),
    ],
  },
  {
    rule: 'watches of definitions that go see the steps',
    hides: difference(
      { path: definitions.replace('/customresourcedefinitions', '/watch/customresourcedefinitions') },
      observed(200, [going('MODIFIED', 1), going('DELETED', 3)]),
      observed(200, [going('DELETED', 1)]),
    ),
    shows: [
      difference(
        { path: definitions },
        observed(200, [going('MODIFIED', 1), going('DELETED', 3)]),
        observed(200, [going('DELETED', 1)]),
      ),
    ],
  },
  {
    rule: 'watches of definitions that go see the steps',
    hides: difference(
      { path: watchedDefinitions },
      observed(200, [going('MODIFIED', 1)]),
      observed(200, [going('DELETED', 1)]),
    ),
    shows: [
      difference(
        { path: watchedDefinitions },
        observed(200, [{ type: 'MODIFIED', object: {} }]),
        observed(200, [going('DELETED', 1)]),
      ),
    ],
  },
  {
    rule: 'watches of definitions that go see the steps',
    hides: difference(
      { path: watchedDefinitions },
      observed(200, [
        wireEvent('MODIFIED', [{ '1': [{ '9': 'NOW' }] }]),
        wireEvent('DELETED', [{ '1': [{ '9': 'NOW' }] }]),
      ]),
      observed(200, [wireEvent('DELETED', [{ '1': [{ '9': 'NOW' }] }])]),
    ),
    shows: [
      difference(
        { path: watchedDefinitions },
        observed(200, [
          wireEvent('MODIFIED', [{ '1': [{ '8': 'NOW' }] }]),
          wireEvent('DELETED', [{ '1': [{ '9': 'NOW' }] }]),
        ]),
        observed(200, [wireEvent('DELETED', [{ '1': [{ '9': 'NOW' }] }])]),
      ),
    ],
  },
  {
    rule: 'watches of definitions that go see the steps',
    hides: difference(
      { path: watchedDefinitions },
      observed(200, [row('ADDED', {}, 'theirs'), row('MODIFIED', { deletionTimestamp: 'NOW' }), row('DELETED', {})]),
      observed(200, [row('ADDED', {}, 'ours'), row('DELETED', {})]),
    ),
    shows: [
      difference(
        { path: watchedDefinitions },
        observed(200, [row('ADDED', {}), row('MODIFIED', {}), row('DELETED', {})]),
        observed(200, [row('ADDED', {}), row('DELETED', {})]),
      ),
      difference(
        { path: watchedDefinitions },
        observed(200, [row('ADDED', { name: 'a' }), row('DELETED', {})]),
        observed(200, [row('ADDED', { name: 'b' }), row('DELETED', {})]),
      ),
    ],
  },
  {
    rule: 'watches of definitions that go see the steps',
    hides: difference(
      { path: watchedDefinitions },
      observed(200, [going('MODIFIED', 1), going('MODIFIED', 2), going('DELETED', 3)]),
      observed(200, [going('DELETED', 1)]),
    ),
    shows: [
      difference(
        { path: watchedDefinitions },
        observed(200, [going('MODIFIED', 1), going('DELETED', 3)]),
        observed(200, [going('MODIFIED', 1)]),
      ),
      difference(
        { path: watchedDefinitions },
        observed(200, [going('DELETED', 1)]),
        observed(200, [{ type: 'MODIFIED', object: {} }, going('DELETED', 1)]),
      ),
      difference(
        { path: `${services}?watch=true` },
        observed(200, [going('MODIFIED', 1), going('DELETED', 3)]),
        observed(200, [going('DELETED', 1)]),
      ),
    ],
  },
  {
    rule: 'what a binding gives to its pod is validated',
    hides: difference(
      { path: '/api/v1/namespaces/a/pods/b/binding' },
      observed(201, {}),
      status(422, 'Pod "b" is invalid: metadata.annotations: Invalid value'),
    ),
    shows: [
      difference({ path: '/api/v1/namespaces/a/pods/b/binding' }, observed(201, {}), status(422, 'target: Required')),
      difference({ path: services }, observed(201, {}), status(422, 'metadata.annotations: Invalid value')),
    ],
  },
  {
    rule: 'a syntax error is reported alone',
    hides: difference({}, refused('b', `${hasError}a Syntax error`), refused('a Syntax error', 'b')),
    shows: [
      difference({}, refused('b', `${hasError}a Syntax error`), refused('a Syntax error', 'c')),
      difference({}, refused('b', 'c Syntax error'), refused('a Syntax error', 'b')),
    ],
  },
  {
    rule: 'a watch from the beginning is too old',
    hides: difference(
      { path: '/api/v1/events?watch=true&resourceVersion=1' },
      observed(200, ''),
      observed(200, [{ type: 'ERROR', object: { message: 'too old resource version: 1 (RV)' } }]),
    ),
    shows: [
      difference(
        { path: '/api/v1/events?watch=true&resourceVersion=12' },
        observed(200, ''),
        observed(200, [{ type: 'ERROR', object: { message: 'too old resource version: 12 (RV)' } }]),
      ),
      difference(
        { path: `${services}?watch=true&resourceVersion=1` },
        observed(200, ''),
        observed(200, [{ type: 'ERROR', object: { message: 'the server is not well' } }]),
      ),
    ],
  },
  {
    rule: 'the template generation of a daemon set',
    hides: difference(
      {},
      admitted([{ metadata: { annotations: { a: 'b' } } }]),
      admitted([{ metadata: { annotations: { a: 'b', 'deprecated.daemonset.template.generation': '0' } } }]),
    ),
    shows: [
      difference(
        {},
        admitted([{ metadata: { annotations: { a: 'b' } } }]),
        admitted([{ metadata: { annotations: { a: 'c', 'deprecated.daemonset.template.generation': '0' } } }]),
      ),
    ],
  },
  {
    rule: 'unknown fields of a root without a type',
    hides: difference(
      applying,
      observed(200, { metadata: { generation: 2 } }),
      observed(200, { metadata: { generation: 1 } }, { warnings: ['299 - "unknown field \\"spec.a\\""'] }),
    ),
    shows: [
      difference(
        applying,
        observed(200, { metadata: { generation: 2 } }),
        observed(200, { metadata: { generation: 1 } }),
      ),
      difference(
        applying,
        observed(200, { spec: { a: 1 } }),
        observed(200, { spec: {} }, { warnings: ['299 - "unknown field \\"spec.a\\""'] }),
      ),
    ],
  },
  {
    rule: 'items that are no schema',
    hides: difference({ body: { items: true } }, status(422, 'a'), status(422, 'b')),
    shows: [
      difference({ body: { items: { type: 'string' } } }, status(422, 'a'), status(422, 'b')),
      difference({ body: { items: true } }, status(422, 'a'), observed(201, {})),
    ],
  },
  {
    rule: 'limit with resourceVersion=0 is honoured',
    hides: difference(
      { path: '/api/v1/pods?limit=1&resourceVersion=0' },
      observed(200, ['k8s', { 2: [{ 1: [{ 3: '' }] }, { 2: 'a' }, { 2: 'b' }] }]),
      observed(200, ['k8s', { 2: [{ 1: [{ 3: 'TOKEN' }] }, { 2: 'a' }] }]),
    ),
    shows: [
      difference(
        { path: '/api/v1/pods?limit=1&resourceVersion=0' },
        observed(200, ['k8s', { 2: [{ 1: [{ 3: '' }] }, { 2: 'a' }] }]),
        observed(200, ['k8s', { 2: [{ 1: [{ 3: '' }] }, { 2: 'b' }] }]),
      ),
    ],
  },
  {
    rule: 'a status does not create its object',
    hides: difference({ path: `${services}/a/status?fieldManager=m` }, observed(201, {}), observed(404, {})),
    shows: [
      difference({ path: `${services}/a` }, observed(201, {}), observed(404, {})),
      difference({ path: `${services}/a/status` }, observed(200, {}), observed(404, {})),
      difference({ path: `${services}/a/status` }, observed(201, {}), observed(400, {})),
    ],
  },
  {
    rule: 'a folded diff of Go values',
    hides: difference({}, yaml('message: "a\\n- \\t1\\n+ \\t2"\n'), yaml('message: "a\\n-\n  \\t1\\n+ \\t2"\n')),
    shows: [
      difference({}, yaml('message: "a\\n- \\t1\\n+ \\t2"\n'), yaml('message: "a\\n-\n  \\t1\\n+ \\t3"\n')),
      difference({}, yaml('message: "a 1"\n'), yaml('message: "a\n  1"\n')),
    ],
  },
  {
    rule: 'a folded diff of Go values',
    hides: difference({}, joined('POINTER\\n \\ \\t1\\n- \\t2'), joined('POINTER\\n  \\t1\\n-   \\t2')),
    shows: [
      difference({}, joined('POINTER\\n \\ \\t1\\n- \\t2'), joined('POINTER\\n  \\t1\\n- \\t3')),
      difference({}, joined('a\\n \\ \\t1\\n- \\t2'), joined('a\\n  \\t1\\n-   \\t2')),
    ],
  },
  {
    rule: 'YAML and CBOR bodies are recorded',
    hides: difference(
      applying,
      observed(200, {}, { events: [] }),
      observed(200, {}, { events: [{ stage: 'ResponseComplete' }] }),
    ),
    shows: [
      difference(
        { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } },
        observed(200, {}, { events: [] }),
        observed(200, {}, { events: [{ stage: 'ResponseComplete' }] }),
      ),
      difference(
        applying,
        observed(200, {}, { events: [{ verb: 'patch' }] }),
        observed(200, {}, { events: [{ verb: 'apply' }] }),
      ),
    ],
  },
  {
    rule: 'descriptions in own words',
    hides: difference({}, observed(200, { a: { description: 'x' } }), observed(200, { a: { description: 'y' } })),
    shows: [
      difference(
        {},
        observed(200, { a: { description: 'x', b: 1 } }),
        observed(200, { a: { description: 'y', b: 2 } }),
      ),
    ],
  },
  {
    rule: 'an empty continue on the last page',
    hides: difference({ path: '/api/v1/pods?limit=5' }, list([]), list([], { continue: '' })),
    shows: [difference({ path: '/api/v1/pods?limit=5' }, list([]), list([], { continue: 'TOKEN' }))],
  },
  {
    rule: 'an empty continue on the last page',
    hides: difference({}, yaml('metadata: {}\n'), yaml('metadata:\n  continue: ""\n')),
    shows: [
      difference({}, yaml('metadata: {}\n'), yaml('metadata:\n  continue: "x"\n')),
      difference({}, yaml('metadata: {}\n'), yaml('metadata:\n  continue: ""\nitems: []\n')),
      difference({}, yaml('metadata: {}\n'), yaml('metadata:  {}\n')),
      difference({}, yaml('metadata: {}\n'), yaml('metadata: {\n')),
    ],
  },
  {
    rule: 'a list of custom objects that is not paged has no continue',
    hides: difference({}, list([], { continue: '' }), list([])),
    shows: [difference({}, list([], { continue: 'TOKEN' }), list([]))],
  },
]

describe.each(cases)('$rule', ({ rule, hides, shows }) => {
  it('explains what it says', () => {
    expect(explained(hides)?.name).toBe(rule)
  })

  it('explains nothing else', () => {
    expect(shows.map((each) => explained(each)?.name)).toEqual(shows.map(() => undefined))
  })

  it('explains nothing when the status differs as well, or a header', () => {
    const odd = { ...hides.server, headers: { location: '/elsewhere' } }
    const isAboutStatus = hides.reference.status !== hides.server.status
    if (!isAboutStatus) expect(explained(difference(hides.case.steps[0] as Step, hides.reference, odd))).toBeUndefined()
  })
})

it('has a case for every rule', () => {
  expect([...new Set(cases.map(({ rule }) => rule))].sort()).toEqual(knownDifferences.map(({ name }) => name).sort())
})

it('explains what comes with descriptions in own words', () => {
  const table = (page: string | undefined, description: string): Observed =>
    observed(200, {
      metadata: page === undefined ? {} : { continue: page },
      columnDefinitions: [{ name: 'Name', description }],
      rows: [{}],
    })
  const paged = { path: '/api/v1/pods?limit=1&resourceVersion=0' }
  const found = explained(difference(paged, table(undefined, 'theirs'), table('TOKEN', 'ours')))
  expect(found?.name).toBe('limit with resourceVersion=0 is honoured')
  expect(explained(difference({}, table(undefined, 'theirs'), table('TOKEN', 'ours')))).toBeUndefined()
})
