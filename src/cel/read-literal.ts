/** The value of a token that is a literal, and what is wrong with it. */
import { reasonOf } from '../lib/fault.ts'
import type { Token } from './lexer.ts'
import { unquoteBytes, unquoteString } from './literals.ts'
import type { Value } from './values.ts'
import { Bytes, Double, INT_MAX, INT_MIN, toInt, UINT_MAX, Uint } from './values.ts'

export interface ReadLiteral {
  readonly value: Value
  readonly problem?: string
}

/** Undefined for a token of another kind. */
export function readLiteral({ kind, text }: Token, negative: boolean): ReadLiteral | undefined {
  switch (kind) {
    case 'int':
      return intLiteral(negative ? -BigInt(text) : BigInt(text))
    case 'float':
      return doubleLiteral(Number(negative ? `-${text}` : text))
    case 'uint':
      return uintLiteral(BigInt(text.slice(0, -1)))
    case 'true':
    case 'false':
      return { value: kind === 'true' }
    case 'null':
      return { value: null }
    case 'string':
      return quoted(() => unquoteString(text))
    case 'bytes':
      return quoted(() => new Bytes(unquoteBytes(text.slice(1))))
    default:
      return undefined
  }
}

function quoted(read: () => Value): ReadLiteral {
  try {
    return { value: read() }
  } catch (error) {
    return { value: '', problem: reasonOf(error) }
  }
}

const intLiteral = (value: bigint): ReadLiteral => ({
  value: toInt(value),
  ...(value < INT_MIN || value > INT_MAX ? { problem: 'invalid int literal' } : {}),
})

const doubleLiteral = (value: number): ReadLiteral => ({
  value: new Double(value),
  ...(Number.isFinite(value) ? {} : { problem: 'invalid double literal' }),
})

const uintLiteral = (value: bigint): ReadLiteral => ({
  value: new Uint(value),
  ...(value > UINT_MAX ? { problem: 'invalid uint literal' } : {}),
})
