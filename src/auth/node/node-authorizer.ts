/**
 * What kubelets may do: a node reads the objects that its pods use and its own Node, CSINode, lease and slices; for the
 * rest it has the rules of the role `system:node`. Never denies.
 * Mirrors plugin/pkg/auth/authorizer/node: NodeAuthorizer.
 */
import type { RequestAttributes } from '../../api/request-attributes.ts'
import type { UserInfo } from '../../api/user.ts'
import { type Authorizer, abstain, allow, type Decision, type UserRules } from '../authorizer.ts'
import { type PolicyRule, ruleAllows } from '../rbac/rule.ts'
import type { NodeGraph, VertexType } from './node-graph.ts'

export interface NodeAuthorizerOptions {
  readonly graph: NodeGraph
  readonly rules: readonly PolicyRule[]
  /** The gate AuthorizeNodeWithSelectors: nodes see only themselves and their own pods. */
  readonly withSelectors: boolean
  /** Whether nodes read the service accounts of their pods. */
  readonly withAccounts: boolean
  /** The gate PodCertificateRequest: nodes ask for certificates of their pods. */
  readonly withPodCertificates: boolean
}

const podCertificateRequests = 'certificates.k8s.io/podcertificaterequests'

type Judge = (node: string, attributes: RequestAttributes) => Decision

/** The node that a user is; undefined for everybody else, empty for a node without a name. */
function nodeIdentity({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith('system:node:') || !groups.includes('system:nodes')) return undefined
  return name.slice('system:node:'.length)
}

export class NodeAuthorizer implements Authorizer {
  readonly #options: NodeAuthorizerOptions
  readonly #judges: ReadonlyMap<string, Judge>

  constructor(options: NodeAuthorizerOptions) {
    this.#options = options
    const related =
      (type: VertexType): Judge =>
      (node, attributes) =>
        this.#related(type, node, attributes)
    const getOnly =
      (type: VertexType): Judge =>
      (node, attributes) =>
        this.#getOnly(type, node, attributes)
    const own = ownObject
    this.#judges = new Map<string, Judge>([
      ['/secrets', readNamespaced(related('secret'))],
      ['/configmaps', readNamespaced(related('configmap'))],
      [
        '/persistentvolumeclaims',
        (node, asked) =>
          asked.subresource === 'status' ? statusUpdate(related('pvc'))(node, asked) : getOnly('pvc')(node, asked),
      ],
      ['/persistentvolumes', getOnly('pv')],
      ['resource.k8s.io/resourceclaims', getOnly('resourceclaim')],
      ['storage.k8s.io/volumeattachments', getOnly('volumeattachment')],
      ['/serviceaccounts', (node, asked) => this.#account(node, asked)],
      ['coordination.k8s.io/leases', lease],
      ['storage.k8s.io/csinodes', own('CSINode')],
      ['resource.k8s.io/resourceslices', (node, asked) => this.#slice(node, asked)],
      ...(options.withSelectors
        ? ([
            ['/nodes', nodeItself],
            ['/pods', (node, asked) => this.#pod(node, asked)],
            ...(options.withPodCertificates
              ? ([[podCertificateRequests, (node, asked) => this.#certificateRequest(node, asked)]] satisfies [
                  string,
                  Judge,
                ][])
              : []),
          ] satisfies [string, Judge][])
        : []),
    ])
  }

  authorize(attributes: RequestAttributes): Decision {
    const node = nodeIdentity(attributes.user)
    if (node === undefined) return abstain()
    if (node === '') return abstain(`unknown node for user ${JSON.stringify(attributes.user.name)}`)
    const judge = attributes.isResourceRequest
      ? this.#judges.get(`${attributes.apiGroup}/${attributes.resource}`)
      : undefined
    if (judge) return judge(node, attributes)
    return this.#options.rules.some((rule) => ruleAllows(rule, attributes)) ? allow() : abstain()
  }

  rulesFor(user: UserInfo): UserRules {
    const none = { resourceRules: [], nonResourceRules: [] }
    if (nodeIdentity(user) === undefined) return { ...none, incomplete: false }
    return { ...none, incomplete: true, error: 'node authorizer does not support user rule resolution' }
  }

  #related(type: VertexType, node: string, { namespace, name }: RequestAttributes): Decision {
    if (name === '') return abstain('No Object name found')
    if (this.#options.graph.reaches(type, namespace, name, node)) return allow()
    return abstain(`no relationship found between node '${node}' and this object`)
  }

  #getOnly(type: VertexType, node: string, attributes: RequestAttributes): Decision {
    if (attributes.verb !== 'get') return abstain('can only get individual resources of this type')
    if (attributes.subresource !== '') return abstain('cannot get subresource')
    return this.#related(type, node, attributes)
  }

  #account(node: string, attributes: RequestAttributes): Decision {
    if (attributes.verb === 'get' && attributes.subresource === '') {
      const { withAccounts, withPodCertificates } = this.#options
      if (!withAccounts && !withPodCertificates) return abstain('not allowed to get service accounts')
      return readNamespaced((...asked) => this.#related('serviceaccount', ...asked))(node, attributes)
    }
    return this.#createToken(node, attributes)
  }

  #createToken(node: string, attributes: RequestAttributes): Decision {
    if (attributes.verb !== 'create' || attributes.name === '') {
      return abstain('can only create tokens for individual service accounts')
    }
    if (attributes.subresource !== 'token') return abstain('can only create token subresource of serviceaccount')
    return this.#related('serviceaccount', node, attributes)
  }

