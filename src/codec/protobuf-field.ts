/** The codec interface of one message field: the state that it decodes into, its reader and its writer. */
import { type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import type { Steps } from '../lib/in-turns.ts'
import type { ProtobufReader } from './protobuf-reader.ts'
import type { ReverseWriter } from './protobuf-writer.ts'

/** The values of an object's fields by slot: read once in a loop over its keys, which costs less than a look-up by name for each field of the schema. */
export type FieldValues = readonly (JsonValue | undefined)[]
export type WriteField = (writer: ReverseWriter, values: FieldValues) => void
/** The same of a value that may take more than one turn. */
export type WriteInSteps = (writer: ReverseWriter, values: FieldValues) => Steps<void>

/** The values of a message's fields while it is read, by slot. A nested message keeps its own state until the end. */
export type MessageState = (JsonValue | StateBox | MapBox | undefined)[]
export class StateBox {
  readonly state: MessageState = []
}

/** A map while it is read. Its keys are known before the engine lists them, which takes long where there are very many. */
export class MapBox {
  readonly map: JsonObject = {}
  readonly keys: string[] = []

  set(key: string, value: JsonValue): void {
    if (!Object.hasOwn(this.map, key)) this.keys.push(key)
    setKey(this.map, key, value)
  }
}

export interface ReadField {
  /** Undefined where both a single value and a packed list of them are fine. */
  readonly wire: number | undefined
  readonly goName: string
  read(reader: ProtobufReader, state: MessageState, wire: number): void
  /** The same of a length-delimited value that may be long; where it is absent no such value is more than a step. */
  readInSteps?(reader: ProtobufReader, state: MessageState): Steps<void>
}

export interface FieldSlot {
  readonly key: string
  /** What goes into the object, or undefined to leave the key out. */
  finish(value: MessageState[number]): JsonValue | undefined
  /** The same of a value that may be heavy. */
  finishInSteps?(value: MessageState[number]): Steps<JsonValue | undefined>
}

export interface FieldLeaf extends FieldSlot {
  readonly path: readonly number[]
  readonly writeField: (tag: number) => WriteField
  /** For fields that may be large; `writeField` does without it. */
  readonly writeInSteps?: (tag: number) => WriteInSteps
  readonly reader: ReadField
}

export const itemsPerStep = 64

/** As many as are read in a step. */
export const bytesPerStep = 8 * 1024

export const goName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
