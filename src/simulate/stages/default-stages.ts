/**
 * Sets of stages of our own writing, by the names that KWOK's sets have: a life in one step, a life in several with delays, and
 * failures that labels ask for. Delays and weights can be set for each object by its annotations, as there.
 */
import type { JsonObject } from '../../api/json.ts'
import type { StageSet } from '../../config/simulate-options.ts'
import { type Stage, type StageRequirement, stageGroup } from './stage.ts'

const exists = (key: string): StageRequirement => ({ key, operator: 'Exists' })
const absent = (key: string): StageRequirement => ({ key, operator: 'DoesNotExist' })
const among = (key: string, ...values: string[]): StageRequirement => ({ key, operator: 'In', values })
const notAmong = (key: string, ...values: string[]): StageRequirement => ({ key, operator: 'NotIn', values })

interface StageFacts {
  readonly kind: 'Pod' | 'Node'
  readonly when: readonly StageRequirement[]
  readonly labels?: Readonly<Record<string, string>>
  /** Least and most, in milliseconds. */
  readonly delay?: readonly [number, number]
  readonly weight?: number
  readonly status?: string
  readonly event?: { type: string; reason: string; message: string }
  readonly deletes?: boolean
  readonly immediate?: boolean
}

/** Annotations `NAME.stage.kwok.x-k8s.io/delay`, `/jitter-delay` and `/weight` override what stands here. */
function stage(name: string, facts: StageFacts): Stage {
  const { kind, when, labels, delay, weight, status, event, deletes, immediate } = facts
  const annotation = (what: string) => ({
    expressionFrom: `.metadata.annotations["${name}.stage.${stageGroup}/${what}"]`,
  })
  const waits: JsonObject =
    delay === undefined
      ? {}
      : {
          delay: {
            durationMilliseconds: delay[0],
            durationFrom: annotation('delay'),
            jitterDurationMilliseconds: delay[1],
            jitterDurationFrom: annotation('jitter-delay'),
          },
        }
  return {
    apiVersion: `${stageGroup}/v1alpha1`,
    kind: 'Stage',
    metadata: { name },
    spec: {
      resourceRef: { apiGroup: 'v1', kind },
      selector: { matchExpressions: [...when], ...(labels === undefined ? {} : { matchLabels: { ...labels } }) },
      ...(weight === undefined
        ? {}
        : { weight, weightFrom: { expressionFrom: `${annotation('weight').expressionFrom} // "${weight}"` } }),
      ...waits,
      ...(immediate === true ? { immediateNextStage: true } : {}),
      next: {
        ...(event === undefined ? {} : { event }),
        ...(deletes === true ? { delete: true } : {}),
        ...(status === undefined ? {} : { statusTemplate: status }),
      },
    },
  }
}

const phase = '.status.phase'
const ready = '.status.conditions.[] | select(.type == "Ready") | .status'
const owners = '.metadata.ownerReferences.[].kind'
const alive = absent('.metadata.deletionTimestamp')

const conditions = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([type, status]) => `- { type: ${type}, status: "${status}", lastTransitionTime: {{ $now | Quote }} }`)
    .join('\n')

const allReady = conditions({ Initialized: 'True', Ready: 'True', ContainersReady: 'True' })
const addresses = `
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) | Quote }}
startTime: {{ $now | Quote }}`

const initDone = `
{{ if .spec.initContainers }}
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: true
  restartCount: 0
{{ if eq .restartPolicy "Always" }}
  started: true
  state: { running: { startedAt: {{ $now | Quote }} } }
{{ else }}
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }
{{ end }}
{{ end }}
{{ end }}`

const containers = (ready: boolean, state: string): string => `
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: ${ready}
  restartCount: 0
  started: ${ready}
  state: ${state}
{{ end }}`

const runningState = '{ running: { startedAt: {{ $now | Quote }} } }'
const endedState = (code: string, reason: string): string =>
  `{ terminated: { exitCode: ${code}, reason: ${reason}, startedAt: {{ $started | Quote }}, finishedAt: {{ $now | Quote }} } }`

const running = `{{ $now := Now }}
phase: Running
conditions:
${allReady}
{{ range .spec.readinessGates }}
- { type: {{ .conditionType | Quote }}, status: "True", lastTransitionTime: {{ $now | Quote }} }
{{ end }}
${addresses}
${initDone}
${containers(true, runningState)}`

const created = `{{ $now := Now }}
phase: Pending
conditions:
${conditions({ Initialized: 'True', Ready: 'False', ContainersReady: 'False' })}
${addresses}
${containers(false, '{ waiting: { reason: ContainerCreating } }')}`

const completed = `{{ $now := Now }}{{ $started := or .status.startTime $now }}
phase: Succeeded
conditions:
${conditions({ Initialized: 'True', Ready: 'False', ContainersReady: 'False' })}
${containers(false, endedState('0', 'Completed'))}`

