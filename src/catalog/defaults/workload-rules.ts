/**
 * Defaults of workloads and autoscalers that depend on other fields.
 * Mirrors pkg/apis/apps/v1: SetDefaults_Deployment, SetDefaults_DaemonSet, SetDefaults_StatefulSet.
 * Mirrors pkg/apis/batch/v1: SetDefaults_Job.
 * Mirrors pkg/apis/autoscaling/v2: SetDefaults_HorizontalPodAutoscaler.
 */
import { copyObject } from '../../api/json.ts'
import type { DaemonSet, Deployment, StatefulSet, StatefulSetSpec } from '../types/apps-v1.ts'
import type { HorizontalPodAutoscaler, HPAScalingRules } from '../types/autoscaling-v2.ts'
import type { Job } from '../types/batch-v1.ts'
import { type DefaultingContext, fill, fillMaps, rule, type TypeRules } from './rule.ts'

function defaultDeployment(deployment: Deployment): Deployment {
  const { strategy } = deployment.spec
  if (strategy.type !== 'RollingUpdate') return deployment
  const rollingUpdate = fill(strategy.rollingUpdate ?? {}, { maxUnavailable: '25%', maxSurge: '25%' })
  if (rollingUpdate === strategy.rollingUpdate) return deployment
  const filled = copyObject(strategy)
  filled.rollingUpdate = rollingUpdate
  return { ...deployment, spec: { ...deployment.spec, strategy: filled } }
}

function defaultDaemonSet(set: DaemonSet): DaemonSet {
  const { updateStrategy } = set.spec
  const isRolling = updateStrategy.type === 'RollingUpdate'
  // Where they mean nothing, both are there as soon as one is.
  if (!isRolling && updateStrategy.rollingUpdate === undefined) return set
  const rollingUpdate = fill(updateStrategy.rollingUpdate ?? {}, { maxUnavailable: isRolling ? 1 : 0, maxSurge: 0 })
  if (rollingUpdate === updateStrategy.rollingUpdate) return set
  return { ...set, spec: { ...set.spec, updateStrategy: { ...updateStrategy, rollingUpdate } } }
}

function defaultStatefulSet(set: StatefulSet, { enabled }: DefaultingContext): StatefulSet {
  const updateStrategy = statefulStrategy(set.spec.updateStrategy, enabled('MaxUnavailableStatefulSet'))
  return updateStrategy === set.spec.updateStrategy ? set : { ...set, spec: { ...set.spec, updateStrategy } }
}

type StatefulStrategy = StatefulSetSpec['updateStrategy']

function statefulStrategy(given: StatefulStrategy, withMaxUnavailable: boolean): StatefulStrategy {
  const strategy = given.type ? given : fill({ ...given, type: 'RollingUpdate' }, { rollingUpdate: {} })
  if (strategy.type !== 'RollingUpdate' || strategy.rollingUpdate === undefined) return strategy
  const rollingUpdate = fill(strategy.rollingUpdate, { partition: 0, ...(withMaxUnavailable && { maxUnavailable: 1 }) })
  return rollingUpdate === strategy.rollingUpdate ? strategy : { ...strategy, rollingUpdate }
}

const maxInt32 = 2_147_483_647

function defaultJob(job: Job, { enabled }: DefaultingContext): Job {
  const { completions, parallelism, backoffLimitPerIndex, podFailurePolicy, template } = job.spec
  const replacement = podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'
  const spec = fill(job.spec, {
    ...(completions === undefined && parallelism === undefined ? { completions: 1 } : {}),
    backoffLimit: backoffLimitPerIndex === undefined ? 6 : maxInt32,
    ...(enabled('JobPodReplacementPolicy') ? { podReplacementPolicy: replacement } : {}),
  })
  const { labels } = template.metadata
  const metadata = labels === undefined ? job.metadata : fillMaps(job.metadata, { labels })
  return spec === job.spec && metadata === job.metadata ? job : { ...job, metadata, spec }
}

const scaleUp: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const scaleDown: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

function defaultAutoscaler(autoscaler: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { behavior } = autoscaler.spec
  if (behavior === undefined) return autoscaler
  const up = fill(behavior.scaleUp ?? {}, scaleUp)
  const down = fill(behavior.scaleDown ?? {}, scaleDown)
  if (up === behavior.scaleUp && down === behavior.scaleDown) return autoscaler
  return { ...autoscaler, spec: { ...autoscaler.spec, behavior: { ...behavior, scaleUp: up, scaleDown: down } } }
}

export const workloadDefaults: Readonly<Record<string, TypeRules>> = {
  'apps.v1.Deployment': { after: rule<Deployment>(defaultDeployment) },
  'apps.v1.DaemonSet': { after: rule<DaemonSet>(defaultDaemonSet) },
  'apps.v1.StatefulSet': { before: rule<StatefulSet>(defaultStatefulSet) },
  'batch.v1.Job': { before: rule<Job>(defaultJob) },
  'autoscaling.v2.HorizontalPodAutoscaler': { after: rule<HorizontalPodAutoscaler>(defaultAutoscaler) },
}
