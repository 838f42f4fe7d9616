/** Decodes a body of any encoding for display in the console and in traces: best effort, never an error. */
import { parse as parseYaml } from 'yaml'
import { parseGroupVersion } from '../api/group-version.ts'
import type { JsonValue } from '../api/json.ts'
import { schemaForKind } from '../catalog/catalog.ts'
import { decodeCbor } from './cbor.ts'
import { decodeEnvelope, decodeMessage } from './protobuf.ts'

/** What cannot be decoded is text where it should have been text, and bytes otherwise. */
export function decodedBody(body: Buffer, contentType: string): unknown {
  const isText = /json|yaml|text/.test(contentType)
  try {
    if (contentType.includes('protobuf')) return decodedProtobuf(body)
    if (contentType.includes('cbor')) return decodeCbor(body)
    if (contentType.includes('yaml')) return parseYaml(body.toString('utf8'), { maxAliasCount: 100 })
    return contentType.includes('json') ? JSON.parse(body.toString('utf8')) : isText ? body.toString('utf8') : body
  } catch {
    return isText ? body.toString('utf8') : body
  }
}

/** The envelope says which kind it is; an object of a kind that is not built in has no such form. */
function decodedProtobuf(body: Buffer): JsonValue | Buffer {
  const { raw, apiVersion, kind } = decodeEnvelope(body)
  const version = parseGroupVersion(apiVersion)
  const schema = version && schemaForKind({ ...version, kind })
  return schema === undefined ? body : decodeMessage(raw, schema, { apiVersion, kind })
}
