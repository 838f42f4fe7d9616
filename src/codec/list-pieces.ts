/**
 * A long list in pieces of the same bytes that the whole list would be encoded to, so that it can be made and sent a
 * little at a time. Each step encodes one batch of items; one that gives nothing was work for later pieces.
 */
import type { JsonObject } from '../api/json.ts'
import type { Schema } from '../schema/schema.ts'
import { cborArrayHead, encodeCbor } from './cbor.ts'
import type { TypeMeta } from './json.ts'
import { encodeJson, encodePrettyJson } from './json.ts'
import { encodeListParts } from './protobuf.ts'
import { encodeYaml } from './yaml-emitter.ts'

export type ListPieces = Generator<Buffer | undefined, void>

export interface ItemBatches {
  /** The list without items. */
  readonly frame: JsonObject
  /** Where the items belong. */
  readonly member: 'items' | 'rows'
  readonly count: number
  /** May be empty: that was work for later ones. */
  readonly batches: Iterable<JsonObject[]>
  /** Their type, where CBOR asks for it. */
  readonly schema?: Schema | undefined
}

/** What comes before the items, between two batches, and after them, in texts. */
interface TextFrame {
  readonly head: string
  readonly tail: string
  readonly separator: string
  readonly batch: (items: JsonObject[]) => string
}

function* textPieces({ batches }: ItemBatches, { head, tail, separator, batch }: TextFrame): ListPieces {
  yield Buffer.from(head)
  let isFirst = true
  for (const items of batches) {
    if (items.length === 0) yield undefined
    else yield Buffer.from(isFirst ? batch(items) : separator + batch(items))
    isFirst &&= items.length === 0
  }
  yield Buffer.from(tail)
}

/** A text around the one place where an empty list stands. It is nowhere else: in JSON, quotes inside texts are escaped. */
function around(text: string, empty: string): readonly [string, string] {
  const at = text.lastIndexOf(empty)
  return [text.slice(0, at), text.slice(at + empty.length)]
}

export function jsonListPieces(list: ItemBatches): ListPieces {
  const { frame, member } = list
  const [head, tail] = around(encodeJson({ ...frame, [member]: [] }), `"${member}":[]`)
  return textPieces(list, {
    head: `${head}"${member}":[`,
    tail: `]${tail}\n`,
    separator: ',',
    batch: (items) => encodeJson(items).slice(1, -1),
  })
}

export function prettyJsonListPieces(list: ItemBatches): ListPieces {
  const { frame, member } = list
  const [head, tail] = around(encodePrettyJson({ ...frame, [member]: [] }), `"${member}": []`)
  return textPieces(list, {
    head: `${head}"${member}": [`,
    tail: `\n  ]${tail}`,
    separator: ',',
    // Without the brackets, and a level deeper.
    batch: (items) => encodePrettyJson(items).slice(1, -2).replaceAll('\n', '\n  '),
  })
}

export function yamlListPieces(list: ItemBatches): ListPieces {
  const { frame, member } = list
  // What is deeper is indented, and the version of the list comes first.
  const [head, tail] = around(encodeYaml({ ...frame, [member]: [] }), `\n${member}: []\n`)
  return textPieces(list, { head: `${head}\n${member}:\n`, tail, separator: '', batch: encodeYaml })
}

export function* cborListPieces({ frame, member, count, batches, schema }: ItemBatches): ListPieces {
  const whole = encodeCbor({ ...frame, [member]: [] })
  const at = whole.lastIndexOf(Buffer.concat([Buffer.from(member), emptyCborArray])) + member.length
  yield Buffer.concat([whole.subarray(0, at), cborArrayHead(count)])
  for (const items of batches)
    yield Buffer.concat(items.map((item) => encodeCbor(item, schema).subarray(cborPrefixBytes)))
  yield whole.subarray(at + emptyCborArray.length)
}

const emptyCborArray = Buffer.from([0x80])
const cborPrefixBytes = 3

/** Lengths come first in Protobuf: all messages are made before the first piece. */
export function* protobufListPieces(
  frame: TypeMeta & { readonly metadata: JsonObject },
  messages: Iterable<readonly Uint8Array[]>,
): ListPieces {
  const items: Uint8Array[] = []
  for (const batch of messages) {
    for (const message of batch) items.push(message)
    yield undefined
  }
  const parts = encodeListParts({ ...frame, items })
  for (let i = 0; i < parts.length; i += partsAtOnce) yield Buffer.concat(parts.slice(i, i + partsAtOnce))
}

const partsAtOnce = 64
