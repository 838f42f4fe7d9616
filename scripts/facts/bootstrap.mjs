// What a server makes when it starts: roles and bindings (from the files that upstream's tests hold its code against), flow
// schemas and priority levels.
import { parseAllDocuments } from 'yaml'
import { jsonTag, nameOf } from './go-packages.mjs'

const policies = 'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata'
const files = {
  clusterRoles: ['cluster-roles', 'controller-roles'],
  clusterRoleBindings: ['cluster-role-bindings', 'controller-role-bindings'],
  roles: ['namespace-roles'],
  roleBindings: ['namespace-role-bindings'],
}

/** By kind, rows in the order of their names; the labels and annotations that all of them have are left out. */
export function roleFacts(checkout) {
  return Object.fromEntries(
    Object.entries(files).map(([kind, names]) => {
      const items = names.flatMap((name) => itemsIn(checkout, `${policies}/${name}.yaml`))
      const rows = items.map(roleRow).sort((a, b) => order(a.namespace, b.namespace) || order(a.name, b.name))
      return [kind, rows]
    }),
  )
}

const order = (a = '', b = '') => (a < b ? -1 : a > b ? 1 : 0)

function itemsIn(checkout, file) {
  return parseAllDocuments(checkout.read(file)).flatMap((document) => document.toJSON()?.items ?? [])
}

function roleRow({ metadata, rules, roleRef, subjects, aggregationRule }) {
  const labels = Object.fromEntries(
    Object.entries(metadata.labels ?? {}).filter(([key]) => key !== 'kubernetes.io/bootstrapping'),
  )
  return {
    name: metadata.name,
    ...(metadata.namespace && { namespace: metadata.namespace }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(aggregationRule && { aggregationRule }),
    ...(rules && { rules }),
    ...(roleRef && { roleRef, subjects }),
  }
}

const flowControl = 'staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap'

/** `{ priorityLevels, flowSchemas }`, rows `{ name, mandatory?, spec }`. */
export function flowControlFacts(checkout) {
  const reader = new SpecReader(checkout, checkout.package(flowControl))
  const rows = (sort) =>
    ['Mandatory', 'Suggested'].flatMap((prefix) =>
      reader.listed(`${prefix}${sort}`).map((row) => (prefix === 'Mandatory' ? { ...row, mandatory: true } : row)),
    )
  return { priorityLevels: rows('PriorityLevelConfigurations'), flowSchemas: rows('FlowSchemas') }
}

/** Evaluates the literals of the file, and the few functions that shorten them. */
class SpecReader {
  #checkout
  #home

  constructor(checkout, home) {
    this.#checkout = checkout
    this.#home = home
  }

  listed(name) {
    const { value } = this.#home.vars.get(name)
    return value.items.map((item) => this.#object(this.#home.vars.get(nameOf(item.value))))
  }

  #object({ value, file }) {
    const [name, ...args] = value.args.map((each) => this.#value(file, each))
    if (nameOf(value.of) === 'newPriorityLevelConfiguration') return { name, spec: args[0] }
    const [level, precedence, by, ...rules] = args
    return {
      name,
      spec: {
        priorityLevelConfiguration: { name: level },
        matchingPrecedence: precedence,
        ...(by !== '' && { distinguisherMethod: { type: by } }),
        rules,
      },
    }
  }

  #value(file, tree) {
    if (tree.kind === 'unary' && tree.op === '&') return this.#value(file, tree.of)
    if (tree.kind === 'call') return this.#call(file, tree)
    if (tree.kind !== 'composite') return this.#checkout.evaluate(file, tree)
    if (tree.type?.kind === 'slice') return tree.items.map((item) => this.#value(file, item.value))
    const { declared } = this.#checkout.resolveType(file, tree.type.name)
    return Object.fromEntries(
      tree.items.map(({ key, value }) => {
        const field = declared.type.fields.find((each) => each.name === key.name)
        return [jsonTag(field.tag).split(',')[0], this.#value(file, value)]
      }),
    )
  }

  #call(file, { of, args }) {
    const values = () => args.map((each) => this.#value(file, each))
    switch (nameOf(of)) {
      case 'groups':
        return values().map((name) => ({ kind: 'Group', group: { name } }))
      case 'users':
        return values().map((name) => ({ kind: 'User', user: { name } }))
      case 'kubeSystemServiceAccount':
        return values().map((name) => ({ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name } }))
      case 'append':
        return values().flat()
      case 'resourceRule': {
        const [verbs, apiGroups, resources, namespaces, clusterScope] = values()
        return { verbs, apiGroups, resources, ...(clusterScope && { clusterScope }), namespaces }
      }
      case 'nonResourceRule': {
        const [verbs, nonResourceURLs] = values()
        return { verbs, nonResourceURLs }
      }
      default:
        return this.#checkout.evaluate(file, { kind: 'call', of, args })
    }
  }
}
