import { describe, expect, it, test } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { applyDefaults, dropNulls } from './default.ts'
import { schemaFromOpenApi } from './from-openapi.ts'
import { pruneObject, pruneValueInSteps } from './prune.ts'
import { validateValue } from './validate.ts'

const schema = schemaFromOpenApi({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        known: { type: 'object', properties: { a: { type: 'string' } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
        rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer', default: 7 } } } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        template: { type: 'object', 'x-kubernetes-embedded-resource': true },
        open: { type: 'object', additionalProperties: true },
        shut: { type: 'object', additionalProperties: false },
        mode: { type: 'string', default: 'soft' },
        deep: { type: 'object', default: {}, properties: { inner: { type: 'string', default: 'x' } } },
        maybe: { type: 'string', nullable: true, default: 'y' },
        never: { type: 'string' },
      },
    },
  },
})

describe('pruneObject', () => {
  it('drops what is not declared, at every depth, and names it', () => {
    const object: JsonObject = {
      apiVersion: 'a/v1',
      kind: 'A',
      metadata: { name: 'n' },
      topLevel: 1,
      spec: {
        known: { a: 'x', b: 1 },
        map: { k: { a: 'x', b: 1 } },
        rows: [{ id: 1 }, { id: 2, x: 3 }],
        free: { any: { thing: [1] } },
        template: { apiVersion: 'v1', kind: 'B', metadata: {}, more: 1 },
        open: { k: { gone: 1 }, n: 1 },
        shut: { n: 1 },
      },
    }
    const { value, unknown } = pruneObject(object, schema)
    expect(unknown).toEqual([
      'spec.known.b',
      'spec.map.k.b',
      'spec.open.k.gone',
      'spec.rows[1].x',
      'spec.template.more',
      'topLevel',
    ])
    expect(value['spec']).toEqual({
      known: { a: 'x' },
      map: { k: { a: 'x' } },
      rows: [{ id: 1 }, { id: 2 }],
      free: { any: { thing: [1] } },
      template: { apiVersion: 'v1', kind: 'B', metadata: {} },
      open: { k: {}, n: 1 },
      shut: { n: 1 },
    })
  })

  it('gives the same object back when there is nothing to drop', () => {
    const object: JsonObject = { apiVersion: 'a/v1', kind: 'A', metadata: {}, spec: { known: { a: 'x' } } }
    expect(pruneObject(object, schema).value).toBe(object)
  })
})

it('pruneValueInSteps prunes a part of an object, such as a default', () => {
  const part = schemaFromOpenApi({ type: 'object', properties: { a: { type: 'string' } } })
  expect(runToEnd(pruneValueInSteps({ a: 'x', b: 1, metadata: {} }, part))).toEqual({ a: 'x' })
})

describe('applyDefaults', () => {
  it('fills absent keys and nulls that are not allowed, also inside of what it filled in', () => {
    const object: JsonObject = { spec: { rows: [{}, { id: 1 }], mode: null, maybe: null } }
    expect(applyDefaults(object, schema)).toEqual({
      spec: { rows: [{ id: 7 }, { id: 1 }], mode: 'soft', maybe: null, deep: { inner: 'x' } },
    })
    expect(object).toEqual({ spec: { rows: [{}, { id: 1 }], mode: null, maybe: null } })
  })

  it('gives the same object back when nothing is missing', () => {
    const object: JsonObject = { spec: { mode: 'a', maybe: null, deep: { inner: 'b' } } }
    expect(applyDefaults(object, schema)).toBe(object)
  })
})

it('dropNulls drops nulls that are neither allowed nor replaced', () => {
  const object: JsonObject = { spec: { never: null, mode: null, maybe: null, free: { a: null } } }
  expect(dropNulls(object, schema)).toEqual({ spec: { mode: null, maybe: null, free: { a: null } } })
})

describe('numbers and names with a format', () => {
  const errorsAt = (release: number, props: JsonObject, value: JsonValue): string[] => {
    const schema = schemaFromOpenApi({ type: 'object', properties: { a: props } }, release)
    return runToEnd(validateValue({ a: value }, schema)).map(({ field, message }) => `${field}: ${message}`)
  }
  const whole = '<nil>: Invalid value: "": Checked value must be of type integer'

  test.each<[JsonObject, JsonValue, string[], string[]]>([
    [{ type: 'integer', format: 'int32' }, 2 ** 31, [], [`${whole} with format int32 in a`]],
    [{ type: 'integer', format: 'int32' }, 2 ** 31 - 1, [], []],
    [
      { type: 'integer' },
      2.5,
      ['a: Invalid value: "number": a in body must be of type integer: "number"'],
      ['a: Invalid value: "number": a in body must be of type integer: "number"', `${whole} (default format) in a`],
    ],
    [
      { type: 'number', format: 'float' },
      4e38,
      [],
      ['<nil>: Invalid value: "": Checked value must be of type number with format float in a'],
    ],
    [{ type: 'number', format: 'float' }, 3.4e38, [], []],
    [{ type: 'number', format: 'int32' }, 2 ** 40, [], []],
  ])('%j of %j, before 1.36 and since', (props, value, before, since) => {
    expect([errorsAt(35, props, value), errorsAt(36, props, value)]).toEqual([before, since])
  })

  test('names are checked since 1.35', () => {
    const props = { type: 'string', format: 'k8s-short-name' }
    const text = 'a: Invalid value: "A_": a in body must be of type k8s-short-name: "A_"'
    expect([33, 34, 35].map((release) => errorsAt(release, props, 'A_'))).toEqual([[], [], [text]])
  })
})
