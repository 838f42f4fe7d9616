/** How a store fails, as clients see it: the few codes of `StoreError` are mapped to a Status here and nowhere else. */
import { ApiError, serviceUnavailable, timeout, unknownError } from '../api/status-error.ts'
import { StoreError } from '../store/store.ts'

/** The default request limit of etcd. */
export const maxObjectBytes = 1.5 * 1024 * 1024
const tooLargeMessage = 'etcdserver: request is too large'
export const tooLarge = (): ApiError => unknownError(tooLargeMessage)

export const isTooLarge = (error: unknown): boolean => error instanceof ApiError && error.message === tooLargeMessage

/** Asks the store. The failure itself is the cause of the error. */
export async function translatingStoreErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof StoreError ? Object.assign(storeStatus(error), { cause: error }) : error
  }
}

/** Of a write: the store failed after it may have taken it. Such a write must not be tried again. */
export const mayBeApplied = (error: unknown): boolean =>
  error instanceof ApiError && error.cause instanceof StoreError && error.cause.maybeApplied

function storeStatus(error: StoreError): ApiError {
  switch (error.code) {
    case 'too-large':
      return tooLarge()
    case 'timeout':
      return timeout(error.message)
    case 'unavailable':
    case 'closed':
      return serviceUnavailable(error.message)
    default:
      return unknownError(error.message)
  }
}
