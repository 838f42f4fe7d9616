/** `/openapi/v2`, `/openapi/v3` and the documents below it. */
import { createHash } from 'node:crypto'
import type { RequestContext } from '../../api/request-context.ts'
import { parseAccept } from '../../codec/negotiation.ts'
import { type AnswerSettings, wantsGzip } from '../answer.ts'
import type { DocumentEncoding, OpenApiDocument, OpenApiDocuments, OpenApiOptions } from './documents.ts'

/** True when the path was one of OpenAPI's. */
export type OpenApiHandler = (context: RequestContext) => Promise<boolean>

const protobufNames = (version: 'v2' | 'v3'): readonly string[] => [
  `com.github.proto-openapi.spec.${version}@v1.0+protobuf`,
  `com.github.proto-openapi.spec.${version}.v1.0+protobuf`,
]

const yearMs = 365 * 24 * 60 * 60 * 1000
const root = '/openapi/v3'

export function openApiHandler(options: OpenApiOptions & { readonly settings: AnswerSettings }): OpenApiHandler {
  const { settings } = options
  let documents: OpenApiDocuments | undefined
  let index: Index | undefined
  /** All of this is loaded on the first request. */
  const load = async (): Promise<OpenApiDocuments> => {
    const module = await import('./documents.ts')
    documents ??= new module.OpenApiDocuments(options)
    return documents
  }
  const currentIndex = (all: ReadonlyMap<string, OpenApiDocument>): Index => {
    if (index?.of !== all) index = { of: all, ...indexDocument(all) }
    return index
  }
  return async (context) => {
    const { path } = context.info
    const isIndex = path === root
    if (path !== '/openapi/v2' && !isIndex && !path.startsWith(`${root}/`)) return false
    const known = documents ?? (await load())
    if (isIndex) return answerIndex(context, currentIndex(known.versionThree()))
    if (path === '/openapi/v2') return answer(context, settings, known.versionTwo(), 'v2')
    const document = known.versionThree().get(path.slice(root.length + 1))
    if (document === undefined) {
      context.exchange.respond(404, {}, '')
      return true
    }
    return answer(context, settings, document, 'v3')
  }
}

interface Index {
  readonly of: ReadonlyMap<string, OpenApiDocument>
  readonly text: string
  readonly etag: string
}

function indexDocument(documents: ReadonlyMap<string, OpenApiDocument>): { text: string; etag: string } {
  const paths = [...documents].map(([key, { hash }]) => [key, { serverRelativeURL: `${root}/${key}?hash=${hash}` }])
  const text = JSON.stringify({ paths: Object.fromEntries(paths) as object })
  return { text, etag: `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"` }
}

function answerIndex({ exchange }: RequestContext, { text, etag }: Index): true {
  const unchanged = exchange.headers['if-none-match'] === etag
  exchange.addHeader('Etag', etag)
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  if (unchanged) exchange.respond(304, {}, '')
  else exchange.respond(200, headers, text)
  return true
}

async function answer(
  context: RequestContext,
  settings: AnswerSettings,
  document: OpenApiDocument,
  version: 'v2' | 'v3',
): Promise<true> {
  const { exchange } = context
  if (version === 'v2') exchange.addHeader('Vary', 'Accept-Encoding')
  exchange.addHeader('Vary', 'Accept')
  const encoding = acceptedEncoding(context.header('accept'), version)
  if (encoding === undefined) {
    exchange.respond(406, {}, '')
    return true
  }
  const etag = `"${document.hash}"`
  exchange.addHeader('Etag', etag)
  const type = encoding === 'json' ? 'application/json' : `application/${protobufNames(version)[1]}`
  const asked = (version === 'v3' && context.info.query.get('hash')) || ''
  if (asked !== '' && asked !== document.hash) {
    // An address with the hash of an older document leads on to the current one.
    const location = `${context.info.path}?hash=${document.hash}`
    exchange.respond(301, { 'content-type': type, location }, '')
    return true
  }
  const isPinned = asked !== ''
  const caching = isPinned
    ? { 'cache-control': 'public, immutable', expires: new Date(settings.now() + yearMs).toUTCString() }
    : {}
  if (names(context.header('if-none-match'), etag)) {
    exchange.respond(304, caching, '')
    return true
  }
  const headers = { 'content-type': type, ...caching }
  if (wantsGzip(context, { ...settings, compression: true })) {
    exchange.respond(200, { ...headers, 'content-encoding': 'gzip' }, await document.compressed(encoding))
  } else {
    exchange.respond(200, headers, await document.bytes(encoding))
  }
  return true
}

/** Whether one of the tags that a client knows is this one: any is, and weak ones count. */
function names(known: string | undefined, etag: string): boolean {
  const tags = (known ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}

function acceptedEncoding(accept: string | undefined, version: 'v2' | 'v3'): DocumentEncoding | undefined {
  if (accept === undefined || accept === '') return 'json'
  for (const { type, subtype } of parseAccept(accept)) {
    if (type !== 'application' && type !== '*') continue
    if (subtype === 'json' || subtype === '*') return 'json'
    if (protobufNames(version).includes(subtype)) return 'protobuf'
  }
  return undefined
}
