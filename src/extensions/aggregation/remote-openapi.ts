/**
 * What the server of an aggregated group version says of it in OpenAPI. Asked for again only when its hash changed; a
 * server without documents of version 3 has them made from its document of version 2.
 */
import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { versionThreeOf } from './version-three-of.ts'
import { type VersionTwoPart, versionTwoPart } from './version-two-part.ts'

/** Gets a path of the other server; undefined when it has no such thing. */
export type Fetch = (path: string, etag?: string) => Promise<FetchedDocument | 'unchanged' | undefined>

export interface FetchedDocument {
  readonly document: JsonObject
  readonly etag: string | undefined
}

export interface KnownDocument {
  readonly hash: string
  readonly versionThree: Buffer
}

export interface KnownOpenApi {
  /** Of version 3. */
  readonly hash: string
  readonly versionThree: Buffer
  /** What the server says of the group as a whole (`apis/GROUP`). */
  readonly ofGroup: KnownDocument | undefined
  readonly versionTwo: VersionTwoPart | undefined
  /** By which the document of version 2 is asked for again. */
  readonly etag: string | undefined
}

/** Undefined when the server says nothing of the version. */
export async function fetchOpenApi(
  { group, version }: { readonly group: string; readonly version: string },
  fetch: Fetch,
  known: KnownOpenApi | undefined,
): Promise<KnownOpenApi | undefined> {
  const key = `apis/${group}/${version}`
  const paths = await fetchIndex(fetch)
  const three = await fetchThree(paths[key], fetch, known)
  const ofGroup = await fetchThree(paths[`apis/${group}`], fetch, known?.ofGroup)
  const two = await fetchTwo(`/${key}`, fetch, known)
  if (three === undefined && two.versionTwo === undefined) return undefined
  if (three !== undefined) return { ...three, ofGroup, ...two }
  const made = Buffer.from(JSON.stringify(versionThreeOf(two.versionTwo as VersionTwoPart)))
  const hash = createHash('sha512').update(made).digest('hex').toUpperCase()
  return { hash, versionThree: made, ofGroup, ...two }
}

/** The documents of version 3 that the server lists, by key; none where it has no such list. */
async function fetchIndex(fetch: Fetch): Promise<JsonObject> {
  const index = await fetch('/openapi/v3')
  if (index === undefined || index === 'unchanged') return {}
  const { paths } = index.document
  return isJsonObject(paths) ? paths : {}
}

async function fetchThree(
  entry: JsonValue | undefined,
  fetch: Fetch,
  known: KnownDocument | undefined,
): Promise<KnownDocument | undefined> {
  const url = isJsonObject(entry) ? entry['serverRelativeURL'] : undefined
  if (typeof url !== 'string' || !url.startsWith('/openapi/v3/')) return undefined
  const hash = new URL(url, 'https://server').searchParams.get('hash') ?? ''
  if (hash !== '' && hash === known?.hash) return { hash, versionThree: known.versionThree }
  const answer = await fetch(url)
  if (answer === undefined || answer === 'unchanged') return undefined
  const versionThree = Buffer.from(JSON.stringify(answer.document))
  return { hash: hash || createHash('sha512').update(versionThree).digest('hex').toUpperCase(), versionThree }
}

async function fetchTwo(
  root: string,
  fetch: Fetch,
  known: KnownOpenApi | undefined,
): Promise<Pick<KnownOpenApi, 'versionTwo' | 'etag'>> {
  const answer = await fetch('/openapi/v2', known?.etag)
  if (answer === 'unchanged') return { versionTwo: known?.versionTwo, etag: known?.etag }
  if (answer === undefined) return { versionTwo: undefined, etag: undefined }
  return { versionTwo: versionTwoPart(answer.document, root), etag: answer.etag }
}
