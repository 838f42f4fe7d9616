import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { changeNamed, hasChange } from '../../../../api/release-changes.ts'
import { errorsAtRelease } from '../../../../api/release-wordings.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import type { KindServices } from '../../../kind-rules.ts'
import { type PodCertificateRequest, podCertificateRequestRules } from './pod-certificate-request.ts'

/** From midnight to two, or to half past twelve, of one Ed25519 key; the third has an empty name, `a..b`, `.a` and the address `bad`. */
const certificates = {
  good: [
    'MIG+MHICAQEwBQYDK2VwMAwxCjAIBgNVBAMMAXgwHhcNMjYwMTAxMDAwMDAwWhcNMjYwMTAxMDIwMDAwWjAMMQowCAYDVQQDDAF4',
    'MCowBQYDK2VwAyEAXLuPF6PW9UhOuh4OYP16tw4hN/HDBb6QI6TyxvNlFLswBQYDK2VwA0EAIulfff43yCFPkiLvEYyBJ9YL5atQ',
    'MuseqUickg81Z07I2LgJkRIoYK4UdqEheqEeuMkXfNIpeiOuwBYmQuvLBA==',
  ].join(''),
  short: [
    'MIG+MHICAQEwBQYDK2VwMAwxCjAIBgNVBAMMAXgwHhcNMjYwMTAxMDAwMDAwWhcNMjYwMTAxMDAzMDAwWjAMMQowCAYDVQQDDAF4',
    'MCowBQYDK2VwAyEAXLuPF6PW9UhOuh4OYP16tw4hN/HDBb6QI6TyxvNlFLswBQYDK2VwA0EAx9nPjIvaItbtKzcBqSj1iNWs/4Ua',
    'pHBlASzU39eDbmGXNcOBFurcaWfeCVe2ccfL2tXhktNL3EAF00yYUJlKAQ==',
  ].join(''),
  named: [
    'MIIBAzCBtqADAgECAgEBMAUGAytlcDAMMQowCAYDVQQDDAF4MB4XDTI2MDEwMTAwMDAwMFoXDTI2MDEwMTAyMDAwMFowDDEKMAgG',
    'A1UEAwwBeDAqMAUGAytlcAMhAFy7jxej1vVITroeDmD9ercOITfxwwW+kCOk8sbzZRS7oz0wOzAaBgNVHREEEzARggCCBGEuLmKC',
    'Ai5hgQNiYWQwHQYDVR0OBBYEFMTeXc1VnIdiszlrRMEDo4OcX6QiMAUGAytlcANBAI8Ts+HRkFGUR/4BWwu30igKuM9o11U18FyS',
    'Fawt3xdHu10kWAKq/A5Bnx2snbznAr1LqGFHeXqUd5pspOvkQQI=',
  ].join(''),
}
const publicKey = 'MCowBQYDK2VwAyEAXLuPF6PW9UhOuh4OYP16tw4hN/HDBb6QI6TyxvNlFLs='

/** Requests for certificates: of a key on P-224, of a DSA key, and one whose signature has another last bit. */
const requests = {
  small: [
    'MIGmMFcCAQAwADBOMBAGByqGSM49AgEGBSuBBAAhAzoABB+jmNqkUOVutDzzqnjFAXA4fAno0dAtBPh51H7Vf0lIMwP4fjgoYF4M',
    'mIdYeYmvHNiW7mlVQihaoAAwCgYIKoZIzj0EAwIDPwAwPAIcShzuHfYAyzlY5iU8Nfub6K4RU8kRWKfFVTk/PwIcFH7tRvo4j/kh',
    'xdL8y69M070OQ0yjW7XRvgRFbA==',
  ].join(''),
  dsa: [
    'MIICHDCCAcoCAQAwADCCAb8wggEzBgcqhkjOOAQBMIIBJgKBgQC/rwLty1cQKJattBzSUKGuL4qmLixmTwrFEcPQSkEEaSorHShR',
    'Lr3rbITeKqwHeQlCb+E3kevN3pPanTEMcSw+D0pw2i9GfELEIOvD2A1OfCvGRDyqAQzcw77GH9ZhLz1pqANzCCwrJxd5UZSNemmV',
    'Y8Djub2oQS2RMCMFrSyKVQIdAKb+omQ1/i5X0lhBaftn8tucdjhlv1g+EfmkJ+sCgYBHBcrpNVQsmJNCf4aESSHfeIrXB/4FonpB',
    '7i6ANoBRqyAV83IQIHOTJV2YsPRG8MOfAR3h/5LnXlzbwm0ze5ddnpJkqMQzoI2ODrt6Pip3jKq+eB/8xSMi6iH8Wky3EqPEG3xM',
    'P2ZJNSdAj30Nr8uc9Y/zKAYPkrJHxWInLNA1JgOBhQACgYEAhMvegDukbEG58LfgD2j9OzYxggq1YghuK8YMbLZojduym1vYHPQS',
    '6SH3bBo6kHXVjoo06mvvj/rhSMSMctDv946OibpoKtR2n03INZP2Boc6azHhIZj9iKek/I0AmTW497HzQ/hr47OS6aMxsNoz2+ZK',
    'Dou5iG3fSiAw81J2MvKgADALBglghkgBZQMEAwIDPwAwPAIcex5BSMt27v7cc03XCHmcC6+k7KA5GQZGfUolrgIcLhWyEGDSmpHL',
    'zqbo10yv/tnJv6p5BNGoRqhOpg==',
  ].join(''),
  unsigned: [
    'MH8wMwIBADAAMCowBQYDK2VwAyEAXLuPF6PW9UhOuh4OYP16tw4hN/HDBb6QI6TyxvNlFLugADAFBgMrZXADQQAekAwjYA4gXIGx',
    'pUBrAkcnlPtNKv0YuojhMIbtML5k2ukHsrHcg9Tjv6Lz9hdLTHlBQvIxqa4koEx4F9Ygjg0F',
  ].join(''),
}

