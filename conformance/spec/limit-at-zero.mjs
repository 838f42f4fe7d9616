// The specification's word: a limit is the most that one chunk holds, at resourceVersion 0, too; the rest comes with the continue token.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  let last
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    last = (await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }, { quiet: true })).body
      .metadata.resourceVersion
  await t.get(`${cms}?resourceVersion=${last}&resourceVersionMatch=NotOlderThan`, { quiet: true })
  for (const query of ['resourceVersion=0', 'resourceVersion=0&resourceVersionMatch=NotOlderThan']) {
    const pages = []
    let token = ''
    do {
      const { body } = await t.get(`${cms}?limit=2&${token ? `continue=${encodeURIComponent(token)}` : query}`, {
        quiet: true,
      })
      pages.push(body.items?.map((i) => i.metadata.name).join(' '))
      token = body.metadata?.continue
    } while (token && pages.length < 9)
    t.note(query, pages)
  }
}
