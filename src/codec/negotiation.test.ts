import { describe, expect, test } from 'vitest'
import {
  aggregatedDiscoveryRestrictions,
  checkStream,
  isPretty,
  mediaTypes,
  mediaTypesWithCbor,
  negotiate,
  negotiateAnswer,
  negotiateBody,
  negotiateError,
  parseMediaType,
  plainRestrictions,
  resourceRestrictions,
  routeConsumes,
  routeNotAcceptable,
  routeProduces,
} from './negotiation.ts'

const resource = resourceRestrictions()
const custom = resourceRestrictions({ encodings: new Set(['json', 'yaml', 'cbor']) })
const encodingOf = (accept: string | undefined, restrictions = resource) =>
  negotiate(accept, mediaTypesWithCbor, restrictions)?.mediaType.encoding

describe('the preferred encoding', () => {
  test.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['*', 'json'],
    ['application/*', 'json'],
    ['application/json', 'json'],
    ['application/yaml', 'yaml'],
    ['application/vnd.kubernetes.protobuf', 'protobuf'],
    ['application/cbor', 'cbor'],
    ['application/vnd.kubernetes.protobuf,application/json', 'protobuf'],
    ['application/json,application/vnd.kubernetes.protobuf', 'json'],
    ['application/json;q=0.5,application/yaml', 'yaml'],
    ['application/json;q=0.5, application/yaml;q=0.6', 'yaml'],
    ['application/json;q=x,application/yaml;q=0.1', 'yaml'],
    ['application/json;q=0', 'json'],
    ['*/*,application/yaml;q=0.1', 'yaml'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['text/plain', undefined],
    ['text/*', undefined],
    ['application', undefined],
    ['a/b/c', undefined],
    [' application/json ; charset=utf-8 ', 'json'],
    ['application/json;stream=watch', 'json'],
    ['application/json;stream=other', undefined],
    ['application/yaml;stream=watch', undefined],
    ['application/json;sv=v1', 'json'],
    ['application/json;sv=v2', undefined],
  ])('%s: %s', (accept, encoding) => {
    expect(encodingOf(accept)).toBe(encoding)
  })
})

describe('views', () => {
  const table = 'as=Table;v=v1;g=meta.k8s.io'
  test.each([
    [`application/json;${table}`, 'Table'],
    [`application/yaml;${table}`, 'Table'],
    [`application/vnd.kubernetes.protobuf;${table}`, undefined],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'Table'],
    ['application/json;as=Table;v=v7;g=meta.k8s.io', undefined],
    ['application/json;as=Table;v=v7;g=meta.k8s.io,application/json', 'plain'],
    ['application/json;as=Chart;v=v1;g=meta.k8s.io', undefined],
    ['application/json;as=PartialObjectMetadata;v=v1', undefined],
    ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'PartialObjectMetadata'],
    ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'PartialObjectMetadataList'],
  ])('%s: %s', (accept, kind) => {
    const choice = negotiate(accept, mediaTypes, resource)
    expect(choice && (choice.convert?.kind ?? 'plain')).toBe(kind)
  })

  test('a custom resource has no Protobuf form but its metadata does', () => {
    expect(encodingOf('application/vnd.kubernetes.protobuf', custom)).toBeUndefined()
    expect(encodingOf('application/vnd.kubernetes.protobuf,application/json', custom)).toBe('json')
    const partial = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
    expect(encodingOf(partial, custom)).toBe('protobuf')
  })

  test('aggregated discovery is asked for by name', () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    expect(encodingOf(accept, aggregatedDiscoveryRestrictions)).toBe('json')
    expect(encodingOf(accept.replace('v2', 'v2beta1'), aggregatedDiscoveryRestrictions)).toBeUndefined()
    expect(encodingOf('application/json', aggregatedDiscoveryRestrictions)).toBe('json')
    expect(encodingOf(accept, plainRestrictions)).toBeUndefined()
  })
})

test('refusals list what there is, streams their own names', () => {
  expect(() => negotiateAnswer('application/json;as=X', mediaTypes, resource)).toThrow(
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  )
  expect(() =>
    checkStream(negotiateAnswer('application/yaml', mediaTypesWithCbor, resource), mediaTypesWithCbor),
  ).toThrow(
    'only the following media types are accepted: application/json;stream=watch, ' +
      'application/vnd.kubernetes.protobuf;stream=watch, application/cbor-seq',
  )
})

test('errors go out as the client accepts', () => {
  const encoding = (accept: string) => negotiateError(accept, mediaTypes)?.mediaType.encoding
  expect(encoding('application/vnd.kubernetes.protobuf')).toBe('protobuf')
  expect(encoding('application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1')).toBeUndefined()
  expect(encoding('text/html')).toBeUndefined()
})

describe('the route compares text', () => {
  const produced = ['application/json', 'application/yaml']
  test.each([
    [undefined, true],
    ['*/*', true],
    ['application/*', false],
    ['APPLICATION/JSON', false],
    ['text/html, application/yaml;q=0.1', true],
    ['text/html', false],
  ])('%s: %s', (accept, expected) => {
    expect(routeProduces(accept, produced)).toBe(expected)
  })
  test('and says what it has', () => {
    expect(routeNotAcceptable(produced).message).toBe(
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml',
    )
    expect(routeNotAcceptable(produced, { isUnsizedWrite: true })).toMatchObject({
      code: 415,
      message: '415: Unsupported Media Type\n\nAvailable representations: application/json, application/yaml',
    })
  })
  test('patches', () => {
    const consumed = ['application/merge-patch+json']
    expect(routeConsumes('application/merge-patch+json; charset=utf-8', consumed)).toBe(true)
    expect(routeConsumes('application/json', consumed)).toBe(false)
    expect(routeConsumes(undefined, consumed)).toBe(false)
  })
})

describe('the encoding of a body', () => {
  test.each([
    [undefined, 'json'],
    ['application/json;charset=UTF-8', 'json'],
    ['APPLICATION/YAML', 'yaml'],
    ['application/vnd.kubernetes.protobuf', 'protobuf'],
    ['application/json;', 'json'],
  ])('%s: %s', (contentType, encoding) => {
    expect(negotiateBody(contentType, mediaTypes).encoding).toBe(encoding)
  })
  test.each(['text/plain', 'application/cbor', 'application/json;x', 'application/json;a=1;a=2', 'not a type'])(
    '%s is refused',
    (contentType) => {
      expect(() => negotiateBody(contentType, mediaTypes)).toThrow(
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      )
    },
  )
  test('parameters may be quoted', () => {
    expect(parseMediaType('application/json; a="x;y\\""; b=2')).toBe('application/json')
    expect(parseMediaType('application/json; a="x')).toBeUndefined()
  })
})

test.each([
  ['application/json', 'true', '', true],
  ['application/json', '1', '', true],
  ['application/json', '', '', false],
  ['application/json', '0', 'curl/8', false],
  ['application/json', undefined, 'curl/8', true],
  ['application/json', undefined, 'Mozilla/5.0 (X11)', true],
  ['application/json', undefined, 'kubectl', false],
  ['application/json;pretty=1', undefined, 'kubectl', true],
  ['application/yaml', 'true', '', false],
])('indented for %s, ?pretty=%s, %s: %s', (accept, pretty, agent, expected) => {
  expect(isPretty(negotiateAnswer(accept, mediaTypes, resource), pretty, agent)).toBe(expected)
})
