/**
 * How the objects of a resource are represented, as one capability: `typed` for built-in kinds, which have a type of the
 * reference in every version, `unstructured` for custom ones, which are data with a schema. Code that serves a resource asks
 * its model, and never which of the two it has.
 */

import type { BodyFormat } from './body-format.ts'
import type { PatchFormat } from './patch-format.ts'
import type { StoredFormat } from './stored-format.ts'
import type { VersionRules } from './version-rules.ts'
import type { ViewRules } from './view-rules.ts'
import type { WriteRules } from './write-rules.ts'

export interface ObjectModel {
  readonly body: BodyFormat
  readonly patch: PatchFormat
  readonly versions: VersionRules
  readonly writes: WriteRules
  readonly storage: StoredFormat
  readonly views: ViewRules
  readonly routes: Routes
}

/** Whether the paths of a resource are installed at start, each with its methods, or found by one handler when they are asked for. */
export type RouteStyle = 'installed' | 'dynamic'

export interface Routes {
  readonly style: RouteStyle
  /** How many a version adds to those of its group, which is known as long as it has any. */
  readonly perVersion: number
}
