// Health endpoints: plain and verbose answers, excluded checks, single checks, unknown ones, and who may ask.
export default async (t) => {
  // Verbose answers list one line for each check; only the checks that any server has are held against the reference.
  const verbose = async (path) => {
    const r = await t.get(path, { quiet: true })
    const lines = r.raw.toString().split('\n')
    t.note(`GET ${path}`, {
      status: r.status,
      type: r.headers['content-type'],
      common: lines.filter((l) => /\](ping|log|etcd|etcd-readiness|informer-sync|shutdown) /.test(l)),
      rest: lines.filter((l) => !l.startsWith('[')),
      odd: lines.filter((l) => l.startsWith('[') && !/^\[\+\][a-z0-9/.-]+ (excluded: )?ok$/.test(l)),
    })
  }
  for (const path of [
    '/healthz',
    '/livez',
    '/readyz',
    '/livez/ping',
    '/readyz/ping',
    '/healthz/ping',
    '/healthz/etcd',
    '/readyz/informer-sync',
  ])
    await t.get(path)
  await verbose('/livez?verbose')
  await verbose('/readyz?verbose=true')
  await verbose('/healthz?verbose=1')
  await verbose('/readyz?verbose&exclude=etcd&exclude=ping')
  await t.get('/livez?exclude=etcd')
  await verbose('/livez?verbose&exclude=no-such-check')
  await t.get('/livez/ping?verbose')
  await t.get('/livez/no-such-check')
  await t.get('/livez/')
  await t.get('/livez', { token: null })
  await t.get('/livez/ping', { token: null })
  await t.get('/livez', { accept: 'application/xml' })
  await t.request('HEAD', '/livez')
  await t.post('/livez', {})
}
