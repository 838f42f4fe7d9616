/** Counts what webhooks and policies decide. Their names are those of stored objects: the bound on series holds. */
import type { AdmissionObserver, PodSecuritySubject } from '../../admission/observer.ts'
import { servedMinor } from '../../api/release.ts'
import { hasChange } from '../../api/release-changes.ts'
import type { MetricSet } from '../../lib/metrics.ts'

/** Webhooks may answer any number. */
const highestCode = 600

/** Versions of the future are one: they may be any number. */
function shownVersion(minor: number | undefined, release: number): string {
  const latest = Math.max(release, servedMinor)
  if (minor === undefined || minor === latest) return 'latest'
  return minor > latest ? 'future' : `v1.${minor}`
}

const subjectLabels = ({ operation, resource, subresource }: PodSecuritySubject): string[] => [
  operation.toLowerCase(),
  resource,
  subresource,
]

export function admissionObserver(metrics: MetricSet, release: number): AdmissionObserver {
  const durations = metrics.histogram('apiserver_admission_webhook_admission_duration_seconds')
  const requests = metrics.counter('apiserver_admission_webhook_request_total')
  const rejections = metrics.counter('apiserver_admission_webhook_rejection_count')
  const failedOpen = metrics.counter('apiserver_admission_webhook_fail_open_count')
  const checks = metrics.counter('apiserver_validating_admission_policy_check_total')
  const checkDurations = metrics.histogram('apiserver_validating_admission_policy_check_duration_seconds')
  const compilation = metrics.histogram('apiserver_cel_compilation_duration_seconds').series()
  const evaluation = metrics.histogram('apiserver_cel_evaluation_duration_seconds').series()
  const conditions = 'apiserver_admission_match_condition_'
  const conditionDurations = metrics.histogram(`${conditions}evaluation_seconds`)
  const conditionOutcomes = {
    exclusion: metrics.counter(`${conditions}exclusions_total`),
    error: metrics.counter(`${conditions}evaluation_errors_total`),
  }
  const podJudgements = metrics.counter('pod_security_evaluations_total')
  const podExemptions = metrics.counter('pod_security_exemptions_total')
  for (const operation of ['create', 'update']) {
    podJudgements.add(0, 'allow', 'enforce', 'privileged', 'latest', operation, 'pod', '')
    for (const resource of ['pod', 'controller']) podExemptions.add(0, operation, resource, '')
  }
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
      // A validation that does not hold counts as one that failed. Mirrors admission/plugin/policy/validating: ErrorType.
      const sort = error === 'no_error' && action !== 'allow' ? 'invalid_error' : error
      checks.add(1, policy, binding, sort, action)
      checkDurations.observe(seconds, policy, binding, sort, action)
    },
    ...(hasChange(release, 'laterMetrics') && { mutationChecked: mutationCounter(metrics) }),
    conditionsJudged({ name, kind, type, operation, outcome, seconds }) {
      const labels = [kind, name, operation, type]
      conditionDurations.observe(seconds, ...labels)
      if (outcome !== 'match') conditionOutcomes[outcome].add(1, ...labels)
    },
    podJudged: (about, { mode, allowed, level, minor }) =>
      podJudgements.add(
        1,
        allowed ? 'allow' : 'deny',
        mode,
        level,
        shownVersion(minor, release),
        ...subjectLabels(about),
      ),
    podExempt: (about) => podExemptions.add(1, ...subjectLabels(about)),
    podSecurityFailed: (about, fatal) =>
      metrics.counter('pod_security_errors_total').add(1, String(fatal), ...subjectLabels(about)),
    compiled: (seconds) => compilation.observe(seconds),
    evaluated: (seconds) => evaluation.observe(seconds),
  }
}

function mutationCounter(metrics: MetricSet): NonNullable<AdmissionObserver['mutationChecked']> {
  const checks = metrics.counter('apiserver_mutating_admission_policy_check_total')
  const durations = metrics.histogram('apiserver_mutating_admission_policy_check_duration_seconds')
  return ({ policy, binding, error, seconds }) => {
    checks.add(1, policy, binding, error)
    durations.observe(seconds, policy, binding, error)
  }
}
