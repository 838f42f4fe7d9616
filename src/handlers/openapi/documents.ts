/**
 * The OpenAPI documents of a server: one a group version, and one of everything for older clients. Nothing is made
 * before the first request for it, and what was made is kept until its group version changes. A document's hash is taken
 * from what the document is made of, so the index needs no document.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { GroupVersion } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import { catalogAt, defaultRelease, minorOf } from '../../catalog/releases.ts'
import { encodeJson } from '../../codec/json.ts'
import type { MediaType } from '../../codec/negotiation.ts'
import type { ResourceTable } from '../../registry/served-resource.ts'
import type { DiscoveredGroup, DiscoveredVersion, DiscoveryIndex } from '../discovery/discovery-index.ts'
import {
  type DocumentedKind,
  type DocumentPart,
  isCustomVersion,
  type OpenApiVersion,
  otherPart,
  otherPaths,
  type PartSettings,
  versionsPart,
} from './document-parts.ts'
import { remotePart, type TextPart } from './remote-part.ts'
import type { Dialect } from './type-definitions.ts'

export interface OpenApiOptions {
  readonly index: DiscoveryIndex
  readonly table: ResourceTable
  readonly mediaTypes: readonly MediaType[]
  /** `1.33` */
  readonly release: string
  /** The version of this program: documents of another one may differ. */
  readonly build: string
  /** Whether the values that a field may have are listed. */
  readonly enums: boolean
}

export type DocumentEncoding = 'json' | 'protobuf'

const compress = promisify(gzip)

/** A document that is made when it is first read. */
export class OpenApiDocument {
  readonly hash: string
  readonly #dialect: Dialect
  readonly #make: () => string
  #json: Buffer | undefined
  #protobuf: Buffer | undefined
  readonly #compressed = new Map<DocumentEncoding, Promise<Buffer>>()

  constructor(dialect: Dialect, hash: string, make: () => string) {
    this.#dialect = dialect
    this.hash = hash
    this.#make = make
  }

  json(): Buffer {
    this.#json ??= Buffer.from(this.#make())
    return this.#json
  }

  async bytes(encoding: DocumentEncoding): Promise<Buffer> {
    if (encoding === 'json') return this.json()
    const { encodeGnostic } = await import('./gnostic.ts')
    this.#protobuf ??= encodeGnostic(this.#dialect, JSON.parse(this.json().toString()) as JsonObject)
    return this.#protobuf
  }

  compressed(encoding: DocumentEncoding): Promise<Buffer> {
    const known = this.#compressed.get(encoding)
    if (known !== undefined) return known
    const made = this.bytes(encoding).then((bytes) => compress(bytes, { level: 4 }))
    this.#compressed.set(encoding, made)
    return made
  }
}

/** A group version as it was when its document was last asked for. */
interface VersionEntry {
  readonly discovered: DiscoveredVersion
  readonly shown: OpenApiVersion
  readonly document: OpenApiDocument
  /** Its share of the document of everything. */
  versionTwo?: TextPart
}

interface State {
  readonly revision: string
  readonly entries: ReadonlyMap<string, VersionEntry>
  /** All documents of version 3 by their key in the index. */
  readonly documents: ReadonlyMap<string, OpenApiDocument>
  readonly everything: OpenApiDocument
}

export class OpenApiDocuments {
  readonly #options: OpenApiOptions
  #settings: PartSettings | undefined
  #state: State | undefined
  #builtIn: TextPart | undefined

  constructor(options: OpenApiOptions) {
    this.#options = options
  }

  /** The documents of version 3 by key: `api/v1`, `apis/apps/v1`, `version`. */
  versionThree(): ReadonlyMap<string, OpenApiDocument> {
    return this.#current().documents
  }

  /** The one document of version 2. */
  versionTwo(): OpenApiDocument {
    return this.#current().everything
  }

  #current(): State {
    const { index, table } = this.#options
    const revision = `${index.revision}/${table.revision}`
    if (this.#state?.revision !== revision) this.#state = this.#refresh(revision, index.groups())
    return this.#state
  }

