import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markInterned } from '../../api/interned.ts'
import type { JsonValue } from '../../api/json.ts'
import { typeSchema } from '../../catalog/catalog.ts'
import type { JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { decodeValue } from '../../schema/canonicalize.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
import type { Definition } from './definition.ts'
import { validateDefinition, validateDefinitionUpdate } from './validate-definition.ts'

function definition(schema: JSONSchemaProps, spec: object = {}): Definition {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.a.example' },
    spec: {
      group: 'a.example',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [version],
      conversion: { strategy: 'None' },
      ...spec,
    },
    status: { conditions: [], acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  } as unknown as Definition
}

/** Items of a schema as they come out of a body. */
function given(items: JsonValue): JSONSchemaProps {
  const schema = typeSchema('apiextensions.v1.JSONSchemaProps') as ObjectSchema
  const decoded = decodeValue({ items }, schema)
  if (decoded.error !== undefined) throw new Error(decoded.error)
  return decoded.object['items'] as unknown as JSONSchemaProps
}

const text: JSONSchemaProps = { type: 'string' }
const root = (properties: Record<string, JSONSchemaProps>): JSONSchemaProps => ({
  type: 'object',
  properties: { spec: { type: 'object', properties } },
})
const at = 'spec.validation.openAPIV3Schema.properties[spec].properties'

const noDeclaration =
  'Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'

const preserved = { 'x-kubernetes-preserve-unknown-fields': true } as const
const ruled = (rule: string): JSONSchemaProps => ({ 'x-kubernetes-validations': [{ rule }] })

const untypedPlaces: [string, Record<string, JSONSchemaProps>, string[]][] = [
  [
    'a rule of its own, and one below it',
    { a: { ...preserved, ...ruled('true'), properties: { b: { ...text, ...ruled('true') } } } },
    [
      `${at}[a].properties[b].x-kubernetes-validations: ${noDeclaration}`,
      `${at}[a].x-kubernetes-validations: ${noDeclaration}`,
    ],
  ],
  ['a rule below it alone', { a: { ...preserved, properties: { b: { ...text, ...ruled('self == ""') } } } }, []],
  [
    'items of a list',
    { a: { type: 'array', items: { ...preserved, properties: { b: text } }, ...ruled('true') } },
    [`${at}[a].x-kubernetes-validations: ${noDeclaration}`],
  ],
  [
    'values of a map',
    { a: { type: 'object', additionalProperties: { ...preserved, properties: { b: text } }, ...ruled('true') } },
    [`${at}[a].x-kubernetes-validations: ${noDeclaration}`],
  ],
  [
    'a rule around it and one below it',
    {
      a: {
        type: 'object',
        properties: { b: { ...preserved, properties: { c: { ...text, ...ruled('true') } } } },
        ...ruled('true'),
      },
    },
    [`${at}[a].properties[b].properties[c].x-kubernetes-validations: ${noDeclaration}`],
  ],
  [
    'a rule that looks into it',
    { a: { type: 'object', properties: { b: { ...preserved, properties: { c: text } } }, ...ruled('has(self.b.c)') } },
    [
      `${at}[a].x-kubernetes-validations[0].rule: Invalid value: apiextensions.ValidationRule{Rule:"has(self.b.c)", Message:"", MessageExpression:"", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}: compilation failed: ERROR: <input>:1:9: undefined field 'b'\n | has(self.b.c)\n | ........^`,
    ],
  ],
]

const shown = (made: Definition): string[] =>
  runToEnd(validateDefinition(made)).map(({ field, message }) => `${field}: ${message}`)

test.each<[string, boolean]>([
  ['https://a.b', true],
  ['https://a.b/c', true],
  ['unapproved, for now', true],
  ['a://b/c d', true],
  ['https:///c', false],
  ['//a/b', false],
  ['mailto:x', false],
  ['', false],
])('the approval %s of a group of the project', (approval, isGood) => {
  const made = definition(root({ a: text }), { group: 'a.k8s.io' })
  made.metadata.annotations = { 'api-approved.kubernetes.io': approval }
  expect(shown(made).length === 0).toBe(isGood)
})

describe('definitions', () => {
  test('a good one has no errors', () => {
    expect(shown(definition(root({ a: text, b: { type: 'array', items: text } })))).toEqual([])
  })

  test('versions that many share are good for those alone that ask no more of them', () => {
    const { versions } = definition({
      ...root({ a: { ...text, default: 'x' } }),
      'x-kubernetes-preserve-unknown-fields': true,
    }).spec
    markInterned(versions ?? [])
    const withVersions = (spec: object): string[] => shown(definition({}, { versions, ...spec }))
    expect([withVersions({}), withVersions({})]).toEqual([[], []])
    expect(withVersions({ scope: 'Nowhere' })).toEqual([
      'spec.scope: Unsupported value: "Nowhere": supported values: "Cluster", "Namespaced"',
    ])
    expect(withVersions({ preserveUnknownFields: true })).toEqual([
      'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ])
  })

  test('versions that many share stay as bad as they are', () => {
    const { versions } = definition(root({ a: {} })).spec
    markInterned(versions ?? [])
    const errors = [`${at}[a].type: Required value: must not be empty for specified object fields`]
    expect([1, 2].map(() => shown(definition({}, { versions })))).toEqual([errors, errors])
  })

  test.each<[string, Record<string, JSONSchemaProps>, string[]]>([
    ['a type is needed', { a: {} }, [`${at}[a].type: Required value: must not be empty for specified object fields`]],
    [
      'items that are nothing are none',
      { a: { type: 'array', items: null } },
      [`${at}[a].items: Required value: must be specified`],
    ],
    [
      'items that are no schema are there all the same',
      { a: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: given(-1) } },
      [
        `${at}[a].items: Required value: must be specified`,
        `${at}[a].items: Invalid value: apiextensions.JSONSchemaPropsOrArray{Schema:(*apiextensions.JSONSchemaProps)(nil), JSONSchemas:[]apiextensions.JSONSchemaProps(nil)}: must only have a single schema if x-kubernetes-list-type is map`,
      ],
    ],
    [
      'dependencies are none, whatever they are',
      { a: { ...text, dependencies: { b: null } } },
      [`${at}[a].dependencies: Forbidden: dependencies is not supported`],
    ],
    [
      'the default of an element is reported by its place below the default',
      { a: { type: 'array', items: text, default: [1] } },
      [`${at}[a].default.[0]: Invalid value: "integer": [0] in body must be of type string: "integer"`],
    ],
    ['the default of an int-or-string may be anything', { a: { 'x-kubernetes-int-or-string': true, default: {} } }, []],
    [
      'a bound below zero is none that can be named',
      { a: { ...text, maxLength: -1, default: 'x' }, b: { type: 'array', items: text, maxItems: -1, default: [] } },
      [`${at}[a].default: Too long: value is too long`, `${at}[b].default: Too many: 0: has too many items`],
    ],
    [
      'a type that is said to be nothing stands in the way of structure',
      { a: { ...text, oneOf: [{ 'x-kubernetes-list-type': '' }] } },
      [
        `${at}[a].oneOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural`,
        `${at}[a].oneOf[0].type: Required value: must be array if x-kubernetes-list-type is specified`,
        `${at}[a].oneOf[0].x-kubernetes-list-type: Unsupported value: "": supported values: "atomic", "set", "map"`,
      ],
    ],
    [
      'below a type that expressions cannot see, rules have none either',
      {
        a: {
          type: 'objectx',
          properties: { b: { ...text, 'x-kubernetes-validations': [{ rule: 'true' }] } },
          'x-kubernetes-validations': [{ rule: 'true' }],
        },
      },
      [
        `${at}[a].type: Unsupported value: "objectx": supported values: "array", "boolean", "integer", "number", "object", "string"`,
        `${at}[a].properties[b].x-kubernetes-validations: ${noDeclaration}`,
      ],
    ],
    ...untypedPlaces.map(([what, properties, errors]): [string, Record<string, JSONSchemaProps>, string[]] => [
      `what has no type is out of sight of expressions: ${what}`,
      properties,
      errors,
    ]),
    [
      'types are named from the schema whose rule it is',
      { a: { type: 'object', properties: { b: text }, 'x-kubernetes-validations': [{ rule: 'self.matches("x")' }] } },
      [
        `${at}[a].x-kubernetes-validations[0].rule: Invalid value: apiextensions.ValidationRule{Rule:"self.matches(\\"x\\")", Message:"", MessageExpression:"", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}: compilation failed: ERROR: <input>:1:13: found no matching overload for 'matches' applied to 'selfType.(string)'\n | self.matches("x")\n | ............^`,
      ],
    ],
    [
      'also where the schema around it has rules',
      {
        a: {
          type: 'object',
          properties: {
            b: { type: 'object', properties: { c: text }, 'x-kubernetes-validations': [{ rule: 'self.matches("x")' }] },
          },
          'x-kubernetes-validations': [{ rule: 'true' }],
        },
      },
      [
        `${at}[a].properties[b].x-kubernetes-validations[0].rule: Invalid value: apiextensions.ValidationRule{Rule:"self.matches(\\"x\\")", Message:"", MessageExpression:"", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}: compilation failed: ERROR: <input>:1:13: found no matching overload for 'matches' applied to 'selfType.(string)'\n | self.matches("x")\n | ............^`,
      ],
    ],
    ['anything goes where it is said', { a: { 'x-kubernetes-preserve-unknown-fields': true } }, []],
    [
      'a default must be of its type',
      { a: { type: 'integer', default: 'x' } },
      [`${at}[a].default: Invalid value: "string":  in body must be of type integer: "string"`],
    ],
    [
      'or of its format, also of one that objects are not checked for',
      {
        a: { type: 'integer', format: 'int32', default: {} },
        b: { type: 'number', format: 'double', default: true },
        c: { type: 'string', format: 'unknown', default: 1 },
      },
      [
        `${at}[a].default: Invalid value: "":  in body must be of type int32: ""`,
        `${at}[b].default: Invalid value: "":  in body must be of type double: ""`,
        `${at}[c].default: Invalid value: "int64":  in body must be of type unknown: "int64"`,
      ],
    ],
    [
      'or of a type that there is not, which no default can be; rules are not compiled then',
      { a: { type: 'objectx', default: 0 }, b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'none()' }] } },
      [
        `${at}[a].default: Invalid value: "integer":  in body must be of type objectx: "integer"`,
        `${at}[a].type: Unsupported value: "objectx": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      'keys of a list must be there',
      {
        a: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: { type: 'object', properties: { id: text } },
        },
      },
      [
        `${at}[a].items.properties[id].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      'a default of a whole object is reported where it is wrong',
      {
        a: {
          type: 'object',
          default: { e: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 42 } } },
          properties: {
            e: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
            },
          },
        },
      },
      [
        `${at}[a].default.e.metadata: Invalid value: map[string]interface {}{"name":42}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`,
      ],
    ],
    [
      'of a map of no known type nothing can be matched with what it was',
      {
        a: {
          type: 'object',
          'x-kubernetes-map-type': 'odd',
          properties: {
            b: { type: 'string', maxLength: 9, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
          },
        },
      },
      [
        `${at}[a].x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"`,
        `${at}[a].properties[b].x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${at}[a]`,
      ],
    ],
    [
      'a rule must be about what there is',
      {
        a: { type: 'object', properties: { b: text }, 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.c' }] },
      },
      [`${at}[a].x-kubernetes-validations[0].fieldPath: Invalid value: ".c": fieldPath must be a valid path`],
    ],
    [
      'alternatives hold no structure',
      { a: { type: 'object', anyOf: [{ title: 'x', properties: { metadata: {} } }] } },
      [
        `${at}[a].anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context`,
        `${at}[a].anyOf[0].title: Forbidden: must be empty to be structural`,
      ],
    ],
  ])('%s', (_, properties, expected) => {
    expect(shown(definition(root(properties)))).toEqual(expected)
  })

  test('what the root says beside its alternatives must be described', () => {
    const made = definition({
      type: 'object',
      oneOf: [{ properties: { spec: { properties: { x: {} } } } }],
      properties: {},
    })
    expect(shown(made)).toEqual([
      'spec.validation.openAPIV3Schema.properties[spec]: Required value: because it is defined in spec.validation.openAPIV3Schema.oneOf[0].properties[spec]',
    ])
  })

  test('errors in one of several versions are reported there', () => {
    const good = { openAPIV3Schema: root({ a: text }) }
    const bad = { openAPIV3Schema: root({ a: {} }) }
    const versions = [
      { name: 'v1', served: true, storage: true, schema: good },
      { name: 'v2', served: true, storage: false, schema: bad },
    ]
    expect(shown(definition({}, { versions }))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields',
    ])
  })

  test('an update is not blamed for what was wrong before', () => {
    const old = definition(root({ a: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } } }))
    expect(shown(old)).toHaveLength(1)
    expect(runToEnd(validateDefinitionUpdate(old, old))).toEqual([])
  })

  test('what keeps unknown fields can neither fill in defaults nor be converted', () => {
    const spec = { preserveUnknownFields: true, conversion: { strategy: 'Odd' } }
    expect(shown(definition(root({ a: { type: 'string', default: 'x' } }), spec))).toEqual([
      'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
      'spec.conversion.strategy: Invalid value: "Odd": must be None if spec.preserveUnknownFields is true',
      'spec.conversion.strategy: Unsupported value: "Odd": supported values: "None", "Webhook"',
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ])
  })

  test('the service of a conversion is reported by the other name', () => {
    const webhook = { clientConfig: { service: { namespace: 'n', port: 443 } }, conversionReviewVersions: ['v1'] }
    expect(shown(definition(root({}), { conversion: { strategy: 'Webhook', webhook } }))).toEqual([
      'spec.conversion.webhookClientConfig.service.namespace: Required value: service namespace is required',
    ])
  })

  test('an established definition keeps to certificates that can be read', () => {
    const made = (caBundle: string, established: string): Definition => {
      const clientConfig = { url: 'https://a.example/', caBundle: Buffer.from(caBundle).toString('base64') }
      const webhook = { clientConfig, conversionReviewVersions: ['v1'] }
      const whole = definition(root({}), { conversion: { strategy: 'Webhook', webhook } })
      whole.status.conditions = [{ type: 'Established', status: established }] as Definition['status']['conditions']
      return whole
    }
    const errors = (next: Definition, old: Definition): string[] =>
      runToEnd(validateDefinitionUpdate(next, old)).map(({ field, message }) => `${field}: ${message}`)
    expect(shown(made('ab', 'False'))).toEqual([])
    expect(errors(made('ab', 'False'), made('', 'False'))).toEqual([])
    expect(errors(made('ab', 'True'), made('cd', 'True'))).toEqual([])
    expect(errors(made('ab', 'True'), made('', 'True'))).toEqual([
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: []byte{0x61, 0x62}: unable to load root certificates: unable to parse bytes as PEM block',
    ])
  })

  test('another scope is shown as JSON in later releases, and as a plain text among those that there are', () => {
    const established = { conditions: [{ type: 'Established', status: 'True' }] }
    const old = { ...definition(root({})), status: established } as unknown as Definition
    const next = { ...definition(root({}), { scope: '\u200b' }), status: established } as unknown as Definition
    const found = runToEnd(validateDefinitionUpdate(next, old)).filter(({ field }) => field === 'spec.scope')
    expect(found.map((error) => error.messageAt?.(34) ?? error.message).toSorted()).toEqual([
      'Invalid value: "\u200b": field is immutable',
      'Unsupported value: "\\u200b": supported values: "Cluster", "Namespaced"',
    ])
  })

  test('a version that was stored must stay', () => {
    const old = definition(root({}))
    const next = definition(root({}), {
      versions: [{ name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: root({}) } }],
    })
    next.status.storedVersions = ['v1', 'v2']
    expect(runToEnd(validateDefinitionUpdate(next, old)).map(({ field }) => field)).toEqual([
      'status.storedVersions[0]',
    ])
  })

  test('what is passed over as plain has nothing that a closer look would find', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'metadata'), anySchema, { maxKeys: 3 }), (properties) => {
        const [given, looked] = [root(properties), lookedAt(root(properties))]
        const faults = shown(definition(given))
        expect(faults).toEqual(shown(definition(looked)))
        const known = runToEnd(validateDefinitionUpdate(definition(given), definition(given)))
        expect(known).toEqual(runToEnd(validateDefinitionUpdate(definition(looked), definition(looked))))
      }),
      { numRuns: 200 },
    )
  })
})

