/**
 * Workloads before `apps/v1`: what selects pods may be left out and is then taken from the template, updates wait for
 * deletions, and two numbers that are annotations today are fields.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import {
  annotated,
  annotationsOf,
  changed,
  filled,
  type OlderConversion,
  objectAt,
  put,
  withOlderSpec,
} from './parts.ts'

const generationKey = 'deprecated.daemonset.template.generation'
export const rollbackKey = 'deprecated.deployment.rollback.to'

/** Means the same as nothing. */
const unlimited = 2_147_483_647

/** The template's labels select the pods and label the object, where those are not given. */
function selectsTemplate(object: KubeObject): KubeObject {
  const labels = objectAt(objectAt(objectAt(object, 'spec'), 'template'), 'metadata')['labels']
  if (!isJsonObject(labels)) return object
  const labelled = Object.keys(object.metadata?.labels ?? {}).length > 0
  const metadata = labelled ? object.metadata : put(object.metadata, 'labels', labels)
  return withOlderSpec({ ...object, metadata }, (spec) => filled(spec, { selector: { matchLabels: labels } }))
}

const integerText = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'number' ? String(value) : undefined

const isInteger = (text: string | undefined): text is string => text !== undefined && /^-?\d{1,15}$/.test(text)

const rollback: OlderConversion = {
  toHub(deployment) {
    const { rollbackTo } = objectAt(deployment, 'spec')
    const revision = isJsonObject(rollbackTo) ? (integerText(rollbackTo['revision']) ?? '0') : undefined
    return annotated(
      withOlderSpec(deployment, (spec) => put(spec, 'rollbackTo', undefined)),
      rollbackKey,
      revision,
    )
  },
  fromHub(deployment) {
    const revision = annotationsOf(deployment)[rollbackKey]
    if (!isInteger(revision)) return deployment
    const rollbackTo = Number(revision) === 0 ? {} : { revision: Number(revision) }
    return withOlderSpec(annotated(deployment, rollbackKey, undefined), (spec) => ({ ...spec, rollbackTo }))
  },
}

interface DeploymentDefaults {
  readonly share: JsonValue
  readonly revisionHistoryLimit: number
  readonly progressDeadlineSeconds: number
}

const deploymentConversion = ({ share, ...limits }: DeploymentDefaults): OlderConversion => ({
  ...rollback,
  defaults: (deployment) =>
    withOlderSpec(selectsTemplate(deployment), (spec) => {
      const strategy = filled(objectAt(spec, 'strategy'), { type: 'RollingUpdate' })
      const shares = { maxUnavailable: share, maxSurge: share }
      const rolling = strategy['type'] === 'RollingUpdate' || strategy['rollingUpdate'] !== undefined
      const rollingUpdate = filled(objectAt(strategy, 'rollingUpdate'), shares)
      return { ...filled(spec, limits), strategy: rolling ? { ...strategy, rollingUpdate } : strategy }
    }),
})

export const extensionsDeployment = deploymentConversion({
  share: 1,
  revisionHistoryLimit: unlimited,
  progressDeadlineSeconds: unlimited,
})

export const appsDeployment = deploymentConversion({
  share: '25%',
  revisionHistoryLimit: 2,
  progressDeadlineSeconds: 600,
})

const waitsForDeletion = (spec: JsonObject): JsonObject => ({
  ...spec,
  updateStrategy: filled(objectAt(spec, 'updateStrategy'), { type: 'OnDelete' }),
})

export const extensionsDaemonSet: OlderConversion = {
  toHub: (set) =>
    annotated(
      withOlderSpec(set, (spec) => put(spec, 'templateGeneration', undefined)),
      generationKey,
      integerText(objectAt(set, 'spec')['templateGeneration']) ?? annotationsOf(set)[generationKey],
    ),
  fromHub(set) {
    const generation = annotationsOf(set)[generationKey]
    if (!isInteger(generation)) return set
    const templateGeneration = Number(generation) === 0 ? undefined : Number(generation)
    return withOlderSpec(annotated(set, generationKey, undefined), (spec) =>
      put(spec, 'templateGeneration', templateGeneration),
    )
  },
  defaults: (set) => withOlderSpec(selectsTemplate(set), waitsForDeletion),
}

export const extensionsReplicaSet: OlderConversion = { defaults: selectsTemplate }

export const appsStatefulSet: OlderConversion = {
  toHub: (set) =>
    changed(set, 'status', (status) =>
      status['observedGeneration'] === 0 ? put(status, 'observedGeneration', undefined) : status,
    ) as KubeObject,
  defaults: (set) => withOlderSpec(selectsTemplate(set), waitsForDeletion),
}
