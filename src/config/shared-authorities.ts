/**
 * An authority of clients that is also one of front proxies: any of its clients could say to be anybody, unless the names of
 * proxies are given. Mirrors pkg/kubeapiserver/options: certificatesOverlap.
 */
import { X509Certificate } from 'node:crypto'
import { readGivenFile } from '../lib/given-file.ts'
import type { FlagValues } from './flags.ts'

export function sharedAuthorityErrors(flags: FlagValues): string[] {
  const files = ['client-ca-file', 'requestheader-client-ca-file'].map((name) => flags.string(name))
  if (files.includes('') || flags.list('requestheader-allowed-names').length > 0) return []
  const [ofClients, ofProxies] = files.map(certificatesOf)
  if (![...(ofClients ?? [])].some((certificate) => ofProxies?.has(certificate))) return []
  return [
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names ' +
      'must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
  ]
}

/** Their bytes; undefined where the file cannot be read, which is told elsewhere. */
function certificatesOf(file: string): ReadonlySet<string> | undefined {
  try {
    const blocks = readGivenFile(file).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    return new Set(blocks.map((block) => new X509Certificate(block).raw.toString('base64')))
  } catch {
    return undefined
  }
}
