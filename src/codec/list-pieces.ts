/**
 * A long list in pieces of the same bytes that the whole list would be encoded to, so that it can be made and sent a
 * little at a time. Each step encodes one batch of items; one that gives nothing was work for later pieces.
 */
import type { JsonObject } from '../api/json.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import type { Schema } from '../schema/schema.ts'
import { cborArrayHead, encodeCbor, encodeCborInSteps } from './cbor.ts'
import type { TypeMeta } from './json.ts'
import { encodeJson, encodePrettyJson } from './json.ts'
import { encodeJsonInSteps, encodePrettyJsonInSteps } from './json-in-steps.ts'
import { encodeListParts } from './protobuf.ts'
import { encodeYaml, encodeYamlInSteps } from './yaml-emitter.ts'

export type ListPieces = Generator<Buffer | undefined, void>

export interface Batch<T> {
  readonly items: readonly T[]
  /** It is encoded in several steps. */
  readonly isLarge: boolean
}

/** Undefined: that was work for later ones. */
export type Batches<T> = Generator<Batch<T> | undefined>

export interface ItemBatches {
  /** The list without items. */
  readonly frame: JsonObject
  /** Where the items belong. */
  readonly member: 'items' | 'rows'
  readonly count: number
  readonly batches: Batches<JsonObject>
  /** Their type, where CBOR asks for it. */
  readonly schema?: Schema | undefined
}

/** What comes before the items, between two batches, and after them, in texts. */
interface TextFrame {
  readonly head: string
  readonly tail: string
  readonly separator: string
  /** The text of some items, in steps. */
  readonly batch: (items: JsonObject[]) => Steps<string>
}

function* textPieces({ batches }: ItemBatches, { head, tail, separator, batch }: TextFrame): ListPieces {
  yield Buffer.from(head)
  let isFirst = true
  for (const made of batches) {
    yield
    if (made === undefined) continue
    const steps = batch([...made.items])
    const text = made.isLarge ? yield* steps : runToEnd(steps)
    yield Buffer.from(isFirst ? text : separator + text)
    isFirst = false
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
    *batch(items) {
      return (yield* encodeJsonInSteps(items)).slice(1, -1)
    },
  })
}

export function prettyJsonListPieces(list: ItemBatches): ListPieces {
  const { frame, member } = list
  const [head, tail] = around(encodePrettyJson({ ...frame, [member]: [] }), `"${member}": []`)
  return textPieces(list, {
    head: `${head}"${member}": [`,
    tail: `\n  ]${tail}`,
    separator: ',',
    *batch(items) {
      return (yield* encodePrettyJsonInSteps(items, '  ')).slice('['.length, -'\n  ]'.length)
    },
  })
}

export function yamlListPieces(list: ItemBatches): ListPieces {
  const { frame, member } = list
  // What is deeper is indented, and the version of the list comes first.
  const [head, tail] = around(encodeYaml({ ...frame, [member]: [] }), `\n${member}: []\n`)
  return textPieces(list, { head: `${head}\n${member}:\n`, tail, separator: '', batch: encodeYamlInSteps })
}

export function* cborListPieces({ frame, member, count, batches, schema }: ItemBatches): ListPieces {
  const whole = encodeCbor({ ...frame, [member]: [] })
  const at = whole.lastIndexOf(Buffer.concat([Buffer.from(member), emptyCborArray])) + member.length
  yield Buffer.concat([whole.subarray(0, at), cborArrayHead(count)])
  for (const batch of batches) {
    yield
    for (const item of batch?.items ?? []) {
      const steps = encodeCborInSteps(item, schema)
      const encoded = batch?.isLarge === true ? yield* steps : runToEnd(steps)
      yield encoded.subarray(cborPrefixBytes)
    }
  }
  yield whole.subarray(at + emptyCborArray.length)
}

const emptyCborArray = Buffer.from([0x80])
const cborPrefixBytes = 3

/** Lengths come first in Protobuf: all messages are made before the first piece. */
export function* protobufListPieces(
  frame: TypeMeta & { readonly metadata: JsonObject },
  messages: Iterable<Uint8Array | undefined>,
): ListPieces {
  const items: Uint8Array[] = []
  for (const message of messages) {
    if (message !== undefined) items.push(message)
    yield
  }
  const parts = encodeListParts({ ...frame, items })
  for (let i = 0; i < parts.length; i += partsAtOnce) yield Buffer.concat(parts.slice(i, i + partsAtOnce))
}

const partsAtOnce = 64
