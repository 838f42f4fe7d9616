// Custom resources have no Protobuf and no CBOR: 406 for answers (and nothing is written), 415 for CBOR bodies, and JSON where the client also takes it.
import { crd, install } from '../support/definitions.mjs'

const group = 'spec-media.example.com'

export default async (t) => {
  const ns = await t.namespace()
  await install(
    t,
    crd({ group, plural: 'notes', kind: 'Note', spec: { type: 'object', properties: { text: { type: 'string' } } } }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/notes`
  const note = { apiVersion: `${group}/v1`, kind: 'Note', metadata: { name: 'n' }, spec: { text: 'x' } }
  const proto = 'application/vnd.kubernetes.protobuf'
  const kind = (b) => (b.kind === 'Status' ? b : { kind: b.kind })
  await t.post(url, note, { pick: kind })
  await t.get(`${url}/n`, { accept: proto })
  await t.get(url, { accept: proto })
  await t.get(`${url}/n`, { accept: `${proto},application/json`, pick: kind })
  await t.get(url, { accept: `${proto};q=0.9, application/yaml;q=0.5`, noBody: true })
  await t.get(`${url}?watch=1&timeoutSeconds=1`, { accept: `${proto};stream=watch` })
  await t.get(`${url}?watch=1&timeoutSeconds=1`, { accept: `${proto};stream=watch,application/json`, noBody: true })
  await t.post(url, JSON.stringify({ ...note, metadata: { name: 'm' } }), { accept: proto })
  await t.get(`${url}/m`, { pick: kind })
  await t.get(`${url}/n`, { accept: `${proto};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`, noBody: true })
  await t.get(url, { accept: `${proto};as=Table;g=meta.k8s.io;v=v1`, noBody: true })
  await t.get(`${url}/n`, { accept: 'application/cbor' })
  await t.post(url, Buffer.from('a0', 'hex'), { type: 'application/cbor' })
  await t.strategicPatch(`${url}/n`, { spec: { text: 'y' } })
  await t.get(`/apis/${group}/v1`, { accept: proto, noBody: true })
}
