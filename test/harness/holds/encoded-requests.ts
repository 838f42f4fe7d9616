/** The worst bodies in CBOR and Protobuf, and of deletions, which take theirs in every encoding. */
import type { JsonObject } from '../../../src/api/json.ts'
import { schemaForKind, typeSchema } from '../../../src/catalog/catalog.ts'
import { cborArrayHead, encodeCbor } from '../../../src/codec/cbor.ts'
import { encodeProtobuf } from '../../../src/codec/protobuf.ts'
import type { ObjectSchema } from '../../../src/schema/schema.ts'
import { many, mapOf } from './scenario.ts'
import { existing, type WorstRequest, worst } from './worst-requests.ts'

const core = '/api/v1/namespaces/default'
const dry = '?dryRun=All'
const cbor = 'application/cbor'
const protobuf = 'application/vnd.kubernetes.protobuf'

/** As many items as an array in CBOR may have. */
const perArray = 1000

/** An array of so many values, or of arrays of them, as CBOR; all values are the same. */
function nested(count: number, value: Buffer): Buffer {
  let items = many(count, () => value)
  do {
    const all = items
    items = many(Math.ceil(all.length / perArray), (i) => {
      const some = all.slice(i * perArray, (i + 1) * perArray)
      return Buffer.concat([cborArrayHead(some.length), ...some])
    })
  } while (items.length > 1)
  return items[0] as Buffer
}

/** Ten times as many values as elsewhere: each may be a byte. */
const numbers = (n: number): Buffer => nested(n * 10, Buffer.from([7]))

const place = 'PLACE'

/** The object in CBOR, with an item in the place of a text. */
function withItem(object: JsonObject, item: Buffer): Buffer {
  const bytes = encodeCbor(object)
  const text = Buffer.concat([Buffer.from([0x40 + place.length]), Buffer.from(place)])
  const at = bytes.indexOf(text)
  return Buffer.concat([bytes.subarray(0, at), item, bytes.subarray(at + text.length)])
}

const configMap = (fields: JsonObject, metadata: JsonObject = { name: 'large' }): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  ...fields,
})

/** A string in so many pieces, each of them empty. */
const pieces = (count: number): Buffer =>
  Buffer.concat([Buffer.from([0x5f]), Buffer.alloc(count, 0x40), Buffer.from([0xff])])

const bodies: Readonly<Record<string, (n: number) => Buffer>> = {
  'unknown numbers': (n) => withItem(configMap({ x: place }), numbers(n)),
  'unknown maps': (n) => withItem(configMap({ x: place }), nested(n, Buffer.from([0xa1, 0x41, 0x61, 1]))),
  'unknown empty lists': (n) => withItem(configMap({ x: place }), nested(n * 10, Buffer.from([0x80]))),
  'a text in pieces': (n) => withItem(configMap({ x: place }), pieces(n * 10)),
  'values of a wrong type': (n) => withItem(configMap({}, { name: 'large', finalizers: place }), numbers(n)),
  'no object': numbers,
  'cut short': (n) => withItem(configMap({ x: place }), numbers(n)).subarray(0, -1),
  'a wide number': (n) => withItem(configMap({ x: place, y: '9'.repeat(30) }), numbers(n)),
}

const cborRequests = Object.entries(bodies).flatMap(([name, body]): WorstRequest[] => [
  worst(`CBOR, ${name}, create`, (n) => ({ path: `${core}/configmaps${dry}`, type: cbor, body: body(n) })),
  worst(`CBOR, ${name}, create with warnings`, (n) => ({
    path: `${core}/configmaps${dry}&fieldValidation=Warn`,
    type: cbor,
    body: body(n),
  })),
  worst(`CBOR, ${name}, replace`, (n) => ({ method: 'PUT', path: `${existing}${dry}`, type: cbor, body: body(n) })),
  worst(`CBOR, ${name}, apply`, (n) => ({
    method: 'PATCH',
    path: `${core}/configmaps/large${dry}&fieldManager=m`,
    type: 'application/apply-patch+cbor',
    body: body(n),
  })),
])

const protobufOf = (kind: string, object: JsonObject): Buffer =>
  encodeProtobuf(object, schemaForKind({ group: '', version: 'v1', kind }) as ObjectSchema)

