// Certificates of pods in certificates.k8s.io/v1beta1, and migrations of storage versions in storagemigration.k8s.io/v1beta1.
import { generateKeyPairSync, sign } from 'node:crypto'

const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  await t.get('/apis/certificates.k8s.io/v1beta1', {
    pick: (b) => b.resources?.map(({ name, kind, verbs }) => ({ name, kind, verbs })),
  })
  const uid = '7d1f0f8e-3a3b-4c5d-9e6f-000000000001'
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const requests = `/apis/certificates.k8s.io/v1beta1/namespaces/${ns}/podcertificaterequests`
  const request = (name, spec) => ({
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'PodCertificateRequest',
    metadata: { name },
    spec: {
      signerName: 'example.com/s',
      podName: 'p',
      podUID: uid,
      serviceAccountName: 'a',
      serviceAccountUID: uid,
      nodeName: 'n',
      nodeUID: uid,
      pkixPublicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      proofOfPossession: sign(null, Buffer.from(uid), privateKey).toString('base64'),
      ...spec,
    },
  })
  const specs = {
    pick: (b) => {
      if (b.kind === 'Status') return b
      for (const key of ['pkixPublicKey', 'proofOfPossession']) if (b.spec?.[key]) b.spec[key] = '<key>'
      return b.spec
    },
  }
  await t.post(requests, request('a', { unverifiedUserAnnotations: { 'example.com/a': 'b' } }), specs)
  await t.get(`${requests}/a`, {
    ...asTable,
    pick: (b) => ({ columns: b.columnDefinitions?.map((c) => c.name), cells: b.rows?.[0]?.cells }),
  })
  await t.post(requests, request('x', { unverifiedUserAnnotations: { plain: 'b' } }))
  await t.post(requests, request('x', { maxExpirationSeconds: 10 }))
  await t.post(requests, request('x', { signerName: 'bad', podName: '', nodeName: 'Bad_' }))
  await t.post(requests, request('x', { proofOfPossession: 'AAAA' }))
  await t.mergePatch(
    `${requests}/a`,
    { spec: { unverifiedUserAnnotations: { 'example.com/a': 'c' } } },
    {
      pick: (b) => ({ code: b.code, causes: b.details?.causes?.map((c) => [c.reason, c.field]) }),
    },
  )
  await t.get(`${requests}?fieldSelector=spec.signerName=example.com/s,spec.podName=p,spec.nodeName=n`, {
    pick: (b) => b.items?.map((i) => i.metadata.name) ?? b,
  })
  await t.get(`${requests}?fieldSelector=spec.podUID=${uid}`)
  const condition = (type, reason = 'R') => ({
    type,
    status: 'True',
    reason,
    message: 'm',
    lastTransitionTime: '2024-01-01T00:00:00Z',
  })
  await t.mergePatch(`${requests}/a/status`, { status: { conditions: [condition('Odd')] } })
  await t.mergePatch(
    `${requests}/a/status`,
    {
      status: { conditions: [condition('Denied', 'InvalidUnverifiedUserAnnotations')] },
    },
    { pick: (b) => b.status ?? b },
  )
  await t.mergePatch(
    `${requests}/a/status`,
    { status: { conditions: [condition('Issued')] } },
    {
      pick: (b) => ({ code: b.code, causes: b.details?.causes?.map((c) => [c.reason, c.field, c.message.slice(-60)]) }),
    },
  )
  await t.delete(`${requests}/a`)

  const migrations = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations'
  for (const name of ['v135-a', 'v135-b']) await t.clear(`${migrations}/${name}`)
  const migration = (name, resource, more) => ({
    apiVersion: 'storagemigration.k8s.io/v1beta1',
    kind: 'StorageVersionMigration',
    metadata: { name },
    spec: { resource },
    ...more,
  })
  await t.get('/apis/storagemigration.k8s.io', { pick: (b) => b.versions ?? b })
  await t.post(
    migrations,
    migration('v135-a', { group: 'apps', resource: 'deployments' }, { status: { resourceVersion: '5' } }),
  )
  await t.post(migrations, migration('v135-b', { resource: 'pods' }), { pick: (b) => b.spec ?? b })
  await t.get(`${migrations}/v135-a`, asTable)
  await t.post(migrations, migration('v135-x', {}))
  await t.post(migrations, migration('v135-x', { group: 'Bad_', resource: 'Bad_' }))
  await t.post(migrations, migration('Bad_', { group: 'apps', version: 'v1', resource: 'deployments' }))
  await t.mergePatch(`${migrations}/v135-a`, { spec: { resource: { group: 'batch' } } })
  await t.mergePatch(`${migrations}/v135-a`, {
    spec: { resource: { resource: '' } },
  })
  await t.mergePatch(
    `${migrations}/v135-a`,
    { metadata: { labels: { a: 'b' } } },
    { pick: (b) => b.metadata?.labels ?? b },
  )
  const status = (more) =>
    t.mergePatch(`${migrations}/v135-a/status`, { status: more }, { pick: (b) => (b.kind === 'Status' ? b : b.status) })
  await status({ resourceVersion: 'x' })
  await status({ resourceVersion: '05' })
  await status({ resourceVersion: '-5' })
  await status({ resourceVersion: '12' })
  await status({ resourceVersion: '13' })
  await status({ resourceVersion: '12', conditions: [{ ...condition('Running'), reason: '' }] })
  await status({ resourceVersion: '12', conditions: [condition('Running')] })
  await t.get(`${migrations}/v135-a`, { ...asTable, pick: (b) => b.rows?.[0]?.cells })
  await status({ resourceVersion: '12', conditions: [condition('Running'), condition('Succeeded')] })
  await status({ resourceVersion: '12', conditions: [condition('Succeeded'), condition('Failed')] })
  await status({ resourceVersion: '12', conditions: [condition('Succeeded')] })
  await t.get(`${migrations}/v135-a`, { ...asTable, pick: (b) => b.rows?.[0]?.cells })
  await status({ resourceVersion: '12', conditions: [] })
  await t.apply(`${migrations}/v135-b`, migration('v135-b', { resource: 'nodes' }), 'one', {
    pick: (b) => b.message ?? b.spec,
  })
  await t.get('/apis/storagemigration.k8s.io/v1alpha1')
  for (const name of ['v135-a', 'v135-b']) await t.delete(`${migrations}/${name}`)
}
