import { expect, it } from 'vitest'
import type { CreateServerOptions } from './api.ts'
import { serverOptionsOf } from './profile-flags.ts'

const parsed = (options: CreateServerOptions) => serverOptionsOf(options)

it.each<[string, CreateServerOptions, (options: ReturnType<typeof parsed>) => unknown, unknown]>([
  ['memory by default', {}, ({ storage }) => storage.kind, 'memory'],
  [
    'a folder',
    { store: { kind: 'lmdb', folder: '/x' } },
    ({ storage, dataDir }) => [storage.kind, dataDir],
    ['lmdb', '/x'],
  ],
  [
    'etcd',
    { store: { kind: 'etcd', servers: ['http://a:1'], prefix: '/p' } },
    ({ storage }) => [storage.kind, storage.prefix],
    ['etcd', '/p'],
  ],
  ['loopback by default', {}, ({ serving }) => [serving.bindAddress, serving.securePort], ['127.0.0.1', 0]],
  ['gates', { featureGates: { WatchList: false } }, ({ featureGates }) => featureGates.enabled('WatchList'), false],
  ['no anonymous requests', { anonymous: false }, ({ flags }) => flags.bool('anonymous-auth'), false],
  [
    'plugins',
    { admission: { enable: ['AlwaysPullImages'] } },
    ({ admission }) => admission.plugins.includes('AlwaysPullImages'),
    true,
  ],
  ['no controllers', { controllers: false }, ({ controllers }) => controllers, ['-*']],
  ['modes', { authorizationModes: ['AlwaysAllow'] }, ({ authorization }) => authorization.modes, ['AlwaysAllow']],
  ['few plugins', { profile: 'crds' }, ({ admission }) => admission.plugins, ['NamespaceLifecycle']],
  [
    'few APIs',
    { profile: 'crds' },
    ({ runtimeConfig }) => [...runtimeConfig],
    [
      ['api/all', 'false'],
      ['apiextensions.k8s.io/v1', 'true'],
      ['/v1/namespaces', 'true'],
    ],
  ],
  [
    'more APIs',
    { profile: 'crds', apis: { 'batch/v1': true } },
    ({ runtimeConfig }) => runtimeConfig.get('batch/v1'),
    'true',
  ],
  [
    'roles with RBAC',
    { profile: 'crds', authorizationModes: ['RBAC'] },
    ({ runtimeConfig }) => runtimeConfig.get('rbac.authorization.k8s.io/v1'),
    'true',
  ],
  [
    'configurations with webhooks',
    { profile: 'crds', admission: { enable: ['ValidatingAdmissionWebhook'] } },
    ({ runtimeConfig }) => runtimeConfig.get('admissionregistration.k8s.io/v1'),
    'true',
  ],
  [
    'leases with etcd',
    { profile: 'crds', store: { kind: 'etcd', servers: ['http://a:1'] } },
    ({ runtimeConfig }) => runtimeConfig.get('coordination.k8s.io/v1'),
    'true',
  ],
  ['flags last', { port: 1, flags: ['--secure-port=2'] }, ({ serving }) => serving.securePort, 2],
])('%s', (_, options, look, expected) => expect(look(parsed(options))).toEqual(expected))

it.each([
  [{ profle: 'crds' }, 'there is no option of createServer "profle": did you mean profile?'],
  [{ profile: 'crd' }, 'there is no profile "crd": did you mean crds?'],
  [{ store: { kind: 'lmbd' } }, 'there is no kind of store "lmbd": did you mean lmdb?'],
  [{ admission: { plugin: [] } }, 'there is no option of createServer, admission, "plugin": did you mean plugins?'],
])('refuses %j', (options, message) => {
  expect(() => serverOptionsOf(options as CreateServerOptions)).toThrow(new TypeError(message))
})
