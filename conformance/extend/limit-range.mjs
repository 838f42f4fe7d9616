// LimitRange: its defaults in pods, the maxima, minima and ratios it enforces, on containers, pods and claims, and objects that are refused.
import { settle, unordered } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const ranges = `/api/v1/namespaces/${ns}/limitranges`
  const pods = `/api/v1/namespaces/${ns}/pods`
  const range = (limits, name = 'r') => ({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name }, spec: { limits } })
  const pod = (name, ...containers) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      containers: containers.map((resources, i) => ({
        name: `c${i}`,
        image: 'x',
        ...(resources ? { resources } : {}),
      })),
    },
  })
  const pick = (b) =>
    b.kind === 'Pod'
      ? {
          annotations: b.metadata.annotations,
          resources: b.spec.containers.map((c) => c.resources),
          qos: b.status.qosClass,
        }
      : b

  await t.post(
    ranges,
    range([
      {
        type: 'Container',
        default: { cpu: '200m', memory: '200Mi' },
        defaultRequest: { cpu: '100m' },
        max: { cpu: '1', memory: '1Gi' },
        min: { cpu: '50m' },
        maxLimitRequestRatio: { cpu: '4' },
      },
      { type: 'Pod', max: { cpu: '1500m', memory: '1500Mi' } },
      { type: 'PersistentVolumeClaim', max: { storage: '2Gi' }, min: { storage: '1Gi' } },
    ]),
  )
  await settle(
    t,
    async () =>
      (await t.post(`${pods}?dryRun=All`, pod('probe', null), { quiet: true })).body.spec?.containers[0].resources
        .limits,
  )

  await t.post(pods, pod('plain', null), { pick })
  await t.post(pods, pod('two', { requests: { cpu: '150m' } }, { limits: { memory: '50Mi' } }), { pick })
  await t.post(pods, pod('max', { limits: { cpu: '1200m' } }), { pick })
  await t.post(pods, pod('max', { requests: { cpu: '600m' }, limits: { cpu: '1', memory: '1200Mi' } }), { pick })
  await t.post(pods, pod('min', { requests: { cpu: '10m' }, limits: { cpu: '20m' } }), { pick })
  await t.post(pods, pod('ratio', { requests: { cpu: '100m' }, limits: { cpu: '900m' } }), { pick })
  await t.post(pods, pod('sum', { limits: { cpu: '1' } }, { limits: { cpu: '1' } }), { pick })
  await t.post(pods, pod('below', { requests: { memory: '300Mi' } }), { pick })
  const claim = (name, storage) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  })
  await t.post(`/api/v1/namespaces/${ns}/persistentvolumeclaims`, claim('big', '3Gi'))
  await t.post(`/api/v1/namespaces/${ns}/persistentvolumeclaims`, claim('small', '1Mi'))

  // Refused objects.
  await t.post(
    ranges,
    range(
      [
        {
          type: 'Container',
          max: { cpu: '1' },
          min: { cpu: '2' },
          default: { cpu: '3' },
          defaultRequest: { cpu: '4' },
        },
      ],
      'bad',
    ),
    { pick: unordered },
  )
  await t.post(
    ranges,
    range([{ type: 'Container', max: { 'not a resource': '1' } }, { type: 'Container' }, { type: 'Odd' }], 'bad'),
    { pick: unordered },
  )
  await t.post(
    ranges,
    range(
      [
        { type: 'Pod', default: { cpu: '1' }, maxLimitRequestRatio: { cpu: '500m' } },
        { type: 'PersistentVolumeClaim' },
      ],
      'bad',
    ),
    { pick: unordered },
  )
  await t.post(ranges, range([{ type: 'Container', max: { cpu: 'lots' } }], 'bad'))
  await t.get(`${ranges}/r`, { pick: (b) => b.spec })
  await t.delete(`${ranges}/r`)
  await settle(
    t,
    async () =>
      !(await t.post(`${pods}?dryRun=All`, pod('probe', null), { quiet: true })).body.spec?.containers[0].resources
        .limits,
  )
  await t.post(pods, pod('free', null), { pick })
}