/** Schemas that are mostly right, of a few levels. */
const { schema: anySchema } = fc.letrec<{ schema: JSONSchemaProps; scalar: JSONSchemaProps }>((tie) => {
  const optional = { requiredKeys: [] }
  const words = {
    description: fc.constant('x'),
    nullable: fc.boolean(),
    maximum: fc.constant(3),
    required: fc.constant(['a']),
  }
  const faults = fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    fc.constantFrom<JSONSchemaProps>(
      { type: '' },
      { type: 'array' },
      { type: 'wrong' },
      { pattern: '(' },
      { default: 1 },
      { uniqueItems: true },
      { 'x-kubernetes-preserve-unknown-fields': false },
      { 'x-kubernetes-list-type': 'set' },
      { additionalProperties: { type: 'string' } },
    ),
  )
  const typed = (type: string, inner: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JSONSchemaProps> =>
    fc
      .tuple(fc.record({ ...words, ...inner }, optional), faults)
      .map(([given, fault]) => ({ type, ...given, ...fault }) as JSONSchemaProps)
  return {
    scalar: fc.constantFrom('string', 'integer', 'boolean').chain((type) => typed(type, {})),
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('scalar'),
      typed('object', { properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }) }),
      typed('object', { additionalProperties: fc.oneof(tie('schema'), fc.boolean()) }),
      typed('array', { items: tie('schema') }),
      typed('array', { items: fc.array(tie('scalar'), { maxLength: 2 }) }),
    ),
  }
})

