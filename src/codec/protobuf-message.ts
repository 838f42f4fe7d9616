/**
 * The Protobuf form of an object type, compiled from its schema on first use: one writer and one reader per field.
 *
 * Writing is byte for byte what the reference's generated code writes: fields by number, map keys sorted, values that
 * are not pointers always present. Reading gives JSON as the reference prints it: keys in wire order, zero values left
 * out unless the field is always written. Unknown fields are skipped.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { isHeavy } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import { compileOnce } from '../lib/memo.ts'
import type { Field, ListSchema, MapSchema, ObjectSchema, Schema } from '../schema/schema.ts'
import { DecodeError } from './decode-error.ts'
import {
  type FieldLeaf,
  type FieldSlot,
  type FieldValues,
  goName,
  itemsPerStep,
  type MessageState,
  type ReadField,
  StateBox,
  type WriteField,
  type WriteInSteps,
} from './protobuf-field.ts'
import { mapLeaf } from './protobuf-map.ts'
import type { ProtobufReader } from './protobuf-reader.ts'
import { objectValue, type ProtobufObjectCodec, type ValueCodec, valueCodec } from './protobuf-values.ts'
import type { ReverseWriter } from './protobuf-writer.ts'

/** The fields of one message: those of the object, or of a message that the object's fields are embedded in. */
interface FieldGroup {
  /** Last number first. */
  readonly writers: readonly WriteField[]
  readonly stepWriters: readonly WriteInSteps[]
  readonly readers: readonly (ReadField | undefined)[]
}

class MessageCodec implements ProtobufObjectCodec {
  readonly #schema: ObjectSchema
  readonly #name: string
  #group: FieldGroup | undefined
  #slots: readonly FieldSlot[] = []
  #valuesOf: (object: JsonObject) => FieldValues = () => []

  constructor(schema: ObjectSchema) {
    this.#schema = schema
    this.#name = schema.name?.slice(schema.name.lastIndexOf('.') + 1) ?? 'object'
  }

