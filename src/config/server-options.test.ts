import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isControllerEnabled } from './controller-selection.ts'
import { parseServerOptions } from './server-options.ts'

describe('server options', () => {
  it('are useful without any flag', () => {
    const options = parseServerOptions([])
    expect(options.storage.kind).toBe('lmdb')
    expect(options.dataDir).toBe('pilothouse-data')
    expect(options.serving).toMatchObject({ securePort: 6443, certDir: 'pilothouse-data/pki', insecurePort: undefined })
    expect(options.authorization.modes).toEqual(['RBAC'])
    expect(options.admission.plugins).toContain('NamespaceLifecycle')
    expect(options.admission.plugins).not.toContain('AlwaysDeny')
    expect(options.warnings).toEqual([])
  })

  it('never change', () => {
    const options = parseServerOptions([])
    expect(Object.isFrozen(options) && Object.isFrozen(options.storage.etcd)).toBe(true)
  })

  it('take etcd servers as the choice of the store', () => {
    const { storage } = parseServerOptions(['--etcd-servers=http://a:2379,http://b:2379', '--etcd-prefix=registry/'])
    expect(storage).toMatchObject({
      kind: 'etcd',
      prefix: '/registry',
      etcd: { servers: ['http://a:2379', 'http://b:2379'] },
    })
  })

  it('buffer logs where that is allowed', () => {
    const flags = ['--logging-format=json', '--log-json-split-stream', '--log-json-info-buffer-size=64Ki']
    const gate = '--feature-gates=LoggingAlphaOptions=true'
    const { logging } = parseServerOptions([...flags, gate, '--log-flush-frequency=2s'])
    expect(logging).toEqual({
      verbosity: 0,
      format: 'json',
      isFormatGiven: true,
      splitStream: true,
      infoBufferBytes: 65_536,
      flushMs: 2000,
    })
    expect(() => parseServerOptions(['--log-text-info-buffer-size=1Ki'])).toThrow(
      'options.text.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled',
    )
    expect(() => parseServerOptions(['--log-text-info-buffer-size=x'])).toThrow(
      'invalid argument "x" for "--log-text-info-buffer-size" flag: quantities must match',
    )
  })

  it('name the flags that have no effect', () => {
    expect(parseServerOptions(['--contention-profiling']).warnings).toEqual([
      'Flag --contention-profiling is accepted without effect',
    ])
  })

  it('give the audience of the issuer to tokens', () => {
    const { serviceAccounts } = parseServerOptions([
      '--service-account-issuer=https://a',
      '--service-account-issuer=https://b',
    ]).authentication
    expect(serviceAccounts).toMatchObject({ issuers: ['https://a', 'https://b'], audiences: ['https://a'] })
  })

  it('know nobody without a name where everybody may do everything', () => {
    const { authentication, warnings } = parseServerOptions(['--authorization-mode=AlwaysAllow'])
    expect(authentication.anonymous).toBe(false)
    expect(warnings).toEqual([expect.stringContaining('Resetting AnonymousAuth to false')])
  })

  it('order the admission plugins', () => {
    const { plugins } = parseServerOptions([
      '--enable-admission-plugins=AlwaysDeny,AlwaysAdmit',
      '--disable-admission-plugins=ServiceAccount',
    ]).admission
    expect(plugins[0]).toBe('AlwaysAdmit')
    expect(plugins.at(-1)).toBe('AlwaysDeny')
    expect(plugins).not.toContain('ServiceAccount')
  })

  it('read ranges and TLS settings', () => {
    const options = parseServerOptions([
      '--service-cluster-ip-range=10.0.0.0/16,fd00::/112',
      '--service-node-port-range=30000+10',
      '--tls-min-version=VersionTLS13',
      '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
      '--tls-sni-cert-key=a.crt,a.key:one.example,two.example',
    ])
    expect(options.services).toEqual({
      clusterIpRanges: ['10.0.0.0/16', 'fd00::/112'],
      nodePorts: { first: 30000, last: 30010 },
    })
    expect(options.serving).toMatchObject({
      minTlsVersion: 'TLSv1.3',
      ciphers: 'ECDHE-RSA-AES128-GCM-SHA256',
      sniCertKeys: [{ certFile: 'a.crt', keyFile: 'a.key', names: ['one.example', 'two.example'] }],
    })
  })

  it('have the flags of later releases', () => {
    const { serving, leadership } = parseServerOptions([
      '--emulated-version=1.36',
      '--tls-curve-preferences=29,24',
      '--coordinated-leadership-retry-period=1s',
    ])
    expect(serving.curves).toBe('X25519:P-384')
    expect(leadership).toEqual({ leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 1000 })
  })

  it.each([
    ['1.35', { maxAgeDays: 0, maxBackups: 0, maxSizeMegabytes: 0 }],
    ['1.36', { maxAgeDays: 366, maxBackups: 100, maxSizeMegabytes: 100 }],
  ])('have the defaults of %s', (release, expected) => {
    const { audit } = parseServerOptions([
      `--emulated-version=${release}`,
      '--audit-policy-file=p',
      '--audit-log-path=-',
    ])
    expect(audit?.log).toMatchObject(expected)
  })

  it.each([
    [['--secure-port=0'], '--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0'],
    [['--store=disk'], '--store must be memory, lmdb or etcd, not "disk"'],
    [['--store=etcd'], '--etcd-servers must be specified'],
    [['--store=memory', '--etcd-servers=http://a'], '--store=memory and --etcd-servers exclude each other'],
    [['--authorization-mode=RBAC,Magic'], 'authorization-mode "Magic" is not a valid mode'],
    [['--authorization-mode=Webhook'], "authorization-mode Webhook's authorization config file not passed"],
    [
      ['--authorization-mode=RBAC', '--authorization-config=a'],
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    ],
    [
      ['--authentication-config=a', '--oidc-issuer-url=https://a', '--oidc-client-id=x'],
      'authentication-config file and oidc-* flags are mutually exclusive',
    ],
    [
      ['--authentication-config=a', '--feature-gates=StructuredAuthenticationConfiguration=false'],
      'set --feature-gates=StructuredAuthenticationConfiguration=true to use authentication-config file',
    ],
    [['--oidc-client-id=x'], 'oidc-issuer-url and oidc-client-id must be specified together'],
    [['--requestheader-uid-headers=X-Id'], 'without specifying the standard X-Remote-Uid header'],
    [['--requestheader-group-headers= '], 'empty value in "requestheader-group-headers"'],
    [
      ['--requestheader-uid-headers=X-Remote-Uid', '--feature-gates=RemoteRequestHeaderUID=false'],
      '--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled',
    ],
    [
      ['--audit-log-path=-', '--audit-log-mode=fast'],
      'invalid audit log mode fast, allowed modes are "batch,blocking,blocking-strict"',
    ],
    [
      ['--audit-log-path=-', '--audit-log-mode=batch', '--audit-log-batch-buffer-size=0'],
      'invalid audit batch log buffer size 0, must be a positive number',
    ],
    [['--audit-log-path=-', '--audit-log-format=xml'], 'invalid audit log format xml'],
    [
      ['--audit-webhook-config-file=x', '--audit-webhook-truncate-max-batch-size=1'],
      'invalid audit truncate webhook max batch size 1, must be greater than max event size (102400)',
    ],
    [['--tls-min-version=1.3'], 'unknown tls version "1.3"'],
    [['--tls-cipher-suites=ROT13'], "Cipher suite ROT13 not supported or doesn't exist"],
    ...(
      [
        [['--tls-curve-preferences=29,29'], 'duplicate curve preference 29'],
        [['--tls-curve-preferences=0'], 'curve preference 0 is out of range (must be 1-65535)'],
        [['--tls-curve-preferences=7'], 'curve preference 7 is not supported by this version of Node'],
        [['--tls-curve-preferences=P-256'], 'invalid argument "P-256" for "--tls-curve-preferences" flag'],
        [
          ['--coordinated-leadership-lease-duration=10s'],
          '--coordinated-leadership-lease-duration must be greater than --coordinated-leadership-renew-deadline',
        ],
        [
          ['--coordinated-leadership-retry-period=0s'],
          '--coordinated-leadership-retry-period must be greater than zero',
        ],
        [
          ['--coordinated-leadership-retry-period=10s'],
          '--coordinated-leadership-renew-deadline must be greater than --coordinated-leadership-retry-period',
        ],
      ] as [string[], string][]
    ).map(([args, why]): [string[], string] => [[...args, '--emulated-version=1.36'], why]),
    [['--tls-curve-preferences=29', '--emulated-version=1.35'], 'unknown flag: --tls-curve-preferences'],
    [['--coordinated-leadership-retry-period=1s'], 'unknown flag: --coordinated-leadership-retry-period'],
    [['--tls-cert-file=a'], '--tls-cert-file and --tls-private-key-file must be given together'],
    [['--service-cluster-ip-range=10.0.0.0'], 'invalid CIDR address: 10.0.0.0'],
    [['--service-node-port-range=9-1'], 'end port cannot be less than start port: 9-1'],
    [['--request-timeout=-1s'], '--request-timeout can not be negative value'],
    [['--enable-admission-plugins=Nope'], 'enable-admission-plugins plugin "Nope" is unknown'],
    [
      ['--enable-admission-plugins=PodSecurityPolicy'],
      'enable-admission-plugins plugin "PodSecurityPolicy" is unknown',
    ],
    [
      ['--emulated-version=1.24', '--enable-admission-plugins=PodSecurityPolicy'],
      'plugin "PodSecurityPolicy" was removed in v1.25, and is not there when an earlier release is emulated either',
    ],
    [
      ['--show-hidden-metrics-for-version=1.20'],
      "--show-hidden-metrics-for-version must be omitted or have the value '1.32'. Only the previous minor version is allowed",
    ],
    [
      [
        '--feature-gates=AuthorizeWithSelectors=false',
        '--peer-ca-file=a',
        '--peer-advertise-ip=b',
        '--peer-advertise-port=1',
      ],
      '[--peer-ca-file requires UnknownVersionInteroperabilityProxy feature to be turned on, --peer-advertise-ip requires UnknownVersionInteroperabilityProxy feature to be turned on, --peer-advertise-port requires UnknownVersionInteroperabilityProxy feature to be turned on, AuthorizeNodeWithSelectors feature requires AuthorizeWithSelectors feature to be enabled]',
    ],
    [['--store=disk', '--request-timeout=-1s'], '[--request-timeout can not be negative value, --store must be'],
  ])('refuse %j', (args, message) => {
    expect(() => parseServerOptions(args)).toThrow(message)
  })

  it('take flags and gates whose gates are on', () => {
    const peers = ['--peer-ca-file=a', '--feature-gates=UnknownVersionInteroperabilityProxy=true']
    expect(() => parseServerOptions(peers)).not.toThrow()
    const gates = '--feature-gates=AuthorizeWithSelectors=false,AuthorizeNodeWithSelectors=false'
    expect(() => parseServerOptions([gates])).not.toThrow()
  })
})

