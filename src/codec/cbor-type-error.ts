/**
 * What is wrong with a body in CBOR that is no object of its type, as the reference's decoder says it: the field of the outermost struct, and
 * the innermost type. Only bodies that were refused, or have unknown fields, come here.
 * Mirrors github.com/fxamacker/cbor: decoder.parseToValue, parseMapToStruct, UnmarshalTypeError.
 */
import { Quantity } from '../api/quantity.ts'
import { parseMicroTime, parseTime } from '../api/time.ts'
import type { Steps } from '../lib/in-turns.ts'
import { elementGoType, schemaGoType } from '../schema/go-type.ts'
import type { ListSchema, MapSchema, ObjectSchema, ScalarSchema, Schema } from '../schema/schema.ts'
import { cborTypeNames } from './cbor-type-names.ts'

interface TypeError {
  readonly value: string
  readonly type: string
  readonly more?: string
}

/** What a type that reads itself from a text says of it. */
interface ValueError {
  readonly text: string
}

type Problem = TypeError | ValueError

export interface CborProblems {
  /** The first value of a wrong type. */
  readonly error: string | undefined
  /** The first field that its struct does not have. */
  readonly unknown: string | undefined
}

/** Why an item says nothing about what it is: it is no map. Undefined for a map, and for null, which says nothing of any kind. */
export const cborTypeMetaProblem = (bytes: Buffer): Steps<string | undefined> => notMapProblem(bytes, 'v1.TypeMeta')

/** Why an item is no object of a kind that has no type. */
export const cborObjectProblem = (bytes: Buffer): Steps<string | undefined> =>
  notMapProblem(bytes, 'map[string]interface {}')

function* notMapProblem(bytes: Buffer, type: string): Steps<string | undefined> {
  const error = yield* new Walk(bytes).item(noFields, undefined)
  if (error === undefined || 'text' in error) return error?.text
  // Only a struct could be read from an array.
  const more = type.startsWith('map') ? '' : (error.more ?? '')
  return `cbor: cannot unmarshal ${error.value} into Go value of type ${type}${more}`
}

const noFields: ObjectSchema = {
  kind: 'object',
  name: 'machinery.v1.TypeMeta',
  fields: new Map(),
  atomic: false,
  preserveUnknown: true,
  embedded: false,
}

/** The bytes must be one well-formed item. Raw JSON is passed over. */
export function* cborProblems(bytes: Buffer, schema: ObjectSchema): Steps<CborProblems> {
  const walk = new Walk(bytes)
  const error = yield* walk.item(schema, undefined)
  const place = walk.field === undefined ? 'value' : `struct field ${schemaGoType(schema)}.${walk.field}`
  const unknown = walk.unknown
  return {
    error: error && problemText(error, place),
    unknown: unknown === undefined ? undefined : `cbor: found unknown field at map element index ${unknown}`,
  }
}

function problemText(error: Problem, place: string): string {
  if ('text' in error) return error.text
  return `cbor: cannot unmarshal ${error.value} into Go ${place} of type ${error.type}${error.more ?? ''}`
}

interface Head {
  readonly major: number
  readonly info: number
  /** -1 for an indefinite length. */
  readonly argument: bigint
}

/** A step goes through all that is open. */
const itemsPerStep = 500

class Walk {
  /** Of the outermost struct: where the first error is. */
  field: string | undefined
  unknown: number | undefined
  readonly #bytes: Buffer
  #at = 0
  #depth = 0
  #heads = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Reads one item; its first error. */
  *item(schema: Schema | undefined, name: string | undefined): Steps<Problem | undefined> {
    if (++this.#heads % itemsPerStep === 0) yield
    const head = this.#head()
    if (head.major === 6) return yield* this.item(schema, name)
    const isNull = head.major === 7 && (head.info === 22 || head.info === 23)
    if (schema === undefined || schema.kind === 'any' || isNull) return yield* this.#skip(head)
    switch (schema.kind) {
      case 'object':
        return yield* this.#object(head, schema)
      case 'map':
        return yield* this.#map(head, schema, name)
      case 'list':
        return yield* this.#list(head, schema, name)
      default:
        return yield* this.#scalar(head, schema, name)
    }
  }

  *#object(head: Head, schema: ObjectSchema): Steps<Problem | undefined> {
    if (head.major !== 5) {
      yield* this.#skip(head)
      const isArray = head.major === 4
      const more = isArray ? ' (cannot decode CBOR array to struct without toarray option)' : ''
      return { value: cborTypeNames[head.major] ?? '', type: schemaGoType(schema), more }
    }
    let first: Problem | undefined
    // An unknown field of its own wins over those further in, which come before it.
    const before = this.unknown
    let own: number | undefined
    let inner: number | undefined
    this.#depth++
    for (let i = 0; this.#hasItem(i, head); i++) {
      const key = yield* this.#key()
      const field = schema.fields.get(key)
      if (field === undefined) own ??= i
      this.unknown = undefined
      const error = yield* this.item(field?.schema, field?.goType)
      inner ??= this.unknown
      if (error === undefined || first !== undefined) continue
      first = error
      if (this.#depth === 1) this.field = key
    }
    this.#depth--
    this.unknown = before ?? own ?? inner
    return first
  }

  *#map(head: Head, schema: MapSchema, name: string | undefined): Steps<Problem | undefined> {
    if (head.major !== 5) return yield* this.#mismatch(head, schemaGoType(schema, name))
    let first: Problem | undefined
    for (let i = 0; this.#hasItem(i, head); i++) {
      yield* this.#key()
      const error = yield* this.item(schema.values, elementGoType(name))
      first ??= error
    }
    return first
  }

