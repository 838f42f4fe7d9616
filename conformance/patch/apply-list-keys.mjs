// Associative lists under apply: containers, ports with a defaulted protocol key, env, duplicate and missing keys.
export default async (t) => {
  const ns = await t.namespace()
  const d = `/apis/apps/v1/namespaces/${ns}/deployments/d`
  const deployment = (containers, more) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: { containers, ...more } },
    },
  })
  const pick = (o) => {
    if (o.kind === 'Status') {
      o.details?.causes?.sort((x, y) => (x.message + x.field < y.message + y.field ? -1 : 1))
      return o
    }
    const owned = {}
    for (const m of o.metadata.managedFields ?? [])
      owned[`${m.manager} ${m.operation}`] = m.fieldsV1['f:spec']?.['f:template']?.['f:spec']
    return {
      owned,
      containers: o.spec.template.spec.containers.map(({ name, image, ports, env }) => ({ name, image, ports, env })),
    }
  }
  const one = {
    name: 'c',
    image: 'img:1',
    ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP', name: 'dns' }],
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
  }
  await t.apply(d, deployment([one]), 'one', { pick })
  // another manager adds a container, a port, a variable; image is not its business
  await t.apply(
    d,
    deployment([
      { name: 'c', ports: [{ containerPort: 81, protocol: 'TCP' }], env: [{ name: 'C', value: '3' }] },
      { name: 'side', image: 'img:2' },
    ]),
    'two',
    { pick },
  )
  // the same port number with another protocol is another port
  await t.apply(
    d,
    deployment([
      { name: 'c', ports: [{ containerPort: 53, protocol: 'TCP' }] },
      { name: 'side', image: 'img:2' },
    ]),
    'two',
    { pick },
  )
  await t.apply(
    d,
    deployment([
      { name: 'c', env: [{ name: 'A', value: '9' }], ports: [{ containerPort: 80, name: 'web' }] },
      { name: 'side', image: 'img:2' },
    ]),
    'two',
    { pick },
  )
  await t.apply(
    d,
    deployment([
      { name: 'c', image: 'img:9', env: [{ name: 'A', value: '9' }] },
      { name: 'side', image: 'img:2' },
    ]),
    'two',
    { pick },
  )
  await t.apply(
    d,
    deployment([
      { name: 'c', env: [{ name: 'A', value: '9' }] },
      { name: 'side', image: 'img:2' },
    ]),
    'two',
    { force: true, pick },
  )
  // the first manager puts its list in another order and drops a variable
  await t.apply(d, deployment([{ ...one, env: [{ name: 'B', value: '2' }] }]), 'one', { pick })
  await t.apply(
    d,
    deployment([
      { name: 'first', image: 'img:0' },
      { ...one, env: [] },
    ]),
    'one',
    { pick },
  )
  // the container that nobody applies any more goes, the shared one stays
  await t.apply(d, deployment([{ name: 'side', image: 'img:2' }]), 'two', { pick })
  await t.apply(d, deployment([one]), 'one', { pick })
  await t.apply(d, deployment([one, one]), 'one', { pick })
  await t.apply(d, deployment([{ image: 'img:1' }]), 'one', { pick })
  await t.apply(
    d,
    deployment([{ ...one, ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] }]),
    'one',
    { pick },
  )
  await t.apply(d, deployment([{ ...one, ports: [{ name: 'noport' }] }]), 'one', { pick })
  await t.apply(
    d,
    deployment([
      {
        ...one,
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
    ]),
    'one',
    { pick },
  )
  await t.apply(d, deployment(['text']), 'one', { pick })
  await t.apply(d, deployment({ c: one }), 'one', { pick })
  await t.apply(d, deployment([{ ...one, ports: [{ containerPort: '80' }] }]), 'one', { pick })
}
