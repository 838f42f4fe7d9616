/** List functions of CEL over as much as an object may hold, in policies and their conditions, and tables of large custom objects. */
import type { JsonObject } from '../../../src/api/json.ts'
import { type Caller, many, mapOf, type Scenario } from './scenario.ts'

const policies = '/apis/admissionregistration.k8s.io/v1'
const configMaps = '/api/v1/namespaces/default/configmaps?dryRun=All'
const keys = 'object.data.map(k, k)'

/** Each is over 50,000 keys, or ends when it has cost what an expression may. */
const expressions: Readonly<Record<string, string>> = {
  map: `${keys}.size() >= 0`,
  filter: 'object.data.filter(k, k.size() > 3).size() >= 0',
  exists: '!object.data.exists(k, k == "none")',
  exists_one: '!object.data.exists_one(k, k == "none")',
  sort: `${keys}.sort().size() >= 0`,
  isSorted: `${keys}.isSorted() || true`,
  sortBy: `${keys}.sortBy(k, k.size()).size() >= 0`,
  flatten: 'object.data.map(k, [k, k]).flatten().size() >= 0',
  indexOf: `${keys}.indexOf("none") < 0`,
  join: `${keys}.join(",").size() >= 0`,
  split: `${keys}.join(",").split(",").size() >= 0`,
  sum: 'object.data.map(k, k.size()).sum() >= 0',
  distinct: `${keys}.distinct().size() >= 0`,
  reverse: `${keys}.reverse().size() >= 0`,
  equality: `${keys} == ${keys}`,
  sets: `sets.contains(${keys}, ${keys})`,
  'a list in a list': '!object.data.exists(k, object.data.exists(l, l == k + "x"))',
}

const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]

async function addPolicy(server: Caller, name: string, spec: JsonObject): Promise<void> {
  const objectSelector = { matchLabels: { cel: name } }
  const matchConstraints = { resourceRules, objectSelector }
  const policy = { metadata: { name }, spec: { failurePolicy: 'Ignore', matchConstraints, ...spec } }
  await server.call({ path: `${policies}/validatingadmissionpolicies`, body: policy, mayFail: true })
  const bound = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } }
  await server.call({ path: `${policies}/validatingadmissionpolicybindings`, body: bound, mayFail: true })
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

const rows = '/apis/tables.example.com/v1/namespaces/default/rows'
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

async function defineRows(server: Caller): Promise<void> {
  if ((await server.call({ path: `${rows}/large`, mayFail: true })).status === 200) return
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
  await server.until('rows are served', async () => (await server.call({ path: rows, mayFail: true })).status === 200)
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

export const extensionScenarios: readonly Scenario[] = [...celScenarios, ...tableScenarios]