  *#list(head: Head, schema: ListSchema, name: string | undefined): Steps<Problem | undefined> {
    if (head.major !== 4) return yield* this.#mismatch(head, schemaGoType(schema, name))
    let first: Problem | undefined
    for (let i = 0; this.#hasItem(i, head); i++) {
      const error = yield* this.item(schema.items, elementGoType(name))
      first ??= error
    }
    return first
  }

  *#scalar(head: Head, schema: ScalarSchema, name: string | undefined): Steps<Problem | undefined> {
    const type = schemaGoType(schema, name)
    switch (schema.kind) {
      case 'string':
        return head.major === 2 || head.major === 3 ? yield* this.#skip(head) : yield* this.#mismatch(head, type)
      case 'boolean':
        return head.major === 7 && head.info <= 21 ? yield* this.#skip(head) : yield* this.#mismatch(head, type)
      case 'integer':
        return head.major <= 1
          ? this.#integer(head, schema.format === 'int32' ? 31n : 63n, type)
          : yield* this.#mismatch(head, type)
      case 'number':
        return head.major <= 1 || (head.major === 7 && head.info >= 25)
          ? yield* this.#skip(head)
          : yield* this.#mismatch(head, type)
      case 'bytes':
        return head.major === 2 || head.major === 4 ? yield* this.#skip(head) : yield* this.#mismatch(head, type)
      // These read themselves, from a text.
      case 'time':
      case 'micro-time':
      case 'quantity': {
        if (head.major !== 2 && head.major !== 3) return yield* this.#mismatch(head, 'string')
        const text = valueProblem(yield* this.#text(head), schema.kind)
        return text === undefined ? undefined : { text }
      }
      case 'int-or-string':
        if (head.major <= 1) return this.#integer(head, 31n, 'int32')
        return head.major === 2 || head.major === 3 ? yield* this.#skip(head) : yield* this.#mismatch(head, 'int32')
      default:
        return yield* this.#skip(head)
    }
  }

  #integer({ major, argument }: Head, bits: bigint, type: string): Problem | undefined {
    if (argument < 2n ** bits) return undefined
    const value = major === 0 ? argument : -1n - argument
    return { value: cborTypeNames[major] ?? '', type, more: ` (${value} overflows ${type})` }
  }

  *#mismatch(head: Head, type: string): Steps<TypeError> {
    yield* this.#skip(head)
    return { value: cborTypeNames[head.major] ?? '', type }
  }

  *#key(): Steps<string> {
    return yield* this.#text(this.#head())
  }

  /** Of one piece. */
  *#text(head: Head): Steps<string> {
    const begin = this.#at
    yield* this.#skip(head)
    return this.#bytes.subarray(begin, this.#at).toString('utf8')
  }

  /** Whether item number `i` of a collection is there. */
  #hasItem(i: number, { argument }: Head): boolean {
    return argument === -1n ? !this.#atBreak() : i < argument
  }

  #atBreak(): boolean {
    if (this.#bytes[this.#at] !== 0xff) return false
    this.#at++
    return true
  }

  /** What follows the head of an item. */
  *#skip(head: Head): Steps<undefined> {
    const { major, argument } = head
    if (major === 6) yield* this.#skip(this.#head())
    else if ((major === 2 || major === 3) && argument !== -1n) this.#at += Number(argument)
    else if (major >= 2 && major <= 5) {
      for (let i = 0; this.#hasItem(i, head); i++) {
        if (++this.#heads % itemsPerStep === 0) yield
        yield* this.#skip(this.#head())
        if (major === 5) yield* this.#skip(this.#head())
      }
    }
    return undefined
  }

  #head(): Head {
    const first = this.#bytes[this.#at++] ?? 0
    const [major, info] = [first >> 5, first & 31]
    if (info < 24) return { major, info, argument: BigInt(info) }
    if (info > 27) return { major, info, argument: -1n }
    const size = 1 << (info - 24)
    const argument = BigInt(`0x${this.#bytes.subarray(this.#at, this.#at + size).toString('hex')}`)
    this.#at += size
    return { major, info, argument }
  }
}

function valueProblem(text: string, kind: 'time' | 'micro-time' | 'quantity'): string | undefined {
  if (kind === 'quantity') return Quantity.checkJson(text)
  try {
    if (kind === 'time') parseTime(text)
    else parseMicroTime(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
