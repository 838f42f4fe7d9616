/** Requests to one cluster: targets of steps to paths, collections to lists of objects. */
import { contentTypes } from '../differential/case.ts'
import { Endpoint, type OpenWatch } from '../differential/endpoint.ts'
import { isList, isMap, type Json, type JsonMap, valueAt } from '../differential/json.ts'
import type { Target } from './scenario.ts'

export interface Reply {
  readonly status: number
  readonly body: Json
}

export interface Kind {
  readonly groupVersion: string
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

interface ClientOptions {
  readonly url: string
  readonly token: string
}

export class Client {
  /** What can be listed and watched. */
  readonly kinds: readonly Kind[]
  readonly #options: ClientOptions
  readonly #endpoint: Endpoint

  private constructor(options: ClientOptions, kinds: readonly Kind[]) {
    this.#options = options
    this.#endpoint = new Endpoint([options.url], options.token)
    this.kinds = kinds
  }

  static async open(options: ClientOptions): Promise<Client> {
    const asking = new Client(options, [])
    const kinds = await discoveredKinds(asking)
    asking.close()
    return new Client(options, kinds)
  }

  /** The same over a connection of its own. */
  another(): Client {
    return new Client(this.#options, this.kinds)
  }

  async call(method: string, path: string, body?: Json, type: string = contentTypes.json): Promise<Reply> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': type }
    const answer = await this.#endpoint.send({ method, path, headers, body: text })
    const isJson = answer.contentType.startsWith(contentTypes.json)
    return { status: answer.status, body: isJson ? (JSON.parse(answer.body.toString()) as Json) : null }
  }

  watch(path: string): Promise<OpenWatch> {
    return this.#endpoint.watch({ method: 'GET', path: `${path}?watch=true`, headers: {}, body: undefined })
  }

  async list(path: string): Promise<readonly JsonMap[]> {
    const { body } = await this.call('GET', path)
    const items = valueAt(body, ['items'])
    return isList(items) ? items.filter(isMap) : []
  }

  /** Where an object is, or a collection; of a selector without a name the first of what it leaves. */
  async pathOf(target: Target, namespace: string): Promise<string> {
    const collection = this.collectionOf(target, namespace)
    if (!collection.includes('?')) return collection
    const [first] = (await this.list(collection)).map((item) => String(valueAt(item, ['metadata', 'name']))).sort()
    return `${collection.split('?')[0]}/${first ?? 'none'}`
  }

  collectionOf(target: Target, namespace: string): string {
    const [path = '', query] = target.replaceAll('<ns>', namespace).split('?')
    const parts = path.split('/')
    const length = parts[0] === 'v1' ? 1 : 2
    const groupVersion = parts.slice(0, length).join('/')
    const [name = '', ...rest] = parts.slice(length)
    const kind = this.kinds.find((each) => each.groupVersion === groupVersion && each.name === name)
    if (kind === undefined) throw new Error(`nothing is served for ${target}`)
    return `${[collectionPath(kind, namespace), ...rest].join('/')}${query === undefined ? '' : `?${query}`}`
  }

  objectPath(manifest: JsonMap, namespace: string): string {
    const kind = this.kinds.find(
      (each) => each.groupVersion === manifest['apiVersion'] && each.kind === manifest['kind'],
    )
    if (kind === undefined) throw new Error(`nothing is served for ${JSON.stringify(manifest['kind'])}`)
    return `${collectionPath(kind, namespace)}/${valueAt(manifest, ['metadata', 'name'])}`
  }

  close(): void {
    this.#endpoint.close()
  }
}

export function collectionPath({ groupVersion, name, namespaced }: Kind, namespace: string): string {
  const root = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`
  return namespaced ? `${root}/namespaces/${namespace}/${name}` : `${root}/${name}`
}

async function discoveredKinds(client: Client): Promise<Kind[]> {
  const { body } = await client.call('GET', '/apis')
  const groups = valueAt(body, ['groups']) as readonly JsonMap[]
  const preferred = groups.map((group) => String(valueAt(group, ['preferredVersion', 'groupVersion'])))
  const found = await Promise.all(['v1', ...preferred].map((groupVersion) => kindsOf(client, groupVersion)))
  return found.flat()
}

async function kindsOf(client: Client, groupVersion: string): Promise<Kind[]> {
  const root = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`
  const { body } = await client.call('GET', root)
  const resources = (valueAt(body, ['resources']) ?? []) as readonly JsonMap[]
  const isKept = (verbs: Json | undefined): boolean =>
    isList(verbs) && verbs.includes('list') && verbs.includes('watch')
  return resources
    .filter(({ verbs }) => isKept(verbs))
    .map(({ name, kind, namespaced }) => ({
      groupVersion,
      name: String(name),
      kind: String(kind),
      namespaced: namespaced === true,
    }))
}
