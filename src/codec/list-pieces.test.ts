import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { typeSchema } from '../catalog/catalog.ts'
import { encodeCbor } from './cbor.ts'
import { encodeJson, encodePrettyJson } from './json.ts'
import {
  type Batches,
  cborListPieces,
  type ItemBatches,
  jsonListPieces,
  type ListPieces,
  prettyJsonListPieces,
  protobufListPieces,
  yamlListPieces,
} from './list-pieces.ts'
import { encodeMessage, encodeProtobuf } from './protobuf.ts'
import { encodeYaml } from './yaml-emitter.ts'

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('"items":[]', 'items: []\n', '\n  ', 'items\u0080', '"rows": []', '- a: b\n', 'x'.repeat(200)),
)
const item = fc.record({
  metadata: fc.record({ name: text, annotations: fc.dictionary(text, text, { maxKeys: 3 }) }),
  data: fc.dictionary(fc.string({ minLength: 1 }), text, { maxKeys: 3 }),
}) as fc.Arbitrary<JsonObject>
const list = fc.record({
  metadata: fc.record({ resourceVersion: fc.constant('12'), continue: text }),
  batches: fc.array(fc.array(item, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  member: fc.constantFrom('items' as const, 'rows' as const),
})

const whole = (pieces: ListPieces): string =>
  Buffer.concat([...pieces].filter((each) => each !== undefined)).toString('hex')
const hex = (content: string | Buffer): string => Buffer.from(content).toString('hex')

/** Every other one in steps. */
function* inBatches(batches: JsonObject[][]): Batches<JsonObject> {
  for (const [i, items] of batches.entries()) {
    yield
    if (items.length > 0) yield { items, isLarge: i % 2 === 0 }
  }
}

const encodings: [string, (list: ItemBatches) => ListPieces, (value: JsonObject) => string | Buffer][] = [
  ['JSON', jsonListPieces, (value) => `${encodeJson(value)}\n`],
  ['indented JSON', prettyJsonListPieces, encodePrettyJson],
  ['YAML', yamlListPieces, encodeYaml],
  ['CBOR', cborListPieces, (value) => encodeCbor(value)],
]

it.each(encodings)('the pieces of a list in %s are the bytes of the whole', (_, pieces, encode) => {
  fc.assert(
    fc.property(list, ({ metadata, batches, member }) => {
      const items = batches.flat()
      fc.pre(items.length > 0)
      const frame = { kind: 'ConfigMapList', apiVersion: 'v1', metadata }
      const made = pieces({ frame, member, count: items.length, batches: inBatches(batches) })
      expect(whole(made)).toBe(hex(encode({ ...frame, [member]: items })))
    }),
    { numRuns: 100 },
  )
})

it('the pieces of a list in Protobuf are the bytes of the whole', () => {
  fc.assert(
    fc.property(list, ({ metadata, batches }) => {
      const frame = { kind: 'ConfigMapList', apiVersion: 'v1', metadata }
      const schema = typeSchema('core.v1.ConfigMap')
      const messages = batches.flatMap((batch) => [undefined, ...batch.map((each) => encodeMessage(each, schema))])
      const expected = encodeProtobuf({ ...frame, items: batches.flat() }, typeSchema('core.v1.ConfigMapList'))
      expect(whole(protobufListPieces(frame, messages))).toBe(hex(expected))
    }),
    { numRuns: 50 },
  )
})
