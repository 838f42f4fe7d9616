/** Configuration files and flags: each may be refused by a `ConfigError`, which is written for people, and by nothing else. */
import { stringify } from 'yaml'
import { ConfigError } from '../../../src/config/config-error.ts'
import { readAdmissionConfiguration } from '../../../src/config/files/admission-configuration.ts'
import { readAuditPolicy } from '../../../src/config/files/audit-policy.ts'
import { readAuthenticationConfiguration } from '../../../src/config/files/authentication-configuration.ts'
import { readAuthorizationConfiguration } from '../../../src/config/files/authorization-configuration.ts'
import { readEgressSelectorConfiguration } from '../../../src/config/files/egress-selector-configuration.ts'
import { readEncryptionConfiguration } from '../../../src/config/files/encryption-configuration.ts'
import { readTracingConfiguration } from '../../../src/config/files/tracing-configuration.ts'
import { parseServerOptions } from '../../../src/config/server-options.ts'
import type { Json } from '../../differential/json.ts'
import { mutated } from '../../differential/mutate.ts'
import type { Random } from '../random.ts'
import { mutatedBytes } from './byte-mutations.ts'
import type { FuzzInput, InputSource } from './input.ts'

interface ConfigurationKind {
  readonly document: Json
  readonly read: (text: string) => unknown
}

const file = 'file.yaml'
export const configurationKinds: readonly ConfigurationKind[] = [
  {
    document: {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: { url: 'https://a.example.com', audiences: ['a'], certificateAuthority: 'x' },
          claimMappings: {
            username: { claim: 'sub', prefix: '' },
            groups: { expression: 'claims.groups' },
            extra: [{ key: 'example.com/a', valueExpression: 'claims.a' }],
          },
          claimValidationRules: [{ expression: 'claims.a == "b"', message: 'm' }],
          userValidationRules: [{ expression: 'user.username != ""' }],
        },
      ],
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
    },
    read: (text) =>
      readAuthenticationConfiguration(text, file, {
        checkExpression: () => ({ usesEmail: false, usesEmailVerified: false }),
        disallowedIssuers: ['https://own'],
        anonymousFlagSet: false,
      }),
  },
  {
    document: {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: [
        { type: 'RBAC', name: 'rbac' },
        {
          type: 'Webhook',
          name: 'hook',
          webhook: {
            timeout: '3s',
            authorizedTTL: '5m',
            subjectAccessReviewVersion: 'v1',
            matchConditionSubjectAccessReviewVersion: 'v1',
            failurePolicy: 'Deny',
            connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/a' },
            matchConditions: [{ expression: 'true' }],
          },
        },
      ],
    },
    read: (text) => readAuthorizationConfiguration(text, file, { checkCondition: () => undefined }),
  },
  {
    document: {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [
        {
          resources: ['secrets', '*.apps'],
          providers: [
            { aescbc: { keys: [{ name: 'k', secret: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }] } },
            { kms: { apiVersion: 'v2', name: 'k', endpoint: 'unix:///a', timeout: '3s' } },
            { identity: {} },
          ],
        },
      ],
    },
    read: (text) => readEncryptionConfiguration(text, file, { reload: true, kmsV1: true }),
  },
  {
    document: {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [
        { name: 'ImagePolicyWebhook', configuration: { imagePolicy: { kubeConfigFile: '/a' } } },
        { name: 'PodSecurity', path: 'a' },
      ],
    },
    read: (text) => readAdmissionConfiguration(text, file, new Set(['ImagePolicyWebhook', 'PodSecurity'])),
  },
  {
    document: {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [
        {
          level: 'Metadata',
          verbs: ['get'],
          users: ['a'],
          resources: [{ group: '', resources: ['pods'], resourceNames: ['a'] }],
        },
        { level: 'None', nonResourceURLs: ['/a*'], omitManagedFields: true },
      ],
    },
    read: (text) => readAuditPolicy(text, file),
  },
  {
    document: {
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [
        {
          name: 'cluster',
          connection: {
            proxyProtocol: 'HTTPConnect',
            transport: { tcp: { url: 'https://a', tlsConfig: { caBundle: 'a', clientKey: 'b', clientCert: 'c' } } },
          },
        },
        { name: 'etcd', connection: { proxyProtocol: 'GRPC', transport: { uds: { udsName: '/a' } } } },
      ],
    },
    read: (text) => readEgressSelectorConfiguration(text, file),
  },
  {
    document: {
      apiVersion: 'apiserver.config.k8s.io/v1beta1',
      kind: 'TracingConfiguration',
      endpoint: 'localhost:4317',
      samplingRatePerMillion: 5,
    },
    read: (text) => readTracingConfiguration(text, file),
  },
]

