/**
 * The life of a job as its controller reports it. Most rules hold only for what a report changes, so that a report about
 * something else is never refused for what was there before.
 * Mirrors pkg/apis/batch/validation: ValidateJobUpdateStatus, ValidateJobStatusUpdate.
 * Mirrors pkg/registry/batch/job: jobStatusStrategy.
 */

import { duplicate, invalid, ofNamedText, required } from '../../../../api/field-error.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { goTimeField } from '../../../../api/golang/time.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { withEachItem } from '../../../../api/rules-in-steps.ts'
import {
  goNull,
  goStruct,
  goStructs,
  invalidAs,
  invalidOmitted,
  podSyntaxText,
} from '../../../../catalog/golang/pod-syntax.ts'
import type { Job, JobStatus } from '../../../../catalog/types/batch-v1.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import type { Errors } from '../../../checks/checks.ts'
import { statusPath, validateCounts } from '../workload-checks.ts'
import { commonIndex, countIndexes } from './index-ranges.ts'

const isTrue = ({ conditions = [] }: JobStatus, wanted: string): boolean =>
  conditions.some(({ type, status }) => type === wanted && status === 'True')

const isFinished = (status: JobStatus): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed')

/** With the fraction of a second that is compared, but not stored. */
const writtenTime = (status: JobStatus, name: 'completionTime' | 'startTime'): number =>
  Date.parse(writingOf(status, name) ?? status[name] ?? '')

export function validateJobStatus(errors: Errors, job: Job, old: Job, gate: WriteContext['gate']): void {
  // Others than the built-in controller may manage jobs.
  const strict = gate('JobManagedBy')
  validateCounts(errors, job.status, ['active', 'succeeded', 'failed', 'ready', 'terminating'])
  validateUncounted(errors, job.status)
  if (strict) validateReport(errors, job, old)
  validateSuccess(errors, job)
  if (strict) validateProgress(errors, job, old)
  if (strict) validateStart(errors, job, old, gate('release:fixedStartTime'))
  validateSuccessKept(errors, job.status, old.status)
}

function validateUncounted(errors: Errors, { uncountedTerminatedPods }: JobStatus): void {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {}
  const none = (): Set<string> => new Set()
  const check =
    (name: string, others: ReadonlySet<string>) => (seen: Set<string>, errors: Errors, uid: string, i: number) => {
      const at = statusPath.child('uncountedTerminatedPods', name).index(i)
      if (uid === '') errors.push(invalid(at, uid, 'must not be empty'))
      else if (seen.has(uid) || others.has(uid)) errors.push(duplicate(at, uid))
      seen.add(uid)
    }
  const counted = withEachItem(errors, succeeded, none, check('succeeded', none()))
  withEachItem(errors, failed, none, check('failed', counted))
}

