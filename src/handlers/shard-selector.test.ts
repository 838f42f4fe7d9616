import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { CacheEntry, type EntryShape } from '../cache/cache-entry.ts'
import { entryUid } from '../cache/entry-uid.ts'
import { parseShardSelector } from './shard-selector.ts'

const half = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"

const shape = { parse: (text: string) => JSON.parse(text) } as unknown as EntryShape

/** An entry whose text is as the cache has it: the resourceVersion is missing at the splice. */
function entryOf(text: string, splice: number, namespace = 'default'): CacheEntry {
  const facts = {
    key: 'a',
    namespace,
    name: 'a',
    labels: undefined,
    fields: undefined,
    bytes: Buffer.from(text),
    splice,
  }
  return new CacheEntry(facts, 7, shape)
}

const builtIn = (uid: string, namespace?: string): CacheEntry => {
  const head = `{"kind":"ConfigMap","metadata":{"name":"a","uid":"${uid}",`
  return entryOf(`${head}"creationTimestamp":null}}`, Buffer.byteLength(head), namespace)
}

describe('the uid of an entry', () => {
  const uid = '5733ee38-9e0f-419b-902d-65b867995a17'
  it('is before the version in built-in types', () => expect(entryUid(builtIn(uid))).toBe(uid))
  it('is behind the version in custom types', () => {
    const head = '{"metadata":{"name":"a",'
    expect(entryUid(entryOf(`${head}"uid":"${uid}"},"spec":{"uid":"other"}}`, head.length))).toBe(uid)
  })
  it('is looked for in the object otherwise', () => {
    const head = `{"metadata":{"uid":"${uid}","name":"a",`
    expect(entryUid(entryOf(`${head}"namespace":"b"}}`, head.length))).toBe(uid)
  })
  it('is empty where there is none', () => {
    const head = '{"metadata":{'
    expect(entryUid(entryOf(`${head}"name":"a"},"spec":{"uid":"x"}}`, head.length))).toBe('')
  })
})

/** FNV-1a of 64 bits as it is defined. */
function fnv(text: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash
}

const hex = (value: bigint): string => `0x${value.toString(16).padStart(16, '0')}`

test('a shard holds what hashes into one of its ranges', () => {
  const bound = fc.bigInt({ min: 0n, max: 1n << 64n })
  const range = fc.tuple(bound, bound).filter(([a, b]) => a !== b)
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 6 }), fc.string(), fc.boolean(), (ranges, value, byUid) => {
      const sorted = ranges.map(([a, b]) => (a < b ? { start: a, end: b } : { start: b, end: a }))
      const plain = value.replaceAll(/["\\\p{C}]/gu, '')
      const field = byUid ? 'uid' : 'namespace'
      const text = sorted.map(
        ({ start, end }) => `shardRange(object.metadata.${field}, '${hex(start)}', '${hex(end)}')`,
      )
      const shard = parseShardSelector(`  ${text.join('||')} `)
      const uid = Buffer.from(plain).toString('hex').slice(0, 36)
      const entry = builtIn(uid, plain)
      const hash = fnv(byUid ? uid : plain)
      expect(shard.holds(entry)).toBe(sorted.some(({ start, end }) => hash >= start && hash < end))
      expect(shard.selector).toBe(text.join(' || '))
    }),
  )
})

const range = (field: string, start: string, end = "'0x8000000000000000'"): string =>
  `shardRange(${field}, ${start}, ${end})`
const uid = 'object.metadata.uid'

test.each([
  [' ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
  ['x', 'unexpected expression kind 3; expected shardRange() call or || operator'],
  ['1 || 2', 'unexpected expression kind 5; expected shardRange() call or || operator'],
  ['[1]', 'unexpected expression kind 4; expected shardRange() call or || operator'],
  ['{1:2}', 'unexpected expression kind 6; expected shardRange() call or || operator'],
  ['x.y', 'unexpected expression kind 7; expected shardRange() call or || operator'],
  ['T{}', 'unexpected expression kind 8; expected shardRange() call or || operator'],
  [`${half} && ${half}`, 'unsupported function "_&&_"; only shardRange() and || are allowed'],
  ['has(a.b)', 'unsupported function "has"; only shardRange() and || are allowed'],
  ['shardRange()', 'shardRange() requires exactly 3 arguments, got 0'],
  [
    range('a[0].b', "'0x0'"),
    'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 1',
  ],
  [
    range('object.metadata.name', "'0x0'"),
    'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
  ],
  [
    range('toString', "'0x0'"),
    'unsupported field path "toString"; supported: object.metadata.uid, object.metadata.namespace',
  ],
  [range(uid, 'x'), "hexStart must be a string literal (e.g. '0xff'), got expression kind 3"],
  [range(uid, '1'), 'hexStart must be a string literal, got int64'],
  [range(uid, '1u'), 'hexStart must be a string literal, got uint64'],
  [range(uid, '1.5'), 'hexStart must be a string literal, got float64'],
  [range(uid, 'true'), 'hexStart must be a string literal, got bool'],
  [range(uid, 'null'), 'hexStart must be a string literal, got structpb.NullValue'],
  [range(uid, "b'a'"), 'hexStart must be a string literal, got []uint8'],
  [range(uid, "'ff'"), `hexStart must have '0x' prefix, got "ff"`],
  [range(uid, "'0x'"), "hexStart: hex value is required after '0x'"],
  [range(uid, "'0x000000000000000000'"), 'hexStart: hex value too long (18 chars, max 17): "000000000000000000"'],
  [range(uid, "'0xG'"), 'hexStart: invalid hex character "G" in "0xG"'],
  [
    range(uid, "'0x0000000000000000'", "'0x20000000000000000'"),
    `hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got "0x20000000000000000"`,
  ],
  [
    range(uid, "'0xff'"),
    'hexStart must be a 0x-prefixed 16-digit hex value, got "0xff" (did you mean "0x00000000000000ff"?)',
  ],
  [range(uid, "'0x8000000000000000'"), 'shard range start 0x8000000000000000 must be less than end 0x8000000000000000'],
  [
    `${half} || ${half.replace('uid', 'namespace')}`,
    'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
  ],
  [
    'shardRange(',
    "CEL parse error: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
])('%s is refused', (text, why) => {
  expect(() => parseShardSelector(text)).toThrow(`invalid shard selector: ${why}`)
})
