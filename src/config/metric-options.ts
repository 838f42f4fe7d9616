/** Which metrics are shown, and which values their labels may take. */
import { ConfigError } from './config-error.ts'
import { type EffectiveVersion, formatRelease } from './emulated-version.ts'
import type { FlagValues } from './flags.ts'

export interface MetricOptions {
  /** Show metrics that this release hides. */
  readonly showHidden: boolean
  readonly disabled: readonly string[]
  /** The values that labels may take: `metric,label=value,value`. */
  readonly allowedLabels: readonly string[]
  /** A file of the same, for when there are none here. */
  readonly allowedLabelsFile: string | undefined
  /** How often the store is asked for its size, and for the number of objects. */
  readonly storeSizeInterval: number
  readonly objectCountInterval: number
}

export function metricOptions(flags: FlagValues, version: EffectiveVersion): MetricOptions {
  return {
    showHidden: showsHidden(flags.string('show-hidden-metrics-for-version'), version),
    disabled: flags.list('disabled-metrics'),
    allowedLabels: flags.list('allow-metric-labels'),
    allowedLabelsFile: flags.optional('allow-metric-labels-manifest'),
    storeSizeInterval: flags.number('etcd-db-metric-poll-interval'),
    objectCountInterval: flags.number('etcd-count-metric-poll-period'),
  }
}

function showsHidden(wanted: string, { binary }: EffectiveVersion): boolean {
  const previous = formatRelease({ major: binary.major, minor: binary.minor - 1 })
  if (wanted === '' || wanted === previous) return wanted !== ''
  throw new ConfigError(
    `--show-hidden-metrics-for-version must be omitted or have the value '${previous}'. Only the previous minor version is allowed`,
  )
}
