/** What the scheduler writes: bindings, and why a pod has none. Mirrors plugins/defaultbinder, pkg/scheduler: handleSchedulingFailure. */
import { formatTime, instantOfMillis } from '../../api/time.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventRecorder } from '../framework/recorder.ts'
import type { Writer } from '../framework/writer.ts'
import type { Pod } from '../objects.ts'
import { nameOf, namespaceOf, nominatedNodeOf, schedulingKey, uidOf } from './objects.ts'
import { withSchedulingCondition } from './pod-condition.ts'

const maxNoteLength = 1024
const suffix = ' ...'

export interface PodWriterOptions {
  readonly clock: Clock
  readonly writer: Writer
  readonly recorder: EventRecorder
  /** Conditions have their observedGeneration (gate PodObservedGenerationTracking). */
  readonly observesGeneration: boolean
}

export interface FailureReport {
  readonly reason: 'Unschedulable' | 'SchedulerError'
  readonly message: string
  /** '' for none any more, undefined: as before. */
  readonly nominated: string | undefined
}

export class PodWriter {
  readonly #options: PodWriterOptions

  constructor(options: PodWriterOptions) {
    this.#options = options
  }

  async bind(pod: Pod, node: string): Promise<void> {
    const { writer, recorder } = this.#options
    const [namespace, name] = [namespaceOf(pod), nameOf(pod)]
    await writer.post(
      '',
      'pods',
      { namespace, name, subresource: 'binding' },
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name, uid: uidOf(pod) },
        target: { kind: 'Node', name: node },
      },
    )
    const message = `Successfully assigned ${schedulingKey(pod)} to ${node}`
    recorder.event(pod, { type: 'Normal', reason: 'Scheduled', action: 'Binding', message })
  }

  /** An event alone. */
  warn(pod: Pod, message: string): void {
    const note = message.length > maxNoteLength ? message.slice(0, maxNoteLength - suffix.length) + suffix : message
    this.#options.recorder.event(pod, {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      message: note,
    })
  }

  /** The event, and the condition PodScheduled. */
  async report(pod: Pod, { reason, message, nominated }: FailureReport): Promise<void> {
    this.warn(pod, message)
    const { clock, writer, observesGeneration } = this.#options
    const target = { namespace: namespaceOf(pod), name: nameOf(pod), subresource: 'status' }
    const now = formatTime(instantOfMillis(clock.now()))
    await writer.update<Pod>('', 'pods', target, (current) => {
      if (uidOf(current) !== uidOf(pod) || (current.spec.nodeName ?? '') !== '') return undefined
      const generation = current.metadata.generation
      const observed = observesGeneration && generation !== undefined ? { observedGeneration: generation } : {}
      const condition = { type: 'PodScheduled', status: 'False', reason, message, ...observed }
      return withNomination(withSchedulingCondition(current, condition, now) ?? current, nominated)
    })
  }
}

function withNomination(pod: Pod, nominated: string | undefined): Pod {
  if (nominated === undefined || nominated === nominatedNodeOf(pod)) return pod
  const { nominatedNodeName: _, ...status } = pod.status ?? {}
  return { ...pod, status: nominated === '' ? status : { ...status, nominatedNodeName: nominated } }
}