/** The conditions and times of the end of a job. */
function validateReport(errors: Errors, { spec, status }: Job, { status: old }: Job): void {
  const complete = isTrue(status, 'Complete')
  const changed = (condition: string): boolean => isTrue(status, condition) !== isTrue(old, condition)
  const completeChanged = changed('Complete')
  const failedChanged = changed('Failed')
  const finished = isFinished(status)
  const finishedChanged = finished !== isFinished(old)
  const { startTime, completionTime, uncountedTerminatedPods: uncounted } = status
  const completionChanged = completionTime !== old.completionTime
  const startChanged = startTime !== old.startTime
  const refuse = (why: string): void => {
    errors.push(invalidOmitted(statusPath.child('conditions'), why))
  }
  if ((completeChanged || failedChanged) && complete && isTrue(status, 'Failed')) {
    refuse('cannot set Complete=True and Failed=true conditions')
  }
  if ((completeChanged || changed('FailureTarget')) && complete && isTrue(status, 'FailureTarget')) {
    refuse('cannot set Complete=True and FailureTarget=true conditions')
  }
  const completionAt = statusPath.child('completionTime')
  if (completeChanged || completionChanged) {
    if (completionTime !== undefined && !complete) {
      const why = 'cannot set completionTime when there is no Complete=True condition'
      errors.push(invalidAs(completionAt, () => goTimeField(completionTime, writingOf(status, 'completionTime')), why))
    }
    if (completionTime === undefined && complete) {
      errors.push(required(completionAt, 'completionTime is required for Complete jobs'))
    }
  }
  if ((startChanged || completionChanged) && startTime !== undefined && completionTime !== undefined) {
    if (writtenTime(status, 'completionTime') < writtenTime(status, 'startTime')) {
      errors.push(
        invalidAs(
          completionAt,
          () => goTimeField(completionTime, writingOf(status, 'completionTime')),
          'completionTime cannot be set before startTime',
        ),
      )
    }
  }
  const failedIndexesChanged = status.failedIndexes !== old.failedIndexes
  if ((failedChanged || failedIndexesChanged) && isTrue(status, 'Failed') && !isTrue(status, 'FailureTarget')) {
    refuse('cannot set Failed=True condition without the FailureTarget=true condition')
  }
  if ((completeChanged || changed('SuccessCriteriaMet')) && complete && !isTrue(status, 'SuccessCriteriaMet')) {
    refuse('cannot set Complete=True condition without the SuccessCriteriaMet=true condition')
  }
  const { active = 0 } = status
  if ((finishedChanged || active !== (old.active ?? 0)) && active > 0 && finished) {
    errors.push(invalid(statusPath.child('active'), active, 'active>0 is invalid for finished job'))
  }
  const neverRan = spec.suspend === true && spec.completions === 0
  if ((finishedChanged || startChanged) && !neverRan && startTime === undefined && finished) {
    errors.push(required(statusPath.child('startTime'), 'startTime is required for finished job'))
  }
  const left = (uncounted?.failed?.length ?? 0) + (uncounted?.succeeded?.length ?? 0)
  const uncountedChanged = !equalSemantic(uncounted, old.uncountedTerminatedPods)
  if ((finishedChanged || uncountedChanged) && finished && left > 0) {
    const shown = goStruct('batch.UncountedTerminatedPods', {
      Succeeded: printUids(uncounted?.succeeded),
      Failed: printUids(uncounted?.failed),
    })
    const why = 'uncountedTerminatedPods needs to be empty for finished job'
    errors.push(invalidAs(statusPath.child('uncountedTerminatedPods'), () => shown, why))
  }
  validateIndexes(errors, { spec, status }, old)
  validatePodCounts(errors, status, old, finished, finishedChanged)
}

const printUids = (uids: readonly string[] | undefined): RenderedValue => goStructs('types.UID', uids, podSyntaxText)

function validateIndexes(errors: Errors, { spec, status }: Pick<Job, 'spec' | 'status'>, old: JobStatus): void {
  const { completions, backoffLimitPerIndex, completionMode } = spec
  const { completedIndexes = '', failedIndexes } = status
  const completedChanged = completedIndexes !== (old.completedIndexes ?? '')
  const failedChanged = failedIndexes !== old.failedIndexes
  const refuse = (name: string, value: string, why: string): void => {
    errors.push(invalid(statusPath.child(name), value, why))
  }
  if (completedChanged && completions !== undefined) {
    const read = countIndexes(completedIndexes, completions)
    if (typeof read === 'string')
      refuse('completedIndexes', completedIndexes, `error parsing completedIndexes: ${read}`)
  }
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined) {
    const read = countIndexes(failedIndexes, completions)
    // A pointer, which is not looked behind.
    const report = (why: string): number =>
      errors.push(ofNamedText(invalid(statusPath.child('failedIndexes'), failedIndexes, why)))
    if (typeof read === 'string') report(`error parsing failedIndexes: ${read}`)
  }
  if (completedChanged && completedIndexes !== '' && completionMode !== 'Indexed') {
    const why = 'cannot set non-empty completedIndexes when non-indexed completion mode'
    refuse('completedIndexes', completedIndexes, why)
  }
  if (failedIndexes === undefined) return
  if (failedChanged && backoffLimitPerIndex === undefined) {
    refuse('failedIndexes', failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null')
  }
  if (!(failedChanged || completedChanged) || completions === undefined) return
  const common = commonIndex(completedIndexes, failedIndexes, completions)
  if (common === undefined) return
  refuse('failedIndexes', failedIndexes, `failedIndexes and completedIndexes overlap at index: ${common}`)
}

