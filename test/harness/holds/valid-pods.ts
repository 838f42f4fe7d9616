/** Pods that are taken, each with one long list: what comes after validation (warnings, plugins, quotas, the store) sees them, too. */
import type { JsonObject } from '../../../src/api/json.ts'
import { many, mapOf } from './scenario.ts'
import { type WorstRequest, worst } from './worst-requests.ts'

const path = '/api/v1/namespaces/default/pods?dryRun=All'
const container = (fields: JsonObject = {}): JsonObject => ({ name: 'c', image: 'i', ...fields })
const files = (n: number): JsonObject[] => many(n, (i) => ({ key: `k${i}`, path: `d${i % 50}/f${i}` }))
const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: 'v', ...source }] })
const selector = { matchLabels: { a: 'b' } }
const term = { labelSelector: selector, topologyKey: 'kubernetes.io/hostname' }
const expressions = (n: number): JsonObject[] => many(n, (i) => ({ key: `k${i}`, operator: 'Exists' }))

const specs: Readonly<Record<string, (n: number) => JsonObject>> = {
  containers: (n) => ({ containers: many(n, (i) => container({ name: `c${i}` })) }),
  'init containers': (n) => ({ initContainers: many(n, (i) => container({ name: `i${i}` })) }),
  'files of a config map': (n) => volume({ configMap: { name: 'm', items: files(n) } }),
  'files of a secret': (n) => volume({ secret: { secretName: 's', items: files(n) } }),
  'projected files': (n) => volume({ projected: { sources: [{ configMap: { name: 'm', items: files(n) } }] } }),
  'projected sources': (n) => volume({ projected: { sources: many(n, () => ({ secret: { name: 's' } })) } }),
  volumes: (n) => ({ volumes: many(n, (i) => ({ name: `v${i}`, emptyDir: {} })) }),
  'volumes of config maps': (n) => ({ volumes: many(n, (i) => ({ name: `v${i}`, configMap: { name: 'm' } })) }),
  mounts: (n) => ({
    ...volume({ emptyDir: {} }),
    containers: [container({ volumeMounts: many(n, (i) => ({ name: 'v', mountPath: `/m${i}` })) })],
  }),
  'host aliases': (n) => ({ hostAliases: many(n, (i) => ({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` })) }),
  'host names of an alias': (n) => ({ hostAliases: [{ ip: '10.0.0.1', hostnames: many(n, (i) => `h${i}`) }] }),
  'pull secrets': (n) => ({ imagePullSecrets: many(n, (i) => ({ name: `s${i}` })) }),
  'node selector': (n) => ({ nodeSelector: mapOf(n, (i) => `k${i}`, 'v') }),
  tolerations: (n) => ({ tolerations: many(n, (i) => ({ key: `k${i}`, operator: 'Exists' })) }),
  'spread constraints': (n) => ({
    topologySpreadConstraints: many(n, (i) => ({
      topologyKey: `k${i}`,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: selector,
    })),
  }),
  'pod affinity': (n) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: many(n, () => term) } },
  }),
  'node affinity': (n) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions(n) }] },
      },
    },
  }),
  'preferred node affinity': (n) => ({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: many(n, (i) => ({
          weight: 1,
          preference: { matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] },
        })),
      },
    },
  }),
  'scheduling gates': (n) => ({ schedulingGates: many(n, (i) => ({ name: `g${i}` })) }),
  'readiness gates': (n) => ({ readinessGates: many(n, (i) => ({ conditionType: `a.b/c${i}` })) }),
  'system controls': (n) => ({ securityContext: { sysctls: many(n, (i) => ({ name: `kernel.k${i}`, value: '1' })) } }),
  'supplemental groups': (n) => ({ securityContext: { supplementalGroups: many(n, (i) => i) } }),
  'sources of variables': (n) => ({
    containers: [container({ envFrom: many(n, (i) => ({ configMapRef: { name: `m${i}` } })) })],
  }),
  'variables of config maps': (n) => ({
    containers: [
      container({
        env: many(n, (i) => ({ name: `E${i}`, valueFrom: { configMapKeyRef: { name: 'm', key: `k${i}` } } })),
      }),
    ],
  }),
  arguments: (n) => ({ containers: [container({ args: many(n, (i) => `a${i}`) })] }),
  limits: (n) => ({ containers: [container({ resources: { limits: mapOf(n, (i) => `a.b/r${i}`, '1') } })] }),
  capabilities: (n) => ({
    containers: [container({ securityContext: { capabilities: { add: many(n, (i) => `C${i}`) } } })],
  }),
  'resource claims': (n) => ({ resourceClaims: many(n, (i) => ({ name: `c${i}`, resourceClaimName: 'r' })) }),
}

export const validPods: readonly WorstRequest[] = Object.entries(specs).map(([name, spec]) =>
  worst(`a pod that is taken, ${name}`, (n) => ({
    path,
    body: { metadata: { name: 'large' }, spec: { containers: [container()], ...spec(n) } },
  })),
)
