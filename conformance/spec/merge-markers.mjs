// The merge markers that OpenAPI publishes for built-in types: list types with their keys, atomic maps and structs, and the older patch strategies beside them.
export default async (t) => {
  const markers = (schema) => {
    const out = {}
    const of = (s) =>
      Object.fromEntries(
        Object.entries(s ?? {})
          .filter(([k]) => /^x-kubernetes-(list-type|list-map-keys|map-type|patch-strategy|patch-merge-key)$/.test(k))
          .map(([k, v]) => [k.slice(13), v]),
      )
    if (Object.keys(of(schema)).length) out[''] = of(schema)
    for (const [name, property] of Object.entries(schema?.properties ?? {}))
      if (Object.keys(of(property)).length) out[name] = of(property)
    return out
  }
  const { body } = await t.get('/openapi/v3/api/v1', { quiet: true })
  const schemas = body.components?.schemas ?? {}
  for (const name of [
    'core.v1.PodSpec',
    'core.v1.Container',
    'core.v1.PodStatus',
    'core.v1.ServiceSpec',
    'core.v1.ServiceStatus',
    'core.v1.ConfigMap',
    'core.v1.NodeSpec',
    'core.v1.NodeStatus',
    'core.v1.PersistentVolumeClaimStatus',
    'core.v1.ServiceAccount',
    'core.v1.SecretReference',
    'core.v1.LocalObjectReference',
    'core.v1.NodeSelector',
    'core.v1.EndpointSubset',
  ])
    t.note(name, markers(schemas[`io.k8s.api.${name}`]))
  for (const name of ['ObjectMeta', 'LabelSelector', 'OwnerReference', 'Condition'])
    t.note(name, markers(schemas[`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`]))
  // The version 2 document carries the same.
  const two = (await t.get('/openapi/v2', { quiet: true })).body.definitions ?? {}
  const same = ['core.v1.PodSpec', 'core.v1.Container', 'core.v1.ServiceSpec'].every(
    (n) => JSON.stringify(markers(two[`io.k8s.api.${n}`])) === JSON.stringify(markers(schemas[`io.k8s.api.${n}`])),
  )
  t.note('both documents agree', same)
}
