/** Times admission: each plugin by its name, and each phase as a whole. A refusal is an outcome, not an error. */
import type { AdmissionPlugin } from '../../admission/plugin.ts'
import type { Admission, AdmissionOperation, AdmissionRequest } from '../../api/admission.ts'
import type { Histogram, HistogramSeries, MetricSet } from '../../lib/metrics.ts'

type Phase = 'admit' | 'validate'

export function measuredPlugin(plugin: AdmissionPlugin, metrics: MetricSet): AdmissionPlugin {
  const { name, handles, mutate, validate } = plugin
  const timer = new PhaseTimer(metrics.histogram('apiserver_admission_controller_admission_duration_seconds'), [name])
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
  const timer = new PhaseTimer(metrics.histogram('apiserver_admission_step_admission_duration_seconds'), [])
  return {
    mutate: (request) => timer.time('admit', request, () => admission.mutate(request)),
    validate: (request) => timer.time('validate', request, () => admission.validate(request)),
  }
}

class PhaseTimer {
  readonly #histogram: Histogram
  readonly #labels: readonly string[]
  readonly #accepted: Record<Phase, Map<AdmissionOperation, HistogramSeries>> = {
    admit: new Map(),
    validate: new Map(),
  }

  constructor(histogram: Histogram, labels: readonly string[]) {
    this.#histogram = histogram
    this.#labels = labels
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

  #passed(phase: Phase, operation: AdmissionOperation): HistogramSeries {
    const known = this.#accepted[phase].get(operation)
    if (known !== undefined) return known
    const made = this.#histogram.series(...this.#labels, operation, 'false', phase)
    this.#accepted[phase].set(operation, made)
    return made
  }

  #refused(phase: Phase, operation: AdmissionOperation, begin: number): void {
    this.#histogram.observe((performance.now() - begin) / 1000, ...this.#labels, operation, 'true', phase)
  }
}
