// The resources and their groups: discovery documents, API priorities, which versions are on by default, lifecycles, keys in
// etcd, and what the strategies declare. Absent means false, empty or the usual; src/catalog/resources.ts fills it in.
import { createHash } from 'node:crypto'
import { nameOf } from './go-packages.mjs'
import { statementsOf, walk } from './go-parser.mjs'
import { packageOfVersion } from './types.mjs'

const allVerbs = 'create,delete,deletecollection,get,list,patch,update,watch'
const discovery = 'api/discovery'

/** `{ groups, resources }`, rows as the catalogue has them. */
export function resourceFacts(checkout) {
  const served = servedByDefault(checkout)
  const groups = groupRows(checkout, served)
  const keys = etcdKeys(checkout)
  const strategies = strategiesOf(checkout)
  const gates = gatedResources(checkout)
  const pinned = pinnedResources(checkout)
  const resources = groups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version }) =>
      resourcesOf(checkout, group, version).map((document) =>
        resourceRow(document, { checkout, group, version, groups, served, keys, strategies, gates, pinned }),
      ),
    ),
  )
  return { groups, resources }
}

const formatVersion = (group, version) => (group === '' ? version : `${group}/${version}`)

// ---- groups ------------------------------------------------------------------------------------------------------

function groupRows(checkout, served) {
  const priorities = apiPriorities(checkout)
  const { items } = JSON.parse(checkout.read(`${discovery}/aggregated_v2.json`))
  return ['', ...items.map(({ metadata }) => metadata.name)].map((group) => {
    const { versions, preferred } = versionsOf(checkout, group)
    return {
      group,
      preferred,
      versions: versions.map((version) => {
        const name = formatVersion(group, version)
        return { version, served: served.has(name), ...(priorities.has(name) && { priority: priorities.get(name) }) }
      }),
    }
  })
}

function versionsOf(checkout, group) {
  if (group === '') return { versions: ['v1'], preferred: 'v1' }
  const { versions, preferredVersion } = JSON.parse(checkout.read(`${discovery}/apis__${group}.json`))
  return { versions: versions.map(({ version }) => version), preferred: preferredVersion.version }
}

/** `[groupPriorityMinimum, versionPriority]` of the APIServices that the server registers for its own groups. */
function apiPriorities(checkout) {
  const made = new Map()
  const add = (file, tree) => {
    if (tree?.kind !== 'composite' || tree.type?.value?.name?.endsWith('APIServicePriority') !== true) return
    for (const { key, value } of tree.items) {
      const version = checkout.evaluate(file, key)
      const priority = checkout.evaluate(file, value)
      made.set(formatVersion(version.Group, version.Version), [priority.Group, priority.Version])
    }
  }
  for (const folder of ['pkg/controlplane/apiserver', 'cmd/kube-apiserver/app']) {
    const home = checkout.package(folder)
    for (const { value, file } of home.vars.values()) for (const tree of walk(value)) add(file, tree)
    for (const declared of home.funcs.filter(({ file }) => file.path.endsWith('/aggregator.go'))) {
      for (const tree of walk(statementsOf(declared) ?? [])) add(declared.file, tree)
    }
  }
  return made
}

/** Group versions, and `group/version/resource` of the resources of others, that are on without being asked for. */
function servedByDefault(checkout) {
  const made = new Set(['apiextensions.k8s.io/v1', 'apiregistration.k8s.io/v1'])
  for (const folder of ['pkg/controlplane', 'pkg/controlplane/apiserver']) {
    for (const [name, { value, file }] of checkout.package(folder).vars) {
      if (!/EnabledByDefault/.test(name) || value?.kind !== 'composite') continue
      for (const item of value.items) made.add(groupVersionResource(checkout, file, item.value))
    }
  }
  return made
}

/** `certificatesapiv1.SchemeGroupVersion`, perhaps `.WithResource("…")`. */
function groupVersionResource(checkout, file, tree) {
  if (tree.kind === 'call') {
    const resource = checkout.evaluate(file, tree.args[0])
    return `${groupVersionResource(checkout, file, tree.of.of)}/${resource}`
  }
  const { declared } = checkout.resolveVar(file, nameOf(tree))
  const version = checkout.evaluate(declared.file, declared.value)
  return formatVersion(version.Group, version.Version)
}

