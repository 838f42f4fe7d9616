// Pod: the ephemeralcontainers and resize subresources: what they change, what they leave and what they refuse.
const short = {
  pick: (b) =>
    b.kind === 'Status'
      ? {
          ...b,
          message: b.message?.split('\n')[0],
          details: {
            ...b.details,
            causes: b.details?.causes?.map((c) => ({ ...c, message: c.message?.split('\n')[0] })),
          },
        }
      : b,
}
// managedFields come in the order of the second they were written in; sorted here by writer, so that the clock does not matter
const byWriter = (t) => {
  const key = (m) => [m.operation, m.manager, m.subresource, m.apiVersion].join()
  const sort = (o) => {
    o?.metadata?.managedFields?.sort?.((a, b) => (key(a) < key(b) ? -1 : 1))
    for (const r of o?.rows ?? []) sort(r.object)
    return o
  }
  const request = t.request.bind(t)
  t.request = (method, url, opts = {}) =>
    request(method, url, { ...opts, pick: (b) => sort(opts.pick ? opts.pick(b) : b) })
}

export default async (t) => {
  byWriter(t)
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/pods`
  const made = await t.post(url, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'busybox',
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '64Mi' } },
        },
      ],
    },
  })
  // ephemeral containers are refused at creation and on the main endpoint
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'b' },
    spec: { containers: [{ name: 'c', image: 'busybox' }], ephemeralContainers: [{ name: 'e', image: 'busybox' }] },
  })
  await t.mergePatch(`${url}/a`, { spec: { ephemeralContainers: [{ name: 'e', image: 'busybox' }] } }, short)
  await t.get(`${url}/a/ephemeralcontainers`)
  await t.strategicPatch(`${url}/a/ephemeralcontainers`, {
    spec: {
      ephemeralContainers: [{ name: 'debug', image: 'busybox', targetContainerName: 'c', stdin: true, tty: true }],
    },
  })
  await t.mergePatch(`${url}/a/ephemeralcontainers`, { spec: { ephemeralContainers: [] } }, short)
  // other parts of the pod are ignored there
  await t.strategicPatch(`${url}/a/ephemeralcontainers`, {
    metadata: { labels: { l: '1' } },
    spec: {
      containers: [{ name: 'c', image: 'changed' }],
      ephemeralContainers: [{ name: 'second', image: 'busybox:1' }],
    },
  })
  await t.strategicPatch(
    `${url}/a/ephemeralcontainers`,
    { spec: { ephemeralContainers: [{ name: 'debug', image: 'changed' }] } },
    short,
  )
  await t.strategicPatch(
    `${url}/a/ephemeralcontainers`,
    {
      spec: {
        ephemeralContainers: [
          {
            name: 'c',
            image: 'busybox',
            targetContainerName: 'nope',
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '1' } },
          },
        ],
      },
    },
    short,
  )
  await t.put(`${url}/missing/ephemeralcontainers`, { ...made.body, metadata: { name: 'missing' } })
  // resize
  await t.get(`${url}/a/resize`)
  await t.strategicPatch(
    `${url}/a`,
    { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '150m' } } }] } },
    short,
  )
  await t.strategicPatch(`${url}/a/resize`, {
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '150m' }, limits: { cpu: '300m' } } }] },
  })
  await t.strategicPatch(
    `${url}/a/resize`,
    {
      spec: {
        containers: [
          { name: 'c', image: 'changed', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        ],
      },
    },
    short,
  )
  await t.strategicPatch(
    `${url}/a/resize`,
    { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '400m' } } }] } },
    short,
  )
  await t.strategicPatch(
    `${url}/a/resize`,
    { spec: { containers: [{ name: 'c', resources: { limits: { memory: '32Mi' }, requests: { memory: '32Mi' } } }] } },
    short,
  )
  await t.strategicPatch(
    `${url}/a/resize`,
    { spec: { containers: [{ name: 'c', resources: { limits: { 'example.com/gpu': '1' } } }] } },
    short,
  )
  await t.strategicPatch(
    `${url}/a/resize`,
    { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '300m' }, limits: { cpu: '300m' } } }] } },
    short,
  )
  await t.get(`${url}/a`)
  await t.delete(`${url}/a/resize`)
}