  #refresh(revision: string, discovered: readonly DiscoveredGroup[]): State {
    const entries = new Map<string, VersionEntry>()
    for (const { name, versions } of discovered) {
      for (const version of versions) {
        const key = documentKey({ group: name, version: version.version })
        const entry = this.#entry(key, name, version)
        if (entry !== undefined) entries.set(key, entry)
      }
    }
    const documents = new Map<string, OpenApiDocument>()
    for (const [key, { document }] of entries) documents.set(key, document)
    for (const [key, item] of otherPaths(discovered.filter(({ name }) => this.#options.index.isBuiltIn(name)))) {
      const make = (): string => this.#versionThreeText(otherPart('v3', [item], this.#partSettings()))
      documents.set(key, this.#state?.documents.get(key) ?? new OpenApiDocument('v3', this.#hash([key]), make))
    }
    for (const { name, versions } of discovered) {
      const remote = versions.find(({ elsewhere }) => elsewhere?.openApi?.ofGroup)?.elsewhere?.openApi?.ofGroup
      if (remote === undefined || documents.has(`apis/${name}`)) continue
      documents.set(`apis/${name}`, new OpenApiDocument('v3', remote.hash, () => remote.versionThree.toString()))
    }
    const sorted = new Map([...documents].sort(([a], [b]) => (a < b ? -1 : 1)))
    const hash = this.#hash(['v2', ...[...sorted].flatMap(([key, document]) => [key, document.hash])])
    const previous = this.#state?.everything
    const everything =
      previous?.hash === hash
        ? previous
        : new OpenApiDocument('v2', hash, () => this.#everythingText([...entries.values()], discovered))
    return { revision, entries, documents: sorted, everything }
  }

  /** The entry as it was when nothing about it changed; undefined when another server serves it and says nothing. */
  #entry(key: string, group: string, discovered: DiscoveredVersion): VersionEntry | undefined {
    const known = this.#state?.entries.get(key)
    if (discovered.elsewhere !== undefined) return remoteEntry(group, discovered)
    const custom = this.#customKinds(group, discovered)
    if (known?.discovered === discovered && sameKinds(known.shown.custom, custom)) return known
    const hash = this.#hash([
      key,
      JSON.stringify(discovered.resources),
      ...[...custom].map(([name, { version }]) => name + encodeJson(version.openApi ?? {})),
    ])
    const returning = this.#returning(group, discovered)
    const shown = { group, version: discovered.version, resources: discovered.resources, custom, returning }
    if (known?.document.hash === hash) return { ...known, discovered, shown }
    const make = (): string =>
      this.#versionThreeText(versionsPart('v3', [shown], this.#partSettings()), isCustomVersion(shown))
    return { discovered, shown, document: new OpenApiDocument('v3', hash, make) }
  }

