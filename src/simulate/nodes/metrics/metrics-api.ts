/** The API metrics.k8s.io/v1beta1 of a simulated cluster, as metrics-server serves it: usage of nodes and pods, now. */
import type { JsonObject } from '../../../api/json.ts'
import { parseLabelSelector } from '../../../api/label-selector-text.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { Pod } from '../../objects.ts'
import { timeText } from '../pod-life/pod-status.ts'
import { addUsage, noUsage, type Usage } from './usage.ts'

export interface MetricsParts {
  readonly now: () => number
  readonly nodes: () => readonly KubeObject[]
  readonly pods: (namespace?: string) => readonly Pod[]
  readonly podsOn: (node: string) => readonly Pod[]
  /** By the names of the containers that run. */
  readonly usages: (pod: Pod) => readonly [string, Usage][]
}

export interface MetricsAnswer {
  readonly status: number
  readonly body: JsonObject
}

const group = 'metrics.k8s.io'
const groupVersion = `${group}/v1beta1`
const root = `/apis/${group}`
const windowText = '10s'

/** Undefined: the path is not of this API. */
export function metricsAnswer(parts: MetricsParts, path: string, query: URLSearchParams): MetricsAnswer | undefined {
  if (path !== root && !path.startsWith(`${root}/`)) return undefined
  const [version, ...names] = path
    .slice(root.length + 1)
    .split('/')
    .filter((part) => part !== '')
  if (version === undefined) return ok(apiGroup)
  if (version !== 'v1beta1') return failure(404, 'NotFound', 'the server could not find the requested resource')
  if (names.length === 0) return ok(resourceList)
  try {
    return answerFor(parts, names, query)
  } catch (error) {
    return failure(400, 'BadRequest', error instanceof Error ? error.message : String(error))
  }
}

function answerFor(parts: MetricsParts, names: readonly string[], query: URLSearchParams): MetricsAnswer {
  const [first, second, third, fourth] = names
  if (first === 'nodes') return listOrOne('NodeMetrics', nodeMetrics(parts), { query, name: second, resource: 'nodes' })
  const isNamespaced = first === 'namespaces' && third === 'pods'
  if (!isNamespaced && !(first === 'pods' && second === undefined)) {
    return failure(404, 'NotFound', 'the server could not find the requested resource')
  }
  const metrics = parts.pods(isNamespaced ? second : undefined).flatMap((pod) => podMetrics(parts, pod))
  return listOrOne('PodMetrics', metrics, { query, name: fourth, resource: 'pods' })
}

interface Wanted {
  readonly query: URLSearchParams
  readonly name: string | undefined
  readonly resource: string
}

function listOrOne(kind: string, all: readonly KubeObject[], { query, name, resource }: Wanted): MetricsAnswer {
  if (name !== undefined) {
    const found = all.find(({ metadata }) => metadata.name === name)
    if (found === undefined) return failure(404, 'NotFound', `${resource}.${group} "${name}" not found`)
    return ok(found)
  }
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = fieldTest(query.get('fieldSelector') ?? '')
  const items = all.filter((each) => labels.matches(each.metadata.labels) && fields(each))
  return ok({
    kind: `${kind}List`,
    apiVersion: groupVersion,
    metadata: {},
    items: items.map(({ kind: _, apiVersion: __, ...rest }) => rest),
  })
}

/** Names and namespaces alone can be selected by. */
function fieldTest(selector: string): (object: KubeObject) => boolean {
  const terms = selector.split(',').filter((term) => term !== '')
  const tests = terms.map((term) => {
    const match = /^metadata\.(name|namespace)(!?=)=?(.*)$/.exec(term)
    if (match === null) throw new Error(`field label not supported: ${term}`)
    const [, field = '', operator, value = ''] = match
    return ({ metadata }: KubeObject): boolean => ((metadata[field] ?? '') === value) === (operator === '=')
  })
  return (object) => tests.every((test) => test(object))
}

const usageObject = ({ cpu, memory }: Usage): JsonObject => ({ cpu: cpu.toString(), memory: memory.toString() })

function nodeMetrics(parts: MetricsParts): KubeObject[] {
  return parts.nodes().map(({ metadata }) => {
    const usages = parts.podsOn(metadata.name ?? '').flatMap((pod) => parts.usages(pod).map(([, usage]) => usage))
    return {
      kind: 'NodeMetrics',
      apiVersion: groupVersion,
      metadata: metadataOf(metadata, parts.now()),
      timestamp: timeText(parts.now()),
      window: windowText,
      usage: usageObject(usages.reduce(addUsage, noUsage)),
    }
  })
}

function podMetrics(parts: MetricsParts, pod: Pod): KubeObject[] {
  const usages = parts.usages(pod)
  if (usages.length === 0) return []
  return [
    {
      kind: 'PodMetrics',
      apiVersion: groupVersion,
      metadata: metadataOf(pod.metadata, parts.now()),
      timestamp: timeText(parts.now()),
      window: windowText,
      containers: usages.map(([name, usage]) => ({ name, usage: usageObject(usage) })),
    },
  ]
}

function metadataOf({ name = '', namespace, labels }: KubeObject['metadata'], now: number): KubeObject['metadata'] {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    creationTimestamp: timeText(now),
  }
}

const ok = (body: JsonObject): MetricsAnswer => ({ status: 200, body })

const failure = (code: number, reason: string, message: string): MetricsAnswer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code },
})

const version = { groupVersion, version: 'v1beta1' }
const apiGroup = { kind: 'APIGroup', apiVersion: 'v1', name: group, versions: [version], preferredVersion: version }
const resourceList = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: [
    { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
    { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
  ],
}
