/** Why an object of one kind is not one of another, as the reference's scheme words it. */

import { schemePositions } from '../../api/golang/positions.ts'
import { quote } from '../../api/golang/quote.ts'
import {
  formatGroupVersion,
  type GroupVersionKind,
  internalPackage,
  parseGroupVersion,
} from '../../api/group-version.ts'
import type { TypeCatalog } from '../../catalog/catalog.ts'
import type { TypeMeta } from '../../codec/json.ts'
import type { ObjectSchema } from '../../schema/schema.ts'

/** The places in the reference that its messages name: some groups are known in another. */
const scheme = JSON.stringify(schemePositions.legacy)
const otherSchemes: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': JSON.stringify(schemePositions.apiextensions),
  'apiregistration.k8s.io': JSON.stringify(schemePositions.aggregator),
}

const unregistered = (kind: string, version: string, { group }: GroupVersionKind): string =>
  `no kind ${quote(kind)} is registered for ${version} in scheme ${otherSchemes[group] ?? scheme}`

/** Why a body that says to be of another kind cannot be this one; undefined when it says no such thing. */
export function otherKind(
  { apiVersion, kind }: TypeMeta,
  expected: GroupVersionKind,
  types: TypeCatalog,
): { readonly problem: string; readonly schema: ObjectSchema | undefined } | undefined {
  if (apiVersion === formatGroupVersion(expected) && kind === expected.kind) return undefined
  const groupVersion = parseGroupVersion(apiVersion)
  const schema = groupVersion && types.schemaForKind({ ...groupVersion, kind })
  if (groupVersion === undefined || schema === undefined) {
    return { problem: unregistered(kind, `version ${quote(apiVersion)}`, expected), schema }
  }
  const from = `(${groupVersion.version}.${kind})`
  const to = `(${internalPackage(expected.group)}.${expected.kind})`
  return { problem: `converting ${from} to ${to}: unknown conversion`, schema }
}

/** The same of what says no version, and is taken for one of the internal version of the group. */
export function otherInternalKind(kind: string, expected: GroupVersionKind, types: TypeCatalog): string | undefined {
  if (kind === expected.kind) return undefined
  const { group } = expected
  if (!types.hasKind(group, kind)) return unregistered(kind, `the internal version of group ${quote(group)}`, expected)
  const name = internalPackage(group)
  return `converting (${name}.${kind}) to (${name}.${expected.kind}): unknown conversion`
}
