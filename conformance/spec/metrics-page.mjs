// The metrics page: text format, stability class at the head of each description, and the labels of the request counter.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const cm = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  await t.post(`${url}?dryRun=All`, cm, { quiet: true })
  await t.post(url, cm, { quiet: true })
  await t.get(`${url}/missing`, { quiet: true })
  await t.get(url, { quiet: true })
  await t.apply(`${url}/a`, cm, 'one', { quiet: true })
  const page = await t.get('/metrics', { accept: 'text/plain', quiet: true })
  const text = page.raw.toString()
  t.note('answer', { status: page.status, type: page.headers['content-type']?.split(';').slice(0, 2).join(';') })
  const lines = text.split('\n')
  const help = new Map(
    lines.filter((l) => l.startsWith('# HELP ')).map((l) => [l.split(' ')[2], l.split(' ').slice(3).join(' ')]),
  )
  const type = new Map(lines.filter((l) => l.startsWith('# TYPE ')).map((l) => [l.split(' ')[2], l.split(' ')[3]]))
  // The words of a description are each server's own.
  for (const name of [
    'apiserver_request_total',
    'apiserver_request_duration_seconds',
    'apiserver_current_inflight_requests',
    'apiserver_longrunning_requests',
    'apiserver_response_sizes',
    'apiserver_storage_objects',
    'apiserver_admission_controller_admission_duration_seconds',
  ])
    t.note(name, { type: type.get(name), help: help.get(name)?.replace(/\] .+/, '] <prose>') })
  t.note(
    'classes in use',
    [
      ...new Set(
        [...help]
          .filter(([name]) => name.startsWith('apiserver_'))
          .map(([, words]) => words.match(/^\[([A-Z]+)\] /)?.[1])
          .filter(Boolean),
      ),
    ].sort(),
  )
  t.note(
    'every series has a description and a type',
    lines
      .filter((l) => l && !l.startsWith('#'))
      .map((l) => l.match(/^\w+/)[0])
      .filter((n) => !type.has(n) && !type.has(n.replace(/_(bucket|sum|count)$/, '')))
      .slice(0, 3),
  )
  const total = lines.filter((l) => l.startsWith('apiserver_request_total{') && l.includes('resource="configmaps"'))
  const has = (...parts) => total.some((l) => parts.every((p) => l.includes(p)))
  t.note('labels', [...new Set(total.flatMap((l) => [...l.matchAll(/(\w+)="/g)].map((m) => m[1])))].sort())
  t.note('counted', {
    dryRun: has('code="201"', 'verb="POST"', 'dry_run="All"', 'scope="resource"'),
    create: has(
      'code="201"',
      'verb="POST"',
      'dry_run=""',
      'group=""',
      'version="v1"',
      'subresource=""',
      'component="apiserver"',
    ),
    missing: has('code="404"', 'verb="GET"', 'scope="resource"'),
    list: has('code="200"', 'verb="LIST"', 'scope="namespace"'),
    apply: has('code="200"', 'verb="APPLY"'),
  })
  await t.get('/metrics', { token: null })
  await t.post('/metrics', {}, { noBody: true, noHeaders: true })
}
