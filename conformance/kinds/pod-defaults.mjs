// Pod: the defaults of ports, probes, volumes, env, lifecycle, security context, host network, init and sidecar containers.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/pods`
  const pod = (name, spec, metadata = {}) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec })
  const c = { name: 'c', image: 'busybox:1' }
  await t.post(
    url,
    pod('probes', {
      containers: [
        {
          ...c,
          ports: [{ containerPort: 80, name: 'http' }],
          livenessProbe: { httpGet: { port: 'http' } },
          readinessProbe: { tcpSocket: { port: 80 } },
          startupProbe: { grpc: { port: 80 } },
          lifecycle: { postStart: { httpGet: { port: 80 } }, preStop: { exec: { command: ['x'] } } },
        },
      ],
    }),
  )
  await t.post(
    url,
    pod('volumes', {
      serviceAccountName: 'some',
      containers: [{ ...c, volumeMounts: [{ name: 'e', mountPath: '/e' }] }],
      volumes: [
        { name: 'none' },
        { name: 'e', emptyDir: {} },
        { name: 'cm', configMap: { name: 'x', items: [{ key: 'k', path: 'p' }] } },
        { name: 's', secret: { secretName: 'x' } },
        { name: 'd', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        { name: 'h', hostPath: { path: '/h' } },
        { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't' } }, { configMap: { name: 'x' } }] } },
        { name: 'iscsi', iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2015-02.example.com:test', lun: 0 } },
        {
          name: 'eph',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
      ],
    }),
  )
  await t.post(
    url,
    pod('env', {
      containers: [
        {
          ...c,
          env: [
            { name: 'A', value: '' },
            { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
            { name: 'D', valueFrom: { configMapKeyRef: { name: 'x', key: 'k', optional: true } } },
          ],
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'x' } }],
        },
      ],
    }),
  )
  // limits become requests
  await t.post(
    url,
    pod('limits', {
      containers: [{ ...c, resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }],
      initContainers: [{ name: 'i', image: 'busybox:1', resources: { limits: { cpu: '0.5' } } }],
    }),
  )
  await t.post(
    url,
    pod('guaranteed', {
      containers: [{ ...c, resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } } }],
    }),
  )
  await t.post(url, pod('hostnet', { hostNetwork: true, containers: [{ ...c, ports: [{ containerPort: 8080 }] }] }))
  await t.post(
    url,
    pod('sidecar', {
      initContainers: [
        { name: 'side', image: 'busybox:1', restartPolicy: 'Always' },
        { name: 'init', image: 'busybox:1' },
      ],
      containers: [c],
    }),
  )
  await t.get(`${url}/sidecar`, asTable)
  await t.post(
    url,
    pod('secure', {
      securityContext: { runAsUser: 1000, fsGroup: 2, sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }] },
      containers: [
        { ...c, securityContext: { privileged: true } },
        { ...c, name: 'd', securityContext: {} },
      ],
    }),
  )
  await t.post(
    url,
    pod('spread', {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone' } }],
        },
      },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 },
      ],
      serviceAccount: 'old-name',
      dnsConfig: { options: [{ name: 'ndots' }] },
      os: { name: 'linux' },
      containers: [c],
    }),
  )
  await t.post(
    url,
    pod('gated', { schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }], containers: [c] }),
  )
  await t.get(`${url}/gated`, asTable)
  // gates may be removed, not added; a gated pod's node selector may be narrowed
  await t.mergePatch(`${url}/gated`, { spec: { nodeSelector: { disk: 'ssd' } } })
  await t.mergePatch(`${url}/gated`, {
    spec: { schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }, { name: 'example.com/c' }] },
  })
  await t.mergePatch(`${url}/gated`, { spec: { schedulingGates: [{ name: 'example.com/a' }] } })
  await t.mergePatch(`${url}/gated`, { spec: { schedulingGates: null } })
  await t.mergePatch(
    `${url}/gated`,
    { spec: { nodeSelector: { disk: 'hdd' } } },
    { pick: (b) => ({ code: b.code, reason: b.reason, causes: b.details?.causes?.map((x) => [x.field, x.reason]) }) },
  )
  await t.get(`${url}/gated`, asTable)
}
