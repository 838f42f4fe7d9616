/** What compiles what others wrote: expressions, schemas of custom resources, configuration files, flags. */
import { isJsonObject, type JsonObject } from '../../../../src/api/json.ts'
import { badRequest } from '../../../../src/api/status-error.ts'
import { schemaForKind } from '../../../../src/catalog/catalog.ts'
import { storedExpressions } from '../../../../src/cel/environment.ts'
import { admissionEnvironment } from '../../../../src/cel/environments.ts'
import { estimateProgramCost } from '../../../../src/cel/program.ts'
import { decodeJson } from '../../../../src/codec/json.ts'
import { decodeYaml } from '../../../../src/codec/yaml.ts'
import { parseServerOptions } from '../../../../src/config/server-options.ts'
import { validateDefinition } from '../../../../src/extensions/definitions/validate-definition.ts'
import { runToEnd } from '../../../../src/lib/in-turns.ts'
import { applyDefaults } from '../../../../src/schema/default.ts'
import { schemaFromOpenApi } from '../../../../src/schema/from-openapi.ts'
import { pruneValueInSteps } from '../../../../src/schema/prune.ts'
import { validateValue } from '../../../../src/schema/validate.ts'
import { randomDefinitionSchema } from '../../../differential/schemas.ts'
import { seededRandom } from '../../random.ts'
import { configurationKinds } from './configuration-kinds.ts'
import { expressionTexts, expressionWords } from './expression-texts.ts'
import { bytesOf, type PureTarget } from './pure-target.ts'

const object = {
  metadata: { name: 'a', labels: { a: 'b' } },
  spec: { list: [1, 'b', null, { c: 1.5 }], text: 'x'.repeat(100) },
}
/** What one expression may cost at the most. */
const costLimit = 1_000_000
const seedCount = 200

const environment = admissionEnvironment(storedExpressions(), { params: true, authorizer: true, patches: true })
const random = seededRandom(1)
const schemas = Array.from({ length: seedCount }, () => randomDefinitionSchema(random) as JsonObject)
const definitionSchema = schemaForKind({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
})

const schemaWords = [
  ...[
    '"type":"object"',
    '"type":"integer"',
    '"format":"int32"',
    '"pattern":"^a{1,5}$"',
    '"enum":[1,"a",null]',
    '"items":{}',
  ],
  ...[
    '"additionalProperties":false',
    '"x-kubernetes-preserve-unknown-fields":true',
    '"x-kubernetes-int-or-string":true',
  ],
  ...['"x-kubernetes-list-type":"map"', '"x-kubernetes-list-map-keys":["a"]', '"x-kubernetes-embedded-resource":true'],
  ...[
    '"anyOf":[{}]',
    '"not":{}',
    '"default":null',
    '"nullable":true',
    '"minimum":1e400',
    '"multipleOf":0',
    '"maxLength":-1',
  ],
  ...['"x-kubernetes-validations":[{"rule":"self == oldSelf"}]', '"properties":{"__proto__":{}}', '"required":["a"]'],
]

function parsed(bytes: Buffer): JsonObject {
  const { value } = decodeYaml(bytes)
  if (!isJsonObject(value)) throw badRequest('no object')
  return value
}

/** As a definition brings it to where it is used: what is of a wrong type is refused before. */
function decodedSchema(schema: JsonObject): JsonObject {
  if (definitionSchema === undefined) throw new TypeError('there are no definitions')
  const text = JSON.stringify(definition(schema), (_, value) => (typeof value === 'bigint' ? Number(value) : value))
  const { spec } = decodeJson(Buffer.from(text), definitionSchema).object as unknown as DecodedDefinition
  return spec.versions[0]?.schema?.openAPIV3Schema ?? {}
}

interface DecodedDefinition {
  readonly spec: { readonly versions: readonly { readonly schema?: { readonly openAPIV3Schema?: JsonObject } }[] }
}

const definition = (schema: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'as.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
})

export const programTargets: readonly PureTarget[] = [
  {
    name: 'expression',
    seeds: bytesOf(...expressionTexts(random, 400)),
    words: expressionWords,
    run: (bytes) => {
      const compilation = environment.compile(bytes.toString('utf8'))
      if (!compilation.ok) return compilation.message
      estimateProgramCost(compilation.program, new Map())
      const variables = { object, oldObject: null, params: null, request: { userInfo: { username: 'a' } } }
      const result = compilation.program.evaluate(variables, { limit: costLimit })
      return result.kind === 'error' ? result.message : ''
    },
  },
  {
    name: 'schema',
    seeds: schemas.map((schema) => Buffer.from(JSON.stringify(schema))),
    words: schemaWords,
    run: (bytes, steps) => {
      const schema = schemaFromOpenApi(decodedSchema(parsed(bytes)))
      const value = runToEnd(pruneValueInSteps(applyDefaults({ ...object }, schema), schema))
      return steps(validateValue(value, schema)).length === 0 ? '' : 'invalid'
    },
  },
  {
    name: 'definition',
    seeds: schemas.map((schema) => Buffer.from(JSON.stringify(definition(schema)))),
    words: schemaWords,
    run: (bytes, steps) => {
      if (definitionSchema === undefined) throw new TypeError('there are no definitions')
      const { object: decoded } = decodeJson(bytes, definitionSchema)
      return steps(validateDefinition(decoded as never))
        .map(({ message }) => message)
        .join('\n')
    },
  },
  ...configurationKinds.map(
    ({ document, read }, i): PureTarget => ({
      name: `configuration ${i + 1}`,
      isBeforeStart: true,
      seeds: [Buffer.from(JSON.stringify(document))],
      words: ['"":null', 'null', '[]', '{}', '"a"', '1', '"__proto__":{}', '- ', ': ', '\n', '"kind":"X"', '"name":1'],
      run: (bytes) => String(read(bytes.toString('utf8')) === undefined),
    }),
  ),
  {
    name: 'flags',
    isBeforeStart: true,
    seeds: bytesOf(
      '--secure-port=1',
      '--feature-gates=AllAlpha=true\n--v=5',
      '--runtime-config=api/all=true',
      '--help',
    ),
    words: [
      '\n--',
      '=',
      ',',
      'true',
      '-1',
      '1e9',
      '--store',
      '--etcd-servers',
      '--authorization-mode',
      '__proto__',
      '10.0.0.0/24',
    ],
    run: (bytes) => String(parseServerOptions(bytes.toString('utf8').split('\n')).storage.kind),
  },
]
