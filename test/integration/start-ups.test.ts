// Starts of the real command with configuration files, live issuers and webhooks: what only shows beyond the parsers.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type StartUpCase, StartUpWorld, type Step } from './support/start-up.ts'

const root = resolve(import.meta.dirname, '../..')
// Within the project, so that the built program finds its dependencies.
const folder = join(root, 'node_modules/.cache', `start-ups-${process.pid}`)
const world = new StartUpWorld(join(folder, 'cli.js'))

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--outdir', folder], { cwd: root, stdio: 'ignore' })
  await world.open()
})
afterAll(() => {
  world.close()
  rmSync(folder, { recursive: true, force: true })
})

const whoAmI = {
  request: 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
}
const jane = { issuer: 'one', claims: { aud: ['app'], sub: 'jane' } }
const known = { status: 201, user: { username: 'jane', groups: ['system:authenticated'] } }
const unknown = { status: 401, reason: 'Unauthorized' }

const issuer = (more: object = {}, url = '<issuer:one>') => ({
  issuer: { url, certificateAuthority: '<issuer-ca>', audiences: ['app'], ...more },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
})
const authentication = (...jwt: object[]) => ({
  flags: ['--authentication-config=<dir>/authn.yaml'],
  files: { 'authn.yaml': { apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', jwt } },
})

const hook = (path: string, more: object = {}) => ({
  flags: ['--authorization-config=<dir>/authz.yaml'],
  files: {
    'authz.yaml': {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: [
        {
          type: 'Webhook',
          name: 'hook',
          webhook: {
            timeout: '3s',
            subjectAccessReviewVersion: 'v1',
            matchConditionSubjectAccessReviewVersion: 'v1',
            failurePolicy: 'Deny',
            connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '<dir>/hook.kubeconfig' },
            ...more,
          },
        },
        { type: 'RBAC', name: 'rbac' },
      ],
    },
    'hook.kubeconfig': {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: `<webhook>${path}` } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    },
  },
})
const nodesAs = (as: string, expected: object): Step => ({ request: 'GET /api/v1/nodes', as, expect: expected })

const key = (name: string, letter: string) => ({
  aescbc: { keys: [{ name, secret: Buffer.alloc(32, letter).toString('base64') }] },
})
const encryption = (
  providers: object[],
  head: object = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' },
) => ({
  flags: ['--encryption-provider-config=<dir>/enc.yaml'],
  files: { 'enc.yaml': { ...head, resources: [{ resources: ['secrets'], providers }] } },
})
const secrets = '/api/v1/namespaces/default/secrets'
const makeSecret = {
  request: `POST ${secrets}`,
  body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { k: 'hello world' } },
  expect: { status: 201 },
}
const sealed = (name: string): Step => ({
  storedUnder: '/secrets/default/s',
  expect: { startsWith: `k8s:enc:aescbc:v1:${name}:`, plainTextInside: false },
})

const podSecurity = (configuration: object) => ({
  flags: ['--admission-control-config-file=<dir>/admission.yaml'],
  files: {
    'admission.yaml': {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [
        {
          name: 'PodSecurity',
          configuration: {
            apiVersion: 'pod-security.admission.config.k8s.io/v1',
            kind: 'PodSecurityConfiguration',
            ...configuration,
          },
        },
      ],
    },
  },
})
const notPodSecurity = 'failed to apply admission: failed to initialize admission plugin "PodSecurity": PodSecurity '

