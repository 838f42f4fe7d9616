/**
 * Objects of files, read strictly as the kinds of their group: what is unknown or there twice is an error.
 * Mirrors the codecs of pkg/admission/plugin/webhook/manifest/loader and of pkg/admission/plugin/policy/manifest/loader.
 */
import { quote } from '../../api/golang/quote.ts'
import { parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { TypeCatalog } from '../../catalog/catalog.ts'
import { encodeJson, JsonDocument, type TypeMeta } from '../../codec/json.ts'
import { decodeYaml, yamlStrictError } from '../../codec/yaml.ts'
import { reasonOf } from '../../lib/fault.ts'

/** Which kinds there are, and where the reference registers them. */
export interface ManifestKinds {
  readonly types: TypeCatalog
  readonly scheme: string
}

export interface DecodedManifest extends TypeMeta {
  /** `*v1.ValidatingAdmissionPolicy`. */
  readonly type: string
  readonly object: JsonObject
}

const group = 'admissionregistration.k8s.io'

/** Beside the kinds of the group. */
const everywhere: ReadonlySet<string> = new Set(['v1/List', 'v1/Status'])

const goneVersions: ReadonlySet<string> = new Set(['v1alpha1', 'v1beta1'])

/** Throws an Error that says what is wrong, in the reference's words. */
export function decodeManifest(text: string, kinds: ManifestKinds): DecodedManifest {
  const { document, duplicates } = parsed(text)
  const meta = typeOf(document)
  if (meta.kind === '') throw new Error(`Object 'Kind' is missing in '${text}'`)
  if (meta.apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${text}'`)
  const version = parseGroupVersion(meta.apiVersion)
  const isKnown = version?.group === group || everywhere.has(`${meta.apiVersion}/${meta.kind}`)
  const type = `*${version?.version}.${meta.kind}`
  if (isKnown && meta.kind === 'List') return { ...meta, type, object: listOf(document) }
  const schema =
    isKnown && version !== undefined ? kinds.types.schemaForKind({ ...version, kind: meta.kind }) : undefined
  if (schema === undefined) {
    // A version that is gone is known still, but no file may be in it.
    if (isKnown && goneVersions.has(version?.version ?? '') && kinds.types.hasKind(group, meta.kind))
      return { ...meta, type, object: {} }
    const where = `version ${quote(meta.apiVersion)} in scheme ${quote(kinds.scheme)}`
    throw new Error(`no kind ${quote(meta.kind)} is registered for ${where}`)
  }
  const { object, strict } = document.decode(schema)
  const problems = duplicates.length === 0 ? strict : [yamlStrictError(duplicates), ...strict]
  if (problems.length > 0) throw new Error(`strict decoding error: ${problems.join(', ')}`)
  return { ...meta, type, object }
}

interface Parsed {
  readonly document: JsonDocument
  readonly duplicates: readonly string[]
}

function parsed(text: string): Parsed {
  const bytes = Buffer.from(text)
  if (text.startsWith('{')) return { document: new JsonDocument(bytes), duplicates: [] }
  const { value, duplicates } = decodeYaml(bytes)
  return { document: new JsonDocument(Buffer.from(encodeJson(value))), duplicates }
}

function typeOf(document: JsonDocument): TypeMeta {
  try {
    return document.typeMeta()
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${reasonOf(error)}`)
  }
}

function listOf(document: JsonDocument): JsonObject {
  const value = document.value()
  return isJsonObject(value) ? value : {}
}

/** The items of a list of anything, each as a text of its own; those of another object are undefined. */
export function itemsOfList({ kind, apiVersion, object }: DecodedManifest): readonly string[] | undefined {
  if (kind !== 'List' || apiVersion !== 'v1') return undefined
  const { items = [] } = object
  return (Array.isArray(items) ? items : []).map((item: JsonValue) => encodeJson(item))
}

/** Objects of a kind, of which there is one or a list; undefined for another kind. */
export function objectsOfKind(manifest: DecodedManifest, kind: string): readonly KubeObject[] | undefined {
  const { apiVersion, object } = manifest
  if (apiVersion !== `${group}/v1`) return undefined
  if (manifest.kind === kind) return [named(object, kind)]
  if (manifest.kind !== `${kind}List`) return undefined
  return ((object['items'] ?? []) as JsonObject[]).map((item) => named(item, kind))
}

const named = (object: JsonObject, kind: string): KubeObject =>
  ({ ...object, apiVersion: `${group}/v1`, kind, metadata: object['metadata'] ?? {} }) as KubeObject
