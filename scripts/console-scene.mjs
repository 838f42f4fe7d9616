// A small shop with a policy, a definition and people, which the pictures of the console show.

const labels = { app: 'web', 'app.kubernetes.io/part-of': 'shop' }

const workload = (name, replicas, image) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop', labels: { app: name, 'app.kubernetes.io/part-of': 'shop' } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name,
            image,
            ports: [{ containerPort: 8080 }],
            env: [{ name: 'GREETING', valueFrom: { configMapKeyRef: { name: 'settings', key: 'greeting' } } }],
            resources: { requests: { cpu: '50m', memory: '64Mi' } },
          },
        ],
      },
    },
  },
})

export const manifests = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'shop' },
    data: { greeting: 'Ahoy', 'currency.default': 'EUR' },
  },
  workload('web', 3, 'shop/web:1.4.2'),
  workload('cart', 2, 'shop/cart:0.9.1'),
  workload('search', 4, 'shop/search:2.1.0'),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop', labels },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'front', namespace: 'shop' },
    spec: {
      rules: [
        {
          host: 'shop.example.com',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly-report', namespace: 'shop' },
    spec: {
      schedule: '0 3 * * *',
      jobTemplate: {
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'report', image: 'shop/report:1' }] } },
        },
      },
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'alice-views', namespace: 'shop' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'devs-edit', namespace: 'shop' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'workers-edit', namespace: 'shop' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts:shop' }],
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'pinned-images' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
        ],
      },
      validations: [
        {
          expression: "object.spec.containers.all(c, c.image.contains(':') && !c.image.endsWith(':latest'))",
          message: 'images need a version',
        },
      ],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'pinned-images' },
    spec: { policyName: 'pinned-images', validationActions: ['Deny'] },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boats.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'boats', singular: 'boat', kind: 'Boat', shortNames: ['bt'] },
      scope: 'Namespaced',
      versions: [boatVersion('v1', true), boatVersion('v1alpha1', false)],
    },
  },
]

function boatVersion(name, storage) {
  const spec = {
    type: 'object',
    description: 'What the boat is to be.',
    required: ['crew'],
    'x-kubernetes-validations': [{ rule: 'self.crew <= self.berths', message: 'everybody needs a berth' }],
    properties: {
      crew: { type: 'integer', minimum: 1, description: 'How many sail it.' },
      berths: { type: 'integer', minimum: 1, maximum: 40, default: 4, description: 'Places to sleep.' },
      rig: {
        type: 'string',
        enum: ['sloop', 'ketch', 'schooner'],
        description: 'How the masts and sails are arranged.',
      },
      sails: {
        type: 'array',
        description: 'What can be set.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, squareMetres: { type: 'number', description: 'Its area.' } },
        },
      },
    },
  }
  const status = {
    type: 'object',
    properties: { moored: { type: 'boolean', description: 'Whether it lies in a harbour.' } },
  }
  return {
    name,
    served: true,
    storage,
    ...(storage ? {} : { deprecated: true }),
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Rig', type: 'string', jsonPath: '.spec.rig' }],
  }
}

/** Requests of several people, some of which are refused; and changes that make a history. */
export async function refusals(server) {
  const { CoreV1Api, AppsV1Api } = await import('@kubernetes/client-node')
  const core = await server.client(CoreV1Api)
  const apps = await server.client(AppsV1Api)
  const alice = await (await server.user('alice')).client(CoreV1Api)
  const pod = (image) => ({
    metadata: { name: 'try', namespace: 'shop' },
    spec: { containers: [{ name: 'main', image }] },
  })
  const ignore = () => {}
  for (const image of ['shop/web:1.5.0', 'shop/web:1.5.1']) {
    const body = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }]
    await apps.patchNamespacedDeployment({ namespace: 'shop', name: 'search', body }).catch(ignore)
  }
  await apps
    .patchNamespacedDeployment({
      namespace: 'shop',
      name: 'web',
      fieldManager: 'release-bot',
      body: [{ op: 'add', path: '/metadata/annotations', value: { 'shop.example.com/release': '1.4.2' } }],
    })
    .catch(ignore)
  await core.createNamespacedPod({ namespace: 'shop', body: pod('shop/web:latest') }).catch(ignore)
  await alice.listNamespacedPod({ namespace: 'shop' }).catch(ignore)
  await alice.deleteNamespacedPod({ namespace: 'shop', name: 'web' }).catch(ignore)
  await alice.listNamespacedSecret({ namespace: 'shop' }).catch(ignore)
  await core.createNamespacedConfigMap({ namespace: 'shop', body: { metadata: { name: 'Not_A_Name' } } }).catch(ignore)
  await core.readNamespacedService({ namespace: 'shop', name: 'gone' }).catch(ignore)
  await core.createNamespacedPod({ namespace: 'shop', body: pod('shop/web:latest') }).catch(ignore)
}

/** Traffic of a few service accounts: reads, writes and watches, and slow ones that fill the seats of their level. Returns what ends it. */
export async function load(server) {
  const { CoreV1Api, KubeConfig, Watch } = await import('@kubernetes/client-node')
  const namespace = 'shop'
  const slow = server.faults.add({ verb: 'get', resource: 'configmaps', latency: 300 })
  let isOver = false
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const again = async (work) => {
    while (!isOver) await work().catch(() => pause(100))
  }
  const worker = async (index) => {
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
    const user = await server.user(`system:serviceaccount:${namespace}:worker-${index}`, groups)
    const core = await user.client(CoreV1Api)
    if (index % 3 !== 0) return again(() => core.readNamespacedConfigMap({ namespace, name: 'settings' }))
    return again(async () => {
      await core.listNamespacedPod({ namespace, limit: 5 })
      await core.patchNamespacedConfigMap({
        namespace,
        name: 'settings',
        body: [{ op: 'add', path: '/data/visits', value: String(Date.now()) }],
      })
      await pause(20 + ((index * 37) % 60))
    })
  }
  const config = new KubeConfig()
  config.loadFromString(server.kubeconfig().yaml())
  const nothing = () => {}
  const watching = Array.from({ length: 6 }, () =>
    new Watch(config).watch(`/api/v1/namespaces/${namespace}/configmaps`, {}, nothing, nothing),
  )
  const watches = await Promise.all(watching)
  const workers = Array.from({ length: 64 }, (_, index) => worker(index))
  return async () => {
    isOver = true
    for (const watch of watches) watch.abort()
    slow.remove()
    await Promise.all(workers)
  }
}
