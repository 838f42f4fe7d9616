/** An object in any encoding, as an answer holds it. */
import type { JsonObject } from '../api/json.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { encodeCbor, encodeCborEvent } from './cbor.ts'
import { encodeJson, encodePrettyJson } from './json.ts'
import type { Encoding } from './negotiation.ts'
import { encodeProtobuf, encodeWatchFrame } from './protobuf.ts'
import { encodeYaml } from './yaml-emitter.ts'

export interface EncodeOptions {
  readonly encoding: Encoding
  readonly pretty?: boolean
  /** Needed for Protobuf; tells CBOR which fields are bytes. */
  readonly schema?: ObjectSchema
}

/** JSON on one line ends in a line break, indented JSON does not. */
export function encodeObject(object: JsonObject, { encoding, pretty, schema }: EncodeOptions): Buffer {
  switch (encoding) {
    case 'json':
      return Buffer.from(pretty ? encodePrettyJson(object) : `${encodeJson(object)}\n`)
    case 'yaml':
      return Buffer.from(encodeYaml(object))
    case 'cbor':
      return encodeCbor(object, schema)
    case 'protobuf':
      if (schema === undefined) throw new Error('an object without a schema has no Protobuf form')
      return encodeProtobuf(object, schema)
  }
}

/** One event of a watch around an object that is encoded already (JSON without a line break). */
export function encodeEvent(type: string, object: Uint8Array, encoding: Exclude<Encoding, 'yaml'>): Buffer {
  switch (encoding) {
    case 'json':
      return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, Buffer.from('}\n')])
    case 'cbor':
      return encodeCborEvent(type, object)
    case 'protobuf':
      return encodeWatchFrame(type, object)
  }
}
