// An APIService backed by a live server (through an ExternalName service): availability, discovery, proxying, the user passed on, and errors passed back.
import { stable } from '../support/picks.mjs'
import { serve } from '../support/webhook-server.mjs'

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'live.extend.conformance.example.com'
  const name = `v1.${group}`
  await t.clear(`${SERVICES}/${name}`)
  const resources = {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/v1`,
    resources: [
      { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list', 'create'] },
    ],
  }
  const server = await serve(t, (path, body, call) => {
    if (path === `/apis/${group}/v1`) return resources
    if (path.endsWith('/things/teapot'))
      return {
        status: 418,
        text: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 418, message: 'short' }),
      }
    if (path.endsWith('/things/text')) return { status: 200, type: 'text/plain', text: 'plain words' }
    if (path.includes('/things'))
      return { kind: 'Thing', apiVersion: `${group}/v1`, seen: { method: call.method, path: call.path, body } }
    return { status: 404, text: '{}' }
  })
  await t.post(
    `/api/v1/namespaces/${ns}/services`,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'backend' },
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    },
    { quiet: true },
  )
  await t.post(
    SERVICES,
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name },
      spec: {
        group,
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { name: 'backend', namespace: ns, port: Number(new URL(server.url).port) },
      },
    },
    { pick: (b) => ({ ...stable(b), spec: { ...b.spec, service: { ...b.spec?.service, port: '<port>' } } }) },
  )
  await t.until(async () =>
    (await t.get(`${SERVICES}/${name}`, { quiet: true })).body.status?.conditions?.some((c) => c.status === 'True'),
  )
  await t.get(`${SERVICES}/${name}`, { pick: (b) => b.status })
  await t.until(async () => (await t.get(`/apis/${group}/v1`, { quiet: true })).status === 200)

  const things = `/apis/${group}/v1/namespaces/${ns}/things`
  await t.get(`/apis/${group}`)
  await t.get(`/apis/${group}/v1`)
  await t.until(async () => (await t.get('/apis', { quiet: true })).body.groups?.some((g) => g.name === group))
  await t.get('/apis', { pick: (b) => b.groups?.filter((g) => g.name === group) })
  await t.get(`${things}/a?x=1&labelSelector=a%3Db`)
  await t.post(things, { kind: 'Thing', apiVersion: `${group}/v1`, metadata: { name: 'b' } })
  await t.get(`${things}/teapot`)
  await t.get(`${things}/text`)
  await t.get(`/apis/${group}/v1/nothing`)
  // Authorization happens before anything is passed on, and the user is named in headers.
  await t.get(`${things}/a`, { headers: { 'impersonate-user': 'ann' } })
  await t.get(`${things}/a`, { token: null })
  server.calls.length = 0
  await t.get(`${things}/a`, {
    headers: {
      'impersonate-user': 'ann',
      'impersonate-group': ['devs', 'system:masters'],
      'impersonate-extra-scopes': 'x',
    },
  })
  const call = server.calls.find((c) => c.path.includes('/things/a'))
  t.note(
    'headers passed on',
    Object.fromEntries(
      Object.entries(call?.headers ?? {}).filter(([k]) => /^x-remote|^authorization|^impersonate/.test(k)),
    ),
  )
  server.close()
  await t.get(`${things}/a`, { pick: (b) => b })
  await t.delete(`${SERVICES}/${name}`, undefined, { pick: stable })
}
