/** The model of built-in kinds. */

import type { ObjectModel } from './object-model.ts'
import { typedStorage } from './stored-format.ts'
import { typedBody } from './typed-body.ts'
import { typedPatch } from './typed-patch.ts'
import { typedVersions } from './typed-versions.ts'
import { typedViews } from './typed-views.ts'
import { typedWrites } from './typed-writes.ts'

export const typedModel: ObjectModel = {
  body: typedBody,
  patch: typedPatch,
  versions: typedVersions,
  writes: typedWrites,
  storage: typedStorage,
  views: typedViews,
  routes: { style: 'installed', perVersion: 1 },
}
