// Conversion by webhook between two versions of a custom resource: what is sent, how the answer is used, and its limits.
import { crd, install } from '../support/definitions.mjs'
import { stable } from '../support/picks.mjs'
import { serve } from '../support/webhook-server.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'convert.extend.conformance.example.com'
  // v1 has spec.host "name:port"; v2 has spec.name and spec.port.
  const convert = (object, to) => {
    const out = structuredClone(object)
    out.apiVersion = to
    if (to.endsWith('/v2') && out.spec?.host !== undefined) {
      const [name, port] = out.spec.host.split(':')
      out.spec = { name, port: Number(port) }
    } else if (to.endsWith('/v1') && out.spec?.name !== undefined)
      out.spec = { host: `${out.spec.name}:${out.spec.port}` }
    out.metadata.labels = { ...out.metadata.labels, converted: 'yes' }
    out.metadata.annotations = { ...out.metadata.annotations, to: to.split('/')[1] }
    return out
  }
  const hook = await serve(t, (_path, { request }) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: {
      uid: request.uid,
      result: { status: 'Success' },
      convertedObjects: request.objects.map((o) => convert(o, request.desiredAPIVersion)),
    },
  }))
  const schema = (properties) => ({
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
  })
  const made = await install(
    t,
    crd({
      group,
      plural: 'hosts',
      kind: 'Host',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: schema({ host: { type: 'string', pattern: '^[a-z]+:[0-9]+$' } }),
        },
        {
          name: 'v2',
          served: true,
          storage: false,
          schema: schema({ name: { type: 'string' }, port: { type: 'integer', default: 80 } }),
        },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: `${hook.url}/convert`, caBundle: hook.caBundle },
        },
      },
    }),
  )
  const v1 = `/apis/${group}/v1/namespaces/${ns}/hosts`
  const v2 = `/apis/${group}/v2/namespaces/${ns}/hosts`
  await t.until(async () => (await t.get(v2, { quiet: true })).status === 200)

  t.note('conversion as stored', made.spec.conversion)
  await t.post(
    v1,
    { apiVersion: `${group}/v1`, kind: 'Host', metadata: { name: 'a' }, spec: { host: 'web:80' } },
    { pick: stable },
  )
  hook.calls.length = 0
  await t.get(`${v1}/a`, { pick: stable })
  t.note(
    'no call for the stored version',
    hook.calls.filter((c) => c.body.request.desiredAPIVersion.endsWith('/v1')).length,
  )
  await t.get(`${v2}/a`, { pick: stable })
  t.note(
    'the call',
    hook.calls.find((c) => c.body.request.desiredAPIVersion.endsWith('/v2')),
  )
  await t.post(
    v2,
    { apiVersion: `${group}/v2`, kind: 'Host', metadata: { name: 'b' }, spec: { name: 'db', port: 5432 } },
    { pick: stable },
  )
  await t.get(`${v1}/b`, { pick: stable })
  await t.get(v2, { pick: stable })
  await t.mergePatch(`${v2}/a`, { spec: { port: 8080 } }, { pick: stable })
  await t.get(`${v1}/a`, { pick: stable })
  // Validation runs in the version of the request.
  await t.mergePatch(`${v2}/a`, { spec: { port: 'x' } })
  await t.mergePatch(`${v2}/a`, { spec: { name: 'UPPER' } }, { pick: stable })
  const watch = await t.watch(`${v2}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Db`)
  await watch.take(1)
  await t.delete(`${v2}/b`)
}
