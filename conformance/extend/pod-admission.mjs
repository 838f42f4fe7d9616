// What admission does to a pod besides: priority classes, runtime classes, default tolerations, and what it refuses.
import { settle, stable } from '../support/picks.mjs'

const PCS = '/apis/scheduling.k8s.io/v1/priorityclasses'
const RCS = '/apis/node.k8s.io/v1/runtimeclasses'

export default async (t) => {
  const ns = await t.namespace()
  await t.clear(`${PCS}/ext-high`)
  await t.clear(`${RCS}/ext-fast`)
  const pods = `/api/v1/namespaces/${ns}/pods`
  const pod = (name, spec = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'x' }], ...spec },
  })
  const pick = (b) =>
    b.kind === 'Pod'
      ? {
          priority: b.spec.priority,
          className: b.spec.priorityClassName,
          preemptionPolicy: b.spec.preemptionPolicy,
          overhead: b.spec.overhead,
          nodeSelector: b.spec.nodeSelector,
          tolerations: b.spec.tolerations,
          runtime: b.spec.runtimeClassName,
        }
      : b
  const priority = (name, more) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    ...more,
  })

  await t.post(PCS, priority('ext-high', { value: 1000, description: 'high', preemptionPolicy: 'Never' }), {
    pick: stable,
  })
  await t.post(
    RCS,
    {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'ext-fast' },
      handler: 'fast',
      overhead: { podFixed: { cpu: '10m' } },
      scheduling: { nodeSelector: { speed: 'high' }, tolerations: [{ key: 'fast', operator: 'Exists' }] },
    },
    { pick: stable },
  )
  await settle(
    t,
    async () =>
      (
        await t.post(
          `${pods}?dryRun=All`,
          pod('probe', { priorityClassName: 'ext-high', runtimeClassName: 'ext-fast' }),
          { quiet: true },
        )
      ).status === 201,
  )
  await t.post(pods, pod('plain'), { pick })
  await t.post(pods, pod('high', { priorityClassName: 'ext-high' }), { pick })
  await t.post(pods, pod('none', { priorityClassName: 'ext-none' }), { pick })
  await t.post(pods, pod('number', { priority: 5 }), { pick })
  await t.post(pods, pod('other-number', { priorityClassName: 'ext-high', priority: 5 }), { pick })
  await t.post(pods, pod('other-policy', { priorityClassName: 'ext-high', preemptionPolicy: 'PreemptLowerPriority' }), {
    pick,
  })
  await t.post(pods, pod('system', { priorityClassName: 'system-node-critical' }), { pick })
  await t.post(pods, pod('fast', { runtimeClassName: 'ext-fast', nodeSelector: { a: 'b' } }), { pick })
  await t.post(pods, pod('conflict', { runtimeClassName: 'ext-fast', nodeSelector: { speed: 'low' } }), { pick })
  await t.post(pods, pod('overhead', { runtimeClassName: 'ext-fast', overhead: { cpu: '1' } }), { pick })
  await t.post(pods, pod('runtime', { runtimeClassName: 'ext-none' }), { pick })
  await t.post(
    pods,
    pod('tolerant', {
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 },
      ],
    }),
    { pick },
  )

  // Priority classes that are refused.
  await t.post(PCS, priority('ext-too-high', { value: 1000000001 }))
  await t.post(PCS, priority('system-ext', { value: 1 }))
  await t.post(PCS, priority('ext-odd', { value: 1, preemptionPolicy: 'Sometimes' }))
  await t.post(PCS, priority('ext-odd', { value: 'high' }))
  await t.mergePatch(`${PCS}/ext-high`, { value: 2000, preemptionPolicy: 'PreemptLowerPriority' })
  await t.get(`${PCS}/system-cluster-critical`, {
    pick: (b) => ({
      value: b.value,
      description: b.description,
      globalDefault: b.globalDefault,
      preemptionPolicy: b.preemptionPolicy,
      annotations: b.metadata.annotations,
    }),
  })
  await t.delete(`${PCS}/system-cluster-critical?dryRun=All`, undefined, {
    pick: (b) => ({ kind: b.kind, status: b.status, message: b.message }),
  })
}
