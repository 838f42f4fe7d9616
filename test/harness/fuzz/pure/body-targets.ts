/** Bodies in four encodings and five kinds of patch, of every built-in type. The first byte chooses the type. */
import { encode as encodeCborBytes } from 'cborg'
import { parseGroupVersion } from '../../../../src/api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/api/json.ts'
import { badRequest } from '../../../../src/api/status-error.ts'
import { schemaForKind } from '../../../../src/catalog/catalog.ts'
import { decodeCborBody } from '../../../../src/codec/cbor.ts'
import { decodeJson, encodeJson } from '../../../../src/codec/json.ts'
import { parseTree } from '../../../../src/codec/json-parser.ts'
import { decodeEnvelope, decodeMessage, encodeProtobuf, hasProtobuf } from '../../../../src/codec/protobuf.ts'
import { decodeYaml } from '../../../../src/codec/yaml.ts'
import { encodeYaml } from '../../../../src/codec/yaml-emitter.ts'
import { runToEnd } from '../../../../src/lib/in-turns.ts'
import { applyConfig } from '../../../../src/patch/apply/apply-config.ts'
import { decodeManagedFields } from '../../../../src/patch/apply/managed-fields.ts'
import { applyJsonPatch, parseJsonPatch } from '../../../../src/patch/json-patch.ts'
import { applyMergePatch } from '../../../../src/patch/merge-patch.ts'
import { applyStrategicMergePatch } from '../../../../src/patch/strategic-merge-patch.ts'
import type { ObjectSchema } from '../../../../src/schema/schema.ts'
import { exampleObjects } from '../../../integration/support/example-objects.ts'
import type { PureTarget } from './pure-target.ts'

interface Example {
  readonly object: JsonObject
  readonly schema: ObjectSchema
}

const examples: readonly Example[] = exampleObjects('').flatMap((object) => {
  const groupVersion = parseGroupVersion(String(object['apiVersion']))
  const schema = groupVersion && schemaForKind({ ...groupVersion, kind: String(object['kind']) })
  return schema === undefined ? [] : [{ object, schema }]
})

/** The type that the first byte names, and the rest. */
function typed(bytes: Buffer): Example & { readonly body: Buffer } {
  const example = examples[(bytes[0] ?? 0) % examples.length] as Example
  return { ...example, body: bytes.subarray(1) }
}

const seedsOf = (encode: (example: Example) => Buffer | undefined): Buffer[] =>
  examples.flatMap((example, i) => {
    const body = encode(example)
    return body === undefined ? [] : [Buffer.concat([Buffer.from([i]), body])]
  })

const jsonSeeds = seedsOf(({ object }) => Buffer.from(encodeJson(object)))

/** Whatever a body holds, what was decoded of it can be written again in every encoding. */
function writeAgain(object: JsonObject, schema: ObjectSchema): void {
  encodeJson(object)
  encodeYaml(object)
  if (hasProtobuf(schema)) encodeProtobuf(object, schema)
}

const asObject = (value: JsonValue): JsonObject => {
  if (!isJsonObject(value)) throw badRequest('no object')
  return value
}

/** A body as text is decoded as JSON is. */
function decodeText(value: JsonValue, schema: ObjectSchema): string {
  const { object, strict } = decodeJson(Buffer.from(encodeJson(asObject(value))), schema)
  writeAgain(object, schema)
  return strict.join('\n')
}

const jsonWords = [
  ...['{', '}', '[', ']', ':', ',', '"', '\\u0000', '\\ud800', 'null', 'true', '-0', '1e400', '1E-400', '0.1'],
  ...['9223372036854775808', '"__proto__":{}', '"constructor":1', '"metadata":null', '"name":"a"', '"":0'],
  ...['"apiVersion":"v1"', '"kind":"Pod"', '"spec":[]', '"items":[null]', '"labels":{"a":null}', '\ufeff', '\u2028'],
]
const patchWords = [
  ...jsonWords,
  ...['"$patch":"replace"', '"$patch":"delete"', '"$patch":"merge"', '"$setElementOrder/containers":[{"name":"a"}]'],
  ...['"$retainKeys":["a"]', '"$deleteFromPrimitiveList/finalizers":["a"]', '"op":"add"', '"op":"move"', '"op":"test"'],
  ...['"path":""', '"path":"/-"', '"path":"/metadata/labels/a~1b"', '"from":"/spec"', '"value":null'],
]

const asPatch = (patch: JsonValue): ((example: Example) => Buffer) => {
  return () => Buffer.from(encodeJson(patch))
}

