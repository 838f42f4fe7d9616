/** What is audited and where the events go. */
import { throwConfigErrors } from './config-error.ts'
import type { FlagValues } from './flags.ts'

export interface AuditOptions {
  readonly policyFile: string
  readonly log: AuditLogOptions | undefined
  readonly webhook: AuditWebhookOptions | undefined
}

export interface AuditSinkOptions {
  readonly mode: AuditMode
  /** Used by the mode `batch`. */
  readonly batch: AuditBatchOptions
  /** Bytes of the largest event; undefined for no limit. */
  readonly maxEventBytes: number | undefined
}

export type AuditMode = 'batch' | 'blocking' | 'blocking-strict'

export interface AuditBatchOptions {
  readonly bufferSize: number
  readonly maxBatchSize: number
  readonly maxWaitMs: number
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined
}

export interface AuditLogOptions extends AuditSinkOptions {
  readonly path: string
  readonly format: 'json' | 'legacy'
  readonly maxAgeDays: number
  readonly maxBackups: number
  readonly maxSizeMegabytes: number
  readonly compress: boolean
}

export interface AuditWebhookOptions extends AuditSinkOptions {
  readonly configFile: string
  readonly initialBackoffMs: number
}

type Plugin = 'log' | 'webhook'

const modes: readonly string[] = ['batch', 'blocking', 'blocking-strict']

/** Undefined when there is no policy. One is read even if there is nowhere to send events to. */
export function auditOptions(flags: FlagValues): AuditOptions | undefined {
  const path = flags.optional('audit-log-path')
  const configFile = flags.optional('audit-webhook-config-file')
  throwConfigErrors([
    ...(path === undefined ? [] : [...sinkErrors(flags, 'log'), ...logErrors(flags)]),
    ...(configFile === undefined ? [] : sinkErrors(flags, 'webhook')),
  ])
  const policyFile = flags.optional('audit-policy-file')
  if (policyFile === undefined) return undefined
  return {
    policyFile,
    log: path === undefined ? undefined : logOptions(flags, path),
    webhook: configFile === undefined ? undefined : webhookOptions(flags, configFile),
  }
}

function sinkOptions(flags: FlagValues, plugin: Plugin): AuditSinkOptions {
  const batch = `audit-${plugin}-batch`
  return {
    mode: flags.string(`audit-${plugin}-mode`) as AuditMode,
    batch: {
      bufferSize: flags.number(`${batch}-buffer-size`),
      maxBatchSize: flags.number(`${batch}-max-size`),
      maxWaitMs: flags.number(`${batch}-max-wait`),
      throttle: flags.bool(`${batch}-throttle-enable`)
        ? { qps: flags.number(`${batch}-throttle-qps`), burst: flags.number(`${batch}-throttle-burst`) }
        : undefined,
    },
    maxEventBytes: flags.bool(`audit-${plugin}-truncate-enabled`)
      ? flags.number(`audit-${plugin}-truncate-max-event-size`)
      : undefined,
  }
}

function logOptions(flags: FlagValues, path: string): AuditLogOptions {
  return {
    ...sinkOptions(flags, 'log'),
    path,
    format: flags.string('audit-log-format') === 'legacy' ? 'legacy' : 'json',
    maxAgeDays: flags.number('audit-log-maxage'),
    maxBackups: flags.number('audit-log-maxbackup'),
    maxSizeMegabytes: flags.number('audit-log-maxsize'),
    compress: flags.bool('audit-log-compress'),
  }
}

function webhookOptions(flags: FlagValues, configFile: string): AuditWebhookOptions {
  const old = 'audit-webhook-batch-initial-backoff'
  const backoff = flags.isSet(old) ? old : 'audit-webhook-initial-backoff'
  return { ...sinkOptions(flags, 'webhook'), configFile, initialBackoffMs: flags.number(backoff) }
}

function sinkErrors(flags: FlagValues, plugin: Plugin): string[] {
  return [...batchErrors(flags, plugin), ...truncateErrors(flags, plugin), ...versionErrors(flags, plugin)]
}

/** The first thing that is wrong. */
function batchErrors(flags: FlagValues, plugin: Plugin): string[] {
  const mode = flags.string(`audit-${plugin}-mode`)
  if (!modes.includes(mode)) {
    return [`invalid audit ${plugin} mode ${mode}, allowed modes are ${JSON.stringify(modes.join(','))}`]
  }
  if (mode !== 'batch') return []
  const throttled = flags.bool(`audit-${plugin}-batch-throttle-enable`)
  const positive: readonly (readonly [string, string])[] = [
    ['buffer-size', 'buffer size'],
    ['max-size', 'max batch size'],
    ...(throttled
      ? ([
          ['throttle-qps', 'throttle QPS'],
          ['throttle-burst', 'throttle burst'],
        ] as const)
      : []),
  ]
  return positive
    .map(([flag, words]) => ({ words, value: flags.number(`audit-${plugin}-batch-${flag}`) }))
    .filter(({ value }) => value <= 0)
    .slice(0, 1)
    .map(({ words, value }) => `invalid audit batch ${plugin} ${words} ${value}, must be a positive number`)
}

function truncateErrors(flags: FlagValues, plugin: Plugin): string[] {
  const event = flags.number(`audit-${plugin}-truncate-max-event-size`)
  const batch = flags.number(`audit-${plugin}-truncate-max-batch-size`)
  const of = `invalid audit truncate ${plugin}`
  if (event <= 0) return [`${of} max event size ${event}, must be a positive number`]
  if (batch < event) return [`${of} max batch size ${batch}, must be greater than max event size (${event})`]
  return []
}

function versionErrors(flags: FlagValues, plugin: Plugin): string[] {
  if (flags.string(`audit-${plugin}-version`) === 'audit.k8s.io/v1') return []
  return ['invalid group version, allowed versions are [{"audit.k8s.io" "v1"}]']
}

function logErrors(flags: FlagValues): string[] {
  const format = flags.string('audit-log-format')
  const errors =
    format === 'json' || format === 'legacy'
      ? []
      : [`invalid audit log format ${format}, allowed formats are "legacy,json"`]
  const bounds = ['maxage', 'maxbackup', 'maxsize'].map((name) => `audit-log-${name}`)
  const negative = bounds.filter((name) => flags.number(name) < 0)
  return [...errors, ...negative.map((name) => `--${name} ${flags.number(name)} can't be a negative number`)]
}
