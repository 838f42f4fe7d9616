/** Counts what webhooks and policies decide. Their names are those of stored objects: the bound on series holds. */
import type { AdmissionObserver } from '../../admission/observer.ts'
import type { MetricSet } from '../../lib/metrics.ts'

/** Webhooks may answer any number. */
const highestCode = 600

export function admissionObserver(metrics: MetricSet): AdmissionObserver {
  const durations = metrics.histogram('apiserver_admission_webhook_admission_duration_seconds')
  const requests = metrics.counter('apiserver_admission_webhook_request_total')
  const rejections = metrics.counter('apiserver_admission_webhook_rejection_count')
  const failedOpen = metrics.counter('apiserver_admission_webhook_fail_open_count')
  const checks = metrics.counter('apiserver_validating_admission_policy_check_total')
  const checkDurations = metrics.histogram('apiserver_validating_admission_policy_check_duration_seconds')
  const compilation = metrics.histogram('apiserver_cel_compilation_duration_seconds').series()
  const evaluation = metrics.histogram('apiserver_cel_evaluation_duration_seconds').series()
  return {
    webhookAsked(outcome) {
      const { webhook, type, operation, rejection } = outcome
      const rejected = String(rejection !== undefined)
      const code = String(Math.min(outcome.code, highestCode))
      durations.observe(outcome.seconds, webhook, operation, rejected, type)
      requests.add(1, webhook, type, operation, code, rejected)
      if (rejection !== undefined) rejections.add(1, webhook, operation, type, rejection, code)
      if (outcome.failedOpen) failedOpen.add(1, webhook, type)
    },
    policyChecked({ policy, binding, error, action, seconds }) {
      checks.add(1, policy, binding, error, action)
      checkDurations.observe(seconds, policy, binding, error, action)
    },
    compiled: (seconds) => compilation.observe(seconds),
    evaluated: (seconds) => evaluation.observe(seconds),
  }
}
