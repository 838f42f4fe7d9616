// Measures the JSON codec on one core: `npm run bench:codec`. Prints operations a second for a Pod of about 2 KiB.
import { loadSources } from './load-sources.mjs'

const codec = await loadSources(`
  export * from './src/codec/json.ts'
  export * from './src/codec/store-text.ts'
  export * from './src/catalog/catalog.ts'
  export * from './src/catalog/defaults/defaults.ts'
  export * from './src/schema/canonicalize.ts'`)

const container = (name) => ({
  name,
  image: `registry.example.com/team/${name}:1.2.3`,
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
})
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-6d4cf56db6-abcde',
    namespace: 'default',
    labels: { app: 'web', 'pod-template-hash': '6d4cf56db6', tier: 'frontend' },
    annotations: { 'example.com/checksum': 'b1946ac92492d2347c6235b4d2611184' },
  },
  spec: {
    containers: [container('web'), container('sidecar')],
    volumes: [{ name: 'config', configMap: { name: 'web-config', defaultMode: 420 } }],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  },
}

const schema = codec.typeSchema('core.v1.Pod')
const bytes = Buffer.from(JSON.stringify(pod))
const sortedBytes = Buffer.from(JSON.stringify(codec.sortKeys(pod)))
const object = codec.decodeJson(bytes, schema).object
const cases = {
  'JSON.parse alone': () => JSON.parse(bytes.toString()),
  'strict decode, wire order': () => codec.decodeJson(bytes, schema),
  'strict decode, sorted keys': () => codec.decodeJson(sortedBytes, schema),
  canonicalize: () => codec.canonicalize(object, schema),
  'default a Pod': () => codec.defaultObject(object, schema, { enabled: () => false, now: () => '' }),
  encode: () => codec.encodeJson(object),
  'encode for the store': () => codec.encodeForStore(object),
}

console.log(`Pod of ${bytes.length} bytes`)
for (const [name, run] of Object.entries(cases))
  console.log(`${name.padEnd(28)} ${perSecond(run).toLocaleString('en')}/s`)

/** The best of five rounds, after a warm-up, by processor time: others may be using the machine. */
function perSecond(run) {
  for (let i = 0; i < 5000; i++) run()
  let best = 0
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage()
    for (let i = 0; i < 10_000; i++) run()
    const { user, system } = process.cpuUsage(start)
    best = Math.max(best, 10_000 / ((user + system) / 1e6))
  }
  return Math.round(best)
}
