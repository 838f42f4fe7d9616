// What a server keeps of fields that a custom resource's schema does not know: pruning, preserved parts, embedded objects, fieldValidation.
import { crd, install } from '../support/definitions.mjs'
import { unordered } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'pruning.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'things',
      kind: 'Thing',
      spec: {
        type: 'object',
        properties: {
          known: { type: 'object', properties: { a: { type: 'string' } } },
          rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } },
          free: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { inner: { type: 'object', properties: { a: { type: 'string' } } } },
          },
          any: { 'x-kubernetes-preserve-unknown-fields': true },
          map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
          template: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
          bare: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            properties: { data: { type: 'object', additionalProperties: { type: 'string' } } },
          },
          empty: { type: 'object' },
        },
      },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const thing = (name, spec, more = {}) => ({
    apiVersion: `${group}/v1`,
    kind: 'Thing',
    metadata: { name },
    spec,
    ...more,
  })
  const extra = {
    known: { a: 'x', b: 'pruned' },
    rows: [{ id: 1, x: 'pruned' }, { x: 'pruned' }],
    free: { anything: { goes: [1, 'two', null] }, inner: { a: 'x', b: 'pruned' } },
    any: [1, { x: true }],
    map: { k: { a: 'x', b: 'pruned' } },
    empty: { gone: 1 },
    unknown: { gone: true },
  }
  await t.post(url, thing('pruned', extra, { topLevel: 'gone' }))
  await t.get(`${url}/pruned`)
  await t.post(`${url}?fieldValidation=Strict`, thing('strict', extra, { topLevel: 'gone' }))
  await t.post(`${url}?fieldValidation=Ignore`, thing('ignored', { unknown: 1 }))
  await t.post(`${url}?fieldValidation=Loud`, thing('loud', { unknown: 1 }))
  await t.post(
    `${url}?fieldValidation=Strict`,
    `{"apiVersion":"${group}/v1","kind":"Thing","metadata":{"name":"dup","colour":"red"},"spec":{"known":{"a":"1","a":"2"}}}`,
  )
  await t.post(
    url,
    `{"apiVersion":"${group}/v1","kind":"Thing","metadata":{"name":"dup","colour":"red"},"spec":{"known":{"a":"1","a":"2"}}}`,
  )
  await t.mergePatch(`${url}/pruned`, { spec: { known: { c: 'pruned' }, free: { kept: 1 } } })
  await t.mergePatch(
    `${url}/pruned?fieldValidation=Strict`,
    { spec: { known: { c: 'refused' } } },
    {
      // The message quotes the whole patched object.
      pick: (b) =>
        JSON.parse(
          JSON.stringify(b, (_k, v) =>
            typeof v === 'string' ? v.replace(/Invalid value: ".*": strict/, 'Invalid value: <object>: strict') : v,
          ),
        ),
    },
  )
  await t.apply(`${url}/pruned?fieldValidation=Strict`, thing('pruned', { known: { d: 'x' } }), 'ext-manager')

  // Embedded resources: type and metadata are checked and kept.
  await t.post(
    url,
    thing('embedded', {
      template: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'x', labels: { a: 'b' }, bogus: 1 },
        data: { k: 'v' },
        more: 1,
      },
      bare: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'y', finalizers: ['a/b'] },
        data: { k: 'v' },
        more: 1,
      },
    }),
  )
  await t.post(url, thing('bad1', { template: { data: {} } }), { pick: unordered })
  await t.post(
    url,
    thing('bad2', {
      template: { apiVersion: '/a/b/c', kind: 'Not A Kind', metadata: { name: 'Bad_Name', labels: { 'a b': 'c' } } },
    }),
    { pick: unordered },
  )
  await t.post(url, thing('bad3', { bare: { apiVersion: 'v1', kind: 'X', metadata: { labels: { a: 1 } } } }))
  await t.post(url, thing('bad4', { bare: { apiVersion: 1, kind: 'X' } }))
  await t.post(url, thing('bad5', { bare: { apiVersion: 'v1', kind: 'X', metadata: 'text' } }))
}
