// Bookmarks and timeouts: after a change, a watch that allows bookmarks gets one about two seconds before its timeout, with only kind and version.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, labels) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } })
  const start = (await t.get(`${cms}?limit=1`, { quiet: true })).body.metadata.resourceVersion
  await t.post(cms, cm('a', { x: '1' }), { quiet: true })
  await t.post(cms, cm('b'), { quiet: true })
  const parse = (line) => {
    try {
      return JSON.parse(line)
    } catch {
      return line
    }
  }

  // Reads a whole watch until the server ends it. How many bookmarks come is left open: one is shown, with its version
  // compared to that of the last change before it.
  const whole = async (query) => {
    const begin = Date.now()
    const r = await t.get(`${cms}?watch=true&${query}`, { quiet: true })
    const wanted = Number(/timeoutSeconds=(\d+)/.exec(query)[1])
    const lasted = Date.now() - begin >= wanted * 1000 - 100
    const events = r.raw.toString().split('\n').filter(Boolean).map(parse)
    const changes = events.filter((e) => e.type !== 'BOOKMARK')
    const bookmark = events.find((e) => e.type === 'BOOKMARK')
    return { r, wanted, lasted, events, changes, bookmark }
  }
  const queries = [
    `resourceVersion=${start}&timeoutSeconds=1`,
    `resourceVersion=${start}&timeoutSeconds=3`,
    `resourceVersion=${start}&timeoutSeconds=4&allowWatchBookmarks=true`,
    `resourceVersion=${start}&timeoutSeconds=4&allowWatchBookmarks=false`,
    `resourceVersion=${start}&timeoutSeconds=4&allowWatchBookmarks=true&labelSelector=x%3D1`,
    `resourceVersion=${start}&timeoutSeconds=4&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnone`,
    'timeoutSeconds=4&allowWatchBookmarks=1',
    'timeoutSeconds=1&allowWatchBookmarks=true',
  ]
  const running = queries.map(whole)
  await t.sleep(400)
  const last = Number((await t.post(cms, cm('c'), { quiet: true })).body.metadata?.resourceVersion)
  const answers = await Promise.all(running)
  queries.forEach((query, i) => {
    const { r, wanted, lasted, events, changes, bookmark } = answers[i]
    let shown = 'none'
    if (bookmark) {
      const { resourceVersion, ...metadata } = bookmark.object?.metadata ?? {}
      shown = {
        ...bookmark,
        object: { ...bookmark.object, metadata },
        reachedLastChange: Number(resourceVersion) >= last,
        afterTheChanges: events.indexOf(bookmark) >= changes.length,
      }
    }
    t.note(query.replace(start, 'START'), {
      status: r.status,
      lasted,
      // A watch of one second may be over before the last of them.
      changes: (wanted === 1 ? changes.slice(0, 2) : changes).map((e) => `${e.type} ${e.object?.metadata?.name}`),
      bookmark: shown,
    })
  })
}