// ---- resources ---------------------------------------------------------------------------------------------------

function resourcesOf(checkout, group, version) {
  const file = group === '' ? `${discovery}/api__${version}.json` : `${discovery}/apis__${group}__${version}.json`
  return JSON.parse(checkout.read(file)).resources
}

function resourceRow(document, context) {
  const { group, version, keys, strategies, gates, served, pinned } = context
  const [resource, subresource] = document.name.split('/')
  const name = `${formatVersion(group, version)}/${resource}`
  const isOn = served.has(formatVersion(group, version)) || served.has(name)
  const kindVersion = document.version && formatVersion(document.group ?? '', document.version)
  const row = {
    group,
    version,
    resource,
    subresource,
    kind: document.kind,
    kindVersion: kindVersion === formatVersion(group, version) ? undefined : kindVersion,
    namespaced: document.namespaced || undefined,
    singular: singularOf(document),
    shortNames: document.shortNames,
    categories: document.categories,
    verbs: [...document.verbs].sort().join(',') === allVerbs ? undefined : document.verbs,
    served: isOn ? undefined : false,
    gate: gates.get(document.name),
    ...(subresource === undefined && {
      ...storage(document, context, keys.get(name)),
      pinned: pinned.has(`${group.split('.')[0]}/${resource}`) || undefined,
      ...lifecycle(document, context),
      ...strategies.get(resource + (group === '' ? '' : `.${group}`))?.(formatVersion(group, version)),
    }),
  }
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
}

const singularOf = ({ kind, name, singularName }) => {
  const usual = name.includes('/') ? '' : kind.toLowerCase()
  return singularName === usual || name.includes('/') ? undefined : singularName
}

/** The hash names the version of the stored form: the first bytes of the digest of `group/version/Kind`. */
function storage({ storageVersionHash: hash, kind }, { groups, group }, keyPrefix) {
  if (hash === undefined) return {}
  const candidates = [...groups].sort((a) => (a.group === group ? -1 : 1))
  for (const each of candidates) {
    for (const { version } of each.versions) {
      if (hashOf(`${each.group}/${version}/${kind}`) === hash) {
        return { storedAs: formatVersion(each.group, version), hash, keyPrefix }
      }
    }
  }
  for (const version of ['v1beta1', 'v1alpha1', 'v2beta2']) {
    if (hashOf(`${group}/${version}/${kind}`) === hash)
      return { storedAs: formatVersion(group, version), hash, keyPrefix }
  }
  throw new Error(`nothing has the storage version hash of ${kind}`)
}

