/** What errors call the major types of CBOR, by their number. */
export const cborTypeNames = [
  'positive integer',
  'negative integer',
  'byte string',
  'UTF-8 text string',
  'array',
  'map',
  'tag',
  'primitives',
] as const
