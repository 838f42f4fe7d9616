/**
 * Cron jobs.
 * Mirrors pkg/apis/batch/validation: ValidateCronJobCreate, ValidateCronJobUpdate.
 * Mirrors pkg/registry/batch/cronjob: cronJobStrategy, cronJobStatusStrategy.
 */
import { invalid, ofNamedText, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { stepsOfRules } from '../../../../api/rules-in-steps.ts'
import { goSelector, invalidAs, notSupportedAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { CronJob, CronJobSpec } from '../../../../catalog/types/batch-v1.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { checkNotNegative, type Errors, requireOneOf } from '../../../checks/checks.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { withoutDisabledInTemplate } from '../../pods/disabled-fields.ts'
import { type PodOptions, templateOptions } from '../../pods/pod-options.ts'
import { nameWarnings } from '../../pods/pod-warnings.ts'
import { jobWarnings } from '../job/job.ts'
import { validateJobSpec } from '../job/job-spec.ts'
import { specPath } from '../workload-checks.ts'
import { scheduleError } from './cron-schedule.ts'
import { isKnownZone, isZoneName } from './time-zone.ts'

type Cron = CronJob & KubeObject

const concurrencyPolicies = ['Allow', 'Forbid', 'Replace']
const jobPath = FieldPath.of('spec', 'jobTemplate', 'spec')
/** The names of its jobs are eleven characters longer. */
const maxNameLength = 52

export function cronJobRules(services: KindServices): KindRules<Cron> {
  return {
    strategy: withStatus<Cron>({
      generation: 'spec',
      prepareForCreate({ spec }, { gate }) {
        dropDisabled(spec, undefined, gate)
      },
      validate({ metadata, spec }, context) {
        const errors: Errors = []
        validateSpec(errors, spec, undefined, templateOptions(services, context, spec.jobTemplate.spec.template))
        const { name = '' } = metadata
        if (Buffer.byteLength(name) > maxNameLength) {
          const why = `must be no more than ${maxNameLength} characters`
          errors.push(invalid(FieldPath.of('metadata', 'name'), name, why))
        }
        return errors
      },
      warningsOnCreate({ metadata, spec }, { gate }) {
        return [
          ...nameWarnings(metadata.name ?? '', 'Pod names and hostnames'),
          ...jobWarnings(spec.jobTemplate.spec, jobPath, gate),
        ]
      },
      prepareForUpdate({ spec }, old, { gate }) {
        dropDisabled(spec, old.spec, gate)
      },
      validateUpdate({ spec }, old, context) {
        const errors: Errors = []
        const [template, before] = [spec.jobTemplate.spec.template, old.spec.jobTemplate.spec.template]
        validateSpec(errors, spec, old.spec, templateOptions(services, context, template, before))
        return errors
      },
      warningsOnUpdate({ metadata, spec }, old, { gate }) {
        const changed = metadata.generation !== old.metadata.generation
        const zone =
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'
        return [
          ...(changed ? jobWarnings(spec.jobTemplate.spec, jobPath, gate) : []),
          ...(spec.schedule.includes('TZ') ? [zone] : []),
        ]
      },
    }),
    parts: { status: statusOnly<Cron>({ validateMetadataUpdate: () => [] }) },
  }
}

function dropDisabled(spec: CronJobSpec, old: CronJobSpec | undefined, gate: WriteContext['gate']): void {
  const { template } = spec.jobTemplate.spec
  const kept = withoutDisabledInTemplate(template, old?.jobTemplate.spec.template, gate)
  if (kept === template) return
  spec.jobTemplate = { ...spec.jobTemplate, spec: { ...spec.jobTemplate.spec, template: kept } }
}

function validateSpec(errors: Errors, spec: CronJobSpec, old: CronJobSpec | undefined, options: PodOptions): void {
  if (spec.schedule === '') errors.push(required(specPath.child('schedule')))
  else validateSchedule(errors, spec, old?.schedule.includes('TZ') ?? false, options)
  checkNotNegative(errors, spec.startingDeadlineSeconds, specPath, 'startingDeadlineSeconds')
  if (spec.timeZone !== undefined && spec.timeZone !== old?.timeZone) {
    validateTimeZone(errors, spec.timeZone, specPath.child('timeZone'))
  }
  requireOneOf(errors, spec.concurrencyPolicy, concurrencyPolicies, specPath, 'concurrencyPolicy')
  const { spec: job } = spec.jobTemplate
  validateJobSpec(errors, job, jobPath, options)
  if (job.selector !== undefined) {
    errors.push(
      invalidAs(jobPath.child('selector'), () => goSelector(job.selector), '`selector` will be auto-generated'),
    )
  }
  if (job.manualSelector === true) {
    errors.push(notSupportedAs(jobPath.child('manualSelector'), () => 'true', ['nil', 'false']))
  }
  checkNotNegative(errors, spec.successfulJobsHistoryLimit, specPath, 'successfulJobsHistoryLimit')
  checkNotNegative(errors, spec.failedJobsHistoryLimit, specPath, 'failedJobsHistoryLimit')
}

/** About as many are read in the time that a value takes. */
const charactersOfValue = 4

/** A zone in the schedule itself is only for those that had one before there was a field. */
function validateSchedule(
  errors: Errors,
  spec: CronJobSpec,
  mayHaveZone: boolean,
  { recoversFromSchedules }: PodOptions,
): void {
  const { schedule, timeZone } = spec
  const at = specPath.child('schedule')
  const problem = stepsOfRules(spec, schedule.length / charactersOfValue, () =>
    scheduleError(schedule, isKnownZone, recoversFromSchedules),
  )
  if (problem !== undefined) errors.push(invalid(at, schedule, problem))
  if (!schedule.includes('TZ')) return
  if (!mayHaveZone) {
    errors.push(invalid(at, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'))
  } else if (timeZone !== undefined) {
    errors.push(invalid(at, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'))
  }
}

function validateTimeZone(errors: Errors, zone: string, at: FieldPath): void {
  const report = (message: string): number => errors.push(ofNamedText(invalid(at, zone, message)))
  if (zone === '') {
    report('timeZone must be nil or non-empty string')
    return
  }
  const unknown = `unknown time zone ${zone}`
  if (!isZoneName(zone)) {
    report(unknown)
    return
  }
  const isLocal = zone.toLowerCase() === 'local'
  if (isLocal) {
    const why = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    report(why)
  }
  if (zone !== 'Local' && !isKnownZone(zone)) report(unknown)
}
