// What is behind gates of v1.36 that are off: lists of attributes, node resources of devices and of pods, images of volumes.
const causes = (b) => b.details?.causes?.map(({ field, message }) => `${field} ${message}`)

export default async (t) => {
  const ns = await t.namespace()
  const slice = (device, pick = causes) =>
    t.post(
      '/apis/resource.k8s.io/v1/resourceslices?dryRun=All',
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: 'v136-slice' },
        spec: {
          driver: 'd.example.com',
          nodeName: 'n',
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'd', ...device }],
        },
      },
      { pick },
    )
  const long = 'x'.repeat(65)
  await slice({ attributes: { a: { strings: ['x', 'y'] } } }, (b) => b.spec.devices)
  await slice({ attributes: { a: { bools: [true] } } }, (b) => b.spec.devices)
  for (const list of [{ bools: [] }, { ints: [] }, { strings: [] }, { versions: [] }])
    await slice({ attributes: { a: list } })
  await slice({ attributes: { a: { strings: ['x', long] } } })
  await slice({ attributes: { a: { versions: ['1.2.3', 'one'] } } })
  await slice({ attributes: { a: { ints: [1], strings: ['x'] } } })
  await slice({ attributes: { a: { int: 1, ints: [1] } } })
  await slice({ attributes: { a: { ints: Array.from({ length: 49 }, (_, i) => i) } } })
  const mapped = (mapping, name = 'cpu') => ({
    capacity: { cores: { value: '4' } },
    nodeAllocatableResourceMappings: { [name]: mapping },
  })
  await slice(mapped({ capacityKey: 'cores' }), (b) => b.spec.devices)
  await slice(mapped({ allocationMultiplier: '2' }), (b) => b.spec.devices)
  await slice(mapped({}))
  await slice(mapped({ capacityKey: '' }))
  await slice(mapped({ capacityKey: 'other' }))
  await slice(mapped({ allocationMultiplier: '0' }))
  await slice(mapped({ allocationMultiplier: '-1' }))
  await slice(mapped({ capacityKey: 'cores' }, 'example.com/cores'))

  const pods = `/api/v1/namespaces/${ns}/pods`
  const container = { name: 'c', image: 'i' }
  const spec = { containers: [container], resourceClaims: [{ name: 'r', resourceClaimName: 'claim' }] }
  await t.post(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec }, { quiet: true })
  const report = (status, pick = causes) => t.mergePatch(`${pods}/p/status?dryRun=All`, { status }, { pick })
  const takes = (one, pick) => report({ nodeAllocatableResourceClaimStatuses: [one] }, pick)
  const good = { resourceClaimName: 'claim', containers: ['c'], resources: { cpu: '1' } }
  await takes(good, (b) => b.status)
  await takes({})
  await takes({ ...good, resourceClaimName: 'other' })
  await takes({ ...good, containers: [] })
  await takes({ ...good, resources: {} })
  await takes({ ...good, resources: { 'example.com/x': '1' } })
  await takes({ ...good, resources: { memory: '-1' } })
  const mounts = (image) => ({
    containerStatuses: [
      {
        ...container,
        imageID: '',
        ready: true,
        restartCount: 0,
        volumeMounts: [{ name: 'v', mountPath: '/v', volumeStatus: { image } }],
      },
    ],
  })
  await report(mounts({ imageRef: 'example.com/i@sha256:1' }), (b) => b.status.containerStatuses)
  await report(mounts({ imageRef: '' }))
  await report(mounts({ imageRef: 'i'.repeat(257) }))
  await t.delete(`${pods}/p?gracePeriodSeconds=0`, { quiet: true })
}
