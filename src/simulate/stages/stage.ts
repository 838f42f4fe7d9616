/** KWOK's Stage (kwok.x-k8s.io/v1alpha1), with its older spellings. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'

export const stageGroup = 'kwok.x-k8s.io'

export interface Stage extends KubeObject {
  spec: StageSpec
}

export interface StageSpec extends JsonObject {
  resourceRef: { apiGroup?: string; kind: string }
  selector?: StageSelector
  weight?: number
  weightFrom?: ExpressionFrom
  delay?: StageDelay
  next?: StageNext
  steps?: StageStep[]
  immediateNextStage?: boolean
}

export interface StageSelector extends JsonObject {
  matchLabels?: StringMap
  matchAnnotations?: StringMap
  matchExpressions?: StageRequirement[]
}

/** One of `cel`, `jq`, or the older flat form. */
export interface StageRequirement extends JsonObject {
  key?: string
  operator?: string
  values?: string[]
  jq?: { key?: string; operator?: string; values?: string[] }
  cel?: { expression?: string }
}

/** One of `jq`, `cel`, or the older `expressionFrom`, which is jq. */
export interface ExpressionFrom extends JsonObject {
  expressionFrom?: string
  jq?: { expression?: string }
  cel?: { expression?: string }
}

export interface StageDelay extends JsonObject {
  durationMilliseconds?: number
  durationFrom?: ExpressionFrom
  jitterDurationMilliseconds?: number
  jitterDurationFrom?: ExpressionFrom
}

export interface StageEvent extends JsonObject {
  type?: string
  reason?: string
  message?: string
}

export interface StageFinalizers extends JsonObject {
  add?: { value?: string }[]
  remove?: { value?: string }[]
  empty?: boolean
}

export interface StagePatch extends JsonObject {
  subresource?: string
  root?: string
  template?: string
  type?: string
  impersonation?: { username?: string }
}

export interface StageStep extends JsonObject {
  event?: StageEvent
  finalizers?: StageFinalizers
  delete?: boolean
  patch?: StagePatch
  apply?: StagePatch
}

/** The deprecated form of steps. */
export interface StageNext extends JsonObject {
  event?: StageEvent
  finalizers?: StageFinalizers
  delete?: boolean
  patches?: StagePatch[]
  statusTemplate?: string
  statusSubresource?: string
  statusPatchAs?: { username?: string }
}

/** In the order in which they are done: a delete beats what would be written. */
export function stepsOf({ steps, next }: StageSpec): StageStep[] {
  if (steps !== undefined && steps.length > 0) return steps
  if (next === undefined) return []
  const { event, finalizers, patches = [], statusTemplate, statusSubresource = 'status', statusPatchAs } = next
  const status: StagePatch[] =
    statusTemplate === undefined || statusTemplate === ''
      ? []
      : [
          {
            subresource: statusSubresource,
            root: 'status',
            template: statusTemplate,
            ...(statusPatchAs === undefined ? {} : { impersonation: statusPatchAs }),
          },
        ]
  return [
    ...(event === undefined ? [] : [{ event }]),
    ...(finalizers === undefined ? [] : [{ finalizers }]),
    ...(next.delete === true ? [{ delete: true }] : [...patches, ...status].map((patch) => ({ patch }))),
  ]
}
