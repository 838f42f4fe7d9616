/**
 * The Protobuf form of an object type, compiled from its schema on first use: one writer and one reader per field.
 *
 * Writing is byte for byte what the reference's generated code writes: fields by number, map keys sorted, values that
 * are not pointers always present. Reading gives JSON as the reference prints it: keys in wire order, zero values left
 * out unless the field is always written. Unknown fields are skipped.
 */

import type { JsonObject } from '../api/json.ts'
import { isHeavy } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import { compileOnce } from '../lib/memo.ts'
import type { Field, ListSchema, MapSchema, ObjectSchema } from '../schema/schema.ts'
import { DecodeError } from './decode-error.ts'
import {
  bytesPerStep,
  type FieldLeaf,
  type FieldSlot,
  type FieldValues,
  type MessageState,
  type ReadField,
  type WriteField,
  type WriteInSteps,
} from './protobuf-field.ts'
import { absentLeaf, listLeaf, messageLeaf, valueLeaf } from './protobuf-leaves.ts'
import { mapLeaf } from './protobuf-map.ts'
import type { ProtobufReader } from './protobuf-reader.ts'
import type { ValueCodec } from './protobuf-value-codec.ts'
import { objectValue, type ProtobufObjectCodec, valueCodec } from './protobuf-values.ts'
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

  *readTypedInSteps(
    reader: ProtobufReader,
    type: { readonly apiVersion: string; readonly kind: string },
  ): Steps<JsonObject> {
    const body = yield* this.readInSteps(reader)
    return Object.assign<JsonObject, JsonObject>({ kind: type.kind, apiVersion: type.apiVersion }, body)
  }

  *readInSteps(reader: ProtobufReader): Steps<JsonObject> {
    const state: MessageState = []
    yield* this.readIntoInSteps(reader, state)
    return yield* this.finishInSteps(state)
  }

  readInto(reader: ProtobufReader, state: MessageState): void {
    readGroup(reader, state, this.#fields(), this.#name)
  }

  readIntoInSteps(reader: ProtobufReader, state: MessageState): Steps<void> {
    return readGroupInSteps(reader, state, this.#fields(), this.#name)
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

  *finishInSteps(state: MessageState): Steps<JsonObject> {
    const object: JsonObject = {}
    for (const [i, slot] of this.#slots.entries()) {
      const given = state[i]
      const value = slot.finishInSteps === undefined ? slot.finish(given) : yield* slot.finishInSteps(given)
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
      this.#slots = leaves
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
  while (!reader.done) {
    const tag = reader.varint()
    nextField(reader, tag, group, typeName)?.read(reader, state, tag & 7)
  }
}

function* readGroupInSteps(
  reader: ProtobufReader,
  state: MessageState,
  group: FieldGroup,
  typeName: string,
): Steps<void> {
  for (let from = reader.at; !reader.done; ) {
    if (reader.at - from >= bytesPerStep) {
      yield
      from = reader.at
    }
    const tag = reader.varint()
    const wire = tag & 7
    const field = nextField(reader, tag, group, typeName)
    if (field?.readInSteps !== undefined && wire === 2 && reader.isLonger(bytesPerStep)) {
      yield* field.readInSteps(reader, state)
      from = reader.at
    } else {
      field?.read(reader, state, wire)
    }
  }
}

/** The field whose value comes next; one that the type does not have is passed over. */
function nextField(
  reader: ProtobufReader,
  tag: number,
  { readers }: FieldGroup,
  typeName: string,
): ReadField | undefined {
  const number = Math.floor(tag / 8)
  const wire = tag & 7
  if (wire === 4) throw new DecodeError(`proto: ${typeName}: wiretype end group for non-group`)
  if (number === 0) throw new DecodeError(`proto: ${typeName}: illegal tag ${number} (wire type ${wire})`)
  const field = readers[number]
  if (field === undefined) reader.skip(wire)
  else if (field.wire !== undefined && field.wire !== wire) {
    throw new DecodeError(`proto: wrong wireType = ${wire} for field ${field.goName}`)
  }
  return field
}

/** The one codec of a type. */
export const messageCodec = compileOnce('protobuf-codec', (schema: ObjectSchema) => new MessageCodec(schema))

const objectCodec = (schema: ObjectSchema): ValueCodec => objectValue(() => messageCodec(schema))

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
    *readInSteps(reader, state) {
      const outer = reader.enter()
      yield* readGroupInSteps(reader, state, group, typeName)
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
  if (proto.shape === 'repeated') {
    return listLeaf(field, valueCodec((schema as ListSchema).items, proto.type, objectCodec), slot)
  }
  if (schema.kind === 'object') return messageLeaf(field, messageCodec(schema), slot)
  return valueLeaf(field, valueCodec(schema, proto.type, objectCodec), slot)
}
