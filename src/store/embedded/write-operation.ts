/** What writes an embedded store takes, and when they take effect. */
import { StoreError, type WriteOperation } from '../store.ts'
import type { Change } from './change.ts'

export const maxValueBytes = 8 * 1024 * 1024
const maxKeyBytes = 1024

/** Whether what is there is what the write expects. */
export function isExpectedState(operation: WriteOperation, there: Change | undefined): boolean {
  return operation.type === 'create' ? there === undefined : there?.revision === operation.expectedRevision
}

/** Refuses keys and values that no store takes. */
export function checkOperation(operation: WriteOperation): void {
  if (operation.key === '') throw invalidOperation('a key must not be empty')
  if (Buffer.byteLength(operation.key) > maxKeyBytes)
    throw invalidOperation(`a key must not be longer than ${maxKeyBytes} bytes`)
  if (operation.type !== 'delete' && operation.value.byteLength > maxValueBytes) {
    throw new StoreError(
      'too-large',
      `the value of ${operation.value.byteLength} bytes is larger than the store takes (${maxValueBytes})`,
    )
  }
}

export function invalidOperation(message: string): StoreError {
  return new StoreError('invalid', message)
}