const pod = (spec: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'large' }, spec })
const variables = (n: number): JsonObject => ({
  containers: [{ name: 'c', image: 'i', env: many(n, (i) => ({ name: `E${i}`, value: 'v' })) }],
})

const protobufRequests: WorstRequest[] = [
  worst('Protobuf, keys of data', (n) => ({
    path: `${core}/configmaps${dry}`,
    type: protobuf,
    body: protobufOf('ConfigMap', configMap({ data: mapOf(n, (i) => `k${i}`, 'v') })),
  })),
  worst('Protobuf, labels', (n) => ({
    path: `${core}/configmaps${dry}`,
    type: protobuf,
    body: protobufOf('ConfigMap', configMap({}, { name: 'large', labels: mapOf(n, (i) => `k${i}`, 'v') })),
  })),
  worst('Protobuf, finalizers', (n) => ({
    path: `${core}/configmaps${dry}`,
    type: protobuf,
    body: protobufOf('ConfigMap', configMap({}, { name: 'large', finalizers: many(n, (i) => `a.b/${i}`) })),
  })),
  worst('Protobuf, containers', (n) => ({
    path: `${core}/pods${dry}`,
    type: protobuf,
    body: protobufOf('Pod', pod({ containers: many(n, (i) => ({ name: `c${i}`, image: 'i' })) })),
  })),
  worst('Protobuf, empty containers', (n) => ({
    path: `${core}/pods${dry}`,
    type: protobuf,
    body: protobufOf('Pod', pod({ containers: many(n, () => ({})) })),
  })),
  worst('Protobuf, variables', (n) => ({
    path: `${core}/pods${dry}`,
    type: protobuf,
    body: protobufOf('Pod', pod(variables(n))),
  })),
  worst('Protobuf, replace', (n) => ({
    method: 'PUT',
    path: `${existing}${dry}`,
    type: protobuf,
    body: protobufOf('ConfigMap', configMap({ data: mapOf(n, (i) => `k${i}`, 'v') })),
  })),
]

const otherKinds: WorstRequest[] = [
  worst('a body of another kind, JSON', (n) => ({
    path: `${core}/configmaps${dry}`,
    body: pod(variables(n)),
  })),
  worst('a body of another kind, YAML', (n) => ({
    path: `${core}/configmaps${dry}`,
    type: 'application/yaml',
    body: pod(variables(n)),
  })),
]

const options = (fields: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...fields })

const encodings: Readonly<Record<string, (value: JsonObject, n: number) => string | Buffer>> = {
  'application/json': (value) => JSON.stringify(value),
  'application/yaml': (value) =>
    Object.entries(value)
      .map(([key, member]) => `${key}: ${JSON.stringify(member)}\n`)
      .join(''),
  [cbor]: (value, n) => withItem(value, numbers(n)),
  [protobuf]: (value) => encodeProtobuf(value, typeSchema('meta.v1.DeleteOptions')),
}

/** Of those in CBOR the unknown field is large: no list in it may have more than a thousand items. */
const deletions: Readonly<Record<string, (n: number) => JsonObject>> = {
  'unknown fields': (n) => options({ ...mapOf(n, (i) => `k${i}`, 1), dryRun: ['All'] }),
  'dry runs': (n) => options({ dryRun: many(n, () => 'All') }),
  'wrong dry runs': (n) => options({ dryRun: many(n, (i) => `d${i}`) }),
}

function optionsIn(type: string, name: string, n: number): JsonObject {
  const value = deletions[name] as (n: number) => JsonObject
  return type === cbor ? { ...value(Math.min(n, 900)), x: place } : value(n)
}

const deleteRequests = Object.keys(deletions).flatMap((name) =>
  Object.entries(encodings).flatMap(([type, encode]): WorstRequest[] => [
    worst(`options of a deletion, ${name}, ${type}`, (n) => ({
      method: 'DELETE',
      path: existing,
      type,
      body: encode(optionsIn(type, name, n), n),
    })),
    worst(`options of a deletion of many, ${name}, ${type}`, (n) => ({
      method: 'DELETE',
      path: `${core}/configmaps`,
      type,
      body: encode(optionsIn(type, name, n), n),
    })),
  ]),
)

export const encodedRequests: readonly WorstRequest[] = [
  ...cborRequests,
  ...protobufRequests,
  ...otherKinds,
  ...deleteRequests,
]
