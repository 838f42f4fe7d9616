/**
 * What is wrong with a body in CBOR that is no object of its type, as the reference's decoder says it: the field of the outermost struct, and
 * the innermost type. Only bodies that were refused, or have unknown fields, come here.
 * Mirrors github.com/fxamacker/cbor: decoder.parseToValue, parseMapToStruct, UnmarshalTypeError.
 */
import { Quantity } from '../api/quantity.ts'
import { parseMicroTime, parseTime } from '../api/time.ts'
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
export const cborTypeMetaProblem = (bytes: Buffer): string | undefined => notMapProblem(bytes, 'v1.TypeMeta')

/** Why an item is no object of a kind that has no type. */
export const cborObjectProblem = (bytes: Buffer): string | undefined => notMapProblem(bytes, 'map[string]interface {}')

function notMapProblem(bytes: Buffer, type: string): string | undefined {
  const error = new Walk(bytes).item(noFields, undefined)
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
export function cborProblems(bytes: Buffer, schema: ObjectSchema): CborProblems {
  const walk = new Walk(bytes)
  const error = walk.item(schema, undefined)
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

class Walk {
  /** Of the outermost struct: where the first error is. */
  field: string | undefined
  unknown: number | undefined
  readonly #bytes: Buffer
  #at = 0
  #depth = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Reads one item; its first error. */
  item(schema: Schema | undefined, name: string | undefined): Problem | undefined {
    const head = this.#head()
    if (head.major === 6) return this.item(schema, name)
    const isNull = head.major === 7 && (head.info === 22 || head.info === 23)
    if (schema === undefined || schema.kind === 'any' || isNull) return this.#skip(head)
    switch (schema.kind) {
      case 'object':
        return this.#object(head, schema)
      case 'map':
        return this.#map(head, schema, name)
      case 'list':
        return this.#list(head, schema, name)
      default:
        return this.#scalar(head, schema, name)
    }
  }

  #object(head: Head, schema: ObjectSchema): Problem | undefined {
    if (head.major !== 5) {
      this.#skip(head)
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
    this.#each(head, (i) => {
      const key = this.#key()
      const field = schema.fields.get(key)
      if (field === undefined) own ??= i
      this.unknown = undefined
      const error = this.item(field?.schema, field?.goType)
      inner ??= this.unknown
      if (error === undefined || first !== undefined) return
      first = error
      if (this.#depth === 1) this.field = key
    })
    this.#depth--
    this.unknown = before ?? own ?? inner
    return first
  }

  #map(head: Head, schema: MapSchema, name: string | undefined): Problem | undefined {
    if (head.major !== 5) return this.#mismatch(head, schemaGoType(schema, name))
    let first: Problem | undefined
    this.#each(head, () => {
      this.#key()
      const error = this.item(schema.values, elementGoType(name))
      first ??= error
    })
    return first
  }

  #list(head: Head, schema: ListSchema, name: string | undefined): Problem | undefined {
    if (head.major !== 4) return this.#mismatch(head, schemaGoType(schema, name))
    let first: Problem | undefined
    this.#each(head, () => {
      const error = this.item(schema.items, elementGoType(name))
      first ??= error
    })
    return first
  }

  #scalar(head: Head, schema: ScalarSchema, name: string | undefined): Problem | undefined {
    const type = schemaGoType(schema, name)
    switch (schema.kind) {
      case 'string':
        return head.major === 2 || head.major === 3 ? this.#skip(head) : this.#mismatch(head, type)
      case 'boolean':
        return head.major === 7 && head.info <= 21 ? this.#skip(head) : this.#mismatch(head, type)
      case 'integer':
        return head.major <= 1
          ? this.#integer(head, schema.format === 'int32' ? 31n : 63n, type)
          : this.#mismatch(head, type)
      case 'number':
        return head.major <= 1 || (head.major === 7 && head.info >= 25) ? this.#skip(head) : this.#mismatch(head, type)
      case 'bytes':
        return head.major === 2 || head.major === 4 ? this.#skip(head) : this.#mismatch(head, type)
      // These read themselves, from a text.
      case 'time':
      case 'micro-time':
      case 'quantity': {
        if (head.major !== 2 && head.major !== 3) return this.#mismatch(head, 'string')
        const text = valueProblem(this.#text(head), schema.kind)
        return text === undefined ? undefined : { text }
      }
      case 'int-or-string':
        if (head.major <= 1) return this.#integer(head, 31n, 'int32')
        return head.major === 2 || head.major === 3 ? this.#skip(head) : this.#mismatch(head, 'int32')
      default:
        return this.#skip(head)
    }
  }

  #integer({ major, argument }: Head, bits: bigint, type: string): Problem | undefined {
    if (argument < 2n ** bits) return undefined
    const value = major === 0 ? argument : -1n - argument
    return { value: cborTypeNames[major] ?? '', type, more: ` (${value} overflows ${type})` }
  }

  #mismatch(head: Head, type: string): TypeError {
    this.#skip(head)
    return { value: cborTypeNames[head.major] ?? '', type }
  }

  #key(): string {
    return this.#text(this.#head())
  }

  /** Of one piece. */
  #text(head: Head): string {
    const begin = this.#at
    this.#skip(head)
    return this.#bytes.subarray(begin, this.#at).toString('utf8')
  }

  #each({ argument }: Head, read: (i: number) => void): void {
    for (let i = 0; argument === -1n ? !this.#atBreak() : i < argument; i++) read(i)
  }

  #atBreak(): boolean {
    if (this.#bytes[this.#at] !== 0xff) return false
    this.#at++
    return true
  }

  /** What follows the head of an item. */
  #skip(head: Head): undefined {
    const { major, argument } = head
    if (major === 6) this.#skip(this.#head())
    if ((major === 2 || major === 3) && argument !== -1n) this.#at += Number(argument)
    else if (major >= 2 && major <= 5) {
      this.#each(head, () => {
        this.#skip(this.#head())
        if (major === 5) this.#skip(this.#head())
      })
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
