/** Earlier releases, emulated: what they served can be written, and read back through what took its place. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const pod = { containers: [{ name: 'c', image: 'i' }] }
const template = { metadata: { labels: { app: 'a' } }, spec: pod }

interface Case {
  readonly name: string
  /** Where it is written, and where it is read back; the name of the object follows. */
  readonly older: string
  readonly newer: string
  readonly kind: string
  readonly body: Json
  /** What the answer to the write has. */
  readonly shown?: Json
  readonly readBack: Json
  /** It is deprecated already. */
  readonly warns?: boolean
}

const inDefault = (groupVersion: string, resource: string): string =>
  `/apis/${groupVersion}/namespaces/default/${resource}`
const apiVersionOf = (path: string): string => path.split('/').slice(2, 4).join('/')

/** Without what controllers write beside the test. */
const own = ({ metadata: _, status: __, ...rest }: Json): Json => rest

/** Writes an object as it is; again, while somebody else is quicker. */
async function putBack(server: TestServer, path: string): Promise<Answer> {
  for (let i = 0; ; i++) {
    const answer = await server.call('PUT', path, (await server.call('GET', path)).json())
    if (answer.status !== 409 || i === 20) return answer
  }
}

function cases(server: () => TestServer, list: readonly Case[]): void {
  it.each(list)('$name', async ({ older, newer, kind, body, shown = {}, readBack, warns = true }) => {
    const name = body.metadata?.name ?? 'x'
    const object = { apiVersion: apiVersionOf(older), kind, ...body, metadata: { name, ...body.metadata } }
    const written = await server().call('POST', `${older}?fieldValidation=Strict`, object)
    expect(written.status, written.body.toString()).toBe(201)
    expect(written.json()).toMatchObject({ apiVersion: apiVersionOf(older), kind, ...shown })
    if (warns) expect(written.headers['warning']).toMatch(/^299 - ".* is deprecated in v1\.\d+\+/)
    else expect(written.headers['warning']).toBeUndefined()
    const read = await server().call('GET', `${newer}/${name}`)
    expect(read.status, read.body.toString()).toBe(200)
    expect(read.json()).toMatchObject({ apiVersion: apiVersionOf(newer), ...readBack })
    const again = (await server().call('GET', `${older}/${name}`)).json()
    expect(own(again)).toEqual(own(written.json()))
    const same = await putBack(server(), `${older}/${name}`)
    expect(same.status, same.body.toString()).toBe(200)
    expect(own(same.json())).toEqual(own(again))
    const table = await server().call('GET', `${older}/${name}`, undefined, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    })
    expect(table.json().rows).toHaveLength(1)
  })
}

