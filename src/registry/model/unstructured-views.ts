/** Views of custom types: each version has its own, and no Go type. */

import type { ViewRules } from './view-rules.ts'

export const unstructuredViews: ViewRules = {
  itemOffset: () => 0,
  listItem: (object) => object,
  emptyList: (listKind, apiVersion) => ({ apiVersion, items: [], kind: listKind }),
  viewedVersion: (_definition, version) => version,
  whole: (_version, object) => object,
  goType: () => 'unstructured.Unstructured',
  storedType: ({ group, kind, hub }) => `${group}/${hub.version}, Kind=${kind}`,
  describesItself: true,
}
