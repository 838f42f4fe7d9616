// APIService objects: the local ones, one for a service that is not there, what its group answers, and refused ones.
import { stable } from '../support/picks.mjs'

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'remote.extend.conformance.example.com'
  const name = `v1.${group}`
  await t.clear(`${SERVICES}/${name}`)
  const service = (spec, n = name) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: n },
    spec: { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, ...spec },
  })

  await t.get(`${SERVICES}/v1.`, { pick: (b) => ({ labels: b.metadata?.labels, spec: b.spec, status: b.status }) })
  await t.get(`${SERVICES}/v1.apps`, { pick: (b) => ({ labels: b.metadata?.labels, spec: b.spec, status: b.status }) })
  await t.get(`${SERVICES}/v1.none.example.com`)

  // Refused.
  const bad = (spec, n) => t.post(`${SERVICES}?dryRun=All`, service(spec, n))
  await bad({ service: { name: 'x', namespace: ns } }, 'wrong.name')
  await bad({ service: { name: '', namespace: '' } })
  await bad({ service: { name: 'x', namespace: ns }, groupPriorityMinimum: 0, versionPriority: 2000 })
  await bad({ service: { name: 'x', namespace: ns, port: 70000 }, insecureSkipTLSVerify: true, caBundle: 'eA==' })
  await bad({ version: '', service: { name: 'x', namespace: ns } })
  await bad({ insecureSkipTLSVerify: true })

  // A service that does not exist.
  await t.post(SERVICES, service({ service: { name: 'nobody', namespace: ns }, insecureSkipTLSVerify: true }), {
    pick: stable,
  })
  await t.until(async () => (await t.get(`${SERVICES}/${name}`, { quiet: true })).body.status?.conditions?.length)
  await t.get(`${SERVICES}/${name}`, { pick: (b) => b.status })
  await t.until(async () => (await t.get(`/apis/${group}/v1`, { quiet: true })).status === 503)
  await t.get(`/apis/${group}/v1`)
  await t.get(`/apis/${group}/v1/namespaces/${ns}/things`)
  await t.post(`/apis/${group}/v1/namespaces/${ns}/things`, { any: 'thing' })
  await t.get(`/apis/${group}`)
  await t.delete(`${SERVICES}/${name}`, undefined, { pick: stable })
  await t.until(async () => (await t.get(`/apis/${group}/v1`, { quiet: true })).status === 404)
  await t.get(`/apis/${group}/v1`)
}
