/** The model of built-in kinds. */

import type { ObjectModel } from './object-model.ts'
import { typedBody } from './typed-body.ts'
import { typedPatch } from './typed-patch.ts'

export const typedModel: ObjectModel = { body: typedBody, patch: typedPatch }
