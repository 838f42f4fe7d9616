/** The operations on a resource: path, method, what goes in and what comes out, whatever the document's version. */
import { formatGroupVersion, type GroupVersion, type GroupVersionKind } from '../../api/group-version.ts'
import type { TypeCatalog } from '../../catalog/catalog.ts'
import type { DiscoveredResource } from '../discovery/discovery-index.ts'
import { capitalize, operationGroup, uncapitalize } from './definition-names.ts'
import { fieldDescription } from './descriptions.ts'
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  optionParameter,
  type Parameter,
  patchParameters,
  prettyParameter,
  proxyPathParameter,
  writeParameters,
} from './parameters.ts'

/** What a body or an answer is: a type by its part in the resource, or a built-in type by the catalogue's name. */
export type Content =
  | { readonly of: 'kind' | 'list' }
  | { readonly type: string }
  /** In the media types, or in any; `encoded`: also in those of objects. */
  | { readonly of: 'text'; readonly types?: readonly string[]; readonly encoded?: boolean }

export interface OpenApiOperation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'options' | 'head'
  readonly id: string
  readonly description: string
  readonly tag: string
  readonly action?: string
  readonly kind?: GroupVersionKind
  readonly parameters: readonly Parameter[]
  readonly body?: Content
  readonly bodyRequired?: boolean
  readonly isPatch?: boolean
  /** Nothing is said about bodies. */
  readonly takesNothing?: boolean
  readonly answer: Content
  readonly statuses: readonly number[]
  /** It may be a stream of changes. */
  readonly streams?: boolean
  readonly deprecated?: boolean
}

export interface PathItem {
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly operations: readonly OpenApiOperation[]
}

const status: Content = { type: 'meta.v1.Status' }
const ownKind: Content = { of: 'kind' }
const text: Content = { of: 'text' }
const logOptions: GroupVersionKind = { group: '', version: 'v1', kind: 'PodLogOptions' }

/** The media types that an operation answers in. */
export function answerTypes(
  { answer, streams }: OpenApiOperation,
  produced: { readonly answers: readonly string[]; readonly streams: readonly string[] },
): string[] {
  if (!('of' in answer) || answer.of !== 'text') return [...produced.answers, ...(streams ? produced.streams : [])]
  return [...(answer.types ?? ['*/*']), ...(answer.encoded ? produced.answers : [])]
}

export const groupVersionPath = (version: GroupVersion): string =>
  `/${version.group === '' ? 'api' : 'apis'}/${formatGroupVersion(version)}`

export const operationTag = (group: string, version?: string): string =>
  version === undefined ? uncapitalize(operationGroup(group)) : `${uncapitalize(operationGroup(group))}_${version}`

/** The kind that a resource answers with. */
export function kindOfResource(own: GroupVersion, { kind, kindVersion }: DiscoveredResource): GroupVersionKind {
  const { group, version } = kindVersion ?? own
  return { group, version, kind }
}

/** The paths of one resource or subresource. */
export interface ResourcePaths {
  readonly resource: DiscoveredResource
  readonly paths: readonly PathItem[]
}

/** All paths of a group version, resource by resource. */
export function versionPaths(
  version: GroupVersion,
  {
    resources,
    returning,
  }: { readonly resources: readonly DiscoveredResource[]; readonly returning: ReadonlySet<string> },
  types: TypeCatalog,
): ResourcePaths[] {
  const kinds = new Map(resources.map(({ name, kind }) => [name, kind]))
  return resources.map((resource) => {
    const [parent = '', subresource = ''] = resource.name.split('/')
    const parentKind = kinds.get(parent) ?? resource.kind
    const operations = new ResourceOperations(
      version,
      { ...resource, parentKind, returns: returning.has(parent) },
      types,
    )
    return { resource, paths: subresource === '' ? operations.mainPaths() : operations.subresourcePaths() }
  })
}

/** The parameters of what is passed on are the fields of its options type. */
function optionParameters(kind: GroupVersionKind, types: TypeCatalog): Parameter[] {
  const schema = types.schemaForKind(kind)
  if (schema === undefined) return []
  return [...schema.fields.values()]
    .filter(
      ({ name, schema: { kind: type } }) =>
        name !== 'kind' && name !== 'apiVersion' && type !== 'object' && type !== 'time',
    )
    .map((field) => {
      const { kind: type } = field.schema.kind === 'list' ? field.schema.items : field.schema
      const plain = type === 'boolean' || type === 'integer' ? type : 'string'
      return optionParameter(field.name, plain, fieldDescription(schema.name ?? '', field, types))
    })
}

const byName = (parameters: readonly Parameter[]): Parameter[] =>
  [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1))

interface ShownResource extends DiscoveredResource {
  readonly parentKind: string
  /** A delete answers with the object. */
  readonly returns: boolean
}

