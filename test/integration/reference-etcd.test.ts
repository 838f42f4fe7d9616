/**
 * An etcd that the reference has written: its keys and the very bytes of its values, made by hand here, are served as
 * they are; what this server writes to it has the same keys and the same form. And a copy of it to the embedded store.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { openEtcdStore } from '../../src/store/etcd/etcd-store.ts'
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.ts'
import type { Store } from '../../src/store/store.ts'
import { copyStore } from '../../src/transfer/copy-store.ts'
import { EtcdCluster, etcdReleases } from '../contract/store/etcd-process.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

type Field = readonly [number, Content]
type Content = string | number | Buffer | readonly Field[]

/** A message of fields by number; texts, bytes and messages have a length in front, numbers are varints. */
function message(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, content]) => {
      if (typeof content === 'number') return [varint(number << 3), varint(content)]
      const bytes = typeof content === 'string' || Buffer.isBuffer(content) ? Buffer.from(content) : message(content)
      return [varint((number << 3) | 2), varint(bytes.length), bytes]
    }),
  )
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

/** `k8s\0`, then the type and the object. */
const stored = (apiVersion: string, kind: string, fields: readonly Field[]): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    message([
      [
        1,
        [
          [1, apiVersion],
          [2, kind],
        ],
      ],
      [2, message(fields)],
      [3, ''],
      [4, ''],
    ]),
  ])

const seconds = 1_700_000_000
const created = '2023-11-14T22:13:20Z'
const uid = '11111111-2222-3333-4444-555555555555'
const metadata = (name: string, namespace: string, more: readonly Field[] = []): Field => [
  1,
  [
    [1, name],
    [2, ''],
    [3, namespace],
    [4, ''],
    [5, uid],
    [6, ''],
    [7, 0],
    [
      8,
      [
        [1, seconds],
        [2, 0],
      ],
    ],
    ...more,
  ],
]

/** The type that the envelope of a value names. */
const typeIn = (value: Buffer): string => value.subarray(0, 6 + (value[5] ?? 0)).toString('latin1')

interface Fixture {
  readonly key: string
  readonly path: string
  readonly value: Buffer
  readonly shows: Json
}

/** The metadata of a record that its key names. */
const nameless = (generation: number): Field => [
  1,
  [
    [1, ''],
    [2, ''],
    [3, ''],
    [4, ''],
    [5, ''],
    [6, ''],
    [7, generation],
    [8, []],
  ],
]

const serverRecord = (address: string, generation: number): Buffer =>
  stored('v1', 'Endpoints', [
    nameless(generation),
    [
      2,
      [
        [
          1,
          [
            [1, address],
            [3, ''],
          ],
        ],
      ],
    ],
  ])

const text = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

const definition = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1beta1',
  metadata: { name: 'boats.example.com', uid, generation: 1, creationTimestamp: created },
  spec: {
    group: 'example.com',
    version: 'v1',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
    scope: 'Namespaced',
    validation: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { length: { type: 'integer' } } } },
      },
    },
    versions: [{ name: 'v1', served: true, storage: true }],
    additionalPrinterColumns: [{ name: 'Length', type: 'integer', JSONPath: '.spec.length' }],
    conversion: { strategy: 'None' },
    preserveUnknownFields: false,
  },
  status: {
    conditions: [
      { type: 'NamesAccepted', status: 'True', lastTransitionTime: created, reason: 'NoConflicts', message: 'x' },
      {
        type: 'Established',
        status: 'True',
        lastTransitionTime: created,
        reason: 'InitialNamesAccepted',
        message: 'x',
      },
    ],
    acceptedNames: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
    storedVersions: ['v1'],
  },
}

