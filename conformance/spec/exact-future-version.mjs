// The specification's word: a version that the server does not know and that does not come is 504 `Too large resource version`, for exact reads, too.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, { quiet: true })
  const future = 'resourceVersion=999999999999'
  for (const query of [
    `${future}&resourceVersionMatch=Exact`,
    `${future}&limit=1`,
    `${future}&resourceVersionMatch=Exact&limit=1`,
    `${future}&resourceVersionMatch=Exact&labelSelector=a%3Db`,
  ]) {
    const { status, body } = await t.get(`${cms}?${query}`, { quiet: true })
    t.note(query, {
      status,
      reason: body.reason,
      tooLarge: String(body.message).includes('Too large resource version'),
    })
  }
}
