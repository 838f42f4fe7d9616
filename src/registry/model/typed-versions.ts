/** Versions of built-in kinds: a write works in the hub, which the others convert to and from. */

import { equalSemanticInSteps } from '../../api/equal-in-steps.ts'
import { type GroupVersion, type GroupVersionKind, parseGroupVersion } from '../../api/group-version.ts'
import type { KubeObject } from '../../api/object.ts'
import { unknownError } from '../../api/status-error.ts'
import type { TypeCatalog } from '../../catalog/catalog.ts'
import type { JsonDocument, TypeMeta } from '../../codec/json.ts'
import { decodeValue } from '../../schema/canonicalize.ts'
import { anyVersion, fromHub, toHub } from '../convert.ts'
import { otherKind } from './other-kind.ts'
import type { VersionRules } from './version-rules.ts'

export const typedVersions: VersionRules = {
  all: ({ versions }) => versions,
  // In the shape of the hub, whatever versions an earlier release served.
  written: ({ versions, hub }) => versions.find((version) => version.toHub === undefined) ?? hub,
  toWorking: (definition, version, object) =>
    object.apiVersion === definition.hub.apiVersion ? object : toHub(definition, version, object),
  fromStored: (_definition, _version, object) => object,
  toStored: ({ hub }, object, { version }) =>
    version === hub ? object : ((hub.withDefaults?.(object) ?? object) as KubeObject),
  convert(definition, object, apiVersion) {
    if (object.apiVersion === apiVersion) return object
    const version = anyVersion(definition, apiVersion)
    if (version === undefined) return object
    const from = anyVersion(definition, object.apiVersion)
    return fromHub(version, from === undefined ? object : toHub(definition, from, object))
  },
  convertOwned(definition, object, { from, to }) {
    const decoded = decodeValue(object, from.schema)
    return fromHub(to, toHub(definition, from, decoded.error === undefined ? (decoded.object as KubeObject) : object))
  },
  *decodeAdmitted(definition, { document, type, sent, types }) {
    const apiVersion = type.apiVersion === '' ? String(sent['apiVersion']) : type.apiVersion
    const kind = type.kind === '' ? String(sent['kind']) : type.kind
    const version = definition && anyVersion(definition, apiVersion)
    if (version === undefined || version.kind !== kind || kind !== sent['kind']) {
      const own = { ...groupVersionOf(String(sent['apiVersion'])), kind: String(sent['kind']) }
      return decodeOther(document, { given: { apiVersion, kind }, own, types })
    }
    const decoded = (yield* document.decodeInSteps(version.schema)).object
    Object.assign(decoded, { apiVersion, kind })
    yield
    return (version.withDefaults?.(decoded) ?? decoded) as KubeObject
  },
  restoreAdmitted(definition, object, { before }) {
    const version = anyVersion(definition, object.apiVersion)
    return version?.kind === object.kind ? toHub(definition, version, object, before) : object
  },
  equalAdmitted: equalSemanticInSteps,
  // Subresources that have a kind of their own come in that kind only, whatever the version.
  partKind: (version, subresource) => (subresource === '' || subresource === 'status' ? version : undefined),
  convertsAdmitted: false,
}

interface OtherType {
  readonly given: TypeMeta
  readonly own: GroupVersionKind
  readonly types: TypeCatalog
}

/** What subresources and actions take has a kind of its own, such as Scale or Eviction; no other will do. */
function decodeOther(document: JsonDocument, { given, own, types }: OtherType): KubeObject {
  groupVersionOf(given.apiVersion)
  const schema = types.schemaForKind(own)
  if (schema === undefined) return document.value() as KubeObject
  const other = otherKind(given, own, types)
  if (other?.schema !== undefined) {
    // It is read as what it says to be, before that turns out to be something else.
    document.decode(other.schema)
    throw unknownError(other.problem)
  }
  if (other !== undefined) throw new Error(other.problem)
  return Object.assign(document.decode(schema).object, given) as KubeObject
}

export function groupVersionOf(apiVersion: string): GroupVersion {
  const parsed = parseGroupVersion(apiVersion)
  if (parsed === undefined) throw new Error(`unexpected GroupVersion string: ${apiVersion}`)
  return parsed
}