const jsonPatches: readonly JsonValue[] = [
  [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }],
  [{ op: 'remove', path: '/metadata/name' }],
  [{ op: 'replace', path: '/spec', value: null }],
  [{ op: 'move', from: '/spec', path: '/status' }],
  [{ op: 'copy', from: '/metadata', path: '/metadata/a' }],
  [{ op: 'test', path: '/kind', value: 'Pod' }],
  [
    { op: 'add', path: '/metadata/finalizers', value: [] },
    { op: 'add', path: '/metadata/finalizers/-', value: 'a/b' },
  ],
]

export const bodyTargets: readonly PureTarget[] = [
  {
    name: 'JSON body',
    seeds: jsonSeeds,
    words: jsonWords,
    run: (bytes) => {
      const { schema, body } = typed(bytes)
      const { object, strict } = decodeJson(body, schema)
      writeAgain(object, schema)
      return strict.join('\n')
    },
  },
  {
    name: 'YAML body',
    seeds: seedsOf(({ object }) => Buffer.from(encodeYaml(object))),
    words: [
      ...[
        '- ',
        ': ',
        '? ',
        '&a ',
        '*a',
        '<<: ',
        '!!binary ',
        '!!str ',
        '!!float ',
        '|\n',
        '>-\n',
        '---\n',
        '...\n',
        '# ',
      ],
      ...['%YAML 1.1\n', "'", '"', '\t', '[', '{', '}', ']', '0o7', '0x1F', '.inf', '.nan', '~', 'yes', '2001-01-01'],
      ...['1_000', '\\x41', '\u0085', '\u2028', '\ufeff', '12:30:45', '!<tag:yaml.org,2002:int> '],
    ],
    run: (bytes) => {
      const { schema, body } = typed(bytes)
      const { value, duplicates } = decodeYaml(body)
      return `${duplicates.join('\n')}\n${decodeText(value, schema)}`
    },
  },
  {
    name: 'Protobuf body',
    seeds: seedsOf(({ object, schema }) => (hasProtobuf(schema) ? encodeProtobuf(object, schema) : undefined)),
    run: (bytes) => {
      const { schema, body } = typed(bytes)
      const { raw, ...type } = decodeEnvelope(body)
      writeAgain(decodeMessage(raw, schema, type), schema)
      return ''
    },
  },
  {
    name: 'CBOR body',
    seeds: seedsOf(({ object }) => Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), encodeCborBytes(object)])),
    run: (bytes) => {
      const { schema, body } = typed(bytes)
      return decodeText(decodeCborBody(body), schema)
    },
  },
  {
    name: 'JSON patch',
    seeds: jsonPatches.flatMap((patch) => seedsOf(asPatch(patch)).filter((_, i) => i % 11 === 0)),
    words: patchWords,
    run: (bytes) => {
      const { object, body } = typed(bytes)
      const unusual = new Set<string>()
      const patch = parseJsonPatch(parseTree(body, unusual), { unusual })
      encodeJson(applyJsonPatch(object, patch))
      return patch.strict.join('\n')
    },
  },
  {
    name: 'merge patch',
    seeds: jsonSeeds,
    words: patchWords,
    run: (bytes) => {
      const { object, schema, body } = typed(bytes)
      const merged = applyMergePatch(object, decodeYaml(body).value)
      return decodeText(merged, schema)
    },
  },
  {
    name: 'strategic merge patch',
    seeds: jsonSeeds,
    words: patchWords,
    run: (bytes) => {
      const { object, schema, body } = typed(bytes)
      const patch = asObject(decodeYaml(body).value)
      return decodeText(applyStrategicMergePatch(object, patch, schema), schema)
    },
  },
  {
    name: 'apply patch',
    seeds: seedsOf(({ object }) => Buffer.from(encodeYaml(object))),
    words: patchWords,
    run: (bytes) => {
      const { object, schema, body } = typed(bytes)
      const apiVersion = String(object['apiVersion'])
      const type = { schema: () => schema, convert: (given: JsonObject) => given }
      const by = { manager: 'fuzz', apiVersion, kind: String(object['kind']), time: '2024-01-01T00:00:00Z' }
      const options = { ...by, force: (bytes[1] ?? 0) % 2 === 0, unknownFields: 'refuse' } as const
      const applied = runToEnd(applyConfig(type, object, asObject(decodeYaml(body).value), options))
      return applied.unknownFields.join('\n')
    },
  },
  {
    name: 'managed fields',
    seeds: [
      Buffer.from(
        '[{"manager":"a","operation":"Update","apiVersion":"v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"a\\"}":{".":{},"f:image":{}}},"f:list":{"v:1":{},"i:0":{}}}}}]',
      ),
    ],
    words: [
      '"f:a":{}',
      '"k:{\\"a\\":1}":{}',
      '"v:null":{}',
      '"i:-1":{}',
      '".":{}',
      '"k:{":{}',
      '"f:":[]',
      ...jsonWords,
    ],
    run: (bytes) => {
      decodeManagedFields(decodeYaml(bytes).value)
      return ''
    },
  },
]