/** The same schema with a keyword everywhere that says nothing, but keeps it from being plain. */
function lookedAt(schema: JSONSchemaProps): JSONSchemaProps {
  const made: JSONSchemaProps = { ...schema, 'x-kubernetes-validations': [] }
  const { properties, items, additionalProperties } = schema
  if (properties !== undefined) {
    made.properties = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, lookedAt(inner)]))
  }
  if (items != null) made.items = Array.isArray(items) ? items.map(lookedAt) : lookedAt(items)
  if (typeof additionalProperties === 'object') made.additionalProperties = lookedAt(additionalProperties)
  return made
}

test.each([
  [33, 1],
  [34, 0],
])('at 1.%d, the cost of an int-or-string by its length', (release, wanted) => {
  const items = { 'x-kubernetes-int-or-string': true, maxLength: 5, ...ruled('string(self).matches("a")') } as const
  const errors = runToEnd(validateDefinition(definition(root({ a: { type: 'array', items } })), { scope: { release } }))
  expect(errors.filter(({ message }) => message.includes('estimated rule cost exceeds budget')).length).toBe(wanted)
})

test('selectable fields of a schema with keywords that have no structural form', () => {
  const made = definition(root({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } }))
  const [version] = made.spec.versions ?? []
  const versions = [{ ...version, selectableFields: [{ jsonPath: 'x' }] }]
  const errors = runToEnd(validateDefinition({ ...made, spec: { ...made.spec, versions } } as Definition))
  expect(errors.map(({ field, message }) => `${field}: ${message}`)).toContain(
    `spec.schema.openAPIV3Schema: Invalid value: "": internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined`,
  )
})