describe('controllers', () => {
  it.each([
    [['*'], true],
    [['*', '-namespace-controller'], false],
    [['namespace-controller'], true],
    [['-namespace-controller', 'namespace-controller'], true],
    [['garbage-collector-controller'], false],
    [['-garbage-collector-controller'], false],
  ])('%j', (selection, expected) => {
    expect(isControllerEnabled(selection, 'namespace-controller')).toBe(expected)
  })

  it.each([
    { args: [], accounts: true },
    { args: ['--disable-admission-plugins=ServiceAccount'], accounts: false },
    { args: ['--disable-admission-plugins=ServiceAccount', '--controllers=*'], accounts: true },
  ])('make accounts where the plugin asks for them: $args', ({ args, accounts }) => {
    const { controllers } = parseServerOptions(args)
    expect(isControllerEnabled(controllers, 'serviceaccount-controller')).toBe(accounts)
    expect(isControllerEnabled(controllers, 'root-ca-certificate-publisher-controller')).toBe(accounts)
    expect(isControllerEnabled(controllers, 'namespace-controller')).toBe(true)
  })

  it('are refused by names that there are not', () => {
    expect(() => parseServerOptions(['--controllers=*,-namespaces,extra'])).toThrow(
      /"namespaces" is not in the list of known controllers: .*"extra" is not in the list/,
    )
  })
})

describe('options that later releases judge otherwise', () => {
  const ca = join(import.meta.dirname, 'files/testdata/certificate.pem')
  const shared = [`--client-ca-file=${ca}`, `--requestheader-client-ca-file=${ca}`]
  const overlap = 'contain overlapping certificates'
  const signer = (endpoint: string): string[] => [
    `--service-account-signing-endpoint=${endpoint}`,
    '--feature-gates=ExternalServiceAccountTokenSigner=true',
  ]
  it.each<[string, string[], string]>([
    ['1.34', shared, ''],
    ['1.35', shared, overlap],
    ['1.36', shared, overlap],
    ['1.36', [...shared, '--requestheader-allowed-names=proxy'], ''],
    ['1.33', signer('a b'), 'should be a valid location on the filesystem'],
    ['1.34', signer('a b'), ''],
    ['1.34', signer('@a b'), 'when prefixed with @ must be a valid abstract socket name'],
  ])('%s %j', (release, flags, expected) => {
    let said = ''
    try {
      parseServerOptions([`--emulated-version=${release}`, ...flags])
    } catch (error) {
      said = (error as Error).message
    }
    if (expected === '') expect(said).toBe('')
    else expect(said).toContain(expected)
  })
})
