// Every check that a verbose health page lists can be asked for by its name, left out by its name, and shows as left out.
export default async (t) => {
  const lines = async (path) => (await t.get(path, { quiet: true })).raw.toString().split('\n')
  for (const page of ['livez', 'readyz', 'healthz']) {
    const names = (await lines(`/${page}?verbose`)).map((l) => l.match(/^\[\+\](.+) ok$/)?.[1]).filter(Boolean)
    const answers = await Promise.all(names.map((n) => t.get(`/${page}/${n}`, { quiet: true })))
    t.note(
      `/${page}: single checks that do not answer ok`,
      names.filter((_, i) => answers[i].status !== 200 || answers[i].raw.toString() !== 'ok'),
    )
    const without = []
    for (const n of names)
      if (!(await lines(`/${page}?verbose&exclude=${encodeURIComponent(n)}`)).includes(`[+]${n} excluded: ok`))
        without.push(n)
    t.note(`/${page}: checks that cannot be excluded`, without)
    t.note(`/${page}: kinds of checks`, {
      ping: names.includes('ping'),
      log: names.includes('log'),
      store: names.includes('etcd'),
      autoregister: names.includes('autoregister-completion'),
      shutdown: names.includes('shutdown'),
      hooks: names.filter((n) => n.startsWith('poststarthook/')).length > 5,
    })
    const all = await t.get(`/${page}?${names.map((n) => `exclude=${encodeURIComponent(n)}`).join('&')}`, {
      quiet: true,
    })
    t.note(`/${page}: all excluded`, { status: all.status, body: all.raw.toString() })
  }
  const first = (await lines('/livez?verbose'))[0]
  t.note('the first line', first)
  await t.get('/livez/poststarthook')
  await t.get('/readyz/poststarthook/no-such-hook')
}