describe('more selectable fields than there may be', () => {
  const names = Array.from({ length: 9 }, (_, i) => `f${i}`)
  const schema = root(Object.fromEntries(names.map((name) => [name, text])))
  const selecting = (count: number): Definition => {
    const made = definition(schema)
    const selectableFields = names.slice(0, count).map((name) => ({ jsonPath: `.spec.${name}` }))
    const [version] = made.spec.versions ?? []
    return { ...made, spec: { ...made.spec, versions: [{ ...version, selectableFields }] } } as Definition
  }
  const tooMany = 'Too many: 9: must have at most 8 items'

  test.each([
    [34, 9, [tooMany]],
    [35, 9, []],
    [35, 8, [tooMany]],
  ])('at 1.%d, where there were %d', (release, before, wanted) => {
    const errors = runToEnd(validateDefinitionUpdate(selecting(9), selecting(before), { scope: { release } }))
    expect(errors.map(({ message }) => message)).toEqual(wanted)
  })

  test('are never new', () => {
    const errors = runToEnd(validateDefinition(selecting(9), { scope: { release: 36 } }))
    expect(errors.map(({ message }) => message)).toEqual([tooMany])
  })
})

test.each(['definitions', 'dependencies', 'properties', 'oneOf'] as const)(
  'many %s that are not plain are gone over in steps',
  (keyword) => {
    const many = Array.from({ length: 6400 }, (_, i) => [`a${i}`, { ...text, oneOf: [{}] }] as const)
    const held = keyword === 'oneOf' ? many.map(([, each]) => each) : Object.fromEntries(many)
    const steps = validateDefinition(definition(root({ a: { type: 'object', [keyword]: held } as JSONSchemaProps })))
    let count = 0
    while (steps.next().done !== true) count++
    expect(count).toBeGreaterThan(100)
  },
)
