// Measures server-side apply on one core: `npm run bench:apply`. Prints microseconds a call, for a Pod of about 2 KiB
// with five managers: a controller's status patch (its managed-fields part), and applies that change a value, that
// change nothing and that give a field up. Objects are parsed anew for each call, as a request finds them ("cold"), or
// are the ones that the call before saw ("warm").
import { loadSources } from './load-sources.mjs'

const {
  applyConfig: applySteps,
  recordUpdate,
  excludingFields,
  runToEnd,
  typeSchema,
} = await loadSources(`
  export * from './src/lib/in-turns.ts'
  export * from './src/patch/apply/apply-config.ts'
  export * from './src/patch/apply/record-update.ts'
  export * from './src/patch/apply/field-filter.ts'
  export * from './src/catalog/catalog.ts'`)
const applyConfig = (...given) => runToEnd(applySteps(...given))

const schema = typeSchema('core.v1.Pod')
const type = (filter) => ({
  schema: (version) => (version === 'v1' ? schema : undefined),
  convert: (object) => object,
  filter: () => filter,
})
const main = type(excludingFields(['status']))
const status = type(excludingFields(['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences']))

const time = '2026-01-31T12:00:00Z'
const by = (manager, more) => ({
  manager,
  apiVersion: 'v1',
  kind: 'Pod',
  time,
  force: true,
  unknownFields: 'refuse',
  ...more,
})
const head = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-6d4cf56db6-abcde', namespace: 'default' } }

const spec = {
  volumes: [{ name: 'config', configMap: { name: 'web', defaultMode: 420 } }],
  containers: [
    {
      name: 'web',
      image: 'registry.example.com/team/web:1.2.3',
      args: ['--listen=:8080', '--log-level=info'],
      ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
      env: [
        { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        { name: 'MODE', value: 'production' },
      ],
      resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '250m', memory: '128Mi' } },
      volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
      livenessProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' }, periodSeconds: 10 },
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
    },
  ],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  serviceAccountName: 'default',
  nodeName: 'node-1',
  securityContext: {},
  schedulerName: 'default-scheduler',
  tolerations: [
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  ],
  priority: 0,
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
}
const condition = (name, value) => ({ type: name, status: value, lastProbeTime: null, lastTransitionTime: time })
const podStatus = {
  phase: 'Running',
  conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((name) => condition(name, 'True')),
  hostIP: '10.0.0.1',
  podIP: '10.1.0.7',
  podIPs: [{ ip: '10.1.0.7' }],
  startTime: time,
  containerStatuses: [
    { name: 'web', ready: true, restartCount: 0, image: 'registry.example.com/team/web:1.2.3', imageID: '' },
  ],
  qosClass: 'Burstable',
}

// Five managers: the creator, the applier, a labeller, the scheduler's binding and the kubelet.
const web = (image) => ({
  ...head,
  metadata: { ...head.metadata, labels: { app: 'web', tier: 'front' } },
  spec: { containers: [{ ...spec.containers[0], image, terminationMessagePath: undefined }] },
})
let pod = recordUpdate(
  main,
  undefined,
  { ...head, metadata: { ...head.metadata, labels: { app: 'web' } }, spec },
  by('kube-controller-manager'),
)
pod = { ...pod, metadata: { ...pod.metadata, uid: '7a1b5b8e-0000-4000-8000-000000000000' } }
pod = applyConfig(main, pod, web('registry.example.com/team/web:1.2.3'), by('deployer')).object
pod = applyConfig(
  main,
  pod,
  { ...head, metadata: { ...head.metadata, annotations: { 'example.com/owner': 'team' } } },
  by('labeller'),
).object
pod = recordUpdate(
  main,
  pod,
  { ...pod, metadata: { ...pod.metadata, finalizers: ['example.com/guard'] } },
  by('scheduler'),
)
pod = recordUpdate(status, pod, { ...pod, status: podStatus }, by('kubelet', { subresource: 'status' }))

const text = JSON.stringify(pod)
const bare = JSON.stringify({ ...pod, metadata: { ...pod.metadata, managedFields: undefined } })
console.log(`pod ${bare.length} bytes, with ${pod.metadata.managedFields.length} managers ${text.length} bytes`)

const parses = []
for (let i = 0; i < 2_000; i++) {
  const start = process.hrtime.bigint()
  JSON.parse(text)
  parses.push(Number(process.hrtime.bigint() - start) / 1_000)
}
console.log(`JSON.parse of it, to compare machines by: ${parses.sort((a, b) => a - b)[1_000].toFixed(1)} µs (median)`)

const withReady = (object, value) => ({
  ...object,
  status: {
    ...object.status,
    conditions: object.status.conditions.map((c) => (c.type === 'Ready' ? { ...c, status: value } : c)),
  },
})
const applied = (image) => JSON.stringify(web(image))
const cases = [
  [
    'status patch by its owner',
    (live, i) => withReady(live, i % 2 ? 'True' : 'False'),
    (live, next) => recordUpdate(status, live, next, by('kubelet', { subresource: 'status' })),
  ],
  [
    'apply that changes the image',
    (_, i) => JSON.parse(applied(`registry.example.com/team/web:1.2.${i % 7}`)),
    (live, config) => applyConfig(main, live, config, by('deployer')),
  ],
  [
    'apply that changes nothing',
    () => JSON.parse(applied('registry.example.com/team/web:1.2.3')),
    (live, config) => applyConfig(main, live, config, by('deployer')),
  ],
  [
    'apply that gives a field up',
    () => {
      const config = web('registry.example.com/team/web:1.2.3')
      delete config.metadata.labels.tier
      return JSON.parse(JSON.stringify(config))
    },
    (live, config) => applyConfig(main, live, config, by('deployer')),
  ],
]

const rounds = 3_000
for (const [name, prepare, run] of cases) {
  const figures = ['cold', 'warm'].map((how) => {
    const times = []
    for (let i = 0; i < rounds; i++) {
      const live = how === 'cold' ? JSON.parse(text) : pod
      const input = prepare(live, i)
      const start = process.hrtime.bigint()
      run(live, input)
      times.push(Number(process.hrtime.bigint() - start) / 1_000)
    }
    times.sort((a, b) => a - b)
    return `${how} ${times[rounds >> 1].toFixed(1)} µs`
  })
  console.log(`${name.padEnd(30)} ${figures.join(', ')} (median)`)
}
