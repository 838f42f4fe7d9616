/**
 * What an autoscaler has recommended and done, and how far it may go now: stabilization windows, policies, limits.
 * Mirrors pkg/controller/podautoscaler: HorizontalController.normalizeDesiredReplicas,
 * HorizontalController.normalizeDesiredReplicasWithBehaviors, calculateScaleUpLimitWithScalingRules.
 */
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../../catalog/types/autoscaling-v2.ts'

/** Of the controller's own flags: --horizontal-pod-autoscaler-downscale-stabilization. */
const downscaleStabilizationMs = 300_000
const scaleUpFactor = 2
const scaleUpMinimum = 4

interface Sample {
  count: number
  at: number
}

export interface ScaleVerdict {
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

export interface Normalized {
  readonly replicas: number
  readonly ableToScale: ScaleVerdict
  readonly scalingLimited: ScaleVerdict
}

export interface Bounds {
  readonly current: number
  readonly desired: number
  readonly min: number
  readonly max: number
  readonly now: number
}

type Behavior = HorizontalPodAutoscalerBehavior | undefined

const ready: ScaleVerdict = {
  status: 'True',
  reason: 'ReadyForNewScale',
  message: 'recommended size matches current size',
}
const stabilizedDown: ScaleVerdict = {
  status: 'True',
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
}
const stabilizedUp: ScaleVerdict = {
  status: 'True',
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
}
const tooMany = ['TooManyReplicas', 'the desired replica count is more than the maximum replica count'] as const
const tooFew = ['TooFewReplicas', 'the desired replica count is less than the minimum replica count'] as const
const upLimit = ['ScaleUpLimit', 'the desired replica count is increasing faster than the maximum scale rate'] as const
const downLimit = [
  'ScaleDownLimit',
  'the desired replica count is decreasing faster than the maximum scale rate',
] as const
const within = ['DesiredWithinRange', 'the desired count is within the acceptable range'] as const

type Limited = readonly [replicas: number, why: readonly [reason: string, message: string]]

export class ScaleHistory {
  readonly #recommendations: Sample[] = []
  readonly #ups: Sample[] = []
  readonly #downs: Sample[] = []

  /** The size at first sight counts as the first recommendation. */
  begin(replicas: number, now: number): void {
    if (this.#recommendations.length === 0) this.#recommendations.push({ count: replicas, at: now })
  }

  normalize(bounds: Bounds, behavior: Behavior): Normalized {
    if (behavior === undefined) return this.#byDefault(bounds)
    const stabilized = this.#stabilize(bounds, behavior)
    const [replicas, why] = this.#limited({ ...bounds, desired: stabilized }, behavior)
    const verdict = bounds.desired >= bounds.current ? stabilizedUp : stabilizedDown
    return normalized(replicas, stabilized, why, stabilized === bounds.desired ? ready : verdict)
  }

  /** Remembers a change of size, for as long as a policy may ask for it. */
  scaled(from: number, to: number, behavior: Behavior, now: number): void {
    if (behavior === undefined) return
    const [samples, rules] = to > from ? [this.#ups, behavior.scaleUp] : [this.#downs, behavior.scaleDown]
    const longest = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds))
    replaceOld(samples, { count: Math.abs(to - from), at: now }, now - longest * 1000)
  }

  #byDefault({ current, desired, min, max, now }: Bounds): Normalized {
    const cutoff = now - downscaleStabilizationMs
    const recent = this.#recommendations.filter(({ at }) => at >= cutoff).map(({ count }) => count)
    const stabilized = Math.max(desired, ...recent)
    replaceOld(this.#recommendations, { count: desired, at: now }, cutoff)
    const limit = Math.max(scaleUpFactor * current, scaleUpMinimum)
    const [most, why] = max > limit ? ([limit, upLimit] as const) : ([max, tooMany] as const)
    const [replicas, reason]: Limited =
      stabilized < min ? [min, tooFew] : stabilized > most ? [most, why] : [stabilized, within]
    return normalized(replicas, stabilized, reason, stabilized === desired ? ready : stabilizedDown)
  }

  #stabilize({ current, desired, now }: Bounds, { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): number {
    const upCutoff = now - (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000
    const downMs = scaleDown?.stabilizationWindowSeconds
    const downCutoff = now - (downMs === undefined ? downscaleStabilizationMs : downMs * 1000)
    const since = (cutoff: number) => this.#recommendations.filter(({ at }) => at > cutoff).map(({ count }) => count)
    const up = Math.min(desired, ...since(upCutoff))
    const down = Math.max(desired, ...since(downCutoff))
    replaceOld(this.#recommendations, { count: desired, at: now }, Math.min(upCutoff, downCutoff))
    return Math.min(Math.max(current, up), down)
  }

  #limited({ current, desired, min, max, now }: Bounds, behavior: HorizontalPodAutoscalerBehavior): Limited {
    if (desired > current) {
      const limit = Math.max(this.#limit(current, behavior.scaleUp, 1, now), current)
      const [most, why] = max > limit ? ([limit, upLimit] as const) : ([max, tooMany] as const)
      if (desired > most) return [most, why]
    } else if (desired < current) {
      const limit = Math.min(this.#limit(current, behavior.scaleDown, -1, now), current)
      const [least, why] = min < limit ? ([limit, downLimit] as const) : ([min, tooFew] as const)
      if (desired < least) return [least, why]
    }
    return [desired, within]
  }

  /** How far the policies let the size go, up (1) or down (-1). */
  #limit(current: number, rules: HPAScalingRules | undefined, direction: 1 | -1, now: number): number {
    if (rules?.selectPolicy === 'Disabled') return current
    const proposals = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
      const start = current - changeSince(this.#ups, periodSeconds, now) + changeSince(this.#downs, periodSeconds, now)
      if (type === 'Pods') return start + direction * value
      const share = start * (1 + (direction * value) / 100)
      return direction > 0 ? Math.ceil(share) : Math.trunc(share)
    })
    const highest = (rules?.selectPolicy === 'Min') === direction < 0
    return highest ? Math.max(...proposals) : Math.min(...proposals)
  }
}

const normalized = (
  replicas: number,
  stabilized: number,
  [reason, message]: readonly [string, string],
  ableToScale: ScaleVerdict,
): Normalized => ({
  replicas,
  ableToScale,
  scalingLimited: { status: replicas === stabilized ? 'False' : 'True', reason, message },
})

const changeSince = (samples: readonly Sample[], periodSeconds: number, now: number): number =>
  samples.reduce((sum, { count, at }) => (at > now - periodSeconds * 1000 ? sum + count : sum), 0)

/** Replaces the last sample that is outside of every window, so that as many are kept as matter. */
function replaceOld(samples: Sample[], sample: Sample, cutoff: number): void {
  const at = samples.findLastIndex((each) => each.at < cutoff)
  if (at < 0) samples.push(sample)
  else samples[at] = sample
}
