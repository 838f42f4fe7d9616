// CertificateSigningRequest: who asked is filled in, table, approval and status subresources, immutable spec, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZk1JR0hBZ0VBTUNVeERqQU1CZ05WQkFvTUJXdHBibVJ6TVJNd0VRWURWUVFEREFwcmFXNWtjeTExYzJWeQpNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVJTW95Z2hWQi9oeWpSUDJsc3dJM09yUW5mKzVBClpkSXRyUFpGRlhUbTNIZDBOYVpUNGp4NnU3NVFXcnRxbnp4dEE2azJyRGY1amh6SkxBNmNhMy9FTEtBQU1Bb0cKQ0NxR1NNNDlCQU1DQTBjQU1FUUNJRytJUDhNb2J0ajQvaVJjTEhpTytYS05vT0NPclVGNUFCdDZyY2wvVTNOdgpBaUE5Y01tWTFkaDFKSit5N3FnVGtLYk1WZVlxL1BmT3ZObzJUZXk3dlc2aG9nPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=='
const masters =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIcE1JR1FBZ0VBTUM0eEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVJNd0VRWURWUVFEREFwcgphVzVrY3kxMWMyVnlNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVJTW95Z2hWQi9oeWpSUDJsCnN3STNPclFuZis1QVpkSXRyUFpGRlhUbTNIZDBOYVpUNGp4NnU3NVFXcnRxbnp4dEE2azJyRGY1amh6SkxBNmMKYTMvRUxLQUFNQW9HQ0NxR1NNNDlCQU1DQTBnQU1FVUNJUUMrdEUzQ3dqL2tpVEhwbGxpbC9CeTB5RVpKYVdrRwp6MXBieEhRc2RQVDRCd0lnTElUN2hZRFo0OEJzMnlIclUzNjk4bTZ0MGdaMnZGUjVaUmMrUkVyTUszZz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=='
const certificate =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJnVENDQVNlZ0F3SUJBZ0lVYW1mN05FOFN6VFQxemxSU3cwQ1lEQU9rU0Q0d0NnWUlLb1pJemowRUF3SXcKRlRFVE1CRUdBMVVFQXd3S2EybHVaSE10ZFhObGNqQWdGdzB5TmpFeE1UVXdNREl3TURSYUdBOHlNVEkyTVRBeQpNakF3TWpBd05Gb3dGVEVUTUJFR0ExVUVBd3dLYTJsdVpITXRkWE5sY2pCWk1CTUdCeXFHU000OUFnRUdDQ3FHClNNNDlBd0VIQTBJQUJDREtNb0lWUWY0Y28wVDlwYk1DTnpxMEozL3VRR1hTTGF6MlJSVjA1dHgzZERXbVUrSTgKZXJ1K1VGcTdhcDg4YlFPcE5xdzMrWTRjeVN3T25HdC94Q3lqVXpCUk1CMEdBMVVkRGdRV0JCUVlNV1c2b2pZbApkSEtNWGpLT3FwOUhQM3dUTlRBZkJnTlZIU01FR0RBV2dCUVlNV1c2b2pZbGRIS01YaktPcXA5SFAzd1ROVEFQCkJnTlZIUk1CQWY4RUJUQURBUUgvTUFvR0NDcUdTTTQ5QkFNQ0EwZ0FNRVVDSUZBU3dYSnRZV3JqMnp0ZDVsL3gKSmZ5eDQyVDR1M0NXTlNDWnUxb29SUzkxQWlFQTJFYmdnQ3VraDNTczRuL0dDNHlrb1BzSGZvcWd6OXN1eW5lVgozZGQ3UXM4PQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg=='

// who asked is filled in by the server; the uid of that user is left out, the name and groups are kept
const asker = {
  pick: (b) => {
    if (b.spec) delete b.spec.uid
    return b
  },
}

export default async (t) => {
  const url = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
  for (const n of ['kinds-csr-a', 'kinds-csr-b', 'kinds-csr-c']) await t.clear(`${url}/${n}`)
  const csr = (name, spec) => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec,
  })
  const condition = (type, status = 'True') => ({ type, status, reason: 'R', message: 'm' })
  const base = { request, signerName: 'example.com/kinds', usages: ['client auth', 'digital signature'] }
  await t.post(
    url,
    {
      ...csr('kinds-csr-a', { ...base, expirationSeconds: 7200, username: 'someone-else', groups: ['x'] }),
      status: { conditions: [condition('Approved')] },
    },
    asker,
  )
  await t.get(`${url}/kinds-csr-a`, asTable)
  await t.post(
    url,
    csr('kinds-csr-b', { ...base, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] }),
    asker,
  )
  // spec is fixed on the main endpoint, conditions belong to approval
  await t.mergePatch(
    `${url}/kinds-csr-a`,
    {
      metadata: { labels: { x: 'y' } },
      spec: { signerName: 'example.com/other' },
      status: { conditions: [condition('Approved')] },
    },
    asker,
  )
  await t.mergePatch(`${url}/kinds-csr-a/status`, { status: { conditions: [condition('Approved')] } }, asker)
  await t.mergePatch(
    `${url}/kinds-csr-a/approval`,
    { spec: { usages: [] }, status: { conditions: [condition('Approved')], certificate } },
    asker,
  )
  await t.get(`${url}/kinds-csr-a`, asTable)
  await t.mergePatch(`${url}/kinds-csr-a/approval`, { status: { conditions: [] } }, asker)
  await t.mergePatch(
    `${url}/kinds-csr-a/approval`,
    { status: { conditions: [condition('Approved'), condition('Denied')] } },
    asker,
  )
  await t.mergePatch(`${url}/kinds-csr-a/status`, { status: { certificate } }, asker)
  await t.get(`${url}/kinds-csr-a`, asTable)
  await t.mergePatch(`${url}/kinds-csr-a/status`, { status: { certificate: null } }, asker)
  await t.mergePatch(`${url}/kinds-csr-b/approval`, { status: { conditions: [condition('Denied')] } }, asker)
  await t.get(`${url}/kinds-csr-b`, asTable)
  await t.mergePatch(`${url}/kinds-csr-b/approval`, { status: { conditions: [condition('Denied', 'False')] } }, asker)
  // refused
  await t.post(
    url,
    csr('kinds-csr-c', { ...base, signerName: 'kubernetes.io/kube-apiserver-client', request: masters }),
  )
  await t.post(url, csr('kinds-csr-c', {}))
  await t.post(
    url,
    csr('kinds-csr-c', {
      ...base,
      request: 'bm90IGEgcmVxdWVzdA==',
      signerName: 'nodomain',
      usages: ['levitation', 'client auth', 'client auth'],
      expirationSeconds: 10,
    }),
  )
  await t.post(url, csr('kinds-csr-c', { ...base, request: 'not base64' }))
  await t.get(`${url}/kinds-csr-a/approval`, {
    pick: (b) => ({ kind: b.kind, name: b.metadata?.name, conditions: b.status?.conditions?.map((c) => c.type) }),
  })
  await t.delete(`${url}/kinds-csr-a`)
}