const fixtures: readonly Fixture[] = [
  {
    key: '/registry/namespaces/old',
    path: '/api/v1/namespaces/old',
    value: stored('v1', 'Namespace', [metadata('old', ''), [2, [[1, 'kubernetes']]], [3, [[1, 'Active']]]]),
    shows: { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
  },
  {
    key: '/registry/configmaps/old/settings',
    path: '/api/v1/namespaces/old/configmaps/settings',
    value: stored('v1', 'ConfigMap', [
      metadata('settings', 'old', [
        [
          11,
          [
            [1, 'app'],
            [2, 'web'],
          ],
        ],
      ]),
      [
        2,
        [
          [1, 'a'],
          [2, 'b'],
        ],
      ],
    ]),
    shows: {
      data: { a: 'b' },
      metadata: { name: 'settings', namespace: 'old', uid, creationTimestamp: created, labels: { app: 'web' } },
    },
  },
  {
    key: '/registry/secrets/old/token',
    path: '/api/v1/namespaces/old/secrets/token',
    value: stored('v1', 'Secret', [
      metadata('token', 'old'),
      [
        2,
        [
          [1, 'k'],
          [2, Buffer.from([0, 255])],
        ],
      ],
      [3, 'Opaque'],
    ]),
    shows: { data: { k: 'AP8=' }, type: 'Opaque' },
  },
  {
    key: '/registry/minions/node-1',
    path: '/api/v1/nodes/node-1',
    value: stored('v1', 'Node', [
      metadata('node-1', ''),
      [
        2,
        [
          [1, '10.1.0.0/24'],
          [4, 1],
        ],
      ],
      [3, []],
    ]),
    shows: { spec: { podCIDR: '10.1.0.0/24', unschedulable: true } },
  },
  {
    key: '/registry/services/specs/old/web',
    path: '/api/v1/namespaces/old/services/web',
    value: stored('v1', 'Service', [
      metadata('web', 'old'),
      [
        2,
        [
          [
            1,
            [
              [1, 'http'],
              [2, 'TCP'],
              [3, 80],
              [
                4,
                [
                  [1, 0],
                  [2, 8080],
                  [3, ''],
                ],
              ],
              [5, 0],
            ],
          ],
          [3, 'None'],
          [4, 'ClusterIP'],
          [18, 'None'],
        ],
      ],
      [3, [[1, []]]],
    ]),
    shows: { spec: { ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }], clusterIP: 'None' } },
  },
  {
    key: '/registry/services/endpoints/old/web',
    path: '/api/v1/namespaces/old/endpoints/web',
    value: stored('v1', 'Endpoints', [
      metadata('web', 'old'),
      [
        2,
        [
          [1, [[1, '10.1.0.9']]],
          [
            3,
            [
              [1, 'http'],
              [2, 8080],
              [3, 'TCP'],
            ],
          ],
        ],
      ],
    ]),
    shows: { subsets: [{ addresses: [{ ip: '10.1.0.9' }], ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] }] },
  },
  {
    key: '/registry/controllers/old/rc',
    path: '/api/v1/namespaces/old/replicationcontrollers/rc',
    value: stored('v1', 'ReplicationController', [
      metadata('rc', 'old'),
      [
        2,
        [
          [1, 3],
          [
            2,
            [
              [1, 'a'],
              [2, 'b'],
            ],
          ],
        ],
      ],
      [3, [[1, 2]]],
    ]),
    shows: { spec: { replicas: 3, selector: { a: 'b' } }, status: { replicas: 2 } },
  },
  {
    key: '/registry/ingress/old/web',
    path: '/apis/networking.k8s.io/v1/namespaces/old/ingresses/web',
    value: stored('networking.k8s.io/v1', 'Ingress', [
      metadata('web', 'old'),
      [
        2,
        [
          [
            1,
            [
              [
                4,
                [
                  [1, 'web'],
                  [2, [[1, 'http']]],
                ],
              ],
            ],
          ],
        ],
      ],
      [3, [[1, []]]],
    ]),
    shows: { spec: { defaultBackend: { service: { name: 'web', port: { name: 'http' } } } } },
  },
  {
    key: '/registry/leases/old/leader',
    path: '/apis/coordination.k8s.io/v1/namespaces/old/leases/leader',
    value: stored('coordination.k8s.io/v1', 'Lease', [
      metadata('leader', 'old'),
      [
        2,
        [
          [1, 'me'],
          [2, 15],
          [
            4,
            [
              [1, seconds],
              [2, 5000],
            ],
          ],
        ],
      ],
    ]),
    shows: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2023-11-14T22:13:20.000005Z' } },
  },
  {
    key: '/registry/events/old/e1',
    path: '/apis/events.k8s.io/v1/namespaces/old/events/e1',
    value: stored('v1', 'Event', [
      metadata('e1', 'old'),
      [
        2,
        [
          [1, 'Pod'],
          [2, 'old'],
          [3, 'p'],
          [4, ''],
          [5, ''],
          [6, ''],
          [7, ''],
        ],
      ],
      [3, 'Started'],
      [4, 'the note'],
      [
        5,
        [
          [1, 'kubelet'],
          [2, 'node-1'],
        ],
      ],
      [8, 4],
      [9, 'Normal'],
    ]),
    shows: { regarding: { kind: 'Pod', name: 'p' }, reason: 'Started', note: 'the note', deprecatedCount: 4 },
  },
  {
    key: '/registry/ipaddresses/10.0.0.77',
    path: '/apis/networking.k8s.io/v1/ipaddresses/10.0.0.77',
    value: stored('networking.k8s.io/v1beta1', 'IPAddress', [
      metadata('10.0.0.77', ''),
      [
        2,
        [
          [
            1,
            [
              [1, ''],
              [2, 'services'],
              [3, 'old'],
              [4, 'web'],
            ],
          ],
        ],
      ],
    ]),
    shows: {
      apiVersion: 'networking.k8s.io/v1',
      spec: { parentRef: { resource: 'services', namespace: 'old', name: 'web' } },
    },
  },
  {
    key: '/registry/clusterroles/watcher',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/watcher',
    value: stored('rbac.authorization.k8s.io/v1', 'ClusterRole', [
      metadata('watcher', ''),
      [
        2,
        [
          [1, 'watch'],
          [2, ''],
          [3, 'pods'],
        ],
      ],
    ]),
    shows: { rules: [{ verbs: ['watch'], apiGroups: [''], resources: ['pods'] }] },
  },
  {
    key: '/registry/apiextensions.k8s.io/customresourcedefinitions/boats.example.com',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.example.com',
    value: text(definition),
    shows: {
      apiVersion: 'apiextensions.k8s.io/v1',
      spec: {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: definition.spec.validation,
            additionalPrinterColumns: [{ name: 'Length', type: 'integer', jsonPath: '.spec.length' }],
          },
        ],
      },
    },
  },
  {
    key: '/registry/example.com/boats/old/ferry',
    path: '/apis/example.com/v1/namespaces/old/boats/ferry',
    value: text({
      apiVersion: 'example.com/v1',
      kind: 'Boat',
      metadata: { creationTimestamp: created, generation: 1, name: 'ferry', namespace: 'old', uid },
      spec: { length: 42 },
    }),
    shows: { spec: { length: 42 }, metadata: { name: 'ferry', uid } },
  },
  {
    key: '/registry/apiregistration.k8s.io/apiservices/v1.far.example.com',
    path: '/apis/apiregistration.k8s.io/v1/apiservices/v1.far.example.com',
    value: text({
      kind: 'APIService',
      apiVersion: 'apiregistration.k8s.io/v1',
      metadata: { name: 'v1.far.example.com', uid, creationTimestamp: created },
      spec: {
        service: { namespace: 'old', name: 'web', port: 443 },
        group: 'far.example.com',
        version: 'v1',
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
      status: {},
    }),
    shows: { spec: { group: 'far.example.com', service: { namespace: 'old', name: 'web' } } },
  },
]

