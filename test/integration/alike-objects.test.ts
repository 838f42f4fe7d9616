/**
 * Objects that are alike share their parts on the way in. Nobody may notice: what comes second and third is answered and
 * stored as the first was, which shared nothing.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/json.ts'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { temporaryCredentials } from '../../src/pki/data-folder.ts'
import { exampleNamespace, exampleObjects } from './support/example-objects.ts'
import { type Answer, startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  const flags = ['--store=memory', '--runtime-config=api/all=true', '--disable-admission-plugins=ServiceAccount']
  server = await startTestServer(flags)
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: exampleNamespace } }
  expect((await server.call('POST', '/api/v1/namespaces', namespace)).status).toBe(201)
})

afterAll(() => server.close())

interface Resource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Where objects of its kind are made; undefined when this server does not serve it. */
async function collectionOf({ apiVersion, kind }: JsonObject): Promise<string | undefined> {
  const root = String(apiVersion).includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const listed = await server.call('GET', root)
  if (listed.status !== 200) return undefined
  const resources = listed.json<{ resources: Resource[] }>().resources
  const found = resources.find((each) => each.kind === kind && !each.name.includes('/'))
  if (found === undefined) return undefined
  return found.namespaced ? `${root}/namespaces/${exampleNamespace}/${found.name}` : `${root}/${found.name}`
}

/** Without what is different each time: identities, times, versions. */
const plainText = ({ status, body }: Answer): string =>
  `${status} ${body.toString()}`
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"N"')

it('answers what is sent again as it answered it first, for every kind', async () => {
  const credentials = temporaryCredentials(parseServerOptions(['--store=memory']), systemClock)
  let made = 0
  for (const example of exampleObjects(credentials.servingCaPem)) {
    const path = await collectionOf(example)
    if (path === undefined) continue
    const [first, ...others] = [await dryRun(path, example), await dryRun(path, example), await dryRun(path, example)]
    for (const other of others) expect(other, `${example['apiVersion']} ${example['kind']}`).toBe(first)
    if (first?.startsWith('201') === true) made++
  }
  expect(made).toBeGreaterThan(50)
})

const dryRun = async (path: string, object: JsonObject): Promise<string> =>
  plainText(await server.call('POST', `${path}?dryRun=All`, object))

describe('what is stored', () => {
  const labels = { app: 'alike' }
  const container = {
    name: 'main',
    image: 'example.com/app',
    ports: [{ containerPort: 80 }],
    resources: { limits: { memory: '0.5Gi', cpu: '1500m' } },
  }
  const podSpec = {
    containers: [container],
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
    volumes: [{ name: 'a', configMap: { name: 'a', items: [{ key: 'k', path: 'p' }] } }],
  }
  const workload = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } }
  const objects: readonly (readonly [string, JsonObject])[] = [
    ['/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', spec: podSpec }],
    ['/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', spec: { ...podSpec, hostNetwork: true } }],
    ['/apis/apps/v1/namespaces/default/deployments', { apiVersion: 'apps/v1', kind: 'Deployment', spec: workload }],
    ['/apis/batch/v1/namespaces/default/jobs', { apiVersion: 'batch/v1', kind: 'Job', spec: jobOf(workload) }],
    [
      '/api/v1/namespaces/default/configmaps',
      { apiVersion: 'v1', kind: 'ConfigMap', data: { b: 'two', a: '<one> & more' } },
    ],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        rules: [{ verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'deployments'] }],
      },
    ],
  ]

  function jobOf({ template }: typeof workload): JsonObject {
    return { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }
  }

  it.each(objects)('is the same for all that are alike: %s', async (path, object) => {
    const texts: string[] = []
    for (let i = 0; i < 4; i++) {
      const name = `alike-${objects.findIndex(([, each]) => each === object)}-${i}`
      const made = await server.call('POST', path, { ...object, metadata: { name, labels } })
      expect(made.status).toBe(201)
      const found = await server.call('GET', `${path}/${name}`)
      texts.push(plainText(found).replaceAll(name, 'NAME'))
      expect(plainText(made).replace(/^201/, '200').replaceAll(name, 'NAME')).toBe(texts.at(-1))
    }
    expect(new Set(texts).size).toBe(1)
  })

  it('stays what it is when one of them is changed', async () => {
    const path = '/api/v1/namespaces/default/configmaps'
    const object = { apiVersion: 'v1', kind: 'ConfigMap', data: { key: 'a value that is long enough to share' } }
    for (const name of ['one', 'two', 'three']) await server.call('POST', path, { ...object, metadata: { name } })
    const patch = { data: { key: 'changed', more: 'x' } }
    const headers = { 'content-type': 'application/merge-patch+json' }
    expect((await server.call('PATCH', `${path}/two`, patch, headers)).json()).toMatchObject(patch)
    for (const name of ['one', 'three']) {
      expect((await server.call('GET', `${path}/${name}`)).json<{ data: JsonObject }>().data).toEqual(object.data)
    }
  })

  it('is checked where it is different', async () => {
    const path = '/api/v1/namespaces/default/pods'
    const pod = (metadata: JsonObject, more: JsonObject = {}): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { ...podSpec, ...more },
    })
    for (const name of ['p-1', 'p-2', 'p-3']) {
      expect((await server.call('POST', path, pod({ name }))).status).toBe(201)
    }
    const misplaced = await server.call('POST', path, pod({ name: 'p-4' }, { nodeName: 'No_Node' }))
    expect(misplaced.json()).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.nodeName' }] } })
    const annotations = { 'container.seccomp.security.alpha.kubernetes.io/main': 'unconfined' }
    const annotated = await server.call('POST', path, pod({ name: 'p-5', annotations }))
    expect(String(annotated.headers['warning'])).toContain('non-functional in v1.27+')
    const ephemeral = { name: 'e', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }
    const volumes = { volumes: [...podSpec.volumes, ephemeral] }
    for (const name of ['e-1', 'e-2', 'e-3']) {
      expect((await server.call('POST', path, pod({ name }, volumes))).status).toBe(201)
    }
    const long = await server.call('POST', path, pod({ name: 'e'.repeat(253) }, volumes))
    expect(long.json()).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.volumes[1].name' }] } })
  })

  const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
})