  #slice(node: string, attributes: RequestAttributes): Decision {
    if (attributes.subresource !== '') return abstain('cannot authorize ResourceSlice subresources')
    switch (attributes.verb) {
      case 'create':
        return allow()
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.#related('resourceslice', node, attributes)
      case 'watch':
      case 'list':
      case 'deletecollection':
        if (!this.#options.withSelectors || selects(attributes, 'spec.nodeName', node)) return allow()
        return abstain('can only list/watch/deletecollection resourceslices with nodeName field selector')
      default:
        return abstain(
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
        )
    }
  }

  #certificateRequest(node: string, attributes: RequestAttributes): Decision {
    const { subresource, verb } = attributes
    if (subresource !== '') return abstain('nodes may not access the status subresource of PodCertificateRequests')
    switch (verb) {
      case 'create':
        return allow()
      case 'get':
        return this.#related('podcertificaterequest', node, attributes)
      case 'list':
      case 'watch':
        if (selects(attributes, 'spec.nodeName', node)) return allow()
        return abstain('can only list/watch podcertificaterequests with nodeName field selector')
      default:
        return abstain(`nodes may not ${verb} podcertificaterequests`)
    }
  }

  #pod(node: string, attributes: RequestAttributes): Decision {
    const { subresource, verb, name } = attributes
    if (subresource === '' && verb === 'get') return this.#getOnly('pod', node, attributes)
    if (subresource === '' && (verb === 'list' || verb === 'watch')) {
      if (selects(attributes, 'spec.nodeName', node)) return allow()
      if (name !== '') return this.#related('pod', node, attributes)
      return abstain('can only list/watch pods with spec.nodeName field selector')
    }
    const may =
      (subresource === '' && (verb === 'create' || verb === 'delete')) ||
      (subresource === 'status' && (verb === 'update' || verb === 'patch')) ||
      (subresource === 'eviction' && verb === 'create')
    return may ? allow() : abstain()
  }
}

/** Whether a field selector asks for exactly this value. */
function selects({ fieldSelector = [] }: RequestAttributes, field: string, value: string): boolean {
  return fieldSelector.some(
    ({ key, operator, values }) => key === field && operator === 'In' && values.length === 1 && values[0] === value,
  )
}

const readNamespaced =
  (related: Judge): Judge =>
  (node, attributes) => {
    if (!['get', 'list', 'watch'].includes(attributes.verb)) return abstain('can only read resources of this type')
    if (attributes.subresource !== '') return abstain('cannot read subresource')
    if (attributes.namespace === '') return abstain('can only read namespaced object of this type')
    return related(node, attributes)
  }

const statusUpdate =
  (related: Judge): Judge =>
  (node, attributes) => {
    if (attributes.verb !== 'update' && attributes.verb !== 'patch')
      return abstain('can only get/update/patch this type')
    return related(node, attributes)
  }

const ownVerbs = ['get', 'create', 'update', 'patch', 'delete']

const lease: Judge = (node, { verb, namespace, name }) => {
  if (!ownVerbs.includes(verb)) return abstain('can only get, create, update, patch, or delete a node lease')
  if (namespace !== 'kube-node-lease')
    return abstain('can only access leases in the "kube-node-lease" system namespace')
  // The name of a new object is not known yet; admission looks at it.
  if (verb !== 'create' && name !== node) {
    return abstain('can only access node lease with the same name as the requesting node')
  }
  return allow()
}

const ownObject =
  (kind: string): Judge =>
  (node, { verb, subresource, name }) => {
    if (!ownVerbs.includes(verb)) return abstain(`can only get, create, update, patch, or delete a ${kind}`)
    if (subresource !== '') return abstain(`cannot authorize ${kind} subresources`)
    if (verb !== 'create' && name !== node) {
      return abstain(`can only access ${kind} with the same name as the requesting node`)
    }
    return allow()
  }

const nodeItself: Judge = (node, { subresource, verb, name }) => {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow() : abstain()
  if (subresource !== '') return abstain()
  if (verb === 'create' || verb === 'update' || verb === 'patch') return allow()
  if (verb !== 'get' && verb !== 'list' && verb !== 'watch') return abstain()
  if (name === node) return allow()
  return abstain(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  )
}
