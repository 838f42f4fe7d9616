/** Configuration files of later releases: their versions, their fields, and what is wrong with them in whose words. */
import { describe, expect, it } from 'vitest'
import { readAuthenticationConfiguration } from './authentication-configuration.ts'
import { readAuthorizationConfiguration } from './authorization-configuration.ts'
import { readEgressSelectorConfiguration } from './egress-selector-configuration.ts'
import { readTracingConfiguration } from './tracing-configuration.ts'

const file = 'f.yaml'

/** What is read, or the text of the refusal. */
function outcome<T>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    return (error as Error).message
  }
}

const unregistered = (kind: string): string =>
  `no kind "${kind}" is registered for version "apiserver.config.k8s.io/v1" in scheme "pilothouse"`

interface Issuer {
  readonly url?: string
  readonly audiences?: readonly string[]
  readonly egressSelectorType?: string
}

const authentication = (
  release: number,
  issuer: Issuer,
  { version = 'v1beta1', off = [] as readonly string[], anonymous = false } = {},
) =>
  outcome(() =>
    readAuthenticationConfiguration(
      JSON.stringify({
        apiVersion: `apiserver.config.k8s.io/${version}`,
        kind: 'AuthenticationConfiguration',
        jwt: [
          {
            issuer: { url: 'https://a', audiences: ['b'], ...issuer },
            claimMappings: { username: { claim: 'sub', prefix: '' } },
          },
        ],
        ...(anonymous ? { anonymous: { enabled: true } } : {}),
      }),
      file,
      {
        checkExpression: () => ({ usesEmail: false, usesEmailVerified: false }),
        disallowedIssuers: [],
        anonymousFlagSet: anonymous,
        release,
        gate: (name) => !off.includes(name),
      },
    ),
  )

describe('authentication', () => {
  it.each([
    [33, unregistered('AuthenticationConfiguration')],
    [34, expect.objectContaining({ anonymous: undefined })],
  ])('v1 at 1.%i', (release, expected) => {
    expect(authentication(release, {}, { version: 'v1' })).toEqual(expected)
  })

  const at = 'jwt[0].issuer.egressSelectorType: Invalid value: "etcd": '
  const invalid = 'invalid authentication configuration: '
  const gate = 'StructuredAuthenticationConfigurationEgressSelector'
  it.each<[number, string, readonly string[], unknown]>([
    [33, 'cluster', [], 'strict decoding error: unknown field "jwt[0].issuer.egressSelectorType"'],
    [34, 'cluster', [], expect.objectContaining({ anonymous: undefined })],
    [34, 'etcd', [], `${invalid}${at}egress selector must be either controlplane or cluster`],
    [
      34,
      'etcd',
      [gate],
      `${invalid}[${at}egress selector is not supported when ${gate} feature gate is disabled, ${at}egress selector must be either controlplane or cluster]`,
    ],
  ])('an egress at 1.%i: %s without %j', (release, egressSelectorType, off, expected) => {
    expect(authentication(release, { egressSelectorType }, { off })).toEqual(expected)
  })

  it.each([
    [33, { url: '' }, 'jwt[0].issuer.url: Required value: URL is required'],
    [34, { url: '' }, `${invalid}jwt[0].issuer.url: Required value`],
    [33, { audiences: [''] }, "jwt[0].issuer.audiences[0]: Required value: audience can't be empty"],
    [34, { audiences: [''] }, `${invalid}jwt[0].issuer.audiences[0]: Required value`],
  ])('words at 1.%i: %j', (release, issuer, expected) => {
    expect(authentication(release, issuer)).toBe(expected)
  })

  const twice = '-auth flag cannot be set when anonymous field is configured in authentication configuration file'
  it.each([
    [33, `anonymous: Forbidden: --anonynous${twice}`],
    [34, `anonymous: Forbidden: --anonymous${twice}`],
  ])('a flag beside the file at 1.%i', (release, expected) => {
    expect(authentication(release, { url: '' }, { anonymous: true })).toBe(expected)
  })
})

const authorization = (release: number, webhook: object) =>
  outcome(() =>
    readAuthorizationConfiguration(
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: [
          {
            type: 'Webhook',
            name: 'w',
            webhook: {
              timeout: '3s',
              subjectAccessReviewVersion: 'v1',
              failurePolicy: 'Deny',
              connectionInfo: { type: 'InClusterConfig' },
              ...webhook,
            },
          },
        ],
      }),
      file,
      { checkCondition: () => undefined, release },
    ),
  )

describe('verdicts of webhooks', () => {
  it('are cached by what later releases read', () => {
    expect(authorization(33, { cacheAuthorizedRequests: false })).toContain('unknown field')
    expect(authorization(34, { cacheAuthorizedRequests: false })).toMatchObject({
      authorizers: [{ webhook: { cacheAuthorizedRequests: false, cacheUnauthorizedRequests: true } }],
    })
  })
})

describe('tracing and egress', () => {
  const tracing = (release: number) =>
    outcome(() =>
      readTracingConfiguration(
        '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"TracingConfiguration"}',
        file,
        release,
      ),
    )
  it('tracing is in v1 since 1.34', () => {
    expect(tracing(33)).toContain(unregistered('TracingConfiguration'))
    expect(tracing(34)).toEqual({ endpoint: undefined, samplingRatePerMillion: undefined })
  })

  const egress = (release: number, connection: object) => {
    const document = {
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [{ name: 'cluster', connection }],
    }
    return outcome(() => readEgressSelectorConfiguration(JSON.stringify(document), file, release))
  }
  const tlsConfig = { clientKey: file, clientCert: file }

  it('the name of a proxy may be given since 1.36', () => {
    const tcp = { url: 'https://a', tlsConfig: { ...tlsConfig, tlsServerName: 'n' } }
    const connection = { proxyProtocol: 'HTTPConnect', transport: { tcp } }
    expect(egress(35, connection)).toContain(
      'unknown field "egressSelections[0].connection.transport.tcp.tlsConfig.tlsServerName"',
    )
    expect(egress(36, connection)).not.toContain('unknown field')
  })

  const uds = { udsName: '' }
  it.each([
    [
      { proxyProtocol: 'Direct', transport: { uds } },
      'Transport config should be absent for direct connect',
      'config must be absent for direct connect',
    ],
    [
      { proxyProtocol: 'GRPC', transport: { uds } },
      'UDSName should be present for UDS connections',
      'must be present for UDS connections',
    ],
    [
      { proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'http://a', tlsConfig } } },
      'TLSConfig config should not be present when using HTTP',
      'config must not be present when using HTTP',
    ],
  ])('words of 1.33 and of 1.34: %j', (connection, before, since) => {
    expect(egress(33, connection)).toContain(`: ${before}`)
    expect(egress(34, connection)).toContain(`: ${since}`)
  })
})