const chaosAnnotation = (name: string, what: string, otherwise: string): string =>
  `{{ ( or ( index ( or .metadata.annotations dict ) "${name}.stage.${stageGroup}/${what}" ) ${otherwise} ) }}`

const failed = (name: string): string => `{{ $now := Now }}{{ $started := or .status.startTime $now }}
{{ $code := ${chaosAnnotation(name, 'exit-code', '"1"').slice(2, -2)} }}
{{ $reason := ${chaosAnnotation(name, 'reason', '"Error"').slice(2, -2)} }}
phase: Failed
reason: {{ $reason | Quote }}
message: ${chaosAnnotation(name, 'message', '"a stage made it fail"').replace(' }}', ' | Quote }}')}
conditions:
${conditions({ Ready: 'False', ContainersReady: 'False' })}
${containers(false, endedState('{{ $code }}', '{{ $reason | Quote }}'))}`

const nodeStatus = `{{ $now := Now }}
phase: Running
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
addresses:
- { type: InternalIP, address: {{ NodeIP | Quote }} }
- { type: Hostname, address: {{ NodeName | Quote }} }
daemonEndpoints: { kubeletEndpoint: { Port: {{ NodePort }} } }
{{ with .status }}
{{ if not .capacity }}
capacity: { cpu: 1k, memory: 1Ti, pods: 1M }
{{ end }}
{{ if not .allocatable }}
allocatable: { cpu: 1k, memory: 1Ti, pods: 1M }
{{ end }}
{{ end }}
nodeInfo:
  kubeletVersion: {{ Version | Quote }}
  kubeProxyVersion: ""
  containerRuntimeVersion: simulated
  operatingSystem: linux
  architecture: amd64
  bootID: ""
  kernelVersion: ""
  machineID: ""
  osImage: ""
  systemUUID: ""`

const nodeNotReady = `{{ $now := Now }}
conditions:
- type: Ready
  status: "False"
  reason: ${chaosAnnotation('node-not-ready', 'reason', '"NodeNotReady"').replace(' }}', ' | Quote }}')}
  message: ${chaosAnnotation('node-not-ready', 'message', '"a stage made it so"').replace(' }}', ' | Quote }}')}
  lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ $now | Quote }}`

const chaosLabel = (name: string) => ({ [`${name}.stage.${stageGroup}`]: 'true' })
const chaosWeight = 10_000

export const stageSets: Readonly<Record<StageSet, readonly Stage[]>> = {
  'pod-fast': [
    stage('pod-ready', {
      kind: 'Pod',
      when: [alive, among(phase, 'Pending'), notAmong(ready, 'True')],
      status: running,
    }),
    stage('pod-complete', {
      kind: 'Pod',
      when: [alive, among(phase, 'Running'), among(owners, 'Job')],
      status: completed,
    }),
    stage('pod-delete', { kind: 'Pod', when: [exists('.metadata.deletionTimestamp')], deletes: true }),
  ],
  'pod-general': [
    stage('pod-create', {
      kind: 'Pod',
      when: [alive, absent('.status.podIP')],
      delay: [1000, 5000],
      weight: 1,
      status: created,
      event: { type: 'Normal', reason: 'Created', message: 'Created container' },
    }),
    stage('pod-ready', {
      kind: 'Pod',
      when: [alive, exists('.status.podIP'), among(phase, 'Pending')],
      delay: [1000, 5000],
      weight: 1,
      status: running,
    }),
    stage('pod-complete', {
      kind: 'Pod',
      when: [alive, among(phase, 'Running'), among(owners, 'Job')],
      delay: [1000, 5000],
      weight: 1,
      status: completed,
    }),
    stage('pod-delete', {
      kind: 'Pod',
      when: [exists('.metadata.deletionTimestamp'), absent('.metadata.finalizers.[]?')],
      delay: [1000, 1000],
      weight: 1,
      deletes: true,
    }),
  ],
  'pod-chaos': [
    stage('pod-container-running-failed', {
      kind: 'Pod',
      when: [alive, among(phase, 'Running')],
      labels: chaosLabel('pod-container-running-failed'),
      delay: [1000, 1000],
      weight: chaosWeight,
      status: failed('pod-container-running-failed'),
    }),
  ],
  'node-fast': [stage('node-initialize', { kind: 'Node', when: [notAmong(ready, 'True')], status: nodeStatus })],
  'node-heartbeat': [
    stage('node-heartbeat', {
      kind: 'Node',
      when: [among(phase, 'Running'), among(ready, 'True')],
      delay: [20_000, 25_000],
      immediate: true,
      status: nodeStatus,
    }),
  ],
  'node-chaos': [
    stage('node-not-ready', {
      kind: 'Node',
      when: [among(ready, 'True')],
      labels: chaosLabel('node-not-ready'),
      delay: [1000, 1000],
      weight: chaosWeight,
      status: nodeNotReady,
    }),
  ],
}
