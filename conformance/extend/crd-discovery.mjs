// What discovery and OpenAPI say of a custom resource group: group, resource list, aggregated discovery, OpenAPI v3 paths and schemas.
import { crd, install } from '../support/definitions.mjs'

export default async (t) => {
  await t.namespace()
  const group = 'disco.extend.conformance.example.com'
  const definition = crd({
    group,
    plural: 'apps',
    kind: 'App',
    names: { shortNames: ['ap'], categories: ['all', 'ours'] },
    schema: {
      type: 'object',
      description: 'An App runs things.',
      required: ['spec'],
      properties: {
        spec: {
          type: 'object',
          description: 'What is wanted.',
          properties: {
            replicas: { type: 'integer', format: 'int32', minimum: 0, default: 1 },
            either: { 'x-kubernetes-int-or-string': true },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            maybe: { type: 'string', nullable: true },
            set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          },
        },
        status: { type: 'object', properties: { replicas: { type: 'integer' } } },
      },
    },
    version: {
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
    },
  })
  definition.spec.versions.unshift({
    ...structuredClone(definition.spec.versions[0]),
    name: 'v2beta1',
    storage: false,
    deprecated: true,
    subresources: undefined,
  })
  await install(t, definition)
  await install(t, crd({ group, plural: 'zones', kind: 'Zone', scope: 'Cluster', spec: { type: 'object' } }))
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const byName = (list) => [...list].sort((x, y) => (x.resource < y.resource ? -1 : 1))
  const ours = (b) =>
    b.items
      ?.filter((g) => g.metadata.name === group)
      .map((g) => ({ ...g, versions: g.versions.map((v) => ({ ...v, resources: byName(v.resources) })) })) ?? b
  const complete = (b) =>
    b?.[0]?.versions?.length === 2 && b[0].versions.find((v) => v.version === 'v1')?.resources.length === 2
  await t.until(async () =>
    (await t.get(`/apis/${group}/v1`, { quiet: true })).body.resources?.some((r) => r.name === 'zones'),
  )

  await t.get(`/apis/${group}`)
  // Two definitions share the version; which comes first is not fixed.
  await t.get(`/apis/${group}/v1`, {
    pick: (b) => ({ ...b, resources: [...b.resources].sort((x, y) => (x.name < y.name ? -1 : 1)) }),
  })
  await t.get(`/apis/${group}/v2beta1`)
  await t.get(`/apis/${group}/v9`)
  await t.until(async () => (await t.get('/apis', { quiet: true })).body.groups?.some((g) => g.name === group))
  await t.get('/apis', { pick: (b) => b.groups?.filter((g) => g.name === group) })
  await t.until(async () => complete(ours((await t.get('/apis', { accept: aggregated, quiet: true })).body)))
  await t.get('/apis', { accept: aggregated, pick: ours })
  await t.get('/apis', {
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
    pick: ours,
  })

  // OpenAPI v3: the entry, the paths with their operations, the schemas.
  const path = `/openapi/v3/apis/${group}/v1`
  await t.until(async () =>
    Object.keys((await t.get(path, { quiet: true })).body.components?.schemas ?? {}).some((k) => k.endsWith('.Zone')),
  )
  const index = await t.get('/openapi/v3', { quiet: true })
  const paths = (typeof index.body === 'string' ? JSON.parse(index.body) : index.body).paths ?? {}
  t.note('openapi v3 index', {
    type: index.headers['content-type'],
    entries: Object.entries(paths)
      .filter(([k]) => k.includes(group))
      .map(([k, v]) => [k, v.serverRelativeURL?.replace(/hash=[0-9A-F]+/, 'hash=<hash>')]),
  })
  await t.get(path, {
    pick: (b) => ({
      openapi: b.openapi,
      info: b.info,
      paths: Object.fromEntries(Object.entries(b.paths ?? {}).map(([p, ops]) => [p, Object.keys(ops).sort()])),
    }),
  })
  await t.get(path, {
    pick: (b) =>
      Object.fromEntries(Object.entries(b.components?.schemas ?? {}).filter(([k]) => /\.(App|AppList)$/.test(k))),
  })
  await t.get(path, { pick: (b) => Object.keys(b.components?.schemas ?? {}).sort() })
  await t.get(path, { pick: (b) => b.paths?.[`/apis/${group}/v1/namespaces/{namespace}/apps`]?.post })
  await t.get(path, { pick: (b) => b.paths?.[`/apis/${group}/v1/namespaces/{namespace}/apps/{name}`]?.patch })
  await t.get(path, { pick: (b) => b.paths?.[`/apis/${group}/v1/namespaces/{namespace}/apps/{name}/scale`]?.get })
  await t.get(`/openapi/v3/apis/${group}/v2beta1`, { pick: (b) => Object.keys(b.paths ?? {}).sort() })
}
