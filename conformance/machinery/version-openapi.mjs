// /version, and the OpenAPI documents: root of v3 with hashed addresses, one v3 document, v2 with ETag, 304 and encodings.
export default async (t) => {
  await t.get('/version', {
    pick: (b) => ({
      keys: Object.keys(b).sort(),
      major: b.major,
      minor: b.minor,
      emulationMajor: b.emulationMajor,
      emulationMinor: b.emulationMinor,
      minCompatibilityMajor: b.minCompatibilityMajor,
      minCompatibilityMinor: b.minCompatibilityMinor,
      gitVersion: /^v1\.33\./.test(b.gitVersion),
    }),
  })
  await t.get('/version/', { pick: (b) => `${b.major}.${b.minor}` })
  await t.post('/version', {}, { noBody: true })
  await t.get('/version', { accept: 'application/yaml', noBody: true })

  const root = await t.get('/openapi/v3', { noBody: true })
  let paths = {}
  try {
    paths = JSON.parse(root.raw.toString()).paths ?? {}
  } catch {}
  t.note(
    'root keys',
    Object.keys(paths)
      .filter((p) =>
        /^(api|apis|version|api\/v1|apis\/(apps|batch|autoscaling|policy|events\.k8s\.io|coordination\.k8s\.io)(\/v1)?)$/.test(
          p,
        ),
      )
      .sort(),
  )
  t.note('entry', JSON.stringify(paths['api/v1'])?.replace(/hash=[0-9A-F]{128}/, 'hash=<hash>'))
  const address = paths['apis/batch/v1']?.serverRelativeURL ?? '/openapi/v3/apis/batch/v1'
  const doc = await t.get(address, {
    pick: (b) => ({
      openapi: b.openapi,
      info: b.info,
      keys: Object.keys(b).sort(),
      componentKeys: Object.keys(b.components ?? {}).sort(),
      job: b.components?.schemas?.['io.k8s.api.batch.v1.Job'],
    }),
  })
  t.note('hashed document is cacheable for long', {
    cacheControl: doc.headers['cache-control'],
    etagMatchesHash: `"${new URL(address, 'http://x').searchParams.get('hash')}"` === doc.headers.etag,
    vary: doc.headers.vary,
  })
  const stale = await t.get('/openapi/v3/apis/batch/v1?hash=0123', { quiet: true })
  t.note('a wrong hash is sent on to the right one', {
    status: stale.status,
    location: (stale.headers.location ?? '').replace(/hash=[0-9A-F]{128}/, 'hash=<hash>'),
  })
  const plain = await t.get('/openapi/v3/apis/batch/v1', { quiet: true })
  t.note('without a hash', {
    status: plain.status,
    type: plain.headers['content-type'],
    cacheControl: plain.headers['cache-control'],
  })
  await t.get('/openapi/v3/apis/batch/v1', { headers: { 'if-none-match': plain.headers.etag } })
  await t.get('/openapi/v3/apis/batch/v1', {
    accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
    noBody: true,
  })
  await t.get('/openapi/v3/apis/batch/v1', { accept: 'text/html', noBody: true })
  await t.get('/openapi/v3/apis/no-such-group/v1')

  const v2 = await t.get('/openapi/v2', {
    pick: (b) => ({
      swagger: b.swagger,
      info: b.info,
      keys: Object.keys(b).sort(),
      security: b.security,
      configMap: b.definitions?.['io.k8s.api.core.v1.ConfigMap'],
    }),
  })
  t.note('v2 etag', /^"[0-9A-F]{128}"$/.test(v2.headers.etag ?? ''))
  // The v2 document changes whenever a custom resource comes or goes: try until nothing changed in between.
  const same = await t
    .until(async () => {
      const { etag } = (await t.get('/openapi/v2', { quiet: true })).headers
      const again = await t.get('/openapi/v2', { headers: { 'if-none-match': etag }, quiet: true })
      return again.status === 304 && again
    }, 8000)
    .catch(() => ({ status: 'never 304', raw: [] }))
  t.note('v2 unchanged', { status: same.status, bytes: same.raw.length })
  await t.get('/openapi/v2', { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', noBody: true })
  await t.get('/openapi/v2', { accept: 'text/html', noBody: true })
  await t.get('/openapi/v2', { headers: { 'accept-encoding': 'gzip' }, noBody: true })
}
