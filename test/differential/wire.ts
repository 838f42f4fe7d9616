/**
 * Protobuf without a schema: fields by number, with guesses at what length-delimited bytes are. It serves to compare two
 * answers independently of the project's own codec.
 */
import type { Json } from './json.ts'

/** Undefined when the bytes are no message. */
export function parseWire(bytes: Buffer): Json | undefined {
  const fields: Json[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = varint(bytes, at)
    if (tag === undefined || tag.value >> 3n === 0n) return undefined
    const field = Number(tag.value >> 3n)
    const content = contentAt(bytes, tag.next, Number(tag.value & 7n))
    if (content === undefined) return undefined
    fields.push({ [`${field}`]: content.value })
    at = content.next
  }
  return fields
}

interface Content {
  readonly value: Json
  readonly next: number
}

function contentAt(bytes: Buffer, at: number, type: number): Content | undefined {
  if (type === 0) {
    const number = varint(bytes, at)
    return number && { value: `${number.value}`, next: number.next }
  }
  if (type === 1) return fixed(bytes, at, 8)
  if (type === 5) return fixed(bytes, at, 4)
  if (type !== 2) return undefined
  const length = varint(bytes, at)
  if (length === undefined) return undefined
  const next = length.next + Number(length.value)
  return next > bytes.length ? undefined : { value: delimited(bytes.subarray(length.next, next)), next }
}

function fixed(bytes: Buffer, at: number, size: number): Content | undefined {
  const next = at + size
  return next > bytes.length ? undefined : { value: bytes.subarray(at, next).toString('hex'), next }
}

/** Text without control characters is text: a message nearly always begins with one. */
function delimited(bytes: Buffer): Json {
  const text = bytes.toString('utf8')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what tells messages from texts
  if (!/[\u0000-\u001f\ufffd]/.test(text)) return text
  if (text.startsWith('k8s\u0000')) return parseWire(bytes.subarray(4)) ?? bytes.toString('hex')
  const json = text.startsWith('{') ? parsedJson(text) : undefined
  return json ?? parseWire(bytes) ?? (text.includes('\ufffd') ? bytes.toString('hex') : text)
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function varint(bytes: Buffer, from: number): { value: bigint; next: number } | undefined {
  let value = 0n
  for (let i = 0; i < 10; i++) {
    const byte = bytes[from + i]
    if (byte === undefined) return undefined
    value |= BigInt(byte & 0x7f) << BigInt(7 * i)
    if (byte < 0x80) return { value, next: from + i + 1 }
  }
  return undefined
}
