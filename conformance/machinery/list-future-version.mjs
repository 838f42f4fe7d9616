// Reads at a version the server has not reached: 504 after a wait of about 3 s with Retry-After.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  await t.post(`${base}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })
  const future = 'resourceVersion=999999999999'
  const hideCurrent = (b) => ({ ...b, message: b.message?.replace(/current: \d+/, 'current: <n>') })

  // The waiting ones run side by side; they are noted in a fixed order.
  const waiting = [
    `configmaps?${future}`,
    `configmaps?${future}&resourceVersionMatch=NotOlderThan`,
    `configmaps?${future}&resourceVersionMatch=NotOlderThan&limit=1`,
    `configmaps?${future}&labelSelector=a=b`,
    `configmaps/a?${future}`,
    `configmaps/missing?${future}`,
  ]
  const answers = await Promise.all(
    waiting.map(async (path) => {
      const start = Date.now()
      const r = await t.get(`${base}/${path}`, { quiet: true })
      return {
        status: r.status,
        retryAfter: r.headers['retry-after'],
        body: hideCurrent(r.body),
        waited: Date.now() - start > 2500,
      }
    }),
  )
  for (const [i, path] of waiting.entries()) t.note(`GET ${path}`, answers[i])

  // Events are read from storage directly: no wait, no Retry-After.
  await t.get(`${base}/events?${future}`, { pick: hideCurrent })
  await t.get(`${base}/events/missing?${future}`, { pick: hideCurrent })
}
