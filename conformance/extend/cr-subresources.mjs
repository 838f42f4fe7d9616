// The status and scale subresources of a custom resource: what each writes, generation, and what is refused.
import { crd, install } from '../support/definitions.mjs'
import { stable } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'sub.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'apps',
      kind: 'App',
      schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { replicas: { type: 'integer', minimum: 0, maximum: 5 }, image: { type: 'string' } },
          },
          status: {
            type: 'object',
            properties: {
              replicas: { type: 'integer' },
              selector: { type: 'string' },
              phase: { type: 'string', enum: ['Up', 'Down'] },
            },
          },
        },
      },
      version: {
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
      },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/apps`
  const app = {
    apiVersion: `${group}/v1`,
    kind: 'App',
    metadata: { name: 'a' },
    spec: { replicas: 1, image: 'x' },
    status: { phase: 'Up', replicas: 9 },
  }
  const pick = stable

  // A create ignores the status; the main endpoint never changes it.
  const made = await t.post(url, app, { pick })
  await t.get(`${url}/a/status`, { pick })
  const up = await t.put(
    `${url}/a/status`,
    {
      ...made.body,
      spec: { replicas: 4 },
      metadata: { ...made.body.metadata, labels: { ignored: 'yes' } },
      status: { phase: 'Up', replicas: 1, selector: 'app=a' },
    },
    { pick },
  )
  await t.mergePatch(`${url}/a`, { spec: { image: 'y' }, status: { phase: 'Down' } }, { pick })
  await t.mergePatch(`${url}/a/status`, { status: { phase: 'Sideways' } })
  await t.mergePatch(`${url}/a/status`, { status: { phase: 'Down' } }, { pick })
  await t.put(`${url}/a/status`, { ...up.body, status: {} })
  await t.apply(`${url}/a/status`, { apiVersion: `${group}/v1`, kind: 'App', status: { phase: 'Up' } }, 'ext-status', {
    force: true,
    pick,
  })
  await t.post(`${url}/a/status`, app)
  await t.delete(`${url}/a/status`)

  // Scale.
  const scale = await t.get(`${url}/a/scale`)
  await t.put(`${url}/a/scale`, { ...scale.body, spec: { replicas: 3 } })
  await t.get(`${url}/a`, { pick })
  await t.mergePatch(`${url}/a/scale`, { spec: { replicas: 0 } })
  await t.put(`${url}/a/scale`, { ...scale.body, spec: { replicas: 2 } })
  await t.put(`${url}/a/scale`, {
    ...scale.body,
    metadata: { ...scale.body.metadata, resourceVersion: undefined },
    spec: { replicas: -1 },
  })
  await t.put(`${url}/a/scale`, {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'a', namespace: ns },
    spec: { replicas: 50 },
  })
  await t.put(`${url}/a/scale`, { ...app, status: undefined })
  await t.mergePatch(`${url}/a`, { spec: { replicas: null } }, { quiet: true })
  await t.get(`${url}/a/scale`)
  await t.get(`${url}/none/scale`)
  await t.get(`${url}/a/logs`)
}
