/** List functions of CEL over as much as an object may hold: in policies, their conditions, mutations and definitions; tables of large custom objects. */
import type { JsonObject } from '../../../src/api/json.ts'
import { type Caller, many, mapOf, type Scenario } from './scenario.ts'

const policies = '/apis/admissionregistration.k8s.io/v1'
const configMaps = '/api/v1/namespaces/default/configmaps?dryRun=All'
const keys = 'object.data.map(k, k)'

/** Those of v1.33. Each is over 50,000 keys, or ends when it has cost what an expression may. */
const expressions: Readonly<Record<string, string>> = {
  map: `${keys}.size() >= 0`,
  filter: 'object.data.filter(k, k.size() > 3).size() >= 0',
  exists: '!object.data.exists(k, k == "none")',
  exists_one: '!object.data.exists_one(k, k == "none")',
  isSorted: `${keys}.isSorted() || true`,
  indexOf: `${keys}.indexOf("none") < 0`,
  join: `${keys}.join(",").size() >= 0`,
  split: `${keys}.join(",").split(",").size() >= 0`,
  sum: 'object.data.map(k, k.size()).sum() >= 0',
  equality: `${keys} == ${keys}`,
  sets: `sets.contains(${keys}, ${keys})`,
  'a list in a list': '!object.data.exists(k, object.data.exists(l, l == k + "x"))',
}

const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]

const isThere = async (server: Caller, path: string): Promise<boolean> =>
  (await server.call({ path, mayFail: true })).status === 200

async function addPolicy(server: Caller, name: string, spec: JsonObject): Promise<void> {
  if (await isThere(server, `${policies}/validatingadmissionpolicies/${name}`)) return
  const objectSelector = { matchLabels: { cel: name } }
  const matchConstraints = { resourceRules, objectSelector }
  const policy = { metadata: { name }, spec: { failurePolicy: 'Ignore', matchConstraints, ...spec } }
  await server.call({ path: `${policies}/validatingadmissionpolicies`, body: policy })
  const bound = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } }
  await server.call({ path: `${policies}/validatingadmissionpolicybindings`, body: bound })
}

const data = mapOf(50_000, (i) => `k${(i * 7919) % 50_000}`, 'v')

const celScenarios: Scenario[] = Object.entries(expressions).flatMap(([title, expression]) => {
  const scenario = (where: string, spec: JsonObject): Scenario => {
    const name = `${where}-${title}`.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    const body = JSON.stringify({ metadata: { name: 'large', labels: { cel: name } }, data })
    return {
      name: `CEL over 50,000 keys, ${title}, ${where}`,
      prepare: (server) => addPolicy(server, name, spec),
      act: (server) => server.call({ path: configMaps, body }),
    }
  }
  return [
    scenario('policy', { validations: [{ expression }] }),
    scenario('condition', {
      matchConditions: [{ name: 'a', expression }],
      validations: [{ expression: 'true' }],
    }),
  ]
})

const mutating = ['--feature-gates=CBORServingAndStorage=true,MutatingAdmissionPolicy=true']
const alpha = '/apis/admissionregistration.k8s.io/v1alpha1'

async function addMutation(server: Caller, name: string, expression: string): Promise<void> {
  const patch = `[JSONPatch{op: "add", path: "/metadata/annotations", value: {"a": string(${expression})}}]`
  const spec = {
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'Never',
    matchConstraints: { resourceRules, objectSelector: { matchLabels: { cel: name } } },
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: patch } }],
  }
  if (await isThere(server, `${alpha}/mutatingadmissionpolicies/${name}`)) return
  await server.call({ path: `${alpha}/mutatingadmissionpolicies`, body: { metadata: { name }, spec } })
  const bound = { metadata: { name }, spec: { policyName: name } }
  await server.call({ path: `${alpha}/mutatingadmissionpolicybindings`, body: bound })
}

const mutationScenarios: Scenario[] = Object.entries(expressions).map(([title, expression]) => {
  const name = `mutation-${title}`.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  const body = JSON.stringify({ metadata: { name: 'large', labels: { cel: name } }, data })
  return {
    name: `CEL over 50,000 keys, ${title}, mutation`,
    flags: mutating,
    prepare: (server) => addMutation(server, name, expression),
    act: (server) => server.call({ path: configMaps, body }),
  }
})

