// The specification's word: Protobuf is not available for custom resources; a Protobuf body is refused as a media type (the reference breaks the connection).
import { crd, install } from '../support/definitions.mjs'

const group = 'spec-protobody.example.com'

export default async (t) => {
  const ns = await t.namespace()
  await install(
    t,
    crd({ group, plural: 'notes', kind: 'Note', spec: { type: 'object', properties: { text: { type: 'string' } } } }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/notes`
  await t.post(url, { apiVersion: `${group}/v1`, kind: 'Note', metadata: { name: 'n' } }, { quiet: true })
  const field = (n, value) => {
    const v = Buffer.from(value)
    return Buffer.concat([Buffer.from([(n << 3) | 2, v.length]), v])
  }
  const body = Buffer.concat([
    Buffer.from('6b387300', 'hex'),
    field(1, Buffer.concat([field(1, `${group}/v1`), field(2, 'Note')])),
    field(2, field(1, field(1, 'm'))),
  ])
  const type = 'application/vnd.kubernetes.protobuf'
  for (const [label, send] of [
    ['POST', () => t.post(url, body, { type, quiet: true })],
    ['PUT', () => t.put(`${url}/n`, body, { type, quiet: true })],
  ]) {
    const r = await send().catch(() => ({ status: 'no answer', body: {} }))
    t.note(label, { status: r.status, reason: r.body.reason, kind: r.body.kind })
  }
  await t.get(`${url}/m`, { pick: (b) => b.reason })
}
