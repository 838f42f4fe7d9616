/**
 * OpenAPI documents in the Protobuf form that Kubernetes clients ask for (gnostic's messages). A message is a table from
 * the keys of the JSON form to field numbers; keys that begin with `x-` are extensions, and what has no field is left
 * out, since the form has no place for it.
 */
import protobuf from 'protobufjs/minimal.js'
import type { JsonObject } from '../../api/json.ts'
import { documentV2 } from './gnostic-v2.ts'
import { documentV3 } from './gnostic-v3.ts'

/** A whole document of either version as Protobuf. */
export function encodeGnostic(dialect: 'v2' | 'v3', document: JsonObject): Buffer {
  const writer = protobuf.Writer.create()
  if (dialect === 'v2') documentV2(writer, document)
  else documentV3(writer, document)
  const bytes = writer.finish()
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
