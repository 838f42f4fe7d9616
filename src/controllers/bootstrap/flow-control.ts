/**
 * Flow schemas and priority levels as objects. Mandatory ones are put back whenever they differ; suggested ones only
 * while their annotation says so, or while they are unmodified.
 */
import { equalJson, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { isLaterRelease, packagedFact } from '../../api/release-facts.ts'
import type { WantedObject } from './ensure-objects.ts'
import { type FlowSchemaData, flowSchemaData, type PriorityLevelData, priorityLevelData } from './flow-control-data.ts'

const group = 'flowcontrol.apiserver.k8s.io'
const apiVersion = `${group}/v1`
const fieldManager = 'api-priority-and-fairness-config-producer-v1'
const autoUpdate = 'apf.kubernetes.io/autoupdate-spec'

interface FlowControlRow {
  readonly name: string
  readonly mandatory?: boolean
  readonly spec: JsonObject
}

interface FlowControlFile {
  readonly priorityLevels: readonly FlowControlRow[]
  readonly flowSchemas: readonly FlowControlRow[]
}

/** What the facts of a release after the default one list. */
function objectsOfRelease(release: number): WantedObject[] {
  const { priorityLevels, flowSchemas } = JSON.parse(packagedFact(release, 'flow-control.json')) as FlowControlFile
  return [
    ...priorityLevels.map((row) =>
      wantedObject('prioritylevelconfigurations', 'PriorityLevelConfiguration', row, row.spec),
    ),
    ...flowSchemas.map((row) => wantedObject('flowschemas', 'FlowSchema', row, row.spec)),
  ]
}

/** Of a release, by its minor number. */
export function flowControlObjects(release: number): WantedObject[] {
  if (isLaterRelease(release)) return objectsOfRelease(release)
  return [
    ...priorityLevelData.map((data) =>
      wantedObject('prioritylevelconfigurations', 'PriorityLevelConfiguration', data, levelSpec(data)),
    ),
    ...flowSchemaData.map((data) => wantedObject('flowschemas', 'FlowSchema', data, schemaSpec(data))),
  ]
}

function wantedObject(
  resource: string,
  kind: string,
  { name, mandatory = false }: { readonly name: string; readonly mandatory?: boolean },
  spec: JsonObject,
): WantedObject {
  const metadata = { name, annotations: { [autoUpdate]: 'true' } }
  const reconcile = (existing: KubeObject): KubeObject | undefined => {
    const annotations = existing.metadata.annotations ?? {}
    const value = annotations[autoUpdate]
    const isOurs = mandatory || value === 'true' || (value === undefined && existing.metadata.generation === 1)
    const wanted = isOurs ? 'true' : 'false'
    if (value === wanted && (!isOurs || equalJson(existing['spec'], spec))) return undefined
    return {
      ...existing,
      metadata: { ...existing.metadata, annotations: { ...annotations, [autoUpdate]: wanted } },
      ...(isOurs ? { spec } : {}),
    }
  }
  return { group, resource, object: { apiVersion, kind, metadata, spec }, fieldManager, reconcile }
}

function levelSpec({ shares, lendable, queues }: PriorityLevelData): JsonObject {
  if (shares === undefined) return { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }
  const queuing = queues && { queues: queues[0], handSize: queues[1], queueLengthLimit: queues[2] }
  const limitResponse = queuing === undefined ? { type: 'Reject' } : { type: 'Queue', queuing }
  return {
    type: 'Limited',
    limited: { nominalConcurrencyShares: shares, limitResponse, lendablePercent: lendable ?? 0 },
  }
}

function schemaSpec({ level, precedence, by, subjects, resources, paths }: FlowSchemaData): JsonObject {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
    rules: [
      {
        subjects: subjects.map(subject),
        ...(resources === undefined ? {} : { resourceRules: resources.map(resourceRule) }),
        ...(paths === undefined ? {} : { nonResourceRules: paths.map(pathRule) }),
      },
    ],
  }
}

function subject(text: string): JsonObject {
  const [kind, first = '', name = ''] = text.split('/')
  if (kind === 'sa') return { kind: 'ServiceAccount', serviceAccount: { namespace: first, name } }
  return kind === 'user' ? { kind: 'User', user: { name: first } } : { kind: 'Group', group: { name: first } }
}

function resourceRule(text: string): JsonObject {
  const [verbs = '', groups = '', resources = '', scope] = text.split(' ')
  return {
    verbs: verbs.split(','),
    apiGroups: [groups === 'core' ? '' : groups],
    resources: resources.split(','),
    ...(scope === 'c' ? { clusterScope: true } : {}),
    namespaces: ['*'],
  }
}

function pathRule(text: string): JsonObject {
  const [verbs = '', urls = ''] = text.split(' ')
  return { verbs: verbs.split(','), nonResourceURLs: urls.split(',') }
}
