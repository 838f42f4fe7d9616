/** Which refusals of a write a controller does not try again, or words. */
import { ApiError } from '../../../api/status-error.ts'

export const hasCode = (error: unknown, code: number): boolean => error instanceof ApiError && error.code === code

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
