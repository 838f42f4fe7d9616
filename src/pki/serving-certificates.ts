/**
 * The certificates that the server shows: the default one, and others for some host names. Files that change are read
 * again; a pair that does not fit together is left aside until it does, and the one before stays.
 */
import { X509Certificate } from 'node:crypto'
import { stat } from 'node:fs/promises'
import tls, { type SecureContext } from 'node:tls'
import { ConfigError } from '../config/config-error.ts'
import type { ServingOptions, SniCertKey } from '../config/serving-options.ts'
import type { Clock } from '../lib/clock.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { Logger } from '../lib/logger.ts'

export interface CertificateOptions {
  readonly serving: ServingOptions
  readonly clock: Pick<Clock, 'setTimeout'>
  readonly logger: Logger
  /** The authorities whose names are in the handshake. */
  readonly clientCaFiles: readonly string[]
  /** Uses another default certificate for new connections. */
  readonly replaceDefault: (key: string, cert: string) => void
  /** Names other authorities to new connections. */
  readonly replaceAuthorities: () => void
}

export type CertificateOfName = (name: string) => SecureContext | undefined

/** How often the files are looked at. */
const lookMs = 1000

interface Pair {
  readonly certFile: string
  readonly keyFile: string
  readonly load: () => void
  stamp: string
}

/** Certificates by host name, where any were given. Throws a `ConfigError` for files that cannot be used. */
export class NamedCertificates {
  readonly #serving: ServingOptions
  readonly #contexts = new Map<SniCertKey, { readonly names: readonly string[]; readonly context: SecureContext }>()
  #byName = new Map<string, SecureContext>()

  readonly #clientAuthorities: () => string

  constructor(serving: ServingOptions, clientAuthorities: () => string) {
    this.#serving = serving
    this.#clientAuthorities = clientAuthorities
    for (const files of serving.sniCertKeys) {
      try {
        this.load(files)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw new ConfigError(`failed to load SNI cert and key: ${why}`)
      }
    }
  }

  load(files: SniCertKey): void {
    const cert = readGivenFile(files.certFile)
    const key = readGivenFile(files.keyFile)
    const { minTlsVersion, ciphers, curves } = this.#serving
    const context = tls.createSecureContext({
      key,
      cert,
      ca: this.#clientAuthorities(),
      minVersion: minTlsVersion,
      ...(ciphers ? { ciphers } : {}),
      ...(curves ? { ecdhCurve: curves } : {}),
    })
    this.#contexts.set(files, { names: files.names.length > 0 ? files.names : namesOf(cert), context })
    this.#byName = new Map()
    // Names that were given count more than names that certificates bring; among equals, the first.
    for (const explicit of [true, false]) {
      for (const { names, context: known } of this.#ordered(explicit)) {
        for (const name of names) if (!this.#byName.has(name)) this.#byName.set(name, known)
      }
    }
  }

  reload(): void {
    for (const files of this.#serving.sniCertKeys) this.load(files)
  }

  #ordered(explicit: boolean) {
    return this.#serving.sniCertKeys
      .filter(({ names }) => names.length > 0 === explicit)
      .flatMap((files) => this.#contexts.get(files) ?? [])
  }

  /** The certificate of exactly this name, or of all names at its level. */
  find: CertificateOfName = (name) => {
    const asked = name.toLowerCase()
    return this.#byName.get(asked) ?? this.#byName.get(asked.replace(/^[^.]+/, '*'))
  }
}

function namesOf(cert: string): readonly string[] {
  const { subject, subjectAltName } = new X509Certificate(cert)
  const common = /^CN=(.+)$/m.exec(subject)?.[1]
  const others = (subjectAltName ?? '').split(', ').flatMap((entry) => (entry.startsWith('DNS:') ? entry.slice(4) : []))
  return [...(common === undefined ? [] : [common]), ...others].map((name) => name.toLowerCase())
}

/** Reads certificates again when their files change. The result ends it. */
export function followCertificates(options: CertificateOptions, named: NamedCertificates): () => void {
  const { serving, clientCaFiles, clock, logger, replaceDefault, replaceAuthorities } = options
  const { certFile, keyFile } = serving
  const pairs: Pair[] = serving.sniCertKeys.map((files) => ({ ...files, load: () => named.load(files), stamp: '' }))
  if (certFile !== undefined && keyFile !== undefined) {
    const load = (): void => replaceDefault(readGivenFile(keyFile), readGivenFile(certFile))
    pairs.push({ certFile, keyFile, load, stamp: '' })
  }
  for (const file of clientCaFiles) {
    const load = (): void => {
      named.reload()
      replaceAuthorities()
    }
    pairs.push({ certFile: file, keyFile: file, load, stamp: '' })
  }
  if (pairs.length === 0) return () => {}
  let cancel = (): void => {}
  let isEnded = false
  const look = async (): Promise<void> => {
    for (const pair of pairs) await reload(pair, logger)
    if (!isEnded) cancel = clock.setTimeout(() => void look(), lookMs)
  }
  void look()
  return () => {
    isEnded = true
    cancel()
  }
}

async function reload(pair: Pair, logger: Logger): Promise<void> {
  const stamp = await stampOf(pair).catch(() => pair.stamp)
  const before = pair.stamp
  if (stamp === before) return
  pair.stamp = stamp
  // What was read at the start is in use already.
  if (before === '') return
  try {
    pair.load()
    logger.info({ file: pair.certFile }, 'the serving certificate was replaced')
  } catch (error) {
    logger.error({ err: error, file: pair.certFile }, 'the new serving certificate cannot be used')
  }
}

async function stampOf({ certFile, keyFile }: Pair): Promise<string> {
  const [cert, key] = await Promise.all([stat(certFile), stat(keyFile)])
  // Nothing is waited for while requests are served.
  if (!cert.isFile() || !key.isFile()) throw new Error('a certificate is no file')
  return [cert, key].map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`).join(' ')
}