function validatePodCounts(
  errors: Errors,
  { terminating, ready, active = 0 }: JobStatus,
  old: JobStatus,
  finished: boolean,
  finishedChanged: boolean,
): void {
  if ((finishedChanged || terminating !== old.terminating) && (terminating ?? 0) > 0 && finished) {
    errors.push(invalid(statusPath.child('terminating'), terminating, 'terminating>0 is invalid for finished job'))
  }
  if ((ready !== old.ready || active !== (old.active ?? 0)) && ready !== undefined && ready > active) {
    errors.push(invalid(statusPath.child('ready'), ready, 'cannot set more ready pods than active'))
  }
}

function validateSuccess(errors: Errors, { spec, status }: Job): void {
  const met = isTrue(status, 'SuccessCriteriaMet')
  const refuse = (why: string): void => {
    errors.push(invalidOmitted(statusPath.child('conditions'), why))
  }
  if (met && isTrue(status, 'Failed')) refuse('cannot set SuccessCriteriaMet=True and Failed=true conditions')
  if (met && isTrue(status, 'FailureTarget')) {
    refuse('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')
  }
  if (spec.successPolicy !== undefined && !met && isTrue(status, 'Complete')) {
    refuse('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')
  }
}

/** What only goes one way. */
function validateProgress(errors: Errors, { spec, status }: Job, { status: old }: Job): void {
  for (const condition of ['Failed', 'Complete', 'FailureTarget']) {
    if (!isTrue(old, condition) || isTrue(status, condition)) continue
    errors.push(
      invalidOmitted(statusPath.child('conditions'), `cannot disable the terminal ${condition}=True condition`),
    )
  }
  const { failed = 0, succeeded = 0, completionTime } = status
  if (failed < (old.failed ?? 0)) {
    errors.push(invalid(statusPath.child('failed'), failed, 'cannot decrease the failed counter'))
  }
  const mayShrink = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism
  if (!mayShrink && succeeded < (old.succeeded ?? 0)) {
    errors.push(invalid(statusPath.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'))
  }
  if (completionTime !== undefined && old.completionTime !== undefined && completionTime !== old.completionTime) {
    errors.push(
      invalidAs(
        statusPath.child('completionTime'),
        () => goTimeField(completionTime, writingOf(status, 'completionTime')),
        'completionTime cannot be mutated',
      ),
    )
  }
}

/** A job that runs keeps the time at which it started. */
function validateStart(errors: Errors, { spec, status }: Job, { status: old }: Job, isFixed: boolean): void {
  const { startTime, conditions = [] } = status
  const resumes =
    isTrue(old, 'Suspended') && conditions.some(({ type, status: value }) => type === 'Suspended' && value === 'False')
  if (old.startTime === undefined || startTime === old.startTime || resumes || spec.suspend === true) return
  const at = statusPath.child('startTime')
  if (!isFixed) {
    errors.push(required(at, 'startTime cannot be removed for unsuspended job'))
    return
  }
  const shown = startTime === undefined ? goNull : goTimeField(startTime, writingOf(status, 'startTime'))
  errors.push(invalidAs(at, () => shown, 'field is immutable for unsuspended job once set'))
}

function validateSuccessKept(errors: Errors, status: JobStatus, old: JobStatus): void {
  const [met, wasMet] = [isTrue(status, 'SuccessCriteriaMet'), isTrue(old, 'SuccessCriteriaMet')]
  const at = statusPath.child('conditions')
  if (wasMet && !met) errors.push(invalidOmitted(at, 'cannot disable the SuccessCriteriaMet=True condition'))
  if (isTrue(old, 'Complete') && !wasMet && met) {
    const why = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'
    errors.push(invalidOmitted(at, why))
  }
}
