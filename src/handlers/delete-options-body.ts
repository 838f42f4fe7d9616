/** The options of a deletion as a body, in whatever encoding. */

import { schemePositions } from '../api/golang/positions.ts'
import { quote } from '../api/golang/quote.ts'
import { formatGroupVersion, parseGroupVersion } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import { unknownError } from '../api/status-error.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { decodeCborBodyInSteps } from '../codec/cbor.ts'
import { DecodeError } from '../codec/decode-error.ts'
import { JsonDocument, type TypeMeta } from '../codec/json.ts'
import { encodeJsonInSteps } from '../codec/json-in-steps.ts'
import type { MediaType } from '../codec/negotiation.ts'
import { decodeEnvelope, decodeMessageInSteps } from '../codec/protobuf.ts'
import { decodeYamlInSteps } from '../codec/yaml.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { DeleteOptions } from '../registry/delete-options.ts'
import { isLarge } from '../registry/write-request.ts'
import { decodeValueInSteps } from '../schema/canonicalize.ts'
import type { ObjectSchema } from '../schema/schema.ts'

const metaVersion = 'meta.k8s.io/v1'

/** Throws an `ApiError`. */
export function* optionsOfBody(encoding: MediaType['encoding'], bytes: Buffer): Steps<DeleteOptions> {
  const schema = typeSchema('meta.v1.DeleteOptions')
  try {
    switch (encoding) {
      case 'json':
        return yield* optionsOfJson(bytes, schema)
      case 'yaml': {
        const { value } = yield* decodeYamlInSteps(bytes)
        return yield* optionsOfJson(Buffer.from(yield* encodeJsonInSteps(value)), schema)
      }
      case 'protobuf': {
        const { raw, apiVersion, kind } = decodeEnvelope(bytes)
        checkedKind({ apiVersion, kind })
        return (yield* decodeMessageInSteps(raw, schema, { apiVersion, kind })) as DeleteOptions
      }
      case 'cbor': {
        const decoded = yield* decodeValueInSteps(yield* decodeCborBodyInSteps(bytes), schema)
        if (decoded.error !== undefined) throw new DecodeError(decoded.error)
        return checkedKind(decoded.object)
      }
    }
  } catch (error) {
    if (error instanceof DecodeError) throw unknownError(error.message)
    throw error
  }
}

/** Errors of the text itself are distinguished from errors of its fields. */
function* optionsOfJson(bytes: Buffer, schema: ObjectSchema): Steps<DeleteOptions> {
  const { document, meta } = yield* parseOrThrow(bytes)
  checkedKind({ ...meta })
  if (document.isPlain && document.value() === null) return {}
  const { object } = isLarge(bytes.length) ? yield* document.decodeInSteps(schema) : document.decode(schema)
  return object as DeleteOptions
}

function* parseOrThrow(bytes: Buffer): Steps<{ readonly document: JsonDocument; readonly meta: TypeMeta }> {
  try {
    const document = isLarge(bytes.length) ? yield* JsonDocument.inSteps(bytes) : new JsonDocument(bytes)
    return { document, meta: document.typeMeta() }
  } catch (error) {
    if (error instanceof DecodeError) {
      throw unknownError(`couldn't get version/kind; json parse error: ${error.message}`)
    }
    throw error
  }
}

/** Other kinds that could stand where options do, in every version and in the options' own. */
const otherKinds: ReadonlySet<string> = new Set(
  'CreateOptions UpdateOptions Status APIVersions APIGroup APIGroupList APIResourceList'.split(' '),
)
const otherMetaKinds: ReadonlySet<string> = new Set(
  'GetOptions ListOptions PatchOptions WatchEvent Table TableOptions PartialObjectMetadata PartialObjectMetadataList'.split(
    ' ',
  ),
)

function checkedKind(object: JsonObject): DeleteOptions {
  const { kind } = object
  const apiVersion = String(object['apiVersion'] ?? '')
  const parsed = parseGroupVersion(apiVersion)
  if (parsed === undefined) throw unknownError(`unexpected GroupVersion string: ${apiVersion}`)
  if (typeof kind !== 'string' || kind === '' || kind === 'DeleteOptions') return object as DeleteOptions
  const version = formatGroupVersion(parsed) || metaVersion
  if (otherKinds.has(kind) || (version === metaVersion && otherMetaKinds.has(kind))) {
    throw unknownError(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`)
  }
  throw unknownError(
    `no kind ${quote(kind)} is registered for version ${quote(version)} in scheme ${quote(schemePositions.internalversion)}`,
  )
}