const midnight = '2026-01-01T00:00:00Z'
const pem = (base64: string, type = 'CERTIFICATE'): string =>
  `-----BEGIN ${type}-----\n${base64}\n-----END ${type}-----\n`
const spki = (key: KeyObject): string => key.export({ format: 'der', type: 'spki' }).toString('base64')

const spec = {
  signerName: 'example.com/signer',
  podName: 'p',
  podUID: 'uid',
  serviceAccountName: 'default',
  serviceAccountUID: 'sa',
  nodeName: 'n',
  nodeUID: 'nu',
  maxExpirationSeconds: 7200,
  pkixPublicKey: publicKey,
  proofOfPossession: 'AAAA',
}

function rules(release: number, now = midnight) {
  return podCertificateRequestRules({
    gate: (name: string) => {
      const change = changeNamed(name)
      return change !== undefined && hasChange(release, change)
    },
    clock: { now: () => Date.parse(now) },
    access: { allows: async () => true },
  } as unknown as KindServices)
}

const request = (more: object, status: object = {}): PodCertificateRequest =>
  ({ metadata: { name: 'r' }, spec: { ...spec, ...more }, status }) as unknown as PodCertificateRequest

const told = (errors: Parameters<typeof errorsAtRelease>[0], release: number): string[] =>
  errorsAtRelease(errors, release).map(({ field, message }) => `${field}: ${message}`)

const context = (now: string): WriteContext =>
  ({ user: { name: 'jane', groups: [], extra: new Map() }, now: Date.parse(now) }) as unknown as WriteContext

describe('the key of a new request', () => {
  const stub = (stubPKCS10Request: string): object => ({
    stubPKCS10Request,
    pkixPublicKey: undefined,
    proofOfPossession: undefined,
  })
  const long = Buffer.alloc(10 * 1024 + 1).toString('base64')
  const small = generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).publicKey

  test.each<[string, object, string]>([
    ['is too long', { pkixPublicKey: long }, 'spec.pkixPublicKey: Too long: may not be more than 10240 bytes'],
    [
      'has too long a proof',
      { proofOfPossession: long },
      'spec.proofOfPossession: Too long: may not be more than 10240 bytes',
    ],
    [
      'is on a small curve',
      { pkixPublicKey: spki(small) },
      'spec.pkixPublicKey: Invalid value: "curve P-224": elliptic public keys must use curve P256 or P384',
    ],
    ['is in too long a request', stub(long), 'spec.stubPKCS10Request: Too long: may not be more than 10240 bytes'],
    [
      'is on a small curve in a request',
      stub(requests.small),
      'spec.stubPKCS10Request: Invalid value: "curve P-224": elliptic public keys must use curve P256, P384, or P521',
    ],
    [
      'is of another type in a request',
      stub(requests.dsa),
      'spec.stubPKCS10Request: Invalid value: unknown public key type; supported types are Ed25519, ECDSA, and RSA',
    ],
    [
      'is in a request that it did not sign',
      stub(requests.unsigned),
      'spec.stubPKCS10Request: Invalid value: invalid signature',
    ],
  ])('%s', (_, more, error) => {
    expect(told(rules(36).strategy.validate?.(request(more), context(midnight)) ?? [], 36)).toEqual([error])
  })

  test('comes with a lifetime and short uids', () => {
    const more = { maxExpirationSeconds: undefined, podUID: 'u'.repeat(129) }
    const found = told(rules(36).strategy.validate?.(request(more), context(midnight)) ?? [], 36)
    expect(found).toContain('spec.maxExpirationSeconds: Required value: must be set')
    expect(found).toContain('spec.podUID: Too long: may not be more than 128 bytes')
  })
})