/** Those that the estimate of a definition's cost lets pass. */
const rules: Readonly<Record<string, string>> = {
  map: 'self.items.map(k, k.size()).size() >= 0',
  filter: 'self.items.filter(k, k.size() > 3).size() >= 0',
  exists: '!self.items.exists(k, k == "none")',
  exists_one: '!self.items.exists_one(k, k == "none")',
  isSorted: 'self.items.isSorted() || true',
  indexOf: 'self.items.indexOf("none") < 0',
  sum: 'self.items.map(k, k.size()).sum() >= 0',
  join: 'self.items.join(",").size() >= 0',
  equality: 'self.items == self.items',
  pattern: 'self.items.all(k, k.matches("^[a-z]+[0-9]*$"))',
}

const ruled = '/apis/rules.example.com/v1/namespaces/default'

async function defineRule(server: Caller, plural: string, rule: string): Promise<void> {
  if (await isThere(server, `${ruled}/${plural}`)) return
  const items = { type: 'array', maxItems: 60_000, items: { type: 'string', maxLength: 10 } }
  const spec = { type: 'object', required: ['items'], properties: { items }, 'x-kubernetes-validations': [{ rule }] }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  await server.call({
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      metadata: { name: `${plural}.rules.example.com` },
      spec: {
        group: 'rules.example.com',
        scope: 'Namespaced',
        names: { plural, kind: `Rule${plural}` },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
  })
  await server.until('the definition is served', () => isThere(server, `${ruled}/${plural}`))
}

const ruleScenarios: Scenario[] = Object.entries(rules).map(([title, rule]) => {
  const plural = `${title.toLowerCase().replaceAll('_', '')}s`
  const body = JSON.stringify({
    apiVersion: 'rules.example.com/v1',
    kind: `Rule${plural}`,
    metadata: { name: 'large' },
    spec: { items: many(60_000, (i) => `n${i}`) },
  })
  return {
    name: `CEL over 60,000 items, ${title}, definition`,
    prepare: (server) => defineRule(server, plural, rule),
    act: (server) => server.call({ path: `${ruled}/${plural}?dryRun=All`, body }),
  }
})

const rows = '/apis/tables.example.com/v1/namespaces/default/rows'
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

async function defineRows(server: Caller): Promise<void> {
  if (await isThere(server, `${rows}/large`)) return
  const items = { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { items } } } },
  }
  const paths = ['.spec.items[*].name', '.spec.items[?(@.size>1)].name', '.spec.items', '.spec.items[0:].size', '.spec']
  const additionalPrinterColumns = paths.map((jsonPath, i) => ({ name: `C${i}`, type: 'string', jsonPath }))
  await server.call({
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: {
      metadata: { name: 'rows.tables.example.com' },
      spec: {
        group: 'tables.example.com',
        scope: 'Namespaced',
        names: { plural: 'rows', kind: 'Row' },
        versions: [{ name: 'v1', served: true, storage: true, schema, additionalPrinterColumns }],
      },
    },
  })
  await server.until('rows are served', () => isThere(server, rows))
  for (const name of ['large', 'other'])
    await server.call({
      path: rows,
      body: {
        apiVersion: 'tables.example.com/v1',
        kind: 'Row',
        metadata: { name },
        spec: { items: many(40_000, (i) => ({ name: `n${i}`, size: i % 3 })) },
      },
    })
}

const tableScenarios: Scenario[] = [
  ['get', `${rows}/large`],
  ['list', rows],
  ['list with objects', `${rows}?includeObject=Object`],
  ['initial events of a watch', `${rows}?watch=true&resourceVersion=0`],
].map(([how, path]) => ({
  name: `table of custom objects with 40,000 items, ${how}`,
  prepare: defineRows,
  act: (server) => server.call({ path: path as string, accept: table }),
}))

export const extensionScenarios: readonly Scenario[] = [
  ...celScenarios,
  ...mutationScenarios,
  ...ruleScenarios,
  ...tableScenarios,
]
