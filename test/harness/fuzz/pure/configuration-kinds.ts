/** A valid file of every kind of configuration, and its reader: it may refuse by a `ConfigError`, and by nothing else. */
import { servedMinor } from '../../../../src/api/release.ts'
import { readAdmissionConfiguration } from '../../../../src/config/files/admission-configuration.ts'
import { readAuditPolicy } from '../../../../src/config/files/audit-policy.ts'
import { readAuthenticationConfiguration } from '../../../../src/config/files/authentication-configuration.ts'
import { readAuthorizationConfiguration } from '../../../../src/config/files/authorization-configuration.ts'
import { readEgressSelectorConfiguration } from '../../../../src/config/files/egress-selector-configuration.ts'
import { readEncryptionConfiguration } from '../../../../src/config/files/encryption-configuration.ts'
import { readTracingConfiguration } from '../../../../src/config/files/tracing-configuration.ts'
import type { Json } from '../../../differential/json.ts'

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
        release: servedMinor,
        gate: () => true,
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
    read: (text) =>
      readAuthorizationConfiguration(text, file, { checkCondition: () => undefined, release: servedMinor }),
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
    read: (text) => readAuditPolicy(text, file, 36),
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
    read: (text) => readEgressSelectorConfiguration(text, file, servedMinor),
  },
  {
    document: {
      apiVersion: 'apiserver.config.k8s.io/v1beta1',
      kind: 'TracingConfiguration',
      endpoint: 'localhost:4317',
      samplingRatePerMillion: 5,
    },
    read: (text) => readTracingConfiguration(text, file, servedMinor),
  },
]
