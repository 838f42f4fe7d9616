// sendInitialEvents: streaming lists are off in this release, so every use is refused, with further errors for each bad combination.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const rv = (await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, { quiet: true })).body
    .metadata.resourceVersion
  const get = (query) => t.get(`${cms}?timeoutSeconds=1&${query}`)

  await get('watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true')
  await get(
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0&allowWatchBookmarks=true',
  )
  await get(
    `watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${rv}&allowWatchBookmarks=true`,
  )
  await get('watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan')
  await get('watch=true&sendInitialEvents=true')
  await get('watch=true&sendInitialEvents=true&allowWatchBookmarks=true')
  await get('watch=true&sendInitialEvents=true&resourceVersionMatch=Exact')
  await get('watch=true&sendInitialEvents=true&resourceVersionMatch=Bogus')
  await get(`watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${rv}`)
  await get('watch=true&sendInitialEvents=false')
  await get('watch=true&sendInitialEvents=')
  await get('watch=true&sendInitialEvents=maybe')
  await get('watch=true&resourceVersionMatch=NotOlderThan')
  await get(`watch=true&resourceVersionMatch=Exact&resourceVersion=${rv}`)
  await get('sendInitialEvents=true')
  await get('sendInitialEvents=true&resourceVersionMatch=NotOlderThan')
  await get('sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0')
  await t.get(
    `/api/v1/namespaces/${ns}/pods?watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
  )
}
