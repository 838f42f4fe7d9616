/**
 * Reads what the patch of a webhook or a policy made of an object: it must still be of the type that the resource has,
 * in any of its versions. What it leaves out of its type counts as that of the object which was sent.
 */

import type { AdmissionRequest } from '../api/admission.ts'
import { formatGroupVersion, type GroupVersionKind, parseGroupVersion } from '../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { unknownError } from '../api/status-error.ts'
import { type TypeCatalog, typesOf } from '../catalog/catalog.ts'
import { encodeJson, JsonDocument, sortKeys } from '../codec/json.ts'
import { coerceMetadata } from '../extensions/custom/object-meta.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { reasonOf } from '../lib/fault.ts'
import { anyVersion, toHub } from '../registry/convert.ts'
import { otherKind } from '../registry/model/other-kind.ts'
import type { Registries } from '../registry/registries.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'

/** In its own version, with the defaults of that. Throws an Error that says what is wrong, or an answer of its own. */
export function objectDecoder(registries: () => Registries) {
  return (request: AdmissionRequest, object: JsonObject, sent: JsonObject): KubeObject => {
    const definition = registries().get(request.resource.group, request.resource.resource)?.definition
    const document = new JsonDocument(Buffer.from(encodeJson(object)))
    const type = typeOf(document)
    if (definition?.structural && request.subresource !== 'scale') return custom(definition, object, type)
    const apiVersion = type.apiVersion === '' ? String(sent['apiVersion']) : type.apiVersion
    const kind = type.kind === '' ? String(sent['kind']) : type.kind
    const version = definition && anyVersion(definition, apiVersion)
    if (definition === undefined || version === undefined || version.kind !== kind || kind !== sent['kind']) {
      const own = { ...groupVersionOf(String(sent['apiVersion'])), kind: String(sent['kind']) }
      return otherType(document, { given: { apiVersion, kind }, own, types: typesOf(definition?.hub.schema) })
    }
    const decoded = document.decode(version.schema).object
    Object.assign(decoded, { apiVersion, kind })
    return (version.withDefaults?.(decoded) ?? decoded) as KubeObject
  }
}

/** Back into the version that a write works in. Custom objects are converted only: they are pruned when they are stored. */
export function versionRestorer(registries: () => Registries) {
  return ({ resource, kind }: AdmissionRequest, object: KubeObject): Awaitable<KubeObject> => {
    const definition = registries().get(resource.group, resource.resource)?.definition
    if (definition?.custom !== undefined && kind.group === definition.group) {
      return definition.custom.convert(object, formatGroupVersion(kind))
    }
    const version = definition && anyVersion(definition, object.apiVersion)
    return version?.kind === object.kind ? toHub(definition!, version, object) : object
  }
}

function typeOf(document: JsonDocument): { apiVersion: string; kind: string } {
  try {
    return document.typeMeta()
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${reasonOf(error)}`)
  }
}

function groupVersionOf(apiVersion: string): { group: string; version: string } {
  const parsed = parseGroupVersion(apiVersion)
  if (parsed === undefined) throw new Error(`unexpected GroupVersion string: ${apiVersion}`)
  return parsed
}

/** What subresources and actions take has a kind of its own, such as Scale or Eviction; no other will do. */
interface OtherType {
  readonly given: { readonly apiVersion: string; readonly kind: string }
  readonly own: GroupVersionKind
  readonly types: TypeCatalog
}

function otherType(document: JsonDocument, { given, own, types }: OtherType): KubeObject {
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

/** Another kind is told by validation. */
function custom(
  definition: ResourceDefinition,
  object: JsonObject,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): KubeObject {
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${encodeJson(sortKeys(object))}'`)
  const { group, version: name } = groupVersionOf(apiVersion)
  const version = anyVersion(definition, apiVersion)
  if (group !== definition.group) {
    throw unknownError(
      `${group}/${name}, Kind=${kind} is unstructured and is not suitable for converting to ${JSON.stringify(formatGroupVersion(definition.hub))}`,
    )
  }
  if (version === undefined) throw unknownError(`request to convert CR from an invalid group/version: ${apiVersion}`)
  if (!isJsonObject(object['metadata'])) throw new Error('system metadata was not initialized')
  const metadata = coerceMetadata(object['metadata'], 'drop').value
  const typed = { ...object, metadata } as KubeObject
  return (version.withDefaults?.(typed) ?? typed) as KubeObject
}
