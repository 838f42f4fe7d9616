/**
 * A request body in any encoding, parsed once: first its `apiVersion` and `kind` are looked at, then it is decoded as
 * the type that they name. Everything that is wrong with the bytes is a `DecodeError` with the reference's text.
 */
import type { JsonValue } from '../api/json.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { decodeCbor } from './cbor.ts'
import { DecodeError } from './decode-error.ts'
import { type DecodedJson, encodeJson, JsonDocument, type TypeMeta } from './json.ts'
import type { Encoding } from './negotiation.ts'
import { decodeEnvelope, decodeMessage, type ProtobufEnvelope } from './protobuf.ts'
import { decodeYaml, yamlStrictError } from './yaml.ts'

export interface Body {
  /** As the body states them; empty where it does not. */
  typeMeta(): TypeMeta
  /** The object in canonical form. `type` is what it is taken for, stated or not. */
  decode(schema: ObjectSchema, type: TypeMeta): DecodedJson
  /** Plain JSON without a type. Protobuf has none. */
  value(): JsonValue
  /** Keys that are there twice, for bodies without a type. */
  duplicates(): readonly string[]
}

/** Throws a `DecodeError`. */
export function parseBody(bytes: Buffer, encoding: Encoding): Body {
  switch (encoding) {
    case 'json':
      return jsonBody(new JsonDocument(bytes))
    case 'yaml': {
      const { value, duplicates } = decodeYaml(bytes)
      return jsonBody(documentOf(value), duplicates.length === 0 ? [] : [yamlStrictError(duplicates)])
    }
    case 'cbor':
      return jsonBody(documentOf(decodeCbor(bytes)))
    case 'protobuf':
      return protobufBody(decodeEnvelope(bytes))
  }
}

const documentOf = (value: JsonValue): JsonDocument => new JsonDocument(Buffer.from(encodeJson(value)))

/** `strict` is what the text had that its JSON does not show. */
function jsonBody(document: JsonDocument, strict: readonly string[] = []): Body {
  return {
    typeMeta: () => document.typeMeta(),
    decode(schema) {
      const decoded = document.decode(schema)
      return strict.length === 0 ? decoded : { object: decoded.object, strict: [...strict, ...decoded.strict] }
    },
    value: () => document.value(),
    duplicates: () => [...strict, ...document.duplicates()],
  }
}

function protobufBody(envelope: ProtobufEnvelope): Body {
  return {
    typeMeta: () => ({ apiVersion: envelope.apiVersion, kind: envelope.kind }),
    decode: (schema, type) => ({ object: decodeMessage(envelope.raw, schema, type), strict: [] }),
    value() {
      throw new DecodeError('a Protobuf message cannot be read without its type')
    },
    duplicates: () => [],
  }
}
