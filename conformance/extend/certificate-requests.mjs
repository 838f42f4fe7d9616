// CertificateSigningRequests: what is filled in, refused requests, approval and denial, status rules, and who may approve.
import { execFileSync } from 'node:child_process'
import { settle, stable } from '../support/picks.mjs'

const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export default async (t) => {
  const names = ['ext-a', 'ext-b', 'ext-c', 'ext-d']
  for (const n of names) await t.clear(`${CSRS}/${n}`)
  for (const p of ['clusterroles/ext-csr', 'clusterrolebindings/ext-csr']) await t.clear(`${RBAC}/${p}`)
  const request = (subject) =>
    execFileSync(
      'openssl',
      [
        'req',
        '-new',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        '/dev/null',
        '-subj',
        subject,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    ).toString('base64')
  const pem = request('/O=devs/CN=ann')
  t.normaliser.replace(pem, '<request>')
  const csr = (name, spec) => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: pem,
      signerName: 'ext.conformance.example.com/signer',
      usages: ['client auth', 'digital signature'],
      ...spec,
    },
  })
  const post = (name, spec, opts = {}) =>
    t.post(name === 'ext-bad' ? `${CSRS}?dryRun=All` : CSRS, csr(name, spec), { pick: stable, ...opts })

  const a = await post('ext-a', {
    expirationSeconds: 3600,
    username: 'mallory',
    groups: ['x'],
    uid: 'y',
    extra: { z: ['1'] },
  })
  await post(
    'ext-b',
    {},
    {
      headers: {
        'impersonate-user': 'ann',
        'impersonate-group': ['devs', 'system:masters'],
        'impersonate-extra-a': 'b',
      },
    },
  )
  await post('ext-bad', { request: 'bm90IHBlbQ==', signerName: 'plain', usages: [] })
  await post('ext-bad', {
    request: '',
    signerName: undefined,
    usages: ['flying', 'client auth', 'client auth'],
    expirationSeconds: 5,
  })
  await post('ext-bad', { signerName: 'kubernetes.io/legacy-unknown' })
  await post(
    'ext-bad',
    { signerName: 'kubernetes.io/kube-apiserver-client', usages: ['server auth'] },
    { pick: (b) => (b.kind === 'Status' ? b : { kind: b.kind, signerName: b.spec.signerName }) },
  )
  // The masters' group may not be asked for.
  const masters = request('/O=system:masters/CN=ann')
  t.normaliser.replace(masters, '<masters>')
  await post('ext-c', { request: masters, signerName: 'kubernetes.io/kube-apiserver-client' })
  await t.mergePatch(`${CSRS}/ext-a`, { spec: { usages: ['any'] } }, { pick: stable })

  // Approval has its own endpoint.
  const approved = { type: 'Approved', status: 'True', reason: 'Tested', message: 'fine' }
  await t.put(`${CSRS}/ext-a/status`, { ...a.body, status: { conditions: [approved] } })
  await t.put(`${CSRS}/ext-a/approval`, { ...a.body, status: { conditions: [{ type: 'Approved' }] } })
  const done = await t.put(
    `${CSRS}/ext-a/approval`,
    { ...a.body, status: { conditions: [approved] } },
    { pick: stable },
  )
  await t.put(`${CSRS}/ext-a/approval`, {
    ...done.body,
    status: { conditions: [approved, { type: 'Denied', status: 'True' }] },
  })
  await t.put(`${CSRS}/ext-a/approval`, { ...done.body, status: { conditions: [] } })
  await t.put(`${CSRS}/ext-a/status`, {
    ...done.body,
    status: { ...done.body.status, certificate: Buffer.from('nothing').toString('base64') },
  })
  const b = await t.get(`${CSRS}/ext-b`, { quiet: true })
  await t.put(
    `${CSRS}/ext-b/approval`,
    { ...b.body, status: { conditions: [{ type: 'Denied', status: 'True', reason: 'No' }] } },
    { pick: stable },
  )
  await t.get(`${CSRS}?fieldSelector=metadata.name%3Dext-a`, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    pick: (x) => x.rows?.map((r) => r.cells.filter((_, i) => i !== 1)) ?? x,
  })

  // Approving needs the verb approve on the signer as well.
  await t.post(
    `${RBAC}/clusterroles`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'ext-csr' },
      rules: [
        {
          apiGroups: ['certificates.k8s.io'],
          resources: [
            'certificatesigningrequests',
            'certificatesigningrequests/approval',
            'certificatesigningrequests/status',
          ],
          verbs: ['*'],
        },
      ],
    },
    { quiet: true },
  )
  await t.post(
    `${RBAC}/clusterrolebindings`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'ext-csr' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'ext-csr' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ext-approver' }],
    },
    { quiet: true },
  )
  const approver = { headers: { 'impersonate-user': 'ext-approver' } }
  await settle(t, async () => (await t.get(`${CSRS}/ext-a`, { ...approver, quiet: true })).status === 200)
  const d = await t.post(CSRS, csr('ext-d', {}), { quiet: true })
  await t.put(`${CSRS}/ext-d/approval`, { ...d.body, status: { conditions: [approved] } }, approver)
  await t.put(
    `${CSRS}/ext-d/status`,
    { ...d.body, status: { certificate: Buffer.from('x').toString('base64') } },
    approver,
  )
}
