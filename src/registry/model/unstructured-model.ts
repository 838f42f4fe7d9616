/** The model of custom types. Mirrors apiextensions-apiserver/pkg/apiserver: crdHandler. */

import type { ObjectModel } from './object-model.ts'
import { unstructuredStorage } from './stored-format.ts'
import { unstructuredBody } from './unstructured-body.ts'
import { unstructuredPatch } from './unstructured-patch.ts'
import { type CustomConversion, unstructuredVersions } from './unstructured-versions.ts'
import { unstructuredViews } from './unstructured-views.ts'
import { unstructuredWrites } from './unstructured-writes.ts'

export function unstructuredModel(conversion: CustomConversion): ObjectModel {
  return {
    body: unstructuredBody,
    patch: unstructuredPatch,
    versions: unstructuredVersions(conversion),
    writes: unstructuredWrites,
    storage: unstructuredStorage,
    views: unstructuredViews,
    routes: { style: 'dynamic', perVersion: 0 },
  }
}