const flagNames = [
  '--secure-port',
  '--feature-gates',
  '--runtime-config',
  '--service-cluster-ip-range',
  '--tls-cipher-suites',
  '--tls-sni-cert-key',
  '--cors-allowed-origins',
  '--request-timeout',
  '--max-requests-inflight',
  '--authorization-mode',
  '--etcd-servers',
  '--admission-control',
  '--enable-admission-plugins',
  '--watch-cache-sizes',
  '--service-node-port-range',
  '--goaway-chance',
  '--v',
  '--vmodule',
  '--event-ttl',
  '--audit-log-maxsize',
  '--external-hostname',
  '--advertise-address',
  '--bind-address',
  '--emulated-version',
  '--oidc-required-claim',
  '--strict-transport-security-directives',
  '--allow-metric-labels',
  '--show-hidden-metrics-for-version',
  '--history-duration',
  '--controllers',
  '--store',
]
const flagValues = [
  '',
  '0',
  '-1',
  '1e9',
  'true',
  'x',
  'a=b',
  'a=b,c=d',
  'AllAlpha=true',
  'api/all=false',
  '10.0.0.0/24',
  '10.0.0.0/99',
  '::/64,10.0.0.0/8',
  '1-2',
  '99999-1',
  '5m',
  '-5m',
  '9999999h',
  '\u0000',
  'é',
  'a:b:c',
  '"',
  '(',
  '[',
  '*',
  '/a,/b',
  'http://a,http://b',
  '1.33',
  '1.999',
  '__proto__=true',
  'constructor=1',
]

export function configurationInputs(random: Random): InputSource {
  return { next: () => (random.chance(0.3) ? flagsInput(random) : fileInput(random)) }
}

function fileInput(random: Random): FuzzInput {
  const { document, read } = random.pick(configurationKinds)
  let value = document
  for (let edits = random.below(4); edits > 0; edits--)
    value = mutated(random, value, { schemas: {}, schema: undefined })
  const text = Buffer.from(random.chance(0.5) ? JSON.stringify(value) : stringify(value))
  const bytes = random.chance(0.4) ? mutatedBytes(random, text) : text
  return {
    family: 'configuration',
    show: () => JSON.stringify(bytes.toString('latin1')),
    run: async () => refusal(() => read(bytes.toString('utf8'))),
  }
}

function flagsInput(random: Random): FuzzInput {
  const flags = Array.from({ length: 1 + random.below(4) }, () => {
    const value = random.chance(0.8)
      ? random.pick(flagValues)
      : mutatedBytes(random, Buffer.from(random.pick(flagValues))).toString('latin1')
    return random.pick([`${random.pick(flagNames)}=${value}`, random.pick(flagNames), value, `--${value}`, `-${value}`])
  })
  return {
    family: 'flags',
    show: () => JSON.stringify(flags),
    run: async () => refusal(() => parseServerOptions(flags)),
  }
}

function refusal(read: () => unknown): string {
  try {
    read()
    return ''
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replace(/(["'`]).*?\1/gs, '…')
    throw error
  }
}