describe('an issued certificate', () => {
  const condition = { type: 'Issued', status: 'True', reason: 'R', message: 'm', lastTransitionTime: midnight }
  const issued = {
    conditions: [condition],
    certificateChain: pem(certificates.good),
    notBefore: midnight,
    notAfter: '2026-01-01T02:00:00Z',
    beginRefreshAt: '2026-01-01T01:00:00Z',
  }
  const shortly = { ...issued, certificateChain: pem(certificates.short), notAfter: '2026-01-01T00:30:00Z' }
  const chainIs = (chain: string, why: string): string =>
    `status.certificateChain: Invalid value: ${JSON.stringify(chain)}: ${why}`
  const other = pem(certificates.good, 'OTHER')
  const broken = pem('AAAA')

  interface Case {
    readonly status?: object
    readonly spec?: object
    readonly now?: string
    readonly errors: readonly string[]
  }

  test.each<[string, Case]>([
    ['is right', { errors: [] }],
    [
      'is issued twice',
      {
        status: { conditions: [condition, { ...condition, type: 'Denied' }] },
        errors: [
          'status.conditions.[1].type: Invalid value: "Denied": There may be at most one condition with type "Issued", "Denied", or "Failed"',
        ],
      },
    ],
    [
      'is too long',
      {
        status: { certificateChain: 'x'.repeat(100 * 1024 + 1) },
        errors: ['status.certificateChain: Too long: may not be more than 102400 bytes'],
      },
    ],
    [
      'is none',
      {
        status: { certificateChain: other },
        errors: [chainIs(other, 'issued certificate chain must consist entirely of CERTIFICATE PEM blocks')],
      },
    ],
    [
      'cannot be read',
      {
        status: { certificateChain: broken },
        errors: [chainIs(broken, 'leaf certificate does not parse as valid X.509')],
      },
    ],
    [
      'is followed by one that cannot be read',
      {
        status: { certificateChain: issued.certificateChain + broken },
        errors: [chainIs(issued.certificateChain + broken, 'intermediate certificate does not parse as valid X.509')],
      },
    ],
    [
      'is followed by none',
      {
        status: { certificateChain: issued.certificateChain + other },
        errors: [
          chainIs(
            issued.certificateChain + other,
            'issued certificate chain must consist entirely of CERTFICATE PEM blocks',
          ),
        ],
      },
    ],
    [
      'is for another key',
      {
        spec: { pkixPublicKey: spki(generateKeyPairSync('ed25519').publicKey) },
        errors: [chainIs(issued.certificateChain, 'leaf certificate was not issued to the requested public key')],
      },
    ],
    [
      'has no times',
      {
        status: { notBefore: undefined, notAfter: undefined, beginRefreshAt: undefined },
        errors: [
          'status.notBefore: Required value: must be present and consistent with the issued certificate',
          'status.notAfter: Required value: must be present and consistent with the issued certificate',
          'status.beginRefreshAt: Required value: must be present and in the range [notbefore+10min, notafter-10min]',
        ],
      },
    ],
    [
      'began at another time',
      {
        status: { notBefore: '2026-01-01T00:00:01Z' },
        errors: [
          'status.notBefore: Invalid value: "2026-01-01T00:00:01Z": must be set to the NotBefore time encoded in the leaf certificate',
        ],
      },
    ],
    [
      'began long ago',
      {
        now: '2026-01-01T00:05:00Z',
        errors: [
          `status.notBefore: Invalid value: "${midnight}": must be set to within 5 minutes of kube-apiserver's current time`,
        ],
      },
    ],
    [
      'ends at another time',
      {
        status: { notAfter: midnight },
        errors: [
          `status.notAfter: Invalid value: "${midnight}": must be set to the NotAfter time encoded in the leaf certificate`,
        ],
      },
    ],
    [
      'ends too soon',
      {
        status: shortly,
        errors: ['status.certificateChain: Invalid value: 1800000000000: leaf certificate lifetime must be >= 1 hour'],
      },
    ],
    [
      'ends too late',
      {
        spec: { maxExpirationSeconds: 3600 },
        errors: [
          'status.certificateChain: Invalid value: 7200000000000: leaf certificate lifetime must be <= spec.maxExpirationSeconds (3600)',
        ],
      },
    ],
    [
      'is refreshed too soon',
      {
        status: { beginRefreshAt: '2026-01-01T00:09:59Z' },
        errors: [
          'status.beginRefreshAt: Invalid value: "2026-01-01T00:09:59Z": must be at least 10 minutes after status.notBefore',
        ],
      },
    ],
    [
      'is refreshed too late',
      {
        status: { beginRefreshAt: '2026-01-01T01:50:01Z' },
        errors: [
          'status.beginRefreshAt: Invalid value: "2026-01-01T01:50:01Z": must be at least 10 minutes before status.notAfter',
        ],
      },
    ],
    [
      'has names that are none',
      {
        status: { certificateChain: pem(certificates.named) },
        errors: [
          'status.certificateChain: Invalid value: "": leaf certificate should not contain empty DNSName',
          "status.certificateChain: Invalid value: \"a..b\": leaf certificate's DNSName should not contain '..'",
          "status.certificateChain: Invalid value: \".a\": leaf certificate's DNSName should not start or end with '.'",
          'status.certificateChain: Invalid value: "bad": leaf certificate should not contain invalid EmailAddress',
        ],
      },
    ],
  ])('%s', async (_, { status, spec: more = {}, now = midnight, errors }) => {
    const part = rules(36, now).parts?.['status']
    const given = request(more, { ...issued, ...status })
    const found = await part?.validateInTurns?.(given, request(more), context(now))
    expect(told(found ?? [], 36)).toEqual(errors)
  })
})