const portsKey = '/registry/ranges/servicenodeports'

/** The first port of the range is taken. The record has no name of its own. */
const takenPorts = stored('v1', 'RangeAllocation', [nameless(0), [2, '30000-32767'], [3, Buffer.from([1])]])

describe.each(etcdReleases)('%s written by the reference', (release) => {
  let cluster: EtcdCluster
  let store: Store
  let server: TestServer
  let other: TestServer

  beforeAll(async () => {
    cluster = await EtcdCluster.start(1, undefined, { release })
    store = openEtcdStore({ servers: cluster.urls, compactionIntervalMs: 0 })
    for (const { key, value } of fixtures) await store.write({ type: 'create', key, value })
    await store.write({ type: 'create', key: portsKey, value: takenPorts })
    const flags = (n: number) => ['--etcd-servers', cluster.urls.join(','), '--advertise-address', `10.9.0.${n}`]
    server = await startTestServer(flags(1))
    other = await startTestServer(flags(2))
  })
  afterAll(async () => {
    await server?.close()
    await other?.close()
    await store?.close()
    await cluster?.stop()
  })

  it.each(fixtures.map((fixture) => [fixture.key, fixture] as const))(
    'serves %s',
    async (key, { path: url, shows }) => {
      const answer = await server.call('GET', url)
      expect(answer.status, answer.body.toString()).toBe(200)
      expect(answer.json()).toMatchObject(shows)
      // Controllers may write a status at any time: what is served must be what is there at last.
      await until('the version that is stored', async () => {
        const found = await store.get(key)
        const revision = found.status === 'ok' ? String(found.entry?.revision) : ''
        return (await server.call('GET', url)).json().metadata.resourceVersion === revision
      })
    },
  )

  it('keeps to the record of ports', async () => {
    const service = {
      metadata: { name: 'ports' },
      spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] },
    }
    const made = await server.call('POST', '/api/v1/namespaces/old/services', service)
    expect(made.status, made.body.toString()).toBe(201)
    const found = await store.get(portsKey)
    const record = Buffer.from((found.status === 'ok' && found.entry?.value) || '')
    expect(typeIn(record)).toBe(typeIn(takenPorts))
    // Nobody uses the first port: it may have been given back meanwhile.
    const range = '30000-32767'
    const [, length, bits = 0] = record.subarray(record.indexOf(range) + range.length)
    expect([length, bits & 2]).toEqual([1, 2])
    const again = { ...service, metadata: { name: 'others' } }
    const refused = await other.call('POST', '/api/v1/namespaces/old/services', again)
    expect(refused.json().message).toContain('provided port is already allocated')
  })

  it('has the objects that it writes where the reference looks for them, in its form', async () => {
    const raw = async (key: string): Promise<Buffer> => {
      const found = await store.get(key)
      return Buffer.from((found.status === 'ok' && found.entry?.value) || '')
    }
    const labels = { stage: 'new' }
    await server.call('POST', '/api/v1/namespaces/old/configmaps', {
      metadata: { name: 'mine', labels },
      data: { a: 'b' },
    })
    const {
      uid: mine,
      creationTimestamp,
      managedFields,
    } = (await server.call('GET', '/api/v1/namespaces/old/configmaps/mine')).json().metadata
    const [field] = managedFields
    const time = Date.parse(creationTimestamp) / 1000
    const expected = stored('v1', 'ConfigMap', [
      [
        1,
        [
          [1, 'mine'],
          [2, ''],
          [3, 'old'],
          [4, ''],
          [5, mine],
          [6, ''],
          [7, 0],
          [
            8,
            [
              [1, time],
              [2, 0],
            ],
          ],
          [
            11,
            [
              [1, 'stage'],
              [2, 'new'],
            ],
          ],
          [
            17,
            [
              [1, field.manager],
              [2, 'Update'],
              [3, 'v1'],
              [
                4,
                [
                  [1, time],
                  [2, 0],
                ],
              ],
              [6, 'FieldsV1'],
              [7, [[1, JSON.stringify(field.fieldsV1)]]],
              [8, ''],
            ],
          ],
        ],
      ],
      [
        2,
        [
          [1, 'a'],
          [2, 'b'],
        ],
      ],
    ])
    expect((await raw('/registry/configmaps/old/mine')).toString('latin1')).toBe(expected.toString('latin1'))

    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.example.com'
    await server.call('PATCH', crd, { metadata: { labels } }, { 'content-type': 'application/merge-patch+json' })
    const kept = await raw('/registry/apiextensions.k8s.io/customresourcedefinitions/boats.example.com')
    expect(kept.at(-1)).toBe(10)
    const { apiVersion, spec } = JSON.parse(kept.toString())
    expect({ apiVersion, spec }).toEqual({ apiVersion: definition.apiVersion, spec: definition.spec })

    const address = {
      metadata: { name: '10.0.0.78' },
      spec: { parentRef: { resource: 'services', namespace: 'old', name: 'web' } },
    }
    await server.call('POST', '/apis/networking.k8s.io/v1/ipaddresses', address)
    const envelope = (await raw('/registry/ipaddresses/10.0.0.78')).subarray(0, 50).toString('latin1')
    expect(envelope).toContain('k8s\0')
    expect(envelope).toContain('networking.k8s.io/v1beta1')
  })

  const rawValue = async (key: string): Promise<Buffer> => {
    const found = await store.get(key)
    return Buffer.from((found.status === 'ok' && found.entry?.value) || '')
  }
  /** As `kubectl get -o json | kubectl replace -f -` does. Whether it was written again. */
  const replaceByItself = async (url: string): Promise<boolean> => {
    const before = (await server.call('GET', url)).json()
    const after = await server.call('PUT', url, before)
    expect(after.status, after.body.toString()).toBe(200)
    const { resourceVersion, ...metadata } = after.json().metadata
    expect({ ...after.json(), metadata: { ...metadata, resourceVersion: before.metadata.resourceVersion } }).toEqual(
      before,
    )
    return resourceVersion !== before.metadata.resourceVersion
  }

  it('writes an object of an older version anew when it is replaced by itself, and once only', async () => {
    const key = '/registry/ingress/old/ancient'
    const rule = [
      [
        1,
        [
          [1, 'web'],
          [
            2,
            [
              [1, 0],
              [2, 80],
              [3, ''],
            ],
          ],
        ],
      ],
    ] as const
    const value = stored('networking.k8s.io/v1beta1', 'Ingress', [
      metadata('ancient', 'old'),
      [2, rule],
      [3, [[1, []]]],
    ])
    await store.write({ type: 'create', key, value })
    const url = '/apis/networking.k8s.io/v1/namespaces/old/ingresses/ancient'
    await expect.poll(async () => (await server.call('GET', url)).status).toBe(200)
    expect((await server.call('GET', url)).json().spec.defaultBackend).toEqual({
      service: { name: 'web', port: { number: 80 } },
    })
    expect(await replaceByItself(url)).toBe(true)
    expect(typeIn(await rawValue(key))).toContain('networking.k8s.io/v1\x12')
    expect(await replaceByItself(url)).toBe(false)
  })

  it('leaves an object alone that is stored as it would be written, whoever wrote it', async () => {
    expect(await replaceByItself('/api/v1/namespaces/old/secrets/token')).toBe(false)
    expect(await replaceByItself('/apis/coordination.k8s.io/v1/namespaces/old/leases/leader')).toBe(false)
  })

  it('fills in what an earlier release did not know of, and stores it with the next replace', async () => {
    const url = '/api/v1/namespaces/old/services/web'
    expect((await server.call('GET', url)).json().spec).toMatchObject({
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    })
    await server.call('PUT', url, (await server.call('GET', url)).json())
    expect((await rawValue('/registry/services/specs/old/web')).toString('latin1')).toContain('Cluster')
  })

  it('moves custom objects to a new storage version', async () => {
    const versions = (storage: string) =>
      ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === storage,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      }))
    const url = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ships.example.org'
    await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'ships.example.org' },
      spec: {
        group: 'example.org',
        names: { plural: 'ships', singular: 'ship', kind: 'Ship', listKind: 'ShipList' },
        scope: 'Namespaced',
        versions: versions('v1'),
      },
    })
    const ships = '/apis/example.org/v1/namespaces/old/ships'
    await expect.poll(async () => (await server.call('GET', ships)).status).toBe(200)
    await server.call('POST', ships, {
      apiVersion: 'example.org/v1',
      kind: 'Ship',
      metadata: { name: 'one' },
      spec: { sails: 3 },
    })
    const storedVersion = async () => JSON.parse((await rawValue('/registry/example.org/ships/old/one')).toString())
    expect((await storedVersion()).apiVersion).toBe('example.org/v1')
    const change = { spec: { versions: versions('v2') } }
    await server.call('PATCH', url, change, { 'content-type': 'application/merge-patch+json' })
    // The new definition comes into force in its own time.
    await expect
      .poll(async () => {
        await replaceByItself(`${ships}/one`)
        return (await storedVersion()).apiVersion
      })
      .toBe('example.org/v2')
    expect(await replaceByItself(`${ships}/one`)).toBe(false)
    expect((await server.call('GET', url)).json().status.storedVersions).toEqual(['v1', 'v2'])
  })

  it('shows a write on one server in the next read of another, and tells its watchers', async () => {
    const watch = await other.watch('/api/v1/namespaces/old/configmaps?watch=1')
    for (let i = 0; i < 20; i++) {
      const written = await server.call(
        'PATCH',
        '/api/v1/namespaces/old/configmaps/settings',
        { data: { i: String(i) } },
        { 'content-type': 'application/merge-patch+json' },
      )
      const { resourceVersion } = written.json().metadata
      const list = (await other.call('GET', '/api/v1/namespaces/old/configmaps')).json()
      expect(list.items.find(({ metadata: { name } }: Json) => name === 'settings').data.i).toBe(String(i))
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(resourceVersion))
    }
    await watch.until((events) => events.some(({ object }) => object.data?.i === '19'))
    watch.close()
  })

  it('has both servers behind the service kubernetes, with records as the reference keeps them', async () => {
    for (const url of [
      '/api/v1/namespaces/default/endpoints/kubernetes',
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
    ]) {
      await expect
        .poll(async () => (await server.call('GET', url)).body.toString().match(/10\.9\.0\.\d/g))
        .toEqual(['10.9.0.1', '10.9.0.2'])
    }
    const value = await until('a record', async () => {
      const found = await store.get('/registry/masterleases/10.9.0.2')
      return found.status === 'ok' && found.entry && Buffer.from(found.entry.value).toString('latin1')
    })
    // The generation counts how often it was renewed since the start.
    const possible = Array.from({ length: 100 }, (_, i) => serverRecord('10.9.0.2', i + 1).toString('latin1'))
    expect(possible.map((record) => record.slice(0, 40))).toContain(value.slice(0, 40))
    expect(value).toContain('10.9.0.2')
    await other.close()
    const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes'
    await expect
      .poll(async () => (await server.call('GET', endpoints)).body.toString().match(/10\.9\.0\.\d/g))
      .toEqual(['10.9.0.1'])
  })
})

