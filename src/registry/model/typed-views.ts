/** Views of built-in kinds: those of the hub. */

import { internalPackage } from '../../api/group-version.ts'
import type { KubeObject } from '../../api/object.ts'
import { fromHub } from '../convert.ts'
import type { ViewRules } from './view-rules.ts'

export const typedViews: ViewRules = {
  itemOffset: ({ kind, apiVersion }) => `{"kind":"${kind}","apiVersion":"${apiVersion}",`.length,
  listItem: ({ kind: _, apiVersion: __, ...item }) => item,
  emptyList: (listKind, apiVersion) => ({ kind: listKind, apiVersion, metadata: {}, items: null }),
  viewedVersion: ({ hub }) => hub,
  whole: (version, object) => fromHub(version, object as KubeObject),
  goType: ({ group, kind }) => `${internalPackage(group)}.${kind}`,
  storedType: ({ group, kind }) => `*${internalPackage(group)}.${kind}`,
  describesItself: false,
}
