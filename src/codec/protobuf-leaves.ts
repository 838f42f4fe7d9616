/** The fields of a message by what they hold: nothing, a message, one value, or a list. */
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { isHeavy } from '../api/large-values.ts'
import type { Field } from '../schema/schema.ts'
import { DecodeError } from './decode-error.ts'
import { bytesPerStep, type FieldLeaf, goName, itemsPerStep, StateBox } from './protobuf-field.ts'
import { readValue, type ValueCodec } from './protobuf-value-codec.ts'
import type { ProtobufObjectCodec } from './protobuf-values.ts'

/** `kind` and `apiVersion`: they are in the envelope. */
export function absentLeaf({ name }: Field): FieldLeaf {
  return {
    key: name,
    path: [],
    finish: (value) => value as JsonValue | undefined,
    writeField: () => () => undefined,
    reader: { wire: undefined, goName: goName(name), read: () => undefined },
  }
}

export function messageLeaf(
  { name, pointer, emit, proto }: Field,
  codec: ProtobufObjectCodec,
  slot: number,
): FieldLeaf {
  const empty: JsonObject = {}
  return {
    key: name,
    path: proto?.path ?? [],
    finish(value) {
      if (value instanceof StateBox) return codec.finish(value.state)
      return emit ? (pointer ? null : codec.zero()) : undefined
    },
    *finishInSteps(value) {
      return value instanceof StateBox ? yield* codec.finishInSteps(value.state) : this.finish(value)
    },
    writeField: (tag) => (writer, values) => {
      const value = values[slot]
      const present = isJsonObject(value)
      if (!present && pointer) return
      const before = writer.length
      codec.write(writer, present ? value : empty)
      writer.small(writer.length - before)
      writer.small(tag + 2)
    },
    writeInSteps: (tag) =>
      function* (writer, values) {
        const value = values[slot]
        const present = isJsonObject(value)
        if (!present && pointer) return
        const before = writer.length
        yield* codec.writeInSteps(writer, present ? value : empty)
        writer.small(writer.length - before)
        writer.small(tag + 2)
      },
    reader: {
      wire: 2,
      goName: goName(name),
      read(reader, state) {
        state[slot] ??= new StateBox()
        const box = state[slot] as StateBox
        const outer = reader.enter()
        codec.readInto(reader, box.state)
        reader.leave(outer)
      },
      *readInSteps(reader, state) {
        state[slot] ??= new StateBox()
        const box = state[slot] as StateBox
        const outer = reader.enter()
        yield* codec.readIntoInSteps(reader, box.state)
        reader.leave(outer)
      },
    },
  }
}

const isZero = (value: JsonValue): boolean =>
  value === '' || value === 0 || value === false || value === null || (Array.isArray(value) && value.length === 0)

export function valueLeaf({ name, pointer, emit, proto }: Field, codec: ValueCodec, slot: number): FieldLeaf {
  const { zero, wire, write } = codec
  const optional = pointer || codec.nilable
  return {
    key: name,
    path: proto?.path ?? [],
    finish(value) {
      if (value === undefined) return emit ? (pointer ? null : zero) : undefined
      const read = value as JsonValue
      return pointer || emit || !isZero(read) ? read : undefined
    },
    writeField: (tag) => (writer, values) => {
      const value = values[slot]
      if (value !== undefined && value !== null) write(writer, value)
      else if (optional) return
      else write(writer, zero)
      writer.small(tag + wire)
    },
    reader: {
      wire: codec.wire,
      goName: goName(name),
      read(reader, state) {
        state[slot] = codec.read(reader)
      },
      *readInSteps(reader, state) {
        state[slot] = yield* readValue(reader, codec)
      },
    },
  }
}

export function listLeaf({ name, emit, proto }: Field, codec: ValueCodec, slot: number): FieldLeaf {
  const packable = codec.wire !== 2
  return {
    key: name,
    path: proto?.path ?? [],
    finish: (value) => (value === undefined ? (emit ? null : undefined) : (value as JsonValue)),
    writeField: (tag) => (writer, values) => {
      const list = values[slot]
      if (!Array.isArray(list)) return
      for (let i = list.length - 1; i >= 0; i--) {
        codec.write(writer, list[i] ?? codec.zero)
        writer.small(tag + codec.wire)
      }
    },
    writeInSteps: (tag) =>
      function* (writer, values) {
        const list = values[slot]
        if (!Array.isArray(list)) return
        for (let i = list.length - 1; i >= 0; i--) {
          if (i % itemsPerStep === 0) yield
          const item = list[i] ?? codec.zero
          if (codec.writeInSteps !== undefined && isHeavy(item)) yield* codec.writeInSteps(writer, item)
          else codec.write(writer, item)
          writer.small(tag + codec.wire)
        }
      },
    reader: {
      wire: packable ? undefined : 2,
      goName: goName(name),
      read(reader, state, wire) {
        state[slot] ??= []
        const list = state[slot] as JsonValue[]
        if (wire === codec.wire) {
          list.push(codec.read(reader))
        } else if (wire === 2) {
          const outer = reader.enter()
          while (!reader.done) list.push(codec.read(reader))
          reader.leave(outer)
        } else {
          throw new DecodeError(`proto: wrong wireType = ${wire} for field ${goName(name)}`)
        }
      },
      *readInSteps(reader, state) {
        state[slot] ??= []
        const list = state[slot] as JsonValue[]
        if (!packable) {
          list.push(yield* readValue(reader, codec))
          return
        }
        const outer = reader.enter()
        for (let i = 1; !reader.done; i++) {
          if (i % bytesPerStep === 0) yield
          list.push(codec.read(reader))
        }
        reader.leave(outer)
      },
    },
  }
}