describe('a copy', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-copy-'))
  let cluster: EtcdCluster
  let etcd: Store
  beforeAll(async () => {
    cluster = await EtcdCluster.start()
    etcd = openEtcdStore({ servers: cluster.urls, compactionIntervalMs: 0 })
    for (const { key, value } of fixtures) await etcd.write({ type: 'create', key, value })
    await etcd.write({ type: 'create', key: '/registry/masterleases/10.9.0.1', value: Buffer.from('x') })
  })
  afterAll(async () => {
    await etcd?.close()
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const copy = (
    from: Store,
    to: Store,
    more: { signal?: AbortSignal; toPrefix?: string; fromPrefix?: string; overwrite?: boolean } = {},
  ) =>
    copyStore({
      from: { store: from, prefix: more.fromPrefix ?? '/registry', name: from.name },
      to: { store: to, prefix: more.toPrefix ?? '/registry', name: to.name },
      clock: systemClock,
      overwrite: more.overwrite ?? false,
      eventTtlSeconds: 3600,
      signal: more.signal ?? new AbortController().signal,
      onProgress: () => {},
    })

  it('moves everything to the embedded store and back, each in its own form', async () => {
    const lmdb = await openLmdbStore({ folder: path.join(folder, 'store') })
    const result = await copy(etcd, lmdb)
    expect(result).toMatchObject({ keys: fixtures.length, written: fixtures.length, skipped: 1, resumed: false })
    const settings = await lmdb.get('/registry/configmaps/old/settings')
    expect(JSON.parse(Buffer.from((settings.status === 'ok' && settings.entry?.value) || '').toString())).toMatchObject(
      { kind: 'ConfigMap', data: { a: 'b' } },
    )
    await copy(lmdb, etcd, { toPrefix: '/again' })
    for (const { key, value } of fixtures) {
      const found = await etcd.get(key.replace('/registry', '/again'))
      const back = Buffer.from((found.status === 'ok' && found.entry?.value) || '')
      if (value[0] === 0x7b) expect(JSON.parse(back.toString()), key).toEqual(JSON.parse(value.toString()))
      else expect(typeIn(back), key).toBe(typeIn(value))
    }
    await expect(copy(etcd, lmdb)).rejects.toThrow('is not empty')
    expect(await copy(etcd, lmdb, { overwrite: true })).toMatchObject({ written: 0, unchanged: fixtures.length })
    await lmdb.close()

    const server = await startTestServer(['--store', 'lmdb', '--data-dir', folder])
    try {
      for (const { path: url, shows } of fixtures)
        expect((await server.call('GET', url)).json(), url).toMatchObject(shows)
    } finally {
      await server.close()
    }
  })

  it('goes on where it was cut', async () => {
    const write = (name: string) => {
      const value = stored('v1', 'ConfigMap', [metadata(name, 'd')])
      return etcd.write({ type: 'create', key: `/many/configmaps/d/${name}`, value })
    }
    await Promise.all(Array.from({ length: 1200 }, (_, i) => write(`c${i}`)))
    const lmdb = await openLmdbStore({ folder: path.join(folder, 'cut') })
    const cut = new AbortController()
    const begun = copyStore({
      from: { store: etcd, prefix: '/many', name: 'source' },
      to: { store: lmdb, prefix: '/registry', name: 'target' },
      clock: systemClock,
      overwrite: false,
      eventTtlSeconds: 3600,
      signal: cut.signal,
      onProgress: ({ done }) => {
        if (done >= 500) cut.abort(new Error('cut'))
      },
    })
    await expect(begun).rejects.toThrow('cut')
    await write('later')
    const again = await copyStore({
      from: { store: etcd, prefix: '/many', name: 'source' },
      to: { store: lmdb, prefix: '/registry', name: 'target' },
      clock: systemClock,
      overwrite: false,
      eventTtlSeconds: 3600,
      signal: new AbortController().signal,
      onProgress: () => {},
    })
    expect(again).toMatchObject({ keys: 1201, written: 701, unchanged: 500, resumed: true })
    await lmdb.close()
  })
})