describe('1.16', () => {
  let server: TestServer
  const asked = ['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1']
  beforeAll(async () => {
    server = await startTestServer([
      '--store=memory',
      '--emulated-version=1.16',
      `--runtime-config=${asked.map((version) => `${version}=true`).join()}`,
    ])
  })
  afterAll(() => server.close())

  cases(
    () => server,
    [
      {
        name: 'extensions/v1beta1 Deployment takes its selector from the template and waits for ever',
        older: inDefault('extensions/v1beta1', 'deployments'),
        newer: inDefault('apps/v1', 'deployments'),
        kind: 'Deployment',
        body: { metadata: { name: 'ext' }, spec: { template, rollbackTo: { revision: 3 } } },
        shown: { spec: { rollbackTo: { revision: 3 } } },
        readBack: {
          metadata: { labels: { app: 'a' }, annotations: { 'deprecated.deployment.rollback.to': '3' } },
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: 'a' } },
            progressDeadlineSeconds: 2147483647,
            revisionHistoryLimit: 2147483647,
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
          },
        },
      },
      {
        name: 'apps/v1beta1 Deployment',
        older: inDefault('apps/v1beta1', 'deployments'),
        newer: inDefault('apps/v1', 'deployments'),
        kind: 'Deployment',
        body: { metadata: { name: 'beta' }, spec: { template } },
        readBack: {
          spec: {
            progressDeadlineSeconds: 600,
            revisionHistoryLimit: 2,
            strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
          },
        },
      },
      {
        name: 'apps/v1beta2 Deployment',
        older: inDefault('apps/v1beta2', 'deployments'),
        newer: inDefault('apps/v1', 'deployments'),
        kind: 'Deployment',
        body: { metadata: { name: 'beta2' }, spec: { template, selector: { matchLabels: { app: 'a' } } } },
        readBack: { spec: { progressDeadlineSeconds: 600, revisionHistoryLimit: 10 } },
      },
      {
        name: 'extensions/v1beta1 DaemonSet waits for deletions and counts its templates',
        older: inDefault('extensions/v1beta1', 'daemonsets'),
        newer: inDefault('apps/v1', 'daemonsets'),
        kind: 'DaemonSet',
        body: { spec: { template, templateGeneration: 7 } },
        shown: { spec: { updateStrategy: { type: 'OnDelete' } } },
        readBack: { spec: { selector: { matchLabels: { app: 'a' } }, updateStrategy: { type: 'OnDelete' } } },
      },
      {
        name: 'apps/v1beta1 StatefulSet waits for deletions',
        older: inDefault('apps/v1beta1', 'statefulsets'),
        newer: inDefault('apps/v1', 'statefulsets'),
        kind: 'StatefulSet',
        body: { spec: { template, serviceName: 's' } },
        readBack: { spec: { selector: { matchLabels: { app: 'a' } }, updateStrategy: { type: 'OnDelete' } } },
      },
      {
        name: 'apps/v1beta1 ReplicaSet',
        older: inDefault('apps/v1beta1', 'replicasets'),
        newer: inDefault('apps/v1', 'replicasets'),
        kind: 'ReplicaSet',
        body: { metadata: { name: 'beta' }, spec: { template } },
        readBack: { spec: { replicas: 1, selector: { matchLabels: { app: 'a' } } } },
      },
      {
        name: 'extensions/v1beta1 ReplicaSet',
        older: inDefault('extensions/v1beta1', 'replicasets'),
        newer: inDefault('apps/v1', 'replicasets'),
        kind: 'ReplicaSet',
        body: { spec: { template } },
        readBack: { spec: { replicas: 1, selector: { matchLabels: { app: 'a' } } } },
      },
      {
        name: 'extensions/v1beta1 NetworkPolicy',
        older: inDefault('extensions/v1beta1', 'networkpolicies'),
        newer: inDefault('networking.k8s.io/v1', 'networkpolicies'),
        kind: 'NetworkPolicy',
        body: { spec: { podSelector: {} } },
        readBack: { spec: { podSelector: {}, policyTypes: ['Ingress'] } },
      },
      {
        name: 'extensions/v1beta1 PodSecurityPolicy is that of policy/v1beta1',
        older: '/apis/extensions/v1beta1/podsecuritypolicies',
        newer: '/apis/policy/v1beta1/podsecuritypolicies',
        kind: 'PodSecurityPolicy',
        body: {
          spec: {
            seLinux: { rule: 'RunAsAny' },
            runAsUser: { rule: 'RunAsAny' },
            supplementalGroups: { rule: 'RunAsAny' },
            fsGroup: { rule: 'RunAsAny' },
          },
        },
        readBack: { spec: { allowPrivilegeEscalation: true, runAsUser: { rule: 'RunAsAny' } } },
      },
    ],
  )

  it('has a Scale of its own', async () => {
    const at = `${inDefault('extensions/v1beta1', 'deployments')}/ext/scale`
    const scale = (await server.call('GET', at)).json()
    expect(scale).toMatchObject({
      apiVersion: 'extensions/v1beta1',
      kind: 'Scale',
      spec: { replicas: 1 },
      status: { selector: { app: 'a' }, targetSelector: 'app=a' },
    })
    const scaled = await server.call('PUT', at, { ...scale, spec: { replicas: 4 } })
    expect(scaled.json().spec).toEqual({ replicas: 4 })
    const patched = await server.call(
      'PATCH',
      at,
      { spec: { replicas: 5 } },
      { 'content-type': 'application/merge-patch+json' },
    )
    expect(patched.json().spec).toEqual({ replicas: 5 })
    expect((await server.call('GET', `${inDefault('apps/v1', 'deployments')}/ext`)).json().spec.replicas).toBe(5)
  })

  it.each([
    ['extensions/v1beta1', 'ext'],
    ['apps/v1beta1', 'beta'],
  ])('takes back a deployment through %s', async (groupVersion, name) => {
    const at = `${inDefault(groupVersion, 'deployments')}/${name}`
    const rollback = (body: Json, query = '') =>
      server.call('POST', `${at}/rollback${query}`, {
        kind: 'DeploymentRollback',
        apiVersion: groupVersion,
        name,
        ...body,
      })
    const dry = await rollback({ rollbackTo: { revision: 9 } }, '?dryRun=All')
    expect(dry.status, dry.body.toString()).toBe(201)
    const done = await rollback({ rollbackTo: { revision: 2 }, updatedAnnotations: { why: 'it broke' } })
    expect(done.json()).toMatchObject({
      kind: 'Status',
      status: 'Success',
      message: `rollback request for deployment "${name}" succeeded`,
      code: 200,
    })
    expect((await server.call('GET', at)).json()).toMatchObject({
      metadata: { annotations: { why: 'it broke' } },
      spec: { rollbackTo: { revision: 2 } },
    })
    expect((await rollback({ name: 'other' })).json()).toMatchObject({
      code: 400,
      message: 'name in URL does not match name in DeploymentRollback object',
    })
    expect((await rollback({ name: '', rollbackTo: { revision: -1 } })).json()).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'name' }, { field: 'rollback.version' }] },
    })
    expect((await server.call('GET', `${at}/rollback`)).status).toBe(405)
    const [group = ''] = groupVersion.split('/')
    const document = (await server.call('GET', `/openapi/v3/apis/${groupVersion}`)).json()
    expect(
      document.paths[`/apis/${groupVersion}/namespaces/{namespace}/deployments/{name}/rollback`].post,
    ).toMatchObject({
      'x-kubernetes-group-version-kind': { group, version: 'v1beta1', kind: 'DeploymentRollback' },
    })
    const { resources } = (await server.call('GET', `/apis/${groupVersion}`)).json()
    expect(resources.find((each: Json) => each.name === 'deployments/rollback')).toEqual({
      name: 'deployments/rollback',
      singularName: '',
      namespaced: true,
      kind: 'DeploymentRollback',
      verbs: ['create'],
    })
  })

  it('has no rollback where there was none', async () => {
    for (const groupVersion of ['apps/v1', 'apps/v1beta2']) {
      const at = `${inDefault(groupVersion, 'deployments')}/beta/rollback`
      expect((await server.call('POST', at, {})).status).toBe(404)
    }
  })

  it('asks a webhook that knows the objects under another group', async () => {
    const authority = createCertificateAuthority('webhooks', Date.now())
    const names = ['127.0.0.1']
    const { certPem, keyPem } = issueCertificate(authority, {
      commonName: 'hook',
      names,
      usage: 'server',
      now: Date.now(),
    })
    const asked: Json[] = []
    const patch = [{ op: 'add', path: '/spec/rollbackTo', value: { revision: 5 } }]
    const hook = createServer({ cert: certPem, key: keyPem }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString())
        asked.push(review.request)
        const { uid } = review.request
        const patched = { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
        response.end(JSON.stringify({ ...review, request: undefined, response: { uid, allowed: true, ...patched } }))
      })
    })
    await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
    try {
      const configured = await server.call(
        'POST',
        '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
        {
          metadata: { name: 'extensions' },
          webhooks: [
            {
              name: 'hook.example.com',
              clientConfig: {
                url: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
                caBundle: Buffer.from(authority.certPem).toString('base64'),
              },
              rules: [
                {
                  operations: ['CREATE'],
                  apiGroups: ['extensions'],
                  apiVersions: ['v1beta1'],
                  resources: ['deployments'],
                },
              ],
              objectSelector: { matchLabels: { hooked: 'yes' } },
              admissionReviewVersions: ['v1'],
              sideEffects: 'None',
              timeoutSeconds: 30,
            },
          ],
        },
      )
      expect(configured.status, configured.body.toString()).toBe(201)
      const spec = { template, selector: { matchLabels: { app: 'a' } } }
      let created: Json
      await expect
        .poll(async () => {
          const body = { metadata: { generateName: 'hooked-', labels: { hooked: 'yes' } }, spec }
          created = (await server.call('POST', inDefault('apps/v1', 'deployments'), body)).json()
          return asked.length
        })
        .toBeGreaterThan(0)
      expect(asked[0]).toMatchObject({
        resource: { group: 'extensions', version: 'v1beta1', resource: 'deployments' },
        requestResource: { group: 'apps', version: 'v1', resource: 'deployments' },
        object: { apiVersion: 'extensions/v1beta1', kind: 'Deployment' },
      })
      expect(created).toMatchObject({
        apiVersion: 'apps/v1',
        metadata: { annotations: { 'deprecated.deployment.rollback.to': '5' } },
      })
    } finally {
      await server.call('DELETE', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/extensions')
      hook.closeAllConnections()
      hook.close()
    }
  })

  it('counts objects for a quota under the names of both groups', async () => {
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'limited' } })
    const quotas = '/api/v1/namespaces/limited/resourcequotas'
    await server.call('POST', quotas, {
      metadata: { name: 'one' },
      spec: { hard: { 'count/deployments.extensions': '1' } },
    })
    const used = async () => (await server.call('GET', `${quotas}/one`)).json().status.used
    await expect.poll(used).toEqual({ 'count/deployments.extensions': '0' })
    const deployments = '/apis/apps/v1/namespaces/limited/deployments'
    const body = { metadata: { generateName: 'd-' }, spec: { template, selector: { matchLabels: { app: 'a' } } } }
    expect((await server.call('POST', deployments, body)).status).toBe(201)
    expect(await used()).toEqual({ 'count/deployments.extensions': '1' })
    expect((await server.call('POST', deployments, body)).json().message).toContain(
      'exceeded quota: one, requested: count/deployments.extensions=1, used: count/deployments.extensions=1',
    )
  })

  it('lets a selector change', async () => {
    const at = `${inDefault('extensions/v1beta1', 'replicasets')}/x`
    const set = (await server.call('GET', at)).json()
    const other = { app: 'a', and: 'b' }
    const body = {
      ...set,
      spec: {
        ...set.spec,
        selector: { matchLabels: other },
        template: { ...set.spec.template, metadata: { labels: other } },
      },
    }
    expect((await server.call('PUT', at, body)).status).toBe(200)
    const today = `${inDefault('apps/v1', 'replicasets')}/x`
    const now = (await server.call('GET', today)).json()
    expect(now.spec.selector.matchLabels).toEqual(other)
    const refused = await server.call('PUT', today, {
      ...now,
      spec: { ...now.spec, selector: { matchLabels: { and: 'b' } } },
    })
    expect(refused.status).toBe(422)
  })

  it('tells versions, groups and types in discovery and OpenAPI', async () => {
    const groups = (await server.call('GET', '/apis')).json().groups
    const versions = (name: string) =>
      groups.find((group: Json) => group.name === name)?.versions.map(({ version }: Json) => version)
    expect(versions('apps')).toEqual(['v1', 'v1beta2', 'v1beta1'])
    expect(versions('policy')).toEqual(['v1beta1'])
    expect(versions('flowcontrol.apiserver.k8s.io')).toBeUndefined()
    const document = (await server.call('GET', '/openapi/v3/apis/extensions/v1beta1')).json()
    expect(Object.keys(document.components.schemas)).toContain('io.k8s.api.extensions.v1beta1.IngressBackend')
    expect((await server.call('GET', '/apis/networking.k8s.io/v1/ipaddresses')).status).toBe(404)
  })
})

