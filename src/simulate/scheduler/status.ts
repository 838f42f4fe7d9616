/**
 * What a plugin says about a node or a pod. Absence of a status is success. `Unschedulable` may pass when other pods go;
 * `UnschedulableAndUnresolvable` does not, so that preemption leaves such a node alone.
 */
export type RejectionCode = 'Unschedulable' | 'UnschedulableAndUnresolvable'
export type StatusCode = RejectionCode | 'Error'

export interface Status {
  readonly code: StatusCode
  readonly reasons: readonly string[]
  /** Which plugin said so; '' for none. */
  readonly plugin: string
}

export const unschedulable = (plugin: string, ...reasons: string[]): Status => ({
  code: 'Unschedulable',
  reasons,
  plugin,
})

export const unresolvable = (plugin: string, ...reasons: string[]): Status => ({
  code: 'UnschedulableAndUnresolvable',
  reasons,
  plugin,
})

export const failure = (plugin: string, message: string): Status => ({ code: 'Error', reasons: [message], plugin })

export const statusMessage = ({ reasons }: Status): string => reasons.join(', ')

export const isRejected = ({ code }: Status): boolean => code !== 'Error'
