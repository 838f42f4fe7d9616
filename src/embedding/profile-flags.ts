/** Options of a program as the flags that mean the same: one place decides what a server is. */
import { type NamesOf, refuseUnknownChoice, refuseUnknownOptions } from '../config/known-options.ts'
import { parseServerOptions, type ServerOptions } from '../config/server-options.ts'
import type { AdmissionOptions, CreateServerOptions, StoreOptions } from './api.ts'

const rbac = 'rbac.authorization.k8s.io/v1'

/** What the options mean. Throws a `ConfigError` that says all that is wrong with them. */
export function serverOptionsOf(options: CreateServerOptions): ServerOptions {
  refuseUnknownOptions('createServer', options, optionNames)
  refuseUnknownOptions('createServer, admission,', options.admission ?? {}, admissionNames)
  refuseUnknownChoice('profile', options.profile, ['full', 'crds'])
  refuseUnknownChoice('kind of store', options.store?.kind, ['memory', 'lmdb', 'etcd'])
  const parsed = parseServerOptions(flagsOf(options))
  const { flags, serving } = parsed
  // A free port has no flag.
  const securePort = flags.isSet('secure-port') ? serving.securePort : 0
  const insecurePort = options.insecurePort ?? serving.insecurePort
  return { ...parsed, serving: { ...serving, securePort, insecurePort } }
}

const optionNames: NamesOf<CreateServerOptions> = {
  store: true,
  profile: true,
  apis: true,
  featureGates: true,
  host: true,
  port: true,
  insecurePort: true,
  certificates: true,
  anonymous: true,
  authenticators: true,
  authorizationModes: true,
  authorizers: true,
  admission: true,
  controllers: true,
  flags: true,
  log: true,
  verbosity: true,
  background: true,
}
const admissionNames: NamesOf<AdmissionOptions> = { enable: true, disable: true, plugins: true }

function flagsOf(options: CreateServerOptions): string[] {
  const { host = '127.0.0.1', port = 0, certificates, anonymous, featureGates = {} } = options
  const gates = Object.entries(featureGates).map(([name, isOn]) => `${name}=${isOn}`)
  return [
    `--bind-address=${host}`,
    ...(port === 0 ? [] : [`--secure-port=${port}`]),
    ...storeFlags(options.store ?? { kind: 'memory' }),
    ...(certificates === undefined ? [] : [`--cert-dir=${certificates}`]),
    ...(anonymous === undefined ? [] : [`--anonymous-auth=${anonymous}`]),
    ...(gates.length === 0 ? [] : [`--feature-gates=${gates.join(',')}`]),
    ...(options.verbosity === undefined ? [] : [`--v=${options.verbosity}`]),
    ...(options.profile === 'crds' ? minimalFlags(options) : fullFlags(options)),
    ...(options.flags ?? []),
  ]
}

function storeFlags(store: StoreOptions): string[] {
  switch (store.kind) {
    case 'memory':
      return ['--store=memory']
    case 'lmdb':
      return ['--store=lmdb', `--data-dir=${store.folder}`]
    case 'etcd': {
      const { servers, caFile, certFile, keyFile, prefix } = store
      const given = { 'etcd-cafile': caFile, 'etcd-certfile': certFile, 'etcd-keyfile': keyFile, 'etcd-prefix': prefix }
      const named = Object.entries(given).flatMap(([flag, value]) =>
        value === undefined ? [] : [`--${flag}=${value}`],
      )
      return [`--etcd-servers=${servers.join(',')}`, ...named]
    }
  }
}

function fullFlags({ apis = {}, authorizationModes, admission = {}, controllers }: CreateServerOptions): string[] {
  const { enable = [], disable = [] } = admission
  return [
    ...runtimeConfig(apis),
    ...(authorizationModes === undefined ? [] : [`--authorization-mode=${authorizationModes.join(',')}`]),
    ...(enable.length === 0 ? [] : [`--enable-admission-plugins=${enable.join(',')}`]),
    ...(disable.length === 0 ? [] : [`--disable-admission-plugins=${disable.join(',')}`]),
    ...controllerFlags(controllers),
  ]
}

/** Custom resources, the namespaces that they are in, and what other options need. */
function minimalFlags(options: CreateServerOptions): string[] {
  const { store, apis = {}, authorizationModes = ['AlwaysDeny'], admission = {}, controllers } = options
  const { enable = [], disable = [] } = admission
  const isShared = store?.kind === 'etcd'
  const plugins = ['NamespaceLifecycle', ...enable].filter((name) => !disable.includes(name))
  return [
    ...runtimeConfig({
      'api/all': false,
      'apiextensions.k8s.io/v1': true,
      '/v1/namespaces': true,
      ...(authorizationModes.includes('RBAC') ? { [rbac]: true } : {}),
      // Servers that share a store take turns in their controllers by a lease.
      ...(isShared ? { 'coordination.k8s.io/v1': true } : {}),
      ...(needsConfigurations(enable) ? { 'admissionregistration.k8s.io/v1': true } : {}),
      ...apis,
    }),
    '--enable-priority-and-fairness=false',
    `--authorization-mode=${authorizationModes.join(',')}`,
    // A list of none would be that of all.
    `--admission-control=${plugins.length === 0 ? 'AlwaysAdmit' : plugins.join(',')}`,
    ...controllerFlags(controllers ?? ['garbage-collector-controller', 'namespace-controller']),
  ]
}

const needsConfigurations = (plugins: readonly string[]): boolean =>
  plugins.some((name) => /^(Mutating|Validating)Admission(Webhook|Policy)$/.test(name))

function runtimeConfig(apis: Readonly<Record<string, boolean>>): string[] {
  const keys = Object.entries(apis).map(([key, isOn]) => `${key}=${isOn}`)
  return keys.length === 0 ? [] : [`--runtime-config=${keys.join(',')}`]
}

function controllerFlags(controllers: boolean | readonly string[] | undefined): string[] {
  if (controllers === undefined || controllers === true) return []
  return [`--controllers=${controllers === false ? '-*' : controllers.join(',')}`]
}
