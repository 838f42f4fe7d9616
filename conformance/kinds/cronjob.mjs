// CronJob: defaults, table, generation, status, schedules and time zones, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}
// managedFields come in the order of the second they were written in; sorted here by writer, so that the clock does not matter
const byWriter = (t) => {
  const key = (m) => [m.operation, m.manager, m.subresource, m.apiVersion].join()
  const sort = (o) => {
    o?.metadata?.managedFields?.sort?.((a, b) => (key(a) < key(b) ? -1 : 1))
    for (const r of o?.rows ?? []) sort(r.object)
    return o
  }
  const request = t.request.bind(t)
  t.request = (method, url, opts = {}) =>
    request(method, url, { ...opts, pick: (b) => sort(opts.pick ? opts.pick(b) : b) })
}

export default async (t) => {
  byWriter(t)
  const ns = await t.namespace()
  const url = `/apis/batch/v1/namespaces/${ns}/cronjobs`
  const jobTemplate = {
    spec: { template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c', image: 'busybox:1' }] } } },
  }
  const cron = (name, spec) => ({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name }, spec })
  await t.post(url, cron('a', { schedule: '*/5 * * * *', jobTemplate }))
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    cron('b', {
      schedule: '@hourly',
      timeZone: 'Europe/Paris',
      suspend: true,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 10,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 0,
      jobTemplate,
    }),
  )
  await t.get(`${url}/b`, asTable)
  await t.mergePatch(`${url}/a`, {
    metadata: { labels: { x: 'y' } },
    status: { lastScheduleTime: '2024-01-01T00:00:00Z' },
  })
  await t.mergePatch(`${url}/a`, { spec: { schedule: '0 0 * * 0', suspend: true } })
  await t.mergePatch(`${url}/a`, {
    spec: { jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never' } } } } },
  })
  await t.mergePatch(`${url}/a/status`, {
    spec: { suspend: false },
    status: { active: [{ apiVersion: 'batch/v1', kind: 'Job', namespace: ns, name: 'j' }] },
  })
  await t.get(`${url}/a`, asTable)
  await t.put(`${url}/a`, cron('a', { schedule: '1 1 1 1 1', jobTemplate }))
  await t.put(`${url}/missing`, cron('missing', { schedule: '1 1 1 1 1', jobTemplate }))
  await t.post(url, cron('bad', {}))
  await t.post(
    url,
    cron('bad', {
      schedule: 'whenever',
      jobTemplate,
      concurrencyPolicy: 'Queue',
      startingDeadlineSeconds: -1,
      successfulJobsHistoryLimit: -1,
      failedJobsHistoryLimit: -1,
    }),
  )
  await t.post(url, cron('bad', { schedule: '61 * * * *', timeZone: 'Mars/Base', jobTemplate }))
  await t.post(url, cron('bad', { schedule: 'TZ=UTC 0 * * * *', timeZone: 'UTC', jobTemplate }))
  await t.post(url, cron('bad', { schedule: 'TZ=UTC 0 * * * *', jobTemplate }))
  await t.post(
    url,
    cron('this-name-is-longer-than-the-fifty-two-characters-allowed', { schedule: '@daily', jobTemplate }),
  )
  await t.post(
    url,
    cron('bad', {
      schedule: '@daily',
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Always', containers: [{ name: 'c', image: 'busybox' }] } } },
      },
    }),
  )
  await t.post(url, cron('bad', { schedule: 5, jobTemplate }))
  await t.delete(`${url}/a`)
}
