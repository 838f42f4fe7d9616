/** The field of a map: an entry is a message of its key and its value, and entries are sorted by the bytes of their keys. */

import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { compareTexts, keysOf } from '../api/key-lists.ts'
import { mapInSteps, sortInSteps } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { Field } from '../schema/schema.ts'
import { type FieldLeaf, goName, itemsPerStep, MapBox } from './protobuf-field.ts'
import type { ProtobufReader } from './protobuf-reader.ts'
import { readValue, type ValueCodec } from './protobuf-value-codec.ts'
import type { ReverseWriter } from './protobuf-writer.ts'

export function mapLeaf({ name, emit, proto }: Field, codec: ValueCodec, slot: number): FieldLeaf {
  const writeEntry = (writer: ReverseWriter, key: string, value: JsonValue | undefined): void => {
    const before = writer.length
    if (!codec.nilable || (value !== null && value !== undefined)) {
      codec.write(writer, value ?? codec.zero)
      writer.byte(0x10 + codec.wire)
    }
    writer.string(key)
    writer.byte(0x0a)
    writer.small(writer.length - before)
  }
  const readEntry = (reader: ProtobufReader, box: MapBox): void => {
    let key = ''
    let value: JsonValue | undefined
    const outer = reader.enter()
    while (!reader.done) {
      const tag = reader.varint()
      if (tag === 0x0a) key = reader.string()
      else if (tag === 0x10 + codec.wire) value = codec.read(reader)
      else reader.skip(tag & 7)
    }
    reader.leave(outer)
    box.set(key, value ?? codec.zero)
  }
  /** An entry that is long. */
  function* readEntryInSteps(reader: ProtobufReader, box: MapBox): Steps<void> {
    let key = ''
    let value: JsonValue | undefined
    const outer = reader.enter()
    while (!reader.done) {
      const tag = reader.varint()
      if (tag === 0x0a) key = reader.string()
      else if (tag === 0x10 + codec.wire) value = yield* readValue(reader, codec)
      else reader.skip(tag & 7)
    }
    reader.leave(outer)
    box.set(key, value ?? codec.zero)
  }
  const absent = emit ? null : undefined
  return {
    key: name,
    path: proto?.path ?? [],
    finish: (value) => (value instanceof MapBox ? sortedMap(value) : absent),
    *finishInSteps(value) {
      if (!(value instanceof MapBox)) return absent
      const { map, keys: given } = value
      if (given.length < itemsPerStep) return sortedMap(value)
      const keys = yield* sortInSteps(given, compareBytes)
      yield
      return yield* mapInSteps(keys, (i) => map[keys[i] as string])
    },
    writeField: (tag) => (writer, values) => {
      const map = values[slot]
      if (!isJsonObject(map)) return
      const keys = sortedKeys(map)
      for (let i = keys.length - 1; i >= 0; i--) {
        const key = keys[i] as string
        writeEntry(writer, key, map[key])
        writer.small(tag + 2)
      }
    },
    writeInSteps: (tag) =>
      function* (writer, values) {
        const map = values[slot]
        if (!isJsonObject(map)) return
        const present: string[] = []
        let written = 0
        for (const key of keysOf(map)) {
          if (++written % itemsPerStep === 0) yield
          if (map[key] !== undefined) present.push(key)
        }
        const keys = yield* sortInSteps(present, compareBytes)
        for (let i = keys.length - 1; i >= 0; i--) {
          if (i % itemsPerStep === 0) yield
          const key = keys[i] as string
          writeEntry(writer, key, map[key])
          writer.small(tag + 2)
        }
      },
    reader: {
      wire: 2,
      goName: goName(name),
      read(reader, state) {
        state[slot] ??= new MapBox()
        readEntry(reader, state[slot] as MapBox)
      },
      *readInSteps(reader, state) {
        state[slot] ??= new MapBox()
        yield* readEntryInSteps(reader, state[slot] as MapBox)
      },
    },
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ascii = /^[\x00-\x7f]*$/

/** By their bytes in UTF-8, as Go compares strings. JavaScript's order is the same for ASCII. */
function sortedKeys(map: JsonObject, keys = Object.keys(map).filter((key) => map[key] !== undefined)): string[] {
  if (keys.length < 2) return keys
  return keys.every((key) => ascii.test(key)) ? keys.sort() : keys.sort(compareBytes)
}

const compareBytes = (a: string, b: string): number =>
  ascii.test(a) && ascii.test(b) ? compareTexts(a, b) : Buffer.compare(Buffer.from(a), Buffer.from(b))

/** A map prints with sorted keys; what the reference wrote is sorted already. */
function sortedMap({ map, keys }: MapBox): JsonObject {
  if (keys.length < 2) return map
  const sorted = sortedKeys(map, [...keys])
  if (keys.every((key, i) => key === sorted[i])) return map
  const copy: JsonObject = {}
  for (const key of sorted) setKey(copy, key, map[key])
  return copy
}