class ResourceOperations {
  readonly #types: TypeCatalog
  readonly #version: GroupVersion
  readonly #resource: ShownResource
  /** The kind of the resource itself: operations on its subresources are named after it. */
  readonly #parentKind: string
  readonly #subresource: string
  readonly #kind: GroupVersionKind
  readonly #verbs: ReadonlySet<string>

  constructor(version: GroupVersion, resource: ShownResource, types: TypeCatalog) {
    this.#types = types
    this.#version = version
    this.#resource = resource
    this.#parentKind = resource.parentKind
    this.#subresource = resource.name.split('/')[1] ?? ''
    this.#kind = kindOfResource(version, resource)
    this.#verbs = new Set(resource.verbs)
  }

  mainPaths(): PathItem[] {
    const { name, namespaced } = this.#resource
    const root = groupVersionPath(this.#version)
    const collection = namespaced ? `${root}/namespaces/{namespace}/${name}` : `${root}/${name}`
    const watched = collection.replace(root, `${root}/watch`)
    const canWatch = this.#verbs.has('watch')
    const scope = namespaced ? [namespaceParameter, prettyParameter] : [prettyParameter]
    const one = [nameParameter(this.#kind.kind), ...scope]
    return [
      this.#path(collection, scope, [this.#list(), this.#create(), this.#deleteCollection()]),
      this.#path(`${collection}/{name}`, one, [this.#read(), this.#replace(), this.#delete(), this.#patch()]),
      ...(namespaced && this.#verbs.has('list')
        ? [this.#path(`${root}/${name}`, [prettyParameter], [this.#list('ForAllNamespaces')])]
        : []),
      ...(canWatch
        ? [
            this.#path(watched, [...listParameters, ...scope], [this.#watch('List')]),
            this.#path(`${watched}/{name}`, [...listParameters, ...one], [this.#watch('')]),
            ...(namespaced
              ? [
                  this.#path(
                    `${root}/watch/${name}`,
                    [...listParameters, prettyParameter],
                    [this.#watch('ListForAllNamespaces')],
                  ),
                ]
              : []),
          ]
        : []),
    ].filter(({ operations }) => operations.length > 0)
  }

  subresourcePaths(): PathItem[] {
    const { name, namespaced } = this.#resource
    const parent = name.slice(0, name.indexOf('/'))
    const root = groupVersionPath(this.#version)
    const scope = namespaced ? `${root}/namespaces/{namespace}` : root
    const base = `${scope}/${parent}/{name}/${this.#subresource}`
    const parameters = [nameParameter(this.#kind.kind), ...(namespaced ? [namespaceParameter] : [])]
    if (this.#kind.kind.endsWith('Options')) return this.#connectPaths(base, parameters)
    const isLog = this.#subresource === 'log'
    const operations = isLog
      ? [
          this.#operation('get', 'read', {
            action: 'get',
            parameters: optionParameters(logOptions, this.#types),
            answer: { of: 'text', types: ['text/plain'], encoded: true },
            statuses: [200],
          }),
        ]
      : [this.#read(), this.#create(), this.#replace(), this.#patch()]
    return [this.#path(base, [...parameters, prettyParameter], operations)]
  }

  #connectPaths(base: string, parameters: readonly Parameter[]): PathItem[] {
    const options = optionParameters(this.#kind, this.#types)
    const methods = this.#verbs.has('delete')
      ? (['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const)
      : (['get', 'post'] as const)
    const connect = (suffix: string) =>
      methods.map((method) => ({
        ...this.#operation(method, 'connect', { action: 'connect', parameters: [], answer: text, statuses: [200] }),
        id: `connect${this.#groupWords()}${capitalize(method)}${this.#object(capitalize(this.#subresource))}${suffix}`,
      }))
    const paths = [this.#path(base, [...parameters, ...options], connect(''))]
    if (this.#subresource !== 'proxy') return paths
    const deeper = [...parameters, proxyPathParameter, ...options]
    return [...paths, this.#path(`${base}/{path}`, deeper, connect('WithPath'))]
  }

  #path(path: string, parameters: readonly Parameter[], given: readonly (OpenApiOperation | undefined)[]): PathItem {
    const operations = given.flatMap((each) =>
      each === undefined ? [] : [{ ...each, parameters: this.#known(each.parameters) }],
    )
    const shared = (operations[0]?.parameters ?? []).filter((parameter) =>
      operations.every((operation) => operation.parameters.includes(parameter)),
    )
    return {
      path,
      parameters: byName([...this.#known(parameters), ...shared]),
      operations: operations.map((operation) => ({
        ...operation,
        parameters: byName(operation.parameters.filter((parameter) => !shared.includes(parameter))),
      })),
    }
  }

  /** Those that the release has. */
  #known(parameters: readonly Parameter[]): Parameter[] {
    return parameters.filter(
      ({ name, optionsType }) => optionsType === undefined || this.#types.typeSchema(optionsType).fields.has(name),
    )
  }

  #groupWords(): string {
    return operationGroup(this.#version.group) + capitalize(this.#version.version)
  }

  /** `NamespacedPodStatus` */
  #object(suffix: string): string {
    return `${this.#resource.namespaced ? 'Namespaced' : ''}${this.#parentKind}${suffix}`
  }

  #operation(
    method: OpenApiOperation['method'],
    verb: string,
    facts: Pick<OpenApiOperation, 'action' | 'answer' | 'statuses' | 'parameters'> & Partial<OpenApiOperation>,
  ): OpenApiOperation {
    const part = this.#subresource === '' ? '' : capitalize(this.#subresource)
    const about = this.#subresource === '' ? this.#kind.kind : `${this.#subresource} of the ${this.#parentKind}`
    return {
      method,
      id: `${verb}${this.#groupWords()}${this.#object(part)}`,
      description: `${capitalize(verb)} the ${about}.`,
      tag: operationTag(this.#version.group, this.#version.version),
      kind: this.#kind,
      ...facts,
    }
  }

  #list(suffix = ''): OpenApiOperation | undefined {
    if (!this.#verbs.has('list')) return undefined
    const { kind, namespaced } = this.#resource
    const subject = suffix === '' ? `${namespaced ? 'Namespaced' : ''}${kind}` : `${kind}${suffix}`
    return {
      ...this.#operation('get', 'list', {
        action: 'list',
        parameters: listParameters,
        answer: { of: 'list' },
        statuses: [200],
        streams: true,
      }),
      id: `list${this.#groupWords()}${subject}`,
      description: `List or watch objects of the kind ${kind}.`,
    }
  }

  #watch(suffix: string): OpenApiOperation {
    const { kind, namespaced } = this.#resource
    const isAll = suffix === 'ListForAllNamespaces'
    return {
      ...this.#operation('get', 'watch', {
        action: suffix === '' ? 'watch' : 'watchlist',
        parameters: [],
        answer: { type: 'meta.v1.WatchEvent' },
        statuses: [200],
        streams: true,
      }),
      id: `watch${this.#groupWords()}${namespaced && !isAll ? 'Namespaced' : ''}${kind}${suffix}`,
      description: 'Watch changes. Deprecated: use the watch parameter of a list.',
    }
  }

  #read(): OpenApiOperation | undefined {
    if (!this.#verbs.has('get')) return undefined
    return this.#operation('get', 'read', { action: 'get', parameters: [], answer: ownKind, statuses: [200] })
  }

  #create(): OpenApiOperation | undefined {
    if (!this.#verbs.has('create')) return undefined
    return this.#operation('post', 'create', {
      action: 'post',
      parameters: writeParameters,
      body: ownKind,
      bodyRequired: true,
      answer: ownKind,
      statuses: [200, 201, 202],
    })
  }

  #replace(): OpenApiOperation | undefined {
    if (!this.#verbs.has('update')) return undefined
    return this.#operation('put', 'replace', {
      action: 'put',
      parameters: writeParameters,
      body: ownKind,
      bodyRequired: true,
      answer: ownKind,
      statuses: [200, 201],
    })
  }

  #patch(): OpenApiOperation | undefined {
    if (!this.#verbs.has('patch')) return undefined
    return this.#operation('patch', 'patch', {
      action: 'patch',
      parameters: patchParameters,
      body: { type: 'meta.v1.Patch' },
      bodyRequired: true,
      isPatch: true,
      answer: ownKind,
      statuses: [200, 201],
    })
  }

  #delete(): OpenApiOperation | undefined {
    if (!this.#verbs.has('delete')) return undefined
    return this.#operation('delete', 'delete', {
      action: 'delete',
      parameters: deleteParameters,
      body: { type: 'meta.v1.DeleteOptions' },
      answer: this.#resource.returns ? ownKind : status,
      statuses: [200, 202],
    })
  }

  #deleteCollection(): OpenApiOperation | undefined {
    if (!this.#verbs.has('deletecollection')) return undefined
    const { kind, namespaced } = this.#resource
    return {
      ...this.#operation('delete', 'delete', {
        action: 'deletecollection',
        parameters: deleteCollectionParameters,
        body: { type: 'meta.v1.DeleteOptions' },
        answer: status,
        statuses: [200],
      }),
      id: `delete${this.#groupWords()}Collection${namespaced ? 'Namespaced' : ''}${kind}`,
      description: `Delete all objects of the kind ${kind} that are selected.`,
    }
  }
}