const cases: StartUpCase[] = [
  {
    id: 'an issuer of tokens',
    outcome: 'accepted',
    ...authentication(issuer()),
    steps: [
      { ...whoAmI, as: jane, retryUntilOk: true, expect: known },
      { ...whoAmI, as: { ...jane, wrongKey: true }, expect: unknown },
      { ...whoAmI, as: { issuer: 'one', claims: { aud: ['app'], sub: 'jane', exp: '<past>' } }, expect: unknown },
      { ...whoAmI, as: { issuer: 'one', claims: { aud: ['other'], sub: 'jane' } }, expect: unknown },
      { ...whoAmI, as: { issuer: 'two', claims: { aud: ['app'], sub: 'jane' } }, expect: unknown },
    ],
  },
  {
    id: 'a discovery document elsewhere',
    outcome: 'accepted',
    ...authentication(issuer({ discoveryURL: '<issuer:elsewhere>/config' }, '<issuer:moved>')),
    steps: [{ ...whoAmI, as: { ...jane, issuer: 'moved' }, retryUntilOk: true, expect: known }],
  },
  {
    id: 'an issuer that is there twice',
    outcome: 'rejected',
    ...authentication(issuer(), issuer()),
    error: 'jwt[1].issuer.url: Duplicate value: "<issuer:one>"',
  },
  {
    id: 'an authorization webhook',
    outcome: 'accepted',
    ...hook('/', { authorizedTTL: '0s', unauthorizedTTL: '0s' }),
    steps: [
      { webhookForget: true },
      nodesAs('allowedtoken', { status: 200 }),
      nodesAs('allowedtoken', { status: 200 }),
      nodesAs('deniedtoken', { status: 403 }),
      nodesAs('unknowntoken', { status: 403 }),
      { webhookCalls: ['allowed', 'denied'], expect: { calls: { allowed: 1, denied: 1 } } },
    ],
  },
  {
    id: 'a broken authorization webhook denies',
    outcome: 'accepted',
    ...hook('/broken'),
    steps: [nodesAs('allowedtoken', { status: 500 }), nodesAs('admintoken', { status: 200 })],
  },
  {
    id: 'a key that is replaced and then lost',
    outcome: 'accepted' as const,
    starts: [
      {
        ...encryption([key('old', 'a')], { apiVersion: 'v1', kind: 'EncryptionConfig' }),
        steps: [makeSecret, sealed('old')],
      },
      {
        ...encryption([key('new', 'b'), key('old', 'a')]),
        steps: [{ request: `GET ${secrets}/s`, expect: { status: 200 } }, sealed('old')],
      },
      {
        ...encryption([key('new', 'b')]),
        steps: [
          { request: `GET ${secrets}/s`, expect: { status: 500, reason: 'InternalError' } },
          {
            request: `GET ${secrets}`,
            expect: {
              status: 429,
              reason: 'TooManyRequests',
              message:
                'storage is (re)initializing: failed to list *core.Secret: unable to transform key "<…>": no matching key was found for the provided AES transformer',
            },
          },
          { request: `GET ${secrets}?limit=5`, expect: { status: 500, reason: 'InternalError' } },
        ],
      },
    ],
  },
  {
    id: 'a list with an object that cannot be read',
    outcome: 'accepted' as const,
    flags: ['--feature-gates=AllowUnsafeMalformedObjectDeletion=true'],
    steps: [
      { storeRaw: '/secrets/default/broken', text: 'k8s:enc:aescbc:v1:gone:unreadable' },
      { request: `GET ${secrets}`, retryUntilOk: true, expect: { status: 500, reason: 'StorageReadError' } },
    ],
  },
  {
    id: 'a level of Pod Security that there is not',
    outcome: 'rejected',
    ...podSecurity({ defaults: { enforce: 'strictest' } }),
    error: `${notPodSecurity}configuration error: enforce: must be one of privileged, baseline, restricted`,
  },
  {
    id: 'an exemption from Pod Security that is there twice',
    outcome: 'rejected',
    ...podSecurity({ exemptions: { namespaces: ['a', 'a'] } }),
    error: `${notPodSecurity}invalid: exemptions.namespaces[1]: Duplicate value: "a"`,
  },
  ...['api/v1=true', 'v1', 'api/v1/pods=true', '/v1=true'].map(
    (config): StartUpCase => ({
      id: `--runtime-config=${config}`,
      outcome: 'accepted',
      flags: [`--runtime-config=${config}`],
      steps: [{ request: 'GET /api/v1/pods', expect: { status: 200 } }],
    }),
  ),
  {
    id: 'a version to report',
    outcome: 'accepted',
    flags: ['--version=v1.33.13-mine'],
    steps: [{ request: 'GET /version', expect: { status: 200, major: '1', minor: '33' } }],
  },
  {
    id: 'a version of another release',
    outcome: 'rejected',
    flags: ['--version=v1.2.3'],
    error:
      'invalid argument "v1.2.3" for "--version" flag: version "v1.2.3" must match major/minor/patch of default version',
  },
  {
    id: 'metrics that this release hides',
    outcome: 'accepted',
    steps: [{ request: 'GET /metrics', look: { helpContaining: 'Deprecated' }, expect: { status: 200, lines: [] } }],
  },
]

/**
 * What the reference was seen to do. Reading the files decides most of them, which src/config/files holds at no cost: as
 * starts of the program they take minutes, and are a step of their own (`START_UPS=all`).
 */
const recorded: StartUpCase[] = JSON.parse(readFileSync(join(root, 'facts/cases/start-ups.json'), 'utf8'))
/** Where this server does more than the reference. */
const differences: Readonly<Record<string, string>> = {
  'emulate-130': 'every release since 1.16 can be emulated',
  'emulate-131': 'versions that were removed since are served',
  'emulate-132': '/version says the release that is emulated',
  'emulate-134': 'later releases can be emulated, too',
}
const chosen = process.env['START_UPS'] === 'all' ? [...cases, ...recorded] : cases

it.each(chosen.map((each) => [each.id, each] as const))('%s', async (_, given) => {
  const problems = await world.run(given)
  if (differences[given.id] === undefined) expect(problems).toEqual([])
  else expect(problems).not.toEqual([])
})
