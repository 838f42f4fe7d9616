// Custom resource definitions for scenarios.
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** A definition from its least parts: one version v1 with `spec` as the schema of .spec, unless `versions` are given. */
export const crd = ({
  group,
  plural,
  kind,
  scope = 'Namespaced',
  names = {},
  spec,
  schema,
  versions,
  version = {},
  ...rest
}) => {
  const status = version.subresources?.status
    ? { status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    : {}
  const openAPIV3Schema = schema ?? { type: 'object', properties: { spec, ...status } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, ...names },
      versions: versions ?? [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
      ...rest,
    },
  }
}

/** Makes the definition anew and waits until its first served version answers. Nothing is recorded. */
export const install = async (t, definition) => {
  await t.clear(`${definitions}/${definition.metadata.name}`)
  const made = await t.post(definitions, definition, { quiet: true })
  if (made.status !== 201) throw new Error(`the definition was refused: ${JSON.stringify(made.body)}`)
  const { group, names, versions } = definition.spec
  const list = `/apis/${group}/${versions.find((v) => v.served).name}/${names.plural}`
  await t.until(async () => (await t.get(list, { quiet: true })).status === 200)
  return made.body
}
