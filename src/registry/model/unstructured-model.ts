/** The model of custom types. Mirrors apiextensions-apiserver/pkg/apiserver: crdHandler. */

import type { ObjectModel } from './object-model.ts'
import { unstructuredBody } from './unstructured-body.ts'
import { unstructuredPatch } from './unstructured-patch.ts'

export const unstructuredModel: ObjectModel = { body: unstructuredBody, patch: unstructuredPatch }
