// Watches that fail: 410 as an ERROR event for a version that is no longer kept, bad parameters, and watches that only wait.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  await t.post(`${base}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, { quiet: true })
  // Reads a whole watch; the newest version the server names in the message is not shown.
  const whole = async (path, opts) => {
    const r = await t.get(`${base}/${path}`, { quiet: true, ...opts })
    const events = r.raw
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        try {
          return JSON.parse(line.replace(/\(\d+\)/, '(<n>)'))
        } catch {
          return line
        }
      })
    t.note(`WATCH ${path}`, { status: r.status, type: r.headers['content-type'], events })
  }
  // Version 1 is from before the server was up: it is never within the kept history.
  await whole('configmaps?watch=true&resourceVersion=1')
  await whole('configmaps?watch=true&resourceVersion=1&labelSelector=a%3Db')
  await whole('pods?watch=true&resourceVersion=1&allowWatchBookmarks=true')
  await whole('configmaps?watch=true&resourceVersion=999999999999&timeoutSeconds=1')
  await t.get(`${base}/configmaps?watch=true&resourceVersion=abc`)
  await t.get(`${base}/configmaps?watch=true&resourceVersion=-1`)
  await t.get(`${base}/configmaps?watch=true&labelSelector=in%20in`)
  await t.get(`${base}/configmaps?watch=true&fieldSelector=data.x%3D1`)
  await t.get(`${base}/configmaps?watch=true&timeoutSeconds=abc`)
  await t.get(`${base}/configmaps?watch=true&limit=1&timeoutSeconds=1&resourceVersion=abc`)
  await t.get(`/api/v1/watch/namespaces/${ns}/configmaps?resourceVersion=abc`)
  await t.get(`/api/v1/watch/namespaces/${ns}/nosuchkind`)
  // A namespace or object that does not exist is no error.
  await whole('configmaps?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dmissing')
  await t.get('/api/v1/namespaces/mach-no-such-namespace/configmaps?watch=true&timeoutSeconds=1')
  await t.post(`${base}/configmaps?watch=true`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } })
}
