// Pod: what is refused on create, with every cause and message.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/pods`
  const pod = (spec, name = 'p') => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec })
  const c = { name: 'c', image: 'busybox' }
  await t.post(url, pod({}))
  await t.post(url, pod({ containers: [] }, 'Bad_Name'))
  await t.post(url, pod({ containers: [{}] }))
  await t.post(
    url,
    pod({
      containers: [
        { name: 'UPPER', image: 'busybox' },
        { name: 'c', image: ' ' },
        { name: 'c', image: 'busybox' },
      ],
    }),
  )
  await t.post(
    url,
    pod({
      restartPolicy: 'Sometimes',
      dnsPolicy: 'Nope',
      containers: [{ ...c, imagePullPolicy: 'Maybe', terminationMessagePolicy: 'X', terminationMessagePath: '' }],
    }),
  )
  await t.post(
    url,
    pod({
      containers: [
        {
          ...c,
          ports: [
            { containerPort: 0 },
            { containerPort: 70000, protocol: 'HTTP' },
            { containerPort: 80, name: 'much-too-long-port-name' },
            { containerPort: 80, hostPort: 99999, name: 'a' },
            { containerPort: 81, name: 'a' },
          ],
        },
      ],
    }),
  )
  await t.post(
    url,
    pod({
      containers: [
        {
          ...c,
          env: [
            { name: '' },
            { name: 'A=B', value: 'x' },
            { name: 'X', value: 'v', valueFrom: { fieldRef: { fieldPath: 'metadata.nope' } } },
            { name: 'Y', valueFrom: {} },
          ],
          envFrom: [{}],
        },
      ],
    }),
  )
  await t.post(
    url,
    pod({
      containers: [
        { ...c, resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
        { ...c, name: 'd', resources: { requests: { memory: '-1' } } },
        { ...c, name: 'e', resources: { limits: { 'example.com/gpu': '1500m' } } },
        { ...c, name: 'f', resources: { requests: { bananas: '1' } } },
      ],
    }),
  )
  await t.post(
    url,
    pod({
      containers: [
        {
          ...c,
          volumeMounts: [
            { name: 'missing', mountPath: '/x' },
            { name: 'v', mountPath: '' },
            { name: 'v', mountPath: '/d', subPath: '../up' },
          ],
        },
      ],
      volumes: [
        { name: 'v' },
        { name: 'v', emptyDir: {}, configMap: { name: 'x' } },
        { name: 'w', configMap: {} },
        { name: 'z', hostPath: { path: 'a/../b', type: 'Nope' } },
      ],
    }),
  )
  await t.post(
    url,
    pod({
      containers: [
        {
          ...c,
          livenessProbe: { httpGet: { port: 0 }, periodSeconds: -1 },
          readinessProbe: {},
          startupProbe: { exec: { command: [] }, tcpSocket: { port: 'bad_port_name' }, successThreshold: 2 },
        },
      ],
    }),
  )
  await t.post(
    url,
    pod({
      containers: [c],
      nodeSelector: { 'bad key!': 'x' },
      tolerations: [
        { operator: 'Exists', value: 'v' },
        { key: 'k', operator: 'What' },
        { key: 'k', effect: 'NoSchedule', tolerationSeconds: 3 },
      ],
      activeDeadlineSeconds: 0,
      terminationGracePeriodSeconds: -5,
    }),
  )
  await t.post(
    url,
    pod({
      containers: [c],
      hostname: 'Bad_Host',
      subdomain: '-x',
      serviceAccountName: 'Not OK',
      priorityClassName: 'kinds-no-such-class',
      schedulerName: 'x y',
    }),
  )
  await t.post(
    url,
    pod({
      containers: [c],
      hostname: 'Bad_Host',
      subdomain: '-x',
      serviceAccountName: 'Not OK',
      nodeName: 'Bad Node',
      hostAliases: [{ ip: '1.2.3', hostnames: ['a b'] }],
    }),
  )
  await t.post(url, {
    ...pod({ containers: [c] }),
    metadata: {
      name: 'p',
      labels: { 'a b': 'c d' },
      annotations: { 'x y': '' },
      ownerReferences: [{ apiVersion: 'v1', kind: '', name: '', uid: '' }],
      finalizers: ['nodomain'],
    },
  })
  // wrong types are a 400, not a 422
  await t.post(url, pod({ containers: 'none' }))
  await t.post(url, pod({ containers: [{ ...c, ports: [{ containerPort: '80' }] }] }))
  await t.post(url, pod({ containers: [{ ...c, resources: { limits: { cpu: 'lots' } } }] }))
  await t.post(url, pod({ containers: [c], hostNetwork: 'yes' }))
  await t.post(url, { ...pod({ containers: [c] }), metadata: { name: 'p', labels: { a: 1 } } })
  await t.post(url, { ...pod({ containers: [c] }), metadata: { name: 'p', creationTimestamp: 'yesterday' } })
  await t.post(url, { ...pod({ containers: [c] }), metadata: {} })
  await t.post(url, { ...pod({ containers: [c] }), metadata: { name: 'p', namespace: 'elsewhere' } })
}
