// Pods of v1.35: restart rules, variables from files, names of hosts, statuses, resizes and what a gate that is off drops or refuses.
export default async (t) => {
  const ns = await t.namespace()
  const pods = `/api/v1/namespaces/${ns}/pods`
  const dry = `${pods}?dryRun=All`
  const container = (more) => ({ name: 'c', image: 'i', ...more })
  const pod = (name, spec, metadata) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [container()], ...spec },
  })
  const part = (field) => ({ pick: (b) => b.spec?.[field] ?? b })
  const onExit = (operator, values, action = 'Restart') => ({ action, exitCodes: { operator, values } })
  const rules = (list, more) => ({ containers: [container({ restartPolicyRules: list, ...more })] })
  const init = (more) => ({ initContainers: [{ name: 'i', image: 'i', ...more }] })
  const specOf = part('containers')

  await t.post(
    pods,
    pod('rules', rules([onExit('NotIn', [0]), onExit('In', [42, 43])], { restartPolicy: 'OnFailure' })),
    specOf,
  )
  await t.post(
    dry,
    pod('x', init({ restartPolicy: 'Never', restartPolicyRules: [onExit('In', [1])] })),
    part('initContainers'),
  )
  await t.post(dry, pod('x', init({ restartPolicy: 'Always', restartPolicyRules: [onExit('In', [1])] })))
  await t.post(dry, pod('x', init({ restartPolicyRules: [onExit('In', [1])] })))
  await t.post(dry, pod('x', rules([onExit('In', [1])])))
  await t.post(dry, pod('x', rules([onExit('In', [1])], { restartPolicy: 'Odd' })))
  await t.post(dry, pod('x', rules([onExit('In', [1], 'RestartAllContainers')], { restartPolicy: 'Never' })))
  await t.post(dry, pod('x', rules([onExit('In', [1, 1])], { restartPolicy: 'Never' })), specOf)
  await t.post(
    dry,
    pod(
      'x',
      rules(
        Array.from({ length: 21 }, (_, i) => onExit('In', [i])),
        { restartPolicy: 'Never' },
      ),
    ),
  )
  await t.post(
    dry,
    pod(
      'x',
      rules(
        [
          onExit(
            'In',
            Array.from({ length: 256 }, (_, i) => i),
          ),
        ],
        { restartPolicy: 'Never' },
      ),
    ),
    { pick: (b) => ({ code: b.code, causes: b.details?.causes?.map((c) => [c.field, c.message.slice(-40)]) }) },
  )
  await t.mergePatch(
    `${pods}/rules`,
    { spec: { containers: [container({ restartPolicy: 'Never' })] } },
    { pick: (b) => ({ code: b.code, fields: b.details?.causes?.map((c) => c.field) }) },
  )

  const files = (ref, more = {}) => ({
    volumes: [{ name: 'v', emptyDir: {} }],
    ...init({ env: [{ name: 'A', valueFrom: { fileKeyRef: ref } }], ...more }),
  })
  await t.post(dry, pod('x', files({ volumeName: 'v', path: 'a/b', key: 'K', optional: true })), part('initContainers'))
  await t.post(dry, pod('x', files({ volumeName: 'v', path: '/a', key: 'K' })))
  await t.post(dry, pod('x', files({ volumeName: 'v', path: 'a', key: '1 2' })))
  await t.post(
    dry,
    pod('x', {
      containers: [
        container({
          env: [{ name: 'A', value: 'b', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'a', key: 'K' } } }],
        }),
      ],
    }),
  )
  await t.post(dry, pod('x', { hostnameOverride: `${'a'.repeat(60)}.b` }), part('hostnameOverride'))
  await t.post(dry, pod('x', { hostnameOverride: 'a'.repeat(65) }))
  await t.post(dry, pod('x', { hostnameOverride: '' }), part('hostnameOverride'))
  const image = (more, mount) => ({
    volumes: [{ name: 'v', image: { reference: 'r', ...more } }],
    containers: [container({ volumeMounts: [{ name: 'v', mountPath: '/m', ...mount }] })],
  })
  await t.post(dry, pod('x', image({}, { subPath: 's' })), { pick: (b) => b.spec?.volumes ?? b })
  await t.post(dry, pod('x', image({ pullPolicy: 'Odd' })))
  await t.post(dry, pod('x', image({ reference: '' })), { pick: (b) => b.spec?.volumes ?? b })

  // gates that are off
  await t.post(dry, pod('x', { tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] }))
  await t.post(dry, pod('x', { tolerations: [{ key: 'k', operator: 'Odd', value: '5' }] }))
  await t.post(dry, pod('x', { workloadRef: { name: 'w', podGroup: 'g' } }), part('workloadRef'))
  await t.post(dry, pod('x', { workloadRef: { name: 'Bad_' } }), {
    pick: (b) => b.spec?.workloadRef ?? b.message ?? '',
  })
  await t.post(dry, pod('x', { hostUsers: false, hostNetwork: true }))
  await t.post(
    dry,
    pod('x', {
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              {
                podCertificate: {
                  signerName: 'example.com/s',
                  keyType: 'ED25519',
                  credentialBundlePath: 'b.pem',
                  userAnnotations: { plain: 'x' },
                },
              },
            ],
          },
        },
      ],
    }),
    part('volumes'),
  )

  // what a resize may change
  const sized = (cpu) => ({ requests: { cpu }, limits: { cpu: '2', memory: '1Gi' } })
  await t.post(pods, pod('whole', { resources: sized('1') }), part('resources'))
  await t.mergePatch(`${pods}/whole/resize`, { spec: { resources: { requests: { cpu: '500m' } } } })
  await t.strategicPatch(`${pods}/whole/resize`, {
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
  })
  await t.post(pods, pod('parts', { containers: [container({ resources: sized('1') })] }), specOf)
  await t.strategicPatch(
    `${pods}/parts/resize`,
    { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '500m' }, limits: { memory: '512Mi' } } }] } },
    specOf,
  )
  await t.mergePatch(`${pods}/parts/resize`, { spec: { resources: { limits: { cpu: '3' } } } })
  await t.mergePatch(
    `${pods}/parts/status`,
    { status: { resources: { limits: { cpu: '3' } }, allocatedResources: { cpu: '1' } } },
    { pick: (b) => ({ resources: b.status?.resources, allocated: b.status?.allocatedResources, message: b.message }) },
  )

  // what may follow on a container that ended
  const ended = (name, exitCode) => ({
    name,
    image: 'i',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode } },
  })
  const running = (name) => ({ name, image: 'i', imageID: '', ready: true, restartCount: 1, state: { running: {} } })
  const states = {
    pick: (b) =>
      b.status?.containerStatuses?.map((s) => Object.keys(s.state)) ??
      b.status?.initContainerStatuses?.map((s) => Object.keys(s.state)) ??
      b,
  }
  const statusOf = (name, status) => t.mergePatch(`${pods}/${name}/status`, { status }, states)
  await t.post(
    pods,
    pod('ends', { restartPolicy: 'Never', ...rules([onExit('In', [42])], { restartPolicy: 'Never' }) }),
    specOf,
  )
  await statusOf('ends', { containerStatuses: [ended('c', 42)] })
  await statusOf('ends', { containerStatuses: [running('c')] })
  await statusOf('ends', { containerStatuses: [ended('c', 1)] })
  await statusOf('ends', { containerStatuses: [running('c')] })
  await t.post(
    pods,
    pod('begins', {
      restartPolicy: 'Never',
      ...init({ restartPolicy: 'Never', restartPolicyRules: [onExit('In', [42])] }),
    }),
    part('initContainers'),
  )
  await statusOf('begins', { initContainerStatuses: [ended('i', 42)] })
  await statusOf('begins', { initContainerStatuses: [running('i')] })
  await statusOf('begins', { initContainerStatuses: [ended('i', 7)] })
  await statusOf('begins', { initContainerStatuses: [running('i')] })

  const claims = (names) => ({
    status: {
      extendedResourceClaimStatus: {
        resourceClaimName: 'r',
        requestMappings: names.map((requestName) => ({
          containerName: 'c',
          resourceName: 'example.com/gpu',
          requestName,
        })),
      },
    },
  })
  await t.mergePatch(`${pods}/ends/status`, claims(['a', 'b']), {
    pick: (b) => b.status?.extendedResourceClaimStatus ?? b.message ?? null,
  })
  await t.mergePatch(`${pods}/ends/status`, claims(['a', 'a']), {
    pick: (b) => b.status?.extendedResourceClaimStatus ?? b.message ?? null,
  })

  // a pod that is bound forgets where it was expected
  await t.post(pods, pod('bound'), { pick: (b) => b.kind })
  await t.mergePatch(
    `${pods}/bound/status`,
    { status: { nominatedNodeName: 'n1' } },
    { pick: (b) => b.status?.nominatedNodeName ?? null },
  )
  await t.post(`${pods}/bound/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'bound' },
    target: { kind: 'Node', name: 'n2' },
  })
  await t.get(`${pods}/bound`, {
    pick: (b) => ({ node: b.spec?.nodeName, nominated: b.status?.nominatedNodeName ?? null }),
  })
  await t.get(pods, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    pick: (b) => b.rows?.map(({ cells }) => cells.slice(0, 3)),
  })
}
