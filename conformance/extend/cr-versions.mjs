// Several versions of one custom resource with conversion None: reading each, the stored one, unserved and deprecated versions.
import { crd, install } from '../support/definitions.mjs'
import { stable } from '../support/picks.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'multi.extend.conformance.example.com'
  const schema = (properties) => ({
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  })
  const old = { type: 'string' }
  const versions = [
    {
      name: 'v1alpha1',
      served: true,
      storage: false,
      deprecated: true,
      schema: schema({ a: old, b: old, c: old, gone: old }),
    },
    {
      name: 'v1beta1',
      served: true,
      storage: false,
      deprecated: true,
      deprecationWarning: 'use v1, "soon"',
      schema: schema({ a: old, b: { type: 'string', default: 'beta' }, c: old }),
    },
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: schema({ a: old, b: old, c: { type: 'string', default: 'one' } }),
    },
    { name: 'v2', served: false, storage: false, schema: schema({ a: old }) },
  ]
  await install(t, crd({ group, plural: 'things', kind: 'Thing', versions }))
  const at = (v) => `/apis/${group}/${v}/namespaces/${ns}/things`
  const thing = (v, name, spec) => ({ apiVersion: `${group}/${v}`, kind: 'Thing', metadata: { name }, spec })
  await t.until(async () => (await t.get(at('v1'), { quiet: true })).status === 200)

  await t.post(at('v1alpha1'), thing('v1alpha1', 'a', { a: '1', gone: 'x' }), { pick: stable })
  await t.get(`${at('v1alpha1')}/a`, { pick: stable })
  await t.get(`${at('v1beta1')}/a`, { pick: stable })
  const made = await t.get(`${at('v1')}/a`, { pick: stable })
  await t.get(`${at('v2')}/a`)
  await t.get(`/apis/${group}/v3/namespaces/${ns}/things`)
  await t.post(at('v1'), thing('v1beta1', 'b', {}))
  await t.put(
    `${at('v1beta1')}/a`,
    { ...made.body, apiVersion: `${group}/v1beta1`, spec: { a: '2' } },
    { pick: stable },
  )
  await t.get(`${at('v1')}/a`, { pick: stable })
  await t.get(at('v1beta1'), { pick: stable })
  await t.apply(`${at('v1')}/a`, thing('v1', 'a', { a: '3' }), 'ext-manager', { pick: stable })
  await t.get(`/apis/${group}`)
  await t.get(`/apis/${group}/v1alpha1`)
  await t.get(`/apis/${group}/v2`)

  // Turning a version off takes its endpoint away.
  versions[0].served = false
  await t.mergePatch(`${CRDS}/things.${group}`, { spec: { versions } }, { quiet: true })
  await t.until(async () => (await t.get(at('v1alpha1'), { quiet: true })).status === 404)
  await t.get(at('v1alpha1'))
  await t
    .until(async () => (await t.get(`/apis/${group}`, { quiet: true })).body.versions?.length === 2)
    .catch(() => {})
  await t.get(`/apis/${group}`)
  await t.get(`${CRDS}/things.${group}`, {
    pick: (b) => ({
      generation: b.metadata.generation,
      stored: b.status.storedVersions,
      conditions: b.status.conditions,
    }),
  })
}
