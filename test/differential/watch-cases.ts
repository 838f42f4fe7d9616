/** Watches: every option, representation and encoding, over HTTP/2 and over a WebSocket, while an object lives. */
import { type CaseGenerator, can, collectionOf, isParent, objectPath, post, seedOf, toCase } from './building.ts'
import { contentTypes, type Step } from './case.ts'
import { fragment } from './cases.ts'
import { pathOf } from './resources.ts'

const starts = [
  'resourceVersion=<rv>',
  'resourceVersion=<rv>',
  'resourceVersion=0',
  '',
  'resourceVersion=x',
  'resourceVersion=1',
  'resourceVersion=<rv>&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=<rv>',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=<rv>',
  'sendInitialEvents=false',
  'sendInitialEvents=true',
  'sendInitialEvents=x',
  'allowWatchBookmarks=true&timeoutSeconds=20',
  'limit=1',
  'continue=x',
  'timeoutSeconds=0',
  'timeoutSeconds=-1',
  'timeoutSeconds=x',
  'includeObject=Metadata',
]

const watched = [
  'application/json',
  'application/json',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=Table;g=meta.k8s.io;v=v1beta1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/json;stream=watch',
  contentTypes.protobuf,
  `${contentTypes.protobuf};stream=watch`,
  `${contentTypes.protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  contentTypes.cbor,
  'application/cbor-seq',
  `${contentTypes.cbor};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  `${contentTypes.cbor};as=Table;g=meta.k8s.io;v=v1`,
  contentTypes.yaml,
  'text/plain',
  '*/*',
]

const selectors = [
  'fieldSelector=metadata.name%3D<name>',
  'labelSelector=differential%3D<name>',
  'labelSelector=differential%3D<name>,app%3Da',
  'labelSelector=differential%3D<name>&fieldSelector=metadata.name!%3D<name>',
]

export const watch: CaseGenerator = (source) => {
  const { random, resource } = source
  if (!isParent(resource) || !can(resource, 'create', 'watch', 'patch', 'delete')) return undefined
  const seed = seedOf(source)
  const path = objectPath(resource, seed)
  const headers = { 'content-type': contentTypes.mergePatch }
  const during: Step[] = [
    { method: 'PATCH', path, headers, body: { metadata: { labels: { app: random.pick(['a', 'b']) } } } },
    { method: 'PATCH', path, headers, body: fragment(random, seed, resource) },
    { method: 'PATCH', path, headers, body: { metadata: { labels: { app: 'c' } } } },
    { method: 'DELETE', path, body: { gracePeriodSeconds: 0 } },
  ]
  const step: Step = {
    method: 'GET',
    path: `${watchPath(source)}${random.pick(selectors)}&${random.pick(starts)}`,
    headers: {
      accept: random.pick(watched),
      ...(random.chance(0.1) ? { 'sec-websocket-protocol': 'base64.binary.k8s.io' } : {}),
    },
    during: during.filter(() => random.chance(0.8)),
    webSocket: random.chance(0.35),
  }
  return toCase('watch', source, [post(resource, seed), step])
}

/** Both forms of the path; with the name in it a watch is of one object. */
function watchPath({ random, resource }: Parameters<CaseGenerator>[0]): string {
  if (random.chance(0.85)) return `${collectionOf(resource)}?watch=${random.pick(['1', 'true', 'true', 'True'])}&`
  const scope = resource.namespaced ? 'namespaces/<namespace>/' : ''
  const object = random.chance(0.5) ? '/<name>' : ''
  return `${pathOf(resource.groupVersion)}/watch/${scope}${resource.name}${object}?`
}
