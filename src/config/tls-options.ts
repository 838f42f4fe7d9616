/** TLS versions, cipher suites and key exchanges: the names of the flags, and what Node calls them. */
import { createSecureContext, type SecureVersion } from 'node:tls'
import { ConfigError } from './config-error.ts'

const versions: ReadonlyMap<string, SecureVersion> = new Map([
  ['VersionTLS10', 'TLSv1'],
  ['VersionTLS11', 'TLSv1.1'],
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
])

/** IANA names by the names that OpenSSL has for them. Suites of TLS 1.3 are always on and may be named without effect. */
const suites: ReadonlyMap<string, string> = new Map([
  ['TLS_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ['TLS_AES_256_GCM_SHA384', 'TLS_AES_256_GCM_SHA384'],
  ['TLS_CHACHA20_POLY1305_SHA256', 'TLS_CHACHA20_POLY1305_SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
])

/** TLS 1.2 where nothing was asked for. */
export function tlsMinVersion(name: string): SecureVersion {
  if (name === '') return 'TLSv1.2'
  const version = versions.get(name)
  if (version === undefined) throw new ConfigError(`unknown tls version ${JSON.stringify(name)}`)
  return version
}

/** The list as OpenSSL takes it, or nothing for Node's own choice. */
export function tlsCipherList(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return names
    .map((name) => {
      const suite = suites.get(name)
      if (suite === undefined) throw new ConfigError(`Cipher suite ${name} not supported or doesn't exist`)
      return suite
    })
    .join(':')
}

/** Key exchanges by their numbers in TLS, as OpenSSL calls them. */
const curves: ReadonlyMap<number, string> = new Map([
  [23, 'P-256'],
  [24, 'P-384'],
  [25, 'P-521'],
  [29, 'X25519'],
  [4587, 'SecP256r1MLKEM768'],
  [4588, 'X25519MLKEM768'],
  [4589, 'SecP384r1MLKEM1024'],
])

/** The list as OpenSSL takes it, or nothing for Node's own choice. Mirrors component-base/cli/flag: TLSCurvePreferences. */
export function tlsCurveList(ids: readonly string[]): string | undefined {
  if (ids.length === 0) return undefined
  const names = new Set<string>()
  for (const text of ids) {
    const id = curveNumber(text)
    const name = curves.get(id)
    if (id <= 0 || id > 65_535) throw new ConfigError(`curve preference ${id} is out of range (must be 1-65535)`)
    if (name === undefined || !isKnownCurve(name)) {
      throw new ConfigError(`curve preference ${id} is not supported by this version of Node`)
    }
    if (names.has(name)) throw new ConfigError(`duplicate curve preference ${id}`)
    names.add(name)
  }
  return [...names].join(':')
}

function curveNumber(text: string): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  throw new ConfigError(
    `invalid argument ${JSON.stringify(text)} for "--tls-curve-preferences" flag: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
  )
}

/** Hybrid key exchanges need a newer OpenSSL than the oldest supported Node has. */
function isKnownCurve(name: string): boolean {
  try {
    createSecureContext({ ecdhCurve: name })
    return true
  } catch {
    return false
  }
}
