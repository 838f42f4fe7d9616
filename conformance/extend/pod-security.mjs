// Pod Security levels from namespace labels: enforce, warn, exact messages, workloads, updates, and bad labels.
import { settle } from '../support/picks.mjs'

export default async (t) => {
  const label = (k, v) => ({ [`pod-security.kubernetes.io/${k}`]: v })
  const ns = await t.namespace()
  const set = async (labels) =>
    t.mergePatch(
      `/api/v1/namespaces/${ns}`,
      {
        metadata: {
          labels: {
            ...Object.fromEntries(
              ['enforce', 'warn', 'audit', 'enforce-version', 'warn-version'].map((k) => [
                `pod-security.kubernetes.io/${k}`,
                null,
              ]),
            ),
            ...labels,
          },
        },
      },
      { pick: (b) => (b.kind === 'Status' ? b : b.metadata.labels) },
    )
  const pods = `/api/v1/namespaces/${ns}/pods`
  const pod = (name, spec = {}, container = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'x', ...container }], ...spec },
  })
  const pick = (b) => (b.kind === 'Status' ? b : { kind: b.kind, name: b.metadata.name })
  const safe = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  }
  const denied = () =>
    settle(
      t,
      async () =>
        (await t.post(`${pods}?dryRun=All`, pod('probe', { hostNetwork: true }), { quiet: true })).status === 403,
    )

  await t.post(pods, pod('before', { hostNetwork: true }), { pick })
  await set(label('enforce', 'baseline'))
  await denied()
  await t.post(pods, pod('fine'), { pick })
  await t.post(pods, pod('host', { hostNetwork: true, hostPID: true, hostIPC: true }), { pick })
  await t.post(
    pods,
    pod('privileged', {}, { securityContext: { privileged: true, capabilities: { add: ['NET_ADMIN', 'CHOWN'] } } }),
    { pick },
  )
  await t.post(pods, pod('volume', { volumes: [{ name: 'v', hostPath: { path: '/' } }] }), { pick })
  await t.post(pods, pod('port', {}, { ports: [{ containerPort: 80, hostPort: 80 }] }), { pick })
  await t.mergePatch(`${pods}/before`, { metadata: { labels: { still: 'allowed' } } }, { pick })

  await set({ ...label('enforce', 'restricted'), ...label('enforce-version', 'v1.33') })
  await settle(t, async () => (await t.post(`${pods}?dryRun=All`, pod('probe'), { quiet: true })).status === 403)
  await t.post(pods, pod('plain'), { pick })
  await t.post(pods, pod('almost', {}, { securityContext: { ...safe, runAsUser: 0 } }), { pick })
  await t.post(pods, pod('good', {}, { securityContext: safe }), { pick })

  await set(label('warn', 'restricted'))
  await settle(t, async () => (await t.post(`${pods}?dryRun=All`, pod('probe'), { quiet: true })).headers.warning)
  await t.post(pods, pod('warned'), { pick })
  const template = { metadata: { labels: { a: 'b' } }, spec: pod('x').spec }
  await t.post(
    `/apis/apps/v1/namespaces/${ns}/deployments`,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    },
    { pick },
  )
  await set({ ...label('enforce', 'strict'), ...label('warn-version', 'v1.x') })
  // Tightening a namespace warns of the pods that are already there.
  await set(label('enforce', 'baseline'))
}