describe('1.21', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer(['--store=memory', '--emulated-version=1.21'])
  })
  afterAll(() => server.close())

  const backend = { serviceName: 's', servicePort: 80 }
  const webhook = {
    name: 'w.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: ['x.example.com'], apiVersions: ['v1'], resources: ['*'], operations: ['CREATE'] }],
  }
  const ingress = {
    spec: {
      backend,
      rules: [{ http: { paths: [{ path: '/a', backend: { serviceName: 'n', servicePort: 'web' } }] } }],
    },
  }
  const newIngress = {
    spec: {
      defaultBackend: { service: { name: 's', port: { number: 80 } } },
      rules: [
        {
          http: {
            paths: [
              {
                path: '/a',
                pathType: 'ImplementationSpecific',
                backend: { service: { name: 'n', port: { name: 'web' } } },
              },
            ],
          },
        },
      ],
    },
  }

  cases(
    () => server,
    [
      ...['extensions/v1beta1', 'networking.k8s.io/v1beta1'].map((version, i) => ({
        name: `${version} Ingress`,
        older: inDefault(version, 'ingresses'),
        newer: inDefault('networking.k8s.io/v1', 'ingresses'),
        kind: 'Ingress',
        body: { ...ingress, metadata: { name: `i${i}` } },
        shown: { spec: { backend } },
        readBack: newIngress,
      })),
      {
        name: 'IngressClass',
        older: '/apis/networking.k8s.io/v1beta1/ingressclasses',
        newer: '/apis/networking.k8s.io/v1/ingressclasses',
        kind: 'IngressClass',
        body: { spec: { controller: 'example.com/c' } },
        readBack: { spec: { controller: 'example.com/c' } },
      },
      {
        name: 'CustomResourceDefinition with everything at the top',
        older: '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions',
        newer: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        kind: 'CustomResourceDefinition',
        body: {
          metadata: { name: 'things.example.com' },
          spec: {
            group: 'example.com',
            version: 'v1',
            names: { plural: 'things', kind: 'Thing' },
            preserveUnknownFields: false,
            validation: { openAPIV3Schema: { type: 'object', properties: { size: { type: 'integer' } } } },
            additionalPrinterColumns: [{ name: 'Size', type: 'integer', JSONPath: '.size' }],
            subresources: { status: {} },
          },
        },
        readBack: {
          spec: {
            scope: 'Namespaced',
            conversion: { strategy: 'None' },
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: { openAPIV3Schema: { properties: { size: { type: 'integer' } } } },
                additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.size' }],
                subresources: { status: {} },
              },
            ],
          },
        },
      },
      {
        name: 'CustomResourceDefinition without a schema keeps unknown fields',
        older: '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions',
        newer: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        kind: 'CustomResourceDefinition',
        body: {
          metadata: { name: 'loose.example.com' },
          spec: { group: 'example.com', version: 'v1', names: { plural: 'loose', kind: 'Loose' } },
        },
        readBack: { spec: { preserveUnknownFields: true, versions: [{ name: 'v1' }] } },
      },
      ...['Mutating', 'Validating'].map((kind) => ({
        name: `${kind}WebhookConfiguration`,
        older: `/apis/admissionregistration.k8s.io/v1beta1/${kind.toLowerCase()}webhookconfigurations`,
        newer: `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`,
        kind: `${kind}WebhookConfiguration`,
        body: { webhooks: [webhook, webhook] },
        readBack: {
          webhooks: [0, 1].map(() => ({
            failurePolicy: 'Ignore',
            matchPolicy: 'Exact',
            timeoutSeconds: 30,
            sideEffects: 'Unknown',
            admissionReviewVersions: ['v1beta1'],
          })),
        },
      })),
      {
        name: 'PodDisruptionBudget that selects nothing',
        older: inDefault('policy/v1beta1', 'poddisruptionbudgets'),
        newer: inDefault('policy/v1', 'poddisruptionbudgets'),
        kind: 'PodDisruptionBudget',
        body: { spec: { minAvailable: 1, selector: {} } },
        shown: { spec: { selector: {} } },
        readBack: {
          spec: {
            selector: {
              matchExpressions: [
                { key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' },
              ],
            },
          },
        },
      },
      {
        name: 'CronJob',
        older: inDefault('batch/v1beta1', 'cronjobs'),
        newer: inDefault('batch/v1', 'cronjobs'),
        kind: 'CronJob',
        body: {
          spec: {
            schedule: '* * * * *',
            jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
          },
        },
        readBack: { spec: { concurrencyPolicy: 'Allow', successfulJobsHistoryLimit: 3 } },
      },
      {
        name: 'EndpointSlice',
        older: inDefault('discovery.k8s.io/v1beta1', 'endpointslices'),
        newer: inDefault('discovery.k8s.io/v1', 'endpointslices'),
        kind: 'EndpointSlice',
        body: {
          addressType: 'IPv4',
          endpoints: [
            {
              addresses: ['10.1.2.3'],
              nodeName: 'n',
              topology: {
                'kubernetes.io/hostname': 'n',
                'topology.kubernetes.io/zone': 'z',
                'topology.kubernetes.io/region': 'r',
              },
            },
          ],
        },
        shown: { endpoints: [{ topology: { 'kubernetes.io/hostname': 'n', 'topology.kubernetes.io/zone': 'z' } }] },
        readBack: {
          endpoints: [{ nodeName: 'n', zone: 'z', deprecatedTopology: { 'topology.kubernetes.io/region': 'r' } }],
        },
      },
      {
        name: 'Event as old clients write it',
        older: inDefault('events.k8s.io/v1beta1', 'events'),
        newer: inDefault('events.k8s.io/v1', 'events'),
        kind: 'Event',
        body: {
          regarding: { namespace: 'default', name: 'p', kind: 'Pod' },
          deprecatedCount: 2,
          deprecatedSource: { component: 'kubelet' },
          type: 'Odd',
        },
        readBack: { deprecatedCount: 2, type: 'Odd' },
        warns: false,
      },
      {
        name: 'Lease',
        older: inDefault('coordination.k8s.io/v1beta1', 'leases'),
        newer: inDefault('coordination.k8s.io/v1', 'leases'),
        kind: 'Lease',
        body: { spec: { holderIdentity: 'h' } },
        readBack: { spec: { holderIdentity: 'h' } },
      },
      {
        name: 'PriorityClass',
        older: '/apis/scheduling.k8s.io/v1beta1/priorityclasses',
        newer: '/apis/scheduling.k8s.io/v1/priorityclasses',
        kind: 'PriorityClass',
        body: { value: 5 },
        readBack: { value: 5, preemptionPolicy: 'PreemptLowerPriority' },
      },
      ...['storageclasses', 'csidrivers', 'csinodes', 'volumeattachments'].map((resource) => ({
        name: resource,
        older: `/apis/storage.k8s.io/v1beta1/${resource}`,
        newer: `/apis/storage.k8s.io/v1/${resource}`,
        ...{
          storageclasses: {
            kind: 'StorageClass',
            body: { provisioner: 'p.example.com' },
            readBack: { reclaimPolicy: 'Delete' },
          },
          csidrivers: { kind: 'CSIDriver', body: { spec: {} }, readBack: { spec: { attachRequired: true } } },
          csinodes: { kind: 'CSINode', body: { spec: { drivers: null } }, readBack: { kind: 'CSINode' } },
          volumeattachments: {
            kind: 'VolumeAttachment',
            body: { spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
            readBack: { spec: { nodeName: 'n' } },
          },
        }[resource as 'csinodes'],
      })),
      {
        name: 'RuntimeClass',
        older: '/apis/node.k8s.io/v1beta1/runtimeclasses',
        newer: '/apis/node.k8s.io/v1/runtimeclasses',
        kind: 'RuntimeClass',
        body: { handler: 'h' },
        readBack: { handler: 'h' },
        warns: false,
      },
      {
        name: 'ClusterRole',
        older: '/apis/rbac.authorization.k8s.io/v1beta1/clusterroles',
        newer: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
        kind: 'ClusterRole',
        body: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
        readBack: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
      },
      {
        name: 'RoleBinding',
        older: inDefault('rbac.authorization.k8s.io/v1beta1', 'rolebindings'),
        newer: inDefault('rbac.authorization.k8s.io/v1', 'rolebindings'),
        kind: 'RoleBinding',
        body: { roleRef: { kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'User', name: 'ann' }] },
        readBack: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
      },
      {
        name: 'APIService',
        older: '/apis/apiregistration.k8s.io/v1beta1/apiservices',
        newer: '/apis/apiregistration.k8s.io/v1/apiservices',
        kind: 'APIService',
        body: {
          metadata: { name: 'v1.other.example.com' },
          spec: {
            group: 'other.example.com',
            version: 'v1',
            groupPriorityMinimum: 10,
            versionPriority: 10,
            insecureSkipTLSVerify: true,
            service: { namespace: 'default', name: 's' },
          },
        },
        readBack: { spec: { service: { port: 443 } } },
      },
    ],
  )

  it('answers reviews in their old version', async () => {
    const review = {
      apiVersion: 'authorization.k8s.io/v1beta1',
      kind: 'SubjectAccessReview',
      spec: { user: 'u', group: ['system:masters'], resourceAttributes: { verb: 'get', resource: 'pods' } },
    }
    const path = '/apis/authorization.k8s.io/v1beta1/subjectaccessreviews'
    const answer = await server.call('POST', path, review)
    expect(answer.json()).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { group: ['system:masters'] },
      status: { allowed: true },
    })
    expect(answer.headers['warning']).toContain(
      'authorization.k8s.io/v1beta1 SubjectAccessReview is deprecated in v1.19+, unavailable in v1.22+; use authorization.k8s.io/v1 SubjectAccessReview',
    )
  })

  it('warns with the whole text, and counts it', async () => {
    const answer = await server.call('GET', inDefault('extensions/v1beta1', 'ingresses'))
    expect(answer.headers['warning']).toBe(
      '299 - "extensions/v1beta1 Ingress is deprecated in v1.14+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress"',
    )
    const metrics = (await server.call('GET', '/metrics')).body.toString()
    expect(metrics).toMatch(
      /apiserver_requested_deprecated_apis\{group="extensions",version="v1beta1",resource="ingresses",subresource="",removed_release="1.22"\} 1/,
    )
  })

  it('keeps owners apart by version, and lets one version apply over the other', async () => {
    const at = inDefault('networking.k8s.io/v1beta1', 'ingresses')
    const apply = (path: string, manager: string, body: Json) =>
      server.call('PATCH', `${path}?fieldManager=${manager}`, body, { 'content-type': 'application/apply-patch+yaml' })
    const older = {
      apiVersion: 'networking.k8s.io/v1beta1',
      kind: 'Ingress',
      metadata: { name: 'owned' },
      spec: { backend },
    }
    expect((await apply(`${at}/owned`, 'old', older)).status).toBe(201)
    const newer = (port: number) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'owned' },
      spec: { defaultBackend: { service: { name: 's', port: { number: port } } } },
    })
    const today = `${inDefault('networking.k8s.io/v1', 'ingresses')}/owned`
    expect((await apply(today, 'new', newer(80))).status).toBe(200)
    const conflict = await apply(today, 'new', newer(81))
    expect(conflict.status).toBe(409)
    expect(conflict.json().message).toContain('conflict with "old": .spec.backend.servicePort')
    const managers = (await server.call('GET', today)).json().metadata.managedFields
    expect(managers.map(({ manager, apiVersion }: Json) => `${manager} ${apiVersion}`)).toEqual([
      'new networking.k8s.io/v1',
      'old networking.k8s.io/v1beta1',
    ])
  })

  it('keeps owners that wrote through another group', async () => {
    const at = `${inDefault('extensions/v1beta1', 'ingresses')}/i0`
    const today = `${inDefault('networking.k8s.io/v1', 'ingresses')}/i0`
    const label = (path: string, key: string) =>
      server.call(
        'PATCH',
        `${path}?fieldManager=${key}`,
        { metadata: { labels: { [key]: 'x' } } },
        {
          'content-type': 'application/merge-patch+json',
        },
      )
    await label(at, 'old')
    const { managedFields } = (await label(today, 'new')).json().metadata
    const owners = managedFields.map(({ manager, apiVersion }: Json) => `${manager} ${apiVersion}`)
    expect(owners).toContain('old extensions/v1beta1')
    expect(owners).toContain('new networking.k8s.io/v1')
  })

  it('speaks Protobuf', async () => {
    const at = `${inDefault('networking.k8s.io/v1beta1', 'ingresses')}/i1`
    const protobuf = 'application/vnd.kubernetes.protobuf'
    const bytes = (await server.call('GET', at, undefined, { accept: protobuf })).body
    const put = await server.call('PUT', at, bytes, { 'content-type': protobuf })
    expect(put.status, put.body.toString()).toBe(200)
    expect(put.json().spec.backend).toEqual(backend)
  })
})

