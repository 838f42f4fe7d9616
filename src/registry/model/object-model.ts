/**
 * How the objects of a resource are represented, as one capability: `typed` for built-in kinds, which have a type of the
 * reference in every version, `unstructured` for custom ones, which are data with a schema. Code that serves a resource asks
 * its model, and never which of the two it has.
 */

import type { BodyFormat } from './body-format.ts'
import type { PatchFormat } from './patch-format.ts'

export interface ObjectModel {
  readonly body: BodyFormat
  readonly patch: PatchFormat
}
