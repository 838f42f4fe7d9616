// Pod and Service: log, exec, attach, portforward and proxy on objects that no node serves.
export default async (t) => {
  await t.delete(`/api/v1/namespaces/${t.ns}/pods?gracePeriodSeconds=0`, undefined, { quiet: true })
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/pods`
  await t.post(
    url,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one' },
      spec: { containers: [{ name: 'c', image: 'busybox' }] },
    },
    { quiet: true },
  )
  await t.post(
    url,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'two' },
      spec: {
        initContainers: [{ name: 'i', image: 'busybox' }],
        containers: [
          { name: 'c', image: 'busybox' },
          { name: 'd', image: 'busybox' },
        ],
      },
    },
    { quiet: true },
  )
  // logs of a pod without a node are empty, and mistakes are told first
  await t.get(`${url}/one/log`)
  await t.get(`${url}/two/log`)
  await t.get(`${url}/two/log?container=nope`)
  await t.get(`${url}/two/log?container=d`)
  await t.get(`${url}/missing/log`)
  await t.get(`${url}/one/log?tailLines=-1`)
  await t.get(`${url}/one/log?limitBytes=0&sinceSeconds=0`)
  await t.get(`${url}/one/log?sinceSeconds=5&sinceTime=2024-01-01T00:00:00Z`)
  await t.get(`${url}/one/log?tailLines=many`)
  await t.get(`${url}/one/log?stream=Stdin`)
  // streams
  await t.post(`${url}/one/exec?command=ls&stdout=true`)
  await t.get(`${url}/one/exec?command=ls&stdout=true`)
  await t.post(`${url}/two/exec?command=ls&stdout=true`)
  await t.post(`${url}/two/exec?command=ls&stdout=true&container=nope`)
  await t.post(`${url}/one/exec`)
  await t.post(`${url}/one/exec?command=ls`)
  await t.post(`${url}/one/attach`)
  await t.post(`${url}/missing/exec?command=ls&stdout=true`)
  await t.post(`${url}/one/portforward?ports=80`)
  await t.get(`${url}/one/proxy/`)
  await t.get(`/api/v1/namespaces/${ns}/services/missing/proxy/`)
  await t.post(
    `/api/v1/namespaces/${ns}/services`,
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } },
    { quiet: true },
  )
  await t.get(`/api/v1/namespaces/${ns}/services/s/proxy/`)
  await t.post(
    `/api/v1/namespaces/${ns}/endpoints`,
    { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 's' } },
    { quiet: true },
  )
  await t.get(`/api/v1/namespaces/${ns}/services/s/proxy/`)
  await t.get('/api/v1/nodes/kinds-no-node/proxy/healthz')
}