  #returning(group: string, { version, resources }: DiscoveredVersion): ReadonlySet<string> {
    const { table } = this.#options
    const names = resources.map(({ name }) => name)
    const returns = (name: string) => table.find(group, version, name)?.registry.definition.returnsDeleted === true
    return new Set(names.filter(returns))
  }

  #customKinds(group: string, { version, resources }: DiscoveredVersion): ReadonlyMap<string, DocumentedKind> {
    const found = new Map<string, DocumentedKind>()
    for (const { name } of resources) {
      const served = this.#options.table.find(group, version, name)
      const definition = served?.registry.definition
      if (served !== undefined && definition?.model.views.describesItself) {
        found.set(name, { version: served.version, listKind: definition.listKind })
      }
    }
    return found
  }

  /** The group versions that are always there: custom ones would change every document when they come and go. */
  #partSettings(): PartSettings {
    const catalog = catalogAt(minorOf(this.#options.release) ?? defaultRelease)
    this.#settings ??= {
      mediaTypes: this.#options.mediaTypes,
      enums: this.#options.enums,
      catalog,
      groupVersions: catalog.groups.flatMap(({ group, versions }) =>
        versions.flatMap(({ version }) =>
          this.#options.index.find(group)?.versions.some((served) => served.version === version)
            ? [{ group, version }]
            : [],
        ),
      ),
    }
    return this.#settings
  }

  #hash(parts: readonly string[]): string {
    const { build, release, mediaTypes, enums } = this.#options
    const hash = createHash('sha512').update(`${build} ${release} ${mediaTypes.length} ${enums}`)
    for (const part of parts) hash.update(`\n${part}`)
    return hash.digest('hex').toUpperCase()
  }

  get #info(): JsonObject {
    return { title: 'Kubernetes', version: this.#options.release }
  }

  #versionThreeText({ paths, definitions }: DocumentPart, isCustom = false): string {
    const info = isCustom ? customInfo : this.#info
    const schemas = definitions.size === 0 ? {} : { schemas: Object.fromEntries(definitions) }
    const components = { ...schemas, ...(isCustom ? {} : { securitySchemes: bearerToken }) }
    return encodeJson({ openapi: '3.0.0', info, paths, components })
  }

  #everythingText(entries: readonly VersionEntry[], groups: readonly DiscoveredGroup[]): string {
    const settings = this.#partSettings()
    const always = new Set(settings.groupVersions.map(documentKey))
    const isBuiltIn = ({ shown }: VersionEntry): boolean => always.has(documentKey(shown))
    const builtIn = entries.filter(isBuiltIn).map(({ shown }) => shown)
    this.#builtIn ??= textPart(versionsPart('v2', builtIn, settings))
    const parts = [
      this.#builtIn,
      textPart(
        otherPart(
          'v2',
          otherPaths(groups.filter(({ name }) => this.#options.index.isBuiltIn(name))).values(),
          settings,
        ),
      ),
    ]
    for (const entry of entries) {
      if (isBuiltIn(entry) || entry.discovered.elsewhere !== undefined) continue
      entry.versionTwo ??= textPart(versionsPart('v2', [entry.shown], settings))
      parts.push(entry.versionTwo)
    }
    for (const { discovered } of entries) {
      const remote = discovered.elsewhere?.openApi?.versionTwo
      if (remote !== undefined) parts.push(remotePart(remote, parts))
    }
    return [
      `{"swagger":"2.0","info":${encodeJson(this.#info)}`,
      `"paths":{${parts.map(({ paths }) => paths).join()}}`,
      `"definitions":{${joined(parts.map(({ definitions }) => definitions))}}`,
      `"parameters":{${joined(parts.map(({ parameters }) => parameters))}}`,
      `"securityDefinitions":${encodeJson(bearerToken)}`,
      '"security":[{"BearerToken":[]}]}',
    ].join()
  }
}

function remoteEntry(group: string, discovered: DiscoveredVersion): VersionEntry | undefined {
  const { version, resources } = discovered
  const openApi = discovered.elsewhere?.openApi
  if (openApi === undefined) return undefined
  const document = new OpenApiDocument('v3', openApi.hash, () => openApi.versionThree.toString())
  return { discovered, shown: { group, version, resources, custom: new Map(), returning: new Set() }, document }
}

/** `api/v1`, `apis/apps/v1` */
const documentKey = ({ group, version }: GroupVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`

/** As the reference calls them: clients may look at it. */
const customInfo: JsonObject = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }

const bearerToken: JsonObject = {
  BearerToken: {
    type: 'apiKey',
    name: 'authorization',
    in: 'header',
    description: 'A token, after the word Bearer.',
  },
}

function sameKinds(a: ReadonlyMap<string, DocumentedKind>, b: ReadonlyMap<string, DocumentedKind>): boolean {
  if (a.size !== b.size) return false
  for (const [name, { version }] of a) if (b.get(name)?.version !== version) return false
  return true
}

function textPart({ paths, definitions, parameters }: DocumentPart): TextPart {
  const texts = (from: ReadonlyMap<string, JsonObject>) =>
    new Map([...from].map(([name, value]) => [name, encodeJson(value)] as const))
  return { paths: encodeJson(paths).slice(1, -1), definitions: texts(definitions), parameters: texts(parameters) }
}

/** Parts define what they refer to, some of it more than once. */
function joined(parts: readonly ReadonlyMap<string, string>[]): string {
  const all = new Map<string, string>()
  for (const part of parts) for (const [name, text] of part) if (!all.has(name)) all.set(name, text)
  return [...all].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()
}
