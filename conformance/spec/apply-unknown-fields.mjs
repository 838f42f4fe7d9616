// The specification's word: unknown fields in an apply patch follow fieldValidation like everywhere else: dropped, dropped with a warning each, or 400 naming all of them.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps/a`
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', nope: 1 }, data: { k: 'v' }, bogus: 'x' }
  const apply = async (label, query) => {
    await t.delete(url, undefined, { quiet: true })
    const r = await t.apply(`${url}${query}`, body, 'one', { quiet: true })
    const named = ['bogus', 'nope'].filter((n) => `${r.body.message ?? ''} ${r.headers.warning ?? ''}`.includes(n))
    t.note(label, {
      status: r.status,
      kind: r.body.kind,
      reason: r.body.reason,
      data: r.body.data,
      kept: r.body.bogus ?? r.body.metadata?.nope,
      warnings: (r.headers.warning?.match(/299 - /g) ?? []).length,
      named,
      saysWhy: r.status < 300 ? undefined : r.body.message.includes('field not declared in schema'),
    })
  }
  await apply('Strict', '?fieldValidation=Strict')
  await apply('Warn', '?fieldValidation=Warn')
  await apply('Ignore', '?fieldValidation=Ignore')
  await apply('nothing said', '')
  const live = await t.get(url, { quiet: true })
  t.note(
    'what is owned',
    live.body.metadata?.managedFields?.map((m) => `${m.manager} ${m.operation} ${JSON.stringify(m.fieldsV1)}`),
  )
}
