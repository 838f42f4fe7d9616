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

/** The places in the reference that its messages name: two groups have schemes of their own, which know no other. */
const otherSchemes: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': schemePositions.apiextensions,
  'apiregistration.k8s.io': schemePositions.aggregator,
}
const schemeOf = (group: string): string => otherSchemes[group] ?? schemePositions.legacy

/** Kinds of the machinery are in every scheme. */
const isInEvery = ({ name }: ObjectSchema): boolean => name?.startsWith('meta.') === true

const unregistered = (kind: string, version: string, { group }: GroupVersionKind): string =>
  `no kind ${quote(kind)} is registered for ${version} in scheme ${quote(schemeOf(group))}`

/** Why a body that says to be of another kind cannot be this one; undefined when it says no such thing. Without a schema it is of none. */
export function otherKind(
  { apiVersion, kind }: TypeMeta,
  expected: GroupVersionKind,
  types: TypeCatalog,
): { readonly problem: string; readonly schema: ObjectSchema | undefined } | undefined {
  if (apiVersion === formatGroupVersion(expected) && kind === expected.kind) return undefined
  const groupVersion = parseGroupVersion(apiVersion)
  const schema = groupVersion && types.schemaForKind({ ...groupVersion, kind })
  const isIn = (group: string): boolean => schemeOf(group) === schemeOf(expected.group)
  if (groupVersion === undefined || schema === undefined || !(isIn(groupVersion.group) || isInEvery(schema))) {
    return { problem: unregistered(kind, `version ${quote(apiVersion)}`, expected), schema: undefined }
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
