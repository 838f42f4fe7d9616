/** What config maps and secrets share: how much they may hold, and what a locked one says. */
import { equalJson } from '../../../api/json.ts'
import type { StringMap } from '../../../api/object.ts'

export const maxDataBytes = 1024 * 1024
export const lockedMessage = 'field is immutable when `immutable` is set'

/** How many bytes a text in base64 stands for. */
export function bytesOfBase64(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return Math.floor((text.length * 3) / 4) - padding
}

/** As `reflect.DeepEqual`: nothing is not the same as nothing in it. */
export const sameData = (a: StringMap | undefined, b: StringMap | undefined): boolean => equalJson(a, b)

/** Keys that are checked in one step of a large map. */
export const keysPerStep = 256
