// API versions that earlier releases removed (1.25 to 1.32) are not served, alone or in discovery, and their successors are.
export default async (t) => {
  const removed = [
    'flowcontrol.apiserver.k8s.io/v1beta3',
    'flowcontrol.apiserver.k8s.io/v1beta2',
    'flowcontrol.apiserver.k8s.io/v1beta1',
    'storage.k8s.io/v1beta1',
    'autoscaling/v2beta2',
    'autoscaling/v2beta1',
    'batch/v1beta1',
    'discovery.k8s.io/v1beta1',
    'events.k8s.io/v1beta1',
    'policy/v1beta1',
    'node.k8s.io/v1beta1',
  ]
  for (const version of removed) await t.get(`/apis/${version}`)
  const successors = {
    'flowcontrol.apiserver.k8s.io/v1': ['flowschemas', 'prioritylevelconfigurations'],
    'storage.k8s.io/v1': ['csistoragecapacities'],
    'autoscaling/v2': ['horizontalpodautoscalers'],
    'batch/v1': ['cronjobs'],
    'discovery.k8s.io/v1': ['endpointslices'],
    'events.k8s.io/v1': ['events'],
    'policy/v1': ['poddisruptionbudgets', 'podsecuritypolicies'],
    'node.k8s.io/v1': ['runtimeclasses'],
  }
  for (const [version, names] of Object.entries(successors)) {
    const { body } = await t.get(`/apis/${version}`, { quiet: true })
    t.note(
      version,
      names.map((n) => `${n}: ${body.resources?.find((r) => r.name === n)?.kind ?? 'not served'}`),
    )
  }
  const ns = await t.namespace()
  // A body of a removed version is refused at the new address, and the old address takes nothing.
  const cronjob = (apiVersion) => ({
    apiVersion,
    kind: 'CronJob',
    metadata: { name: 'c' },
    spec: {
      schedule: '0 * * * *',
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
    },
  })
  await t.post(`/apis/batch/v1/namespaces/${ns}/cronjobs?dryRun=All`, cronjob('batch/v1beta1'))
  await t.post(`/apis/batch/v1beta1/namespaces/${ns}/cronjobs?dryRun=All`, cronjob('batch/v1beta1'))
  await t.get(`/apis/policy/v1beta1/namespaces/${ns}/poddisruptionbudgets`)
  await t.get('/apis/policy/v1beta1/podsecuritypolicies')
}
