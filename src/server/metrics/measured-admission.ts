/** Times admission: each plugin by its name, and each phase as a whole. A refusal is an outcome, not an error. */
import type { AdmissionPlugin } from '../../admission/plugin.ts'
import type { Admission, AdmissionOperation, AdmissionRequest } from '../../api/admission.ts'
import type { MetricSet } from '../../lib/metrics.ts'

type Phase = 'admit' | 'validate'

/** What durations are noted in. */
interface Durations {
  observe(seconds: number): void
}

type DurationsOf = (...labels: string[]) => Durations

export function measuredPlugin(plugin: AdmissionPlugin, metrics: MetricSet): AdmissionPlugin {
  const { name, handles, mutate, validate } = plugin
  const histogram = metrics.histogram('apiserver_admission_controller_admission_duration_seconds')
  const timer = new PhaseTimer((...labels) => histogram.series(name, ...labels))
  return {
    name,
    handles,
    ...(mutate === undefined
      ? {}
      : { mutate: (request, pass) => timer.time('admit', request, () => mutate(request, pass)) }),
    ...(validate === undefined
      ? {}
      : { validate: (request) => timer.time('validate', request, () => validate(request)) }),
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
  readonly #accepted: Record<Phase, Map<AdmissionOperation, Durations>> = {
    admit: new Map(),
    validate: new Map(),
  }

  constructor(durations: DurationsOf) {
    this.#durations = durations
  }

  time<T>(phase: Phase, { operation }: AdmissionRequest, run: () => T | Promise<T>): T | Promise<T> {
    const begin = performance.now()
    let result: T | Promise<T>
    try {
      result = run()
    } catch (error) {
      this.#refused(phase, operation, begin)
      throw error
    }
    if (!(result instanceof Promise)) {
      this.#passed(phase, operation).observe((performance.now() - begin) / 1000)
      return result
    }
    return result.then(
      (value) => {
        this.#passed(phase, operation).observe((performance.now() - begin) / 1000)
        return value
      },
      (error: unknown) => {
        this.#refused(phase, operation, begin)
        throw error
      },
    )
  }

  #passed(phase: Phase, operation: AdmissionOperation): Durations {
    const known = this.#accepted[phase].get(operation)
    if (known !== undefined) return known
    const made = this.#durations(operation, 'false', phase)
    this.#accepted[phase].set(operation, made)
    return made
  }

  #refused(phase: Phase, operation: AdmissionOperation, begin: number): void {
    this.#durations(operation, 'true', phase).observe((performance.now() - begin) / 1000)
  }
}
