// Label selectors on lists: every operator, combinations, and the exact errors for bad syntax.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const sets = {
    none: undefined,
    web: { app: 'web', tier: 'front' },
    db: { app: 'db', tier: 'back' },
    n5: { num: '5' },
    n10: { num: '10' },
    dom: { 'example.com/role': 'x' },
    empty: { app: '' },
  }
  for (const [name, labels] of Object.entries(sets))
    await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } }, { quiet: true })
  const show = (b) => (b.items ? { items: b.items?.map((i) => i.metadata.name).join(' ') } : b)
  const select = (selector) => t.get(`${cms}?labelSelector=${encodeURIComponent(selector)}`, { pick: show })

  for (const s of [
    'app=web',
    'app==web',
    'app!=web',
    'app',
    '!app',
    'app in (web, db)',
    'app notin (web,db)',
    'app=',
    'app in (web,)',
    'num>5',
    'num<6',
    'num>4,num<10',
    'app=web,tier=front',
    'app=web,tier=back',
    'example.com/role=x',
    ' app = web ',
    '',
  ])
    await select(s)
  // Bad syntax.
  for (const s of ['app in', 'app in (web', 'app in web', 'num>abc', 'app=web=x', '=web', 'app,', 'app=-lead'])
    await select(s)
}
