/** Puts auditing together from the options: the policy, and the sinks with what stands in front of them. */

import { ReviewClient } from '../../auth/webhook/webhook-client.ts'
import { encodeJson } from '../../codec/json.ts'
import { encodeJsonInSteps } from '../../codec/json-in-steps.ts'
import type { AuditLogOptions, AuditSinkOptions, AuditWebhookOptions } from '../../config/audit-options.ts'
import { ConfigError } from '../../config/config-error.ts'
import { readAuditPolicy } from '../../config/files/audit-policy.ts'
import type { ServerOptions } from '../../config/server-options.ts'
import type { Clock } from '../../lib/clock.ts'
import { readGivenFile } from '../../lib/given-file.ts'
import type { Logger } from '../../lib/logger.ts'
import type { MetricSet } from '../../lib/metrics.ts'
import type { Dial } from '../../outbound/dial.ts'
import { readKubeconfig } from '../../outbound/kubeconfig.ts'
import { BufferedSink } from './buffered-sink.ts'
import { LogSink } from './log-sink.ts'
import type { AuditRecorderOptions } from './recorder.ts'
import { type AuditSink, ignoringErrors, type OnLost, truncating, unionSink } from './sink.ts'
import { webhookSink } from './webhook-sink.ts'

interface Dependencies {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricSet
  /** The way to the webhook. */
  readonly dial: Dial | undefined
  /** In place of the sinks that the options name: another process has them. */
  readonly sink?: AuditSink | undefined
}

/** Undefined when nothing is audited. Throws a ConfigError when something should be and cannot. */
export function makeAudit(
  { audit, version }: ServerOptions,
  dependencies: Dependencies,
): AuditRecorderOptions | undefined {
  if (audit === undefined) return undefined
  const { clock, logger, metrics } = dependencies
  const onLost: OnLost = (plugin, why, count) => {
    metrics.counter('apiserver_audit_error_total').add(count, plugin)
    logger.error({ plugin, why, count }, 'audit events were lost')
  }
  const events = metrics.counter('apiserver_audit_event_total').series()
  const policy = configured(() =>
    readAuditPolicy(readGivenFile(audit.policyFile), audit.policyFile, version.emulation.minor),
  )
  if (audit.log === undefined && audit.webhook === undefined) return undefined
  return configured(() => ({
    policy,
    sink:
      dependencies.sink ??
      unionSink([
        ...(audit.log === undefined ? [] : [logSink(audit.log, clock, onLost)]),
        ...(audit.webhook === undefined ? [] : [webhook(audit.webhook, dependencies, onLost)]),
      ]),
    clock,
    encode: encodeJson,
    encodeInSteps: encodeJsonInSteps,
    holdsAnswers: [audit.log, audit.webhook].some((sink) => sink !== undefined && sink.mode !== 'batch'),
    observer: {
      level: (level) => metrics.counter('apiserver_audit_level_total').add(1, level),
      event: () => {
        events.value++
      },
      rejected: () => metrics.counter('apiserver_audit_requests_rejected_total').add(1),
    },
  }))
}

function logSink(options: AuditLogOptions, clock: Clock, onLost: OnLost): AuditSink {
  return inMode(new LogSink({ ...options, clock, onLost }), options, { clock, onLost })
}

const webhookTimeoutMs = 30_000

function webhook(options: AuditWebhookOptions, { clock, dial }: Dependencies, onLost: OnLost): AuditSink {
  const client = new ReviewClient({
    connection: readKubeconfig(options.configFile),
    read: () => ({}),
    timeoutMs: webhookTimeoutMs,
    firstPauseMs: options.initialBackoffMs,
    clock,
    dial,
  })
  return inMode(webhookSink(client, onLost), options, { clock, onLost })
}

/** Events are cut before they wait. */
function inMode(sink: AuditSink, options: AuditSinkOptions, given: { clock: Clock; onLost: OnLost }): AuditSink {
  const moded = {
    'blocking-strict': () => sink,
    blocking: () => ignoringErrors(sink),
    batch: () => new BufferedSink(sink, options.batch, given),
  }[options.mode]()
  return options.maxEventBytes === undefined ? moded : truncating(moded, options.maxEventBytes, given.onLost)
}

function configured<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof Error ? new ConfigError(error.message) : error
  }
}
