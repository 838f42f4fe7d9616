/** The functions that KWOK adds to templates. */
import type { JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { servedRelease } from '../../api/release.ts'
import { encodeYaml } from '../../codec/yaml-emitter.ts'
import type { FunctionFacts } from './template/function-facts.ts'
import { formatSprigTime } from './template/sprig-dates.ts'
import type { TemplateFunction } from './template/template-execute.ts'

/** What templates may ask of the cluster. */
export interface StageCluster {
  nodeAddress(node: string): string
  /** An address for a pod, the same whenever it is asked for. */
  podAddress(pod: { readonly node: string; readonly hostNetwork: boolean; readonly uid: string }): string
}

const kubeletPort = 10_250

const condition = (type: string, status: string, [reason, message]: readonly [string, string]) => ({
  type,
  status,
  reason,
  message,
})

const nodeConditions: JsonValue = [
  condition('Ready', 'True', ['KubeletReady', 'kubelet is posting ready status']),
  condition('MemoryPressure', 'False', ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available']),
  condition('DiskPressure', 'False', ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure']),
  condition('PIDPressure', 'False', ['KubeletHasSufficientPID', 'kubelet has sufficient PID available']),
  condition('NetworkUnavailable', 'False', ['RouteCreated', 'RouteController created a route']),
]

export interface StageFunctionFacts extends FunctionFacts {
  readonly startedAt: number
  readonly cluster: StageCluster
}

export function stageFunctions(
  object: KubeObject,
  { now, startedAt, cluster }: StageFunctionFacts,
): Readonly<Record<string, TemplateFunction>> {
  const { name = '', uid = '' } = object.metadata
  const spec = (object['spec'] ?? {}) as { nodeName?: string; hostNetwork?: boolean }
  const own = object.kind === 'Node' ? name : (spec.nodeName ?? '')
  const podAddress = (node: JsonValue, hostNetwork: JsonValue, of: JsonValue): string =>
    cluster.podAddress({ node: String(node ?? ''), hostNetwork: hostNetwork === true, uid: String(of ?? '') })
  return {
    Quote: ([value = null]) => quoted(value),
    Now: () => formatSprigTime(now),
    StartTime: () => formatSprigTime(startedAt),
    YAML: ([value = null, indent = 0]) => indentedYaml(value, Number(indent)),
    Version: () => servedRelease,
    NodeConditions: () => nodeConditions,
    NodeIP: () => cluster.nodeAddress(own),
    NodeName: () => own,
    NodePort: () => kubeletPort,
    PodIP: () => podAddress(own, spec.hostNetwork ?? false, uid),
    NodeIPWith: ([node = null]) => cluster.nodeAddress(String(node ?? '')),
    NodeIPsWith: ([node = null]) => [cluster.nodeAddress(String(node ?? ''))],
    PodIPWith: ([node = null, hostNetwork = false, of = null]) => podAddress(node, hostNetwork, of),
    PodIPsWith: ([node = null, hostNetwork = false, of = null]) => [podAddress(node, hostNetwork, of)],
  }
}

/** As JSON, and what is no text in quotes besides. */
function quoted(value: JsonValue): string {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)) ?? 'null'
  return text.startsWith('"') ? text : JSON.stringify(text)
}

function indentedYaml(value: JsonValue, indent: number): string {
  const text = encodeYaml(value)
  if (!(indent > 0)) return text
  const pad = ' '.repeat(Math.min(indent, 100) * 2)
  return `\n${text}`.replaceAll('\n', `\n${pad}`)
}
