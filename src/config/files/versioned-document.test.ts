import { describe, expect, it } from 'vitest'
import { booleanDecoder, duration, int32, listDecoder, optional, stringDecoder, struct } from './decoder.ts'
import { decodeDocument } from './versioned-document.ts'

const kind = {
  kind: 'Thing',
  apiVersions: ['example.com/v1'],
  decoder: struct('v1.Thing', {
    name: stringDecoder,
    on: booleanDecoder,
    count: optional(int32),
    wait: duration,
    parts: listDecoder(struct('v1.Part', { size: int32 })),
  }),
}
const head = 'apiVersion: example.com/v1\nkind: Thing\n'

describe('decodeDocument', () => {
  it('reads YAML and JSON', () => {
    const expected = { name: 'a', on: true, count: undefined, wait: 1_500_000_000n, parts: [{ size: 2 }] }
    expect(decodeDocument(`${head}name: a\n"on": yes\nwait: 1.5s\nparts: [{size: 2}]\n`, kind)).toEqual(expected)
    const json =
      '{"apiVersion":"example.com/v1","kind":"Thing","name":"a","on":true,"wait":"1.5s","parts":[{"size":2}]}'
    expect(decodeDocument(json, kind)).toEqual(expected)
    expect(decodeDocument(`${head}name: null\n`, kind).name).toBe('')
  })

  it.each([
    ['an unknown field', `${head}nam: a\n`, 'strict decoding error: unknown field "nam"'],
    [
      'one deep inside',
      `${head}parts: [{size: 1}, {sizes: 1}]\n`,
      'strict decoding error: unknown field "parts[1].sizes"',
    ],
    ['several', `${head}x: 1\ny: 2\n`, 'strict decoding error: unknown field "x", unknown field "y"'],
    ['a key of the prototype', `${head}__proto__: {name: a}\n`, 'strict decoding error: unknown field "__proto__"'],
    [
      'a key twice',
      `${head}name: a\nname: b\n`,
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "name" already set in map',
    ],
    [
      'a key twice in JSON',
      '{"apiVersion":"example.com/v1","kind":"Thing","name":"a","name":"b"}',
      'strict decoding error: duplicate field "name"',
    ],
    [
      'a wrong type',
      `${head}name: 5\n`,
      'json: cannot unmarshal number into Go struct field Thing.name of type string',
    ],
    [
      'a wrong type inside',
      `${head}parts: [{size: x}]\n`,
      'json: cannot unmarshal string into Go struct field Part.parts.size of type int32',
    ],
    [
      'no list',
      `${head}parts: {}\n`,
      'json: cannot unmarshal object into Go struct field Thing.parts of type []v1.Part',
    ],
    ['a bad duration', `${head}wait: soon\n`, 'time: invalid duration "soon"'],
    ['no kind', 'apiVersion: example.com/v1\n', "Object 'Kind' is missing in the configuration file"],
    [
      'another version',
      'apiVersion: example.com/v2\nkind: Thing\n',
      'no kind "Thing" is registered for version "example.com/v2" in scheme "pilothouse"',
    ],
    ['no object', '- a\n', "couldn't get version/kind; json parse error: the document is not an object"],
  ])('refuses %s', (_, text, message) => {
    expect(() => decodeDocument(text, kind)).toThrow(expect.objectContaining({ message }))
  })
})