  /** False for types that have no Protobuf form, such as Table. */
  get exists(): boolean {
    const own = [...this.#schema.fields.values()].filter(({ name }) => name !== 'kind' && name !== 'apiVersion')
    return own.every(({ proto }) => proto !== undefined)
  }

  write(writer: ReverseWriter, object: JsonObject): void {
    const { writers } = this.#fields()
    const values = this.#valuesOf(object)
    for (let i = 0; i < writers.length; i++) (writers[i] as WriteField)(writer, values)
  }

  *writeInSteps(writer: ReverseWriter, object: JsonObject): Steps<void> {
    if (!isHeavy(object)) {
      this.write(writer, object)
      return
    }
    const { stepWriters } = this.#fields()
    for (const write of stepWriters) {
      yield
      yield* write(writer, this.#valuesOf(object))
    }
  }

  read(reader: ProtobufReader): JsonObject {
    const state: MessageState = []
    this.readInto(reader, state)
    return this.finish(state)
  }

  /** As `read`, of a whole object: kind and version are not in the message. */
  readTyped(reader: ProtobufReader, type: { readonly apiVersion: string; readonly kind: string }): JsonObject {
    const body = this.read(reader)
    const object: JsonObject = { kind: type.kind, apiVersion: type.apiVersion }
    for (const key in body) object[key] = body[key]
    return object
  }

  readInto(reader: ProtobufReader, state: MessageState): void {
    readGroup(reader, state, this.#fields(), this.#name)
  }

  finish(state: MessageState): JsonObject {
    const object: JsonObject = {}
    const slots = this.#slots
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as FieldSlot
      const value = slot.finish(state[i])
      if (value !== undefined) object[slot.key] = value
    }
    return object
  }

  zero(): JsonObject {
    this.#fields()
    return this.finish([])
  }

  #fields(): FieldGroup {
    if (this.#group === undefined) {
      const leaves = [...this.#schema.fields.values()].map((field, slot) => makeLeaf(field, slot))
      this.#slots = leaves.map(({ key, finish }) => ({ key, finish }))
      this.#valuesOf = compileValuesOf(leaves.map(({ key }) => key))
      this.#group = makeGroup(
        leaves.filter((leaf) => leaf.path.length > 0),
        0,
        this.#name,
      )
    }
    return this.#group
  }
}

/**
 * `(object) => [object["kind"], object["metadata"], …]` as code of its own, so that each look-up has its own inline cache:
 * look-ups by a variable name would be half of the cost of encoding. The names are the catalogue's, never a stranger's.
 */
function compileValuesOf(names: readonly string[]): (object: JsonObject) => FieldValues {
  const elements = names.map((name) => `object[${JSON.stringify(name)}]`)
  return new Function('object', `return [${elements.join(', ')}]`) as (object: JsonObject) => FieldValues
}

function readGroup(reader: ProtobufReader, state: MessageState, group: FieldGroup, typeName: string): void {
  const { readers } = group
  while (!reader.done) {
    const tag = reader.varint()
    const number = Math.floor(tag / 8)
    const wire = tag & 7
    if (wire === 4) throw new DecodeError(`proto: ${typeName}: wiretype end group for non-group`)
    if (number === 0) throw new DecodeError(`proto: ${typeName}: illegal tag ${number} (wire type ${wire})`)
    const field = readers[number]
    if (field === undefined) {
      reader.skip(wire)
    } else if (field.wire !== undefined && field.wire !== wire) {
      throw new DecodeError(`proto: wrong wireType = ${wire} for field ${field.goName}`)
    } else {
      field.read(reader, state, wire)
    }
  }
}

/** The one codec of a type. */
export const messageCodec = compileOnce('protobuf-codec', (schema: ObjectSchema) => new MessageCodec(schema))

const objectCodec = (schema: ObjectSchema): ValueCodec =>
  objectValue(
    () => messageCodec(schema),
    () => messageCodec(schema).zero(),
  )

/** Fields that share a first number lie in one embedded message, which is always written. */
function makeGroup(leaves: readonly FieldLeaf[], depth: number, typeName: string): FieldGroup {
  const byNumber = new Map<number, FieldLeaf[]>()
  for (const leaf of leaves) {
    const number = leaf.path[depth] as number
    byNumber.set(number, [...(byNumber.get(number) ?? []), leaf])
  }
  const numbers = [...byNumber.keys()].sort((a, b) => b - a)
  const readers: (ReadField | undefined)[] = []
  const stepWriters: WriteInSteps[] = []
  const writers = numbers.map((number): WriteField => {
    const members = byNumber.get(number) ?? []
    const first = members[0] as FieldLeaf
    if (first.path.length === depth + 1) {
      readers[number] = first.reader
      const write = first.writeField(number * 8)
      stepWriters.push(first.writeInSteps?.(number * 8) ?? inOneStep(write))
      return write
    }
    const inner = makeGroup(members, depth + 1, typeName)
    readers[number] = embeddedReader(inner, typeName)
    const write = embeddedWriter(inner, number * 8 + 2)
    stepWriters.push(inOneStep(write))
    return write
  })
  return { writers, stepWriters, readers }
}

const inOneStep = (write: WriteField): WriteInSteps =>
  // biome-ignore lint/correctness/useYield: a step of others
  function* (writer, values) {
    write(writer, values)
  }

function embeddedWriter({ writers }: FieldGroup, tag: number): WriteField {
  return (writer, values) => {
    const before = writer.length
    for (let i = 0; i < writers.length; i++) (writers[i] as WriteField)(writer, values)
    writer.small(writer.length - before)
    writer.small(tag)
  }
}

function embeddedReader(group: FieldGroup, typeName: string): ReadField {
  return {
    wire: 2,
    goName: typeName,
    read(reader, state) {
      const outer = reader.enter()
      readGroup(reader, state, group, typeName)
      reader.leave(outer)
    },
  }
}

function makeLeaf(field: Field, slot: number): FieldLeaf {
  const { schema, proto } = field
  if (proto === undefined) return absentLeaf(field)
  if (proto.shape === 'map') {
    return mapLeaf(field, valueCodec((schema as MapSchema).values, proto.type, objectCodec), slot)
  }
  if (proto.shape === 'repeated') return listLeaf(field, schema as ListSchema, slot)
  return schema.kind === 'object' ? messageLeaf(field, schema, slot) : valueLeaf(field, slot)
}

/** `kind` and `apiVersion`: they are in the envelope. */
function absentLeaf({ name }: Field): FieldLeaf {
  return {
    key: name,
    path: [],
    finish: (value) => value as JsonValue | undefined,
    writeField: () => () => undefined,
    reader: { wire: undefined, goName: goName(name), read: () => undefined },
  }
}

function messageLeaf({ name, pointer, emit, proto }: Field, schema: ObjectSchema, slot: number): FieldLeaf {
  const codec = messageCodec(schema)
  const empty: JsonObject = {}
  return {
    key: name,
    path: proto?.path ?? [],
    finish(value) {
      if (value instanceof StateBox) return codec.finish(value.state)
      return emit ? (pointer ? null : codec.zero()) : undefined
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
    },
  }
}

const isZero = (value: JsonValue): boolean =>
  value === '' || value === 0 || value === false || value === null || (Array.isArray(value) && value.length === 0)

function valueLeaf({ name, schema, pointer, emit, proto }: Field, slot: number): FieldLeaf {
  const codec = valueCodec(schema, proto?.type ?? '', objectCodec)
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
    },
  }
}

function listLeaf({ name, emit, proto }: Field, schema: ListSchema, slot: number): FieldLeaf {
  const codec = valueCodec(schema.items, proto?.type ?? '', objectCodec)
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
          yield* writeItem(writer, list[i] ?? codec.zero, codec, schema.items)
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
    },
  }
}

/** An item of a list, which may be heavy itself. */
function* writeItem(writer: ReverseWriter, item: JsonValue, codec: ValueCodec, schema: Schema): Steps<void> {
  if (schema.kind !== 'object' || !isHeavy(item)) {
    codec.write(writer, item)
    return
  }
  const before = writer.length
  yield* messageCodec(schema).writeInSteps(writer, item as JsonObject)
  writer.small(writer.length - before)
}