/** `storage/volumeattributesclasses`: what is stored in a version that the source names. */
function pinnedResources(checkout) {
  const source = checkout.read('pkg/kubeapiserver/default_storage_factory_builder.go')
  const named = source.matchAll(/^\s*(\w+)\.Resource\("(\w+)"\)\.WithVersion\(/gm)
  return new Set([...named].map(([, group, resource]) => `${group}/${resource}`))
}

const hashOf = (text) => createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')

function lifecycle({ kind }, { checkout, group, version }) {
  const elsewhere = {
    'apiextensions.v1': 'staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1',
    'apiregistration.v1': 'staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/v1',
  }
  const name = packageOfVersion(group, version)
  const home = checkout.package(elsewhere[name] ?? `staging/src/k8s.io/api/${name.replace('.', '/')}`)
  const returned = (method) => {
    const declared = home.funcs.find((each) => each.name === `APILifecycle${method}` && receiverOf(each) === kind)
    return declared && statementsOf(declared)?.find((each) => each.kind === 'return')?.values
  }
  const release = (method) =>
    returned(method)
      ?.map((each) => each.value)
      .join('.')
  const replacement = returned('Replacement')?.map((each) => {
    const { Group, Version, Kind } = checkout.evaluate(home.funcs[0].file, each)
    return `${formatVersion(Group, Version)}/${Kind}`
  })[0]
  return {
    introduced: release('Introduced'),
    deprecated: release('Deprecated'),
    removed: release('Removed'),
    replacement,
  }
}

const receiverOf = ({ receiver }) => (receiver?.type.kind === 'pointer' ? receiver.type.to : receiver?.type)?.name

/** From the table of the test that writes one object of every resource: the path without namespace and name. */
function etcdKeys(checkout) {
  const made = new Map()
  const home = checkout.package('test/integration/etcd')
  for (const declared of home.funcs) {
    for (const tree of walk(statementsOf(declared) ?? [])) {
      if (tree.kind !== 'composite' || tree.type?.kind !== 'map') continue
      for (const { key, value } of tree.items) addKey(made, checkout, { file: declared.file, key, value })
    }
  }
  return made
}

function addKey(made, checkout, { file, key, value }) {
  if (key?.kind !== 'call' || key.of.kind !== 'name' || key.of.name !== 'gvr') return
  const [group, version, resource] = key.args.map((each) => checkout.evaluate(file, each))
  const path = value.items?.find((item) => nameOf(item.key) === 'ExpectedEtcdPath')?.value
  if (path === undefined) return
  made.set(`${formatVersion(group, version)}/${resource}`, literalStart(path))
}

/** The text before the namespace, or before the name. */
function literalStart(path) {
  if (path.kind === 'binary') return literalStart(path.left)
  const text = path.value
  return text.endsWith('/') ? text.slice(0, -1) : text.slice(0, text.lastIndexOf('/'))
}

// ---- strategies --------------------------------------------------------------------------------------------------

const registries = [
  'pkg/registry',
  'staging/src/k8s.io/apiextensions-apiserver/pkg/registry',
  'staging/src/k8s.io/kube-aggregator/pkg/registry',
]
const policies = { OrphanDependents: 'Orphan', Unsupported: 'Unsupported' }

/** By `resource.group`: what the strategy declares for a version. */
function strategiesOf(checkout) {
  const made = new Map()
  for (const folder of registries.flatMap((root) => [...foldersBelow(checkout, root)])) {
    for (const { resource, group } of storesIn(checkout, folder)) {
      const homes = [folder, folder.slice(0, folder.lastIndexOf('/'))].map((each) => checkout.package(each))
      const home = homes.find((each) => each?.funcs.some(({ name }) => name === 'AllowCreateOnUpdate'))
      if (home !== undefined) made.set(resource + (group === '' ? '' : `.${group}`), declaredBy(checkout, home))
    }
  }
  // The storage of events is the core group's.
  made.set('events.events.k8s.io', made.get('events'))
  return made
}

function* foldersBelow(checkout, folder) {
  yield folder
  for (const entry of checkout.list(folder))
    if (entry.isDirectory()) yield* foldersBelow(checkout, `${folder}/${entry.name}`)
}

/** The resources whose generic stores a package makes. */
function storesIn(checkout, folder) {
  const made = []
  for (const declared of checkout.package(folder)?.funcs ?? []) {
    if (!/^New/.test(declared.name)) continue
    for (const tree of walk(statementsOf(declared) ?? [])) {
      const item = tree.items?.find(({ key }) => nameOf(key) === 'DefaultQualifiedResource')
      if (item === undefined) continue
      const variable = item.value.kind === 'name' ? declared.file.package.vars.get(item.value.name) : undefined
      const call = variable?.value ?? item.value
      if (call.kind !== 'call') continue
      const resource = checkout.evaluate(declared.file, call.args[0])
      made.push({ resource, group: groupOfPackage(checkout, variable?.file ?? declared.file, call.of) })
    }
  }
  return made
}

function groupOfPackage(checkout, file, tree) {
  const home = checkout.imported(file, nameOf(tree).split('.')[0])
  const group = home?.consts.get('GroupName')
  return group === undefined ? '' : checkout.evaluate(group.file, group.value)
}

function declaredBy(checkout, home) {
  const methods = (name) => home.funcs.filter((each) => each.name === name && each.receiver !== undefined)
  const main = receiverOf(methods('AllowCreateOnUpdate')[0] ?? {})
  const answer = (name) => {
    const declared = methods(name).find((each) => receiverOf(each) === main)
    const [value] = (declared && statementsOf(declared))?.find((each) => each.kind === 'return')?.values ?? []
    return value && checkout.evaluate(declared.file, value)
  }
  return (version) => ({
    createOnUpdate: answer('AllowCreateOnUpdate') || undefined,
    conditionalUpdate: answer('AllowUnconditionalUpdate') === false || undefined,
    resetFields: resetFields(checkout, methods('GetResetFields'), { main, version }),
    gc: collectionPolicy(checkout, methods('DefaultGarbageCollectionPolicy'), version),
  })
}

function resetFields(checkout, methods, { main, version }) {
  const made = {}
  for (const declared of methods) {
    const receiver = receiverOf(declared)
    const part = receiver === main ? 'main' : /(status|approval|finalize)/i.exec(receiver)?.[1].toLowerCase()
    const paths = part && pathsFor(checkout, declared, version)
    if (paths?.length > 0) made[part] = paths
  }
  const order = ['main', 'status', 'approval', 'finalize'].filter((part) => made[part] !== undefined)
  return order.length === 0 ? undefined : Object.fromEntries(order.map((part) => [part, made[part]]))
}

function pathsFor(checkout, declared, version) {
  for (const tree of walk(statementsOf(declared) ?? [])) {
    if (tree.kind !== 'composite' || tree.type?.kind !== 'map') continue
    const item = tree.items.find(({ key }) => checkout.evaluate(declared.file, key) === version)
    if (item?.value.kind !== 'call') continue
    return item.value.args.map((each) => each.args.map((part) => checkout.evaluate(declared.file, part)).join('.'))
  }
  return undefined
}

/** The policy that holds for the version, where it is not the usual one. */
function collectionPolicy(checkout, methods, version) {
  const [declared] = methods
  const body = (declared && statementsOf(declared)) ?? []
  const choice = body.find((each) => each.kind === 'switch')
  const returns = (list) => nameOf(list.find((each) => each.kind === 'return')?.values[0])?.split('.')[1]
  if (choice === undefined) return policies[returns(body)]
  const found = choice.cases.find(({ tests }) =>
    tests.some((test) => groupVersionResource(checkout, declared.file, test) === version),
  )
  return policies[returns((found ?? choice.cases.at(-1)).body)]
}

// ---- gates -------------------------------------------------------------------------------------------------------

/** By `resource/subresource`: the gate without which its storage is not made. */
function gatedResources(checkout) {
  const made = new Map()
  for (const entry of checkout.list('pkg/registry')) {
    for (const declared of checkout.package(`pkg/registry/${entry.name}/rest`)?.funcs ?? []) {
      visit(statementsOf(declared) ?? [], { gates: [], resource: undefined })
    }
  }
  return made

  function visit(statements, state) {
    for (const each of statements) {
      if (each.kind === 'assign') note(each, state)
      else if (each.kind === 'if') {
        const inner = { ...state, resource: declaredResource(each.init) ?? state.resource }
        visit(each.body, { ...inner, gates: [...state.gates, ...enabledGates(each.test)] })
        visit(each.otherwise ?? [], inner)
      } else if (each.kind === 'block' || each.kind === 'for') visit(each.body, state)
    }
  }

  function note({ op, left, right }, state) {
    if (op === ':=' && left[0].name === 'resource' && right[0].kind === 'string') state.resource = right[0].value
    const target = left[0]
    if (target.kind !== 'index' || target.of.name !== 'storage' || state.gates.length === 0) return
    const path = target.index[0]
    const suffix = path.kind === 'binary' ? path.right.value : ''
    const name = path.kind === 'string' ? path.value : (state.resource ?? '') + suffix
    made.set(name, state.gates[0])
  }
}

const declaredResource = (init) =>
  init?.kind === 'assign' && init.left[0].name === 'resource' && init.right[0].kind === 'string'
    ? init.right[0].value
    : undefined

function enabledGates(test) {
  return [...walk(test ?? [])]
    .filter((each) => each.kind === 'call' && nameOf(each.of)?.endsWith('DefaultFeatureGate.Enabled'))
    .map((each) => nameOf(each.args[0]).split('.').at(-1))
}
