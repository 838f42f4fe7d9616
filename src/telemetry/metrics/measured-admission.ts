/** Times admission: each plugin by its name, and each phase as a whole. A refusal is an outcome, not an error. */

import type { AdmissionPhase, MeterOf } from '../../admission/chain.ts'
import type { Admission, AdmissionOperation, AdmissionRequest } from '../../api/admission.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { MetricSet } from '../../lib/metrics.ts'

/** What durations are noted in. */
interface Durations {
  observe(seconds: number): void
}

type DurationsOf = (...labels: string[]) => Durations

/** A series is there once there is something to show. */
export function pluginMeters(metrics: MetricSet): MeterOf {
  const histogram = metrics.histogram('apiserver_admission_controller_admission_duration_seconds')
  return (plugin, phase, operation) => {
    let accepted: Durations | undefined
    return {
      admitted(seconds) {
        accepted ??= histogram.series(plugin, operation, 'false', phase)
        accepted.observe(seconds)
      },
      refused: (seconds) => histogram.series(plugin, operation, 'true', phase).observe(seconds),
    }
  }
}

export function measuredAdmission(admission: Admission, metrics: MetricSet): Admission {
  const histogram = metrics.histogram('apiserver_admission_step_admission_duration_seconds')
  const summary = metrics.summary('apiserver_admission_step_admission_duration_seconds_summary')
  const timer = new PhaseTimer((...labels) => {
    const [durations, quantiles] = [histogram.series(...labels), summary.series(...labels)]
    return {
      observe(seconds) {
        durations.observe(seconds)
        quantiles.observe(seconds)
      },
    }
  })
  return {
    mutate: (request) => timer.time('admit', request, () => admission.mutate(request)),
    validate: (request) => timer.time('validate', request, () => admission.validate(request)),
  }
}

class PhaseTimer {
  readonly #durations: DurationsOf
  readonly #accepted: Record<AdmissionPhase, Map<AdmissionOperation, Durations>> = {
    admit: new Map(),
    validate: new Map(),
  }

  constructor(durations: DurationsOf) {
    this.#durations = durations
  }

  time<T>(phase: AdmissionPhase, { operation }: AdmissionRequest, run: () => Awaitable<T>): Awaitable<T> {
    const begin = performance.now()
    let result: Awaitable<T>
    try {
      result = run()
    } catch (error) {
      this.#refused(phase, operation, begin)
      throw error
    }
    if (!(result instanceof Promise)) {
      this.#admitted(phase, operation).observe((performance.now() - begin) / 1000)
      return result
    }
    return result.then(
      (value) => {
        this.#admitted(phase, operation).observe((performance.now() - begin) / 1000)
        return value
      },
      (error: unknown) => {
        this.#refused(phase, operation, begin)
        throw error
      },
    )
  }

  #admitted(phase: AdmissionPhase, operation: AdmissionOperation): Durations {
    const known = this.#accepted[phase].get(operation)
    if (known !== undefined) return known
    const made = this.#durations(operation, 'false', phase)
    this.#accepted[phase].set(operation, made)
    return made
  }

  #refused(phase: AdmissionPhase, operation: AdmissionOperation, begin: number): void {
    this.#durations(operation, 'true', phase).observe((performance.now() - begin) / 1000)
  }
}