describe('later releases', () => {
  it('1.24: autoscalers of both betas', async () => {
    const server = await startTestServer(['--store=memory', '--emulated-version=1.24'])
    try {
      const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 }
      const first = {
        apiVersion: 'autoscaling/v2beta1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'a' },
        spec: { ...spec, metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } }] },
      }
      const made = await server.call('POST', inDefault('autoscaling/v2beta1', 'horizontalpodautoscalers'), first)
      expect(made.status, made.body.toString()).toBe(201)
      expect(made.json().spec.metrics).toEqual(first.spec.metrics)
      for (const version of ['v2', 'v2beta2']) {
        const read = await server.call('GET', `${inDefault(`autoscaling/${version}`, 'horizontalpodautoscalers')}/a`)
        expect(read.json().spec.metrics[0].resource.target).toEqual({ type: 'Utilization', averageUtilization: 50 })
      }
      expect((await server.call('GET', '/apis/batch/v1beta1')).status).toBe(200)
    } finally {
      await server.close()
    }
  })

  it('1.31: shares of priority levels, zero kept apart from nothing', async () => {
    const server = await startTestServer(['--store=memory', '--emulated-version=1.31'])
    try {
      const at = (version: string) => `/apis/flowcontrol.apiserver.k8s.io/${version}/prioritylevelconfigurations`
      const level = (version: string, name: string, limited: Json) => ({
        apiVersion: `flowcontrol.apiserver.k8s.io/${version}`,
        kind: 'PriorityLevelConfiguration',
        metadata: { name },
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
      })
      await server.call('POST', at('v1beta3'), level('v1beta3', 'none', {}))
      await server.call('POST', at('v1'), level('v1', 'zero', { nominalConcurrencyShares: 0 }))
      const read = async (version: string, name: string) => (await server.call('GET', `${at(version)}/${name}`)).json()
      expect((await read('v1', 'none')).spec.limited.nominalConcurrencyShares).toBe(30)
      const zero = await read('v1beta3', 'zero')
      expect(zero.metadata.annotations).toEqual({
        'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '',
      })
      const put = await server.call('PUT', `${at('v1beta3')}/zero`, zero)
      expect(put.status, put.body.toString()).toBe(200)
      const kept = await read('v1', 'zero')
      expect([kept.spec.limited.nominalConcurrencyShares, kept.metadata.annotations]).toEqual([0, undefined])
    } finally {
      await server.close()
    }
  })

  it('1.33: nothing of it', async () => {
    const server = await startTestServer(['--store=memory'])
    try {
      for (const version of ['batch/v1beta1', 'extensions/v1beta1', 'policy/v1beta1', 'apps/v1beta1']) {
        expect((await server.call('GET', `/apis/${version}`)).status).toBe(404)
      }
    } finally {
      await server.close()
    }
  })
})
