import type { JsonMap } from '../../differential/json.ts'
import type { Scenario } from '../scenario.ts'
import { container, hasCondition, hasStatus, object, pod } from './building.ts'

const group = 'resource.k8s.io/v1beta1'
const driver = 'gpu.example.com'
const requests = [{ name: 'gpu', deviceClassName: '<ns>-gpu' }]
const asking = { devices: { requests } }
const with1 = (claim: JsonMap): JsonMap => ({
  containers: [container({ resources: { claims: [{ name: 'gpu' }] } })],
  resourceClaims: [{ name: 'gpu', ...claim }],
})

export const deviceScenarios: readonly Scenario[] = [
  {
    name: 'resource-claims',
    steps: [
      {
        apply: [
          object(group, 'DeviceClass', '<ns>-gpu', {
            spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
          }),
          object(group, 'ResourceSlice', '<ns>-slice', {
            spec: {
              driver,
              nodeName: 'node-1',
              pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
              devices: [
                { name: 'gpu-0', basic: {} },
                { name: 'gpu-1', basic: {} },
              ],
            },
          }),
          object(group, 'ResourceClaim', 'shared', { spec: asking }),
          object(group, 'ResourceClaimTemplate', 'own', { spec: { spec: asking } }),
          pod('first', with1({ resourceClaimName: 'shared' })),
        ],
      },
      hasStatus('v1/pods/first', { phase: 'Running' }),
      {
        apply: [
          pod('second', with1({ resourceClaimName: 'shared' })),
          pod('third', with1({ resourceClaimTemplateName: 'own' })),
        ],
      },
      hasStatus('v1/pods/second', { phase: 'Running' }),
      hasStatus('v1/pods/third', { phase: 'Running' }),
      {
        apply: [
          pod('fourth', with1({ resourceClaimTemplateName: 'own' })),
          pod('fifth', with1({ resourceClaimName: 'none' })),
        ],
      },
      hasCondition('v1/pods/fourth', 'PodScheduled', 'False'),
      { remove: 'v1/pods/third' },
      hasStatus('v1/pods/fourth', { phase: 'Running' }),
      { remove: 'v1/pods/first' },
      { remove: 'v1/pods/second' },
      { until: `${group}/resourceclaims/shared`, has: { status: { allocation: null } } },
    ],
  },
]
