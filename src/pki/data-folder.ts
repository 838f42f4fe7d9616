/**
 * What the server keeps on disk beside its store, made on the first start and kept:
 *
 *   admin.kubeconfig       for the user; written at every start, as the address may change
 *   pki/ca.crt, ca.key     signs the others; clients with a certificate of it are trusted
 *   pki/apiserver.crt/key  the serving certificate; made anew when a name is missing or its end is near
 *   pki/admin.crt/key      a member of system:masters
 *   pki/sa.key             signs service account tokens; made when the first token is asked for
 *   store/                 the embedded store
 *
 * Certificates that the user put there are never overwritten, and private keys are for the owner alone.
 */
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { parseVerificationKeys } from '../auth/service-account/keys.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { ServingOptions } from '../config/serving-options.ts'
import type { Clock } from '../lib/clock.ts'
import { withFolderLock } from '../lib/folder-lock.ts'
import { readGivenFile } from '../lib/given-file.ts'
import { closeFolder, isOpenToOthers, makePrivateFolder, writePrivateFile } from '../lib/private-files.ts'
import {
  type CertificatePair,
  createCertificateAuthority,
  isIssuedBy,
  isStillGood,
  issueCertificate,
} from './certificates.ts'
import { localServerUrl, writeKubeconfig } from './kubeconfig.ts'

/** Everything that the server proves itself and others with. */
export interface ServerCredentials {
  /** The server's own CA. It signed `admin`, so its client certificates must be trusted besides `--client-ca-file`. */
  readonly ca: CertificatePair
  readonly serving: CertificatePair
  readonly admin: CertificatePair
  /** What clients must trust to reach this server. */
  readonly servingCaPem: string
  readonly serviceAccountKeys: ServiceAccountKeys
}

/** Keys are promises: making the signing key takes longer than starting the server, so nothing waits for it until it is needed. */
export interface ServiceAccountKeys {
  signingKey(): Promise<KeyObject>
  /** The public keys that tokens are checked with, the signing key's own first unless files were given. */
  verificationKeys(): Promise<readonly KeyObject[]>
}

/** Credentials from the files that the options name, and for the rest from the folder. */
export function loadCredentials(options: ServerOptions, clock: Clock): ServerCredentials {
  const folder = options.serving.certDir
  closeFolder(folder)
  const ca = keptPair(folder, 'ca', () => createCertificateAuthority('pilothouse', clock.now()))
  const { certFile, keyFile } = options.serving
  const serving =
    certFile !== undefined && keyFile !== undefined
      ? checkedPair(
          { certPem: readGiven(certFile, '--tls-cert-file'), keyPem: readGiven(keyFile, '--tls-private-key-file') },
          certFile,
          keyFile,
        )
      : servingPair(folder, ca, servingNames(options), clock)
  const isAdminGood = (pair: CertificatePair) => isStillGood(pair.certPem, ca.certPem, [], clock.now())
  const admin = keptPair(
    folder,
    'admin',
    () =>
      issueCertificate(ca, {
        commonName: 'admin',
        organizations: ['system:masters'],
        usage: 'client',
        now: clock.now(),
      }),
    isAdminGood,
  )
  const servingCaPem = isIssuedBy(serving.certPem, ca.certPem) ? ca.certPem : serving.certPem
  return {
    ca,
    serving,
    admin,
    servingCaPem,
    serviceAccountKeys: serviceAccountKeys(options, () => keptSigningKey(folder)),
  }
}

/** The pairs of credentials, as another process of the server is sent them. */
export type CredentialPairs = Pick<ServerCredentials, 'ca' | 'serving' | 'admin' | 'servingCaPem'>

/** The credentials of another process of the same server, which asks for the signing key when it needs it. */
export const sharedCredentials = (
  options: ServerOptions,
  pairs: CredentialPairs,
  signingKey: () => Promise<KeyObject>,
): ServerCredentials => ({ ...pairs, serviceAccountKeys: serviceAccountKeys(options, signingKey) })

/** What this program puts into a data folder. */
const ownEntries: ReadonlySet<string> = new Set(['admin.kubeconfig', 'pki', 'store'])

/**
 * Makes the data folder one for its owner alone. A folder that holds other things, too, is not for this program to close:
 * what lies in it of the server's is closed all the same. Returns warnings.
 */
export function closeDataFolder({ dataDir, storage, serving, authentication, flags }: ServerOptions): string[] {
  const warnings: string[] = []
  if (storage.kind === 'lmdb' || flags.isSet('data-dir')) {
    const isOurs = !existsSync(dataDir) || readdirSync(dataDir).every((name) => ownEntries.has(name))
    if (isOurs) makePrivateFolder(dataDir)
    else if (isOpenToOthers(dataDir)) {
      warnings.push(
        `others may look into ${dataDir}, which holds more than this server's files: close it with chmod 700`,
      )
    }
  }
  const { signingKeyFile } = authentication.serviceAccounts
  for (const file of [serving.keyFile, signingKeyFile]) {
    if (file !== undefined && existsSync(file) && (statSync(file).mode & 0o044) !== 0) {
      warnings.push(`others may read the private key ${file}: close it with chmod 600`)
    }
  }
  return warnings
}

/** Credentials that live in memory only, for a server that leaves nothing behind. */
export function temporaryCredentials(options: ServerOptions, clock: Clock): ServerCredentials {
  const now = clock.now()
  const ca = createCertificateAuthority('pilothouse', now)
  const serving = issueCertificate(ca, {
    commonName: 'kube-apiserver',
    usage: 'server',
    names: servingNames(options),
    now,
  })
  let admin: CertificatePair | undefined
  return {
    ca,
    serving,
    get admin() {
      admin ??= issueCertificate(ca, { commonName: 'admin', organizations: ['system:masters'], usage: 'client', now })
      return admin
    },
    servingCaPem: ca.certPem,
    serviceAccountKeys: serviceAccountKeys(options, () => keptSigningKey(undefined)),
  }
}

/** Writes the admin kubeconfig and returns where it is. */
export function writeAdminKubeconfig(options: ServerOptions, credentials: ServerCredentials): string {
  const { bindAddress, securePort } = options.serving
  const file = path.resolve(kubeconfigFolder(options), 'admin.kubeconfig')
  const server = localServerUrl(bindAddress, securePort)
  writePrivateFile(file, writeKubeconfig({ server, caPem: credentials.servingCaPem, client: credentials.admin }))
  return file
}

/** With `--cert-dir` and a remote store no data folder is created. */
function kubeconfigFolder({ flags, storage, dataDir, serving }: ServerOptions): string {
  const needsFolder = storage.kind === 'lmdb' || flags.isSet('data-dir') || !flags.isSet('cert-dir')
  return needsFolder ? dataDir : serving.certDir
}

function servingPair(folder: string, ca: CertificatePair, names: string[], clock: Clock): CertificatePair {
  const isGood = ({ certPem }: CertificatePair) =>
    !isIssuedBy(certPem, ca.certPem) || isStillGood(certPem, ca.certPem, names, clock.now())
  const issue = () => issueCertificate(ca, { commonName: 'kube-apiserver', usage: 'server', names, now: clock.now() })
  return keptPair(folder, 'apiserver', issue, isGood)
}

/** The pair in the folder if it is there and good, else a new one that is kept there. */
function keptPair(
  folder: string,
  name: string,
  make: () => CertificatePair,
  isGood: (pair: CertificatePair) => boolean = () => true,
): CertificatePair {
  const files = { certFile: path.join(folder, `${name}.crt`), keyFile: path.join(folder, `${name}.key`) }
  const found = goodPair(files, isGood)
  if (found !== undefined) return found
  // Another server may be about to make it, or to make it anew.
  return withFolderLock(folder, () => {
    const made = readPair(files)
    if (made !== undefined && isGood(made)) return made
    refuseHalf(files.certFile, files.keyFile)
    const pair = make()
    writePrivateFile(files.keyFile, pair.keyPem)
    writePrivateFile(files.certFile, pair.certPem)
    return pair
  })
}

interface PairFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** Undefined when there is none, or when it is not good, or just being replaced. */
function goodPair(files: PairFiles, isGood: (pair: CertificatePair) => boolean): CertificatePair | undefined {
  try {
    const pair = readPair(files)
    return pair !== undefined && isGood(pair) ? pair : undefined
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

function readPair({ certFile, keyFile }: PairFiles): CertificatePair | undefined {
  if (!existsSync(certFile) || !existsSync(keyFile)) return undefined
  const found = { certPem: readGivenFile(certFile), keyPem: readGivenFile(keyFile) }
  return checkedPair(found, certFile, keyFile)
}

/** A certificate is written after its key: one without was put there by the user, and must not be lost to a new one. */
function refuseHalf(certFile: string, keyFile: string): void {
  if (!existsSync(certFile) || existsSync(keyFile)) return
  throw new ConfigError(
    `${certFile} is there without ${keyFile}: put the key beside it, or move the certificate away and a new pair is made`,
  )
}

/** Throws a `ConfigError` that names the file which is at fault. */
function checkedPair(pair: CertificatePair, certFile: string, keyFile: string): CertificatePair {
  const certificate = readable(certFile, 'certificate', () => new X509Certificate(pair.certPem))
  const key = readable(keyFile, 'private key', () => createPrivateKey(pair.keyPem))
  if (!certificate.checkPrivateKey(key)) throw new ConfigError(`${keyFile} is not the private key of ${certFile}`)
  return pair
}

function readable<T>(file: string, what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(`${file} holds no ${what}: ${(error as Error).message}`)
  }
}

function readGiven(file: string, flag: string): string {
  try {
    return readGivenFile(file)
  } catch (error) {
    throw new ConfigError(`${flag}: ${(error as Error).message}`)
  }
}

function servingNames(options: ServerOptions): string[] {
  const { serving, services } = options
  const names = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    hostname(),
    serving.externalHostname,
    ...services.clusterIpRanges.map(firstAddress),
    serving.advertiseAddress,
    ...listeningAddresses(serving),
  ]
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[]
}

function listeningAddresses({ bindAddress }: ServingOptions): string[] {
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return ['127.0.0.1', bindAddress]
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return ['127.0.0.1', '::1', ...own.map(({ address }) => address).filter((address) => !address.startsWith('fe80:'))]
}

/** The address that the service `kubernetes` gets: the first of the range after that of the network itself. */
function firstAddress(range: string): string | undefined {
  const [address = ''] = range.split('/')
  if (address.includes(':')) return address.endsWith('::') ? `${address}1` : undefined
  const parts = address.split('.').map(Number)
  return [...parts.slice(0, 3), (parts[3] ?? 0) + 1].join('.')
}

function serviceAccountKeys(options: ServerOptions, make: () => Promise<KeyObject>): ServiceAccountKeys {
  const { signingKeyFile, keyFiles } = options.authentication.serviceAccounts
  const given = keyFiles.flatMap(readPublicKeys)
  let signing = signingKeyFile === undefined ? undefined : Promise.resolve(readPrivateKey(signingKeyFile))
  const signingKey = () => {
    signing ??= make()
    return signing
  }
  return {
    signingKey,
    verificationKeys: async () => (given.length > 0 ? given : [createPublicKey(await signingKey())]),
  }
}

/** All keys of a file. */
function readPublicKeys(file: string): KeyObject[] {
  const text = readGiven(file, '--service-account-key-file')
  try {
    return parseVerificationKeys(text, file).map(({ key }) => key)
  } catch (error) {
    throw new ConfigError(`--service-account-key-file: ${(error as Error).message}`)
  }
}

function readPrivateKey(file: string): KeyObject {
  const text = readGiven(file, '--service-account-signing-key-file')
  try {
    return createPrivateKey(text)
  } catch (error) {
    throw new ConfigError(
      `--service-account-signing-key-file: ${file} holds no private key: ${(error as Error).message}`,
    )
  }
}

/** RSA because verifiers of service account tokens outside of the server often know nothing else. */
async function keptSigningKey(folder: string | undefined): Promise<KeyObject> {
  const file = folder === undefined ? undefined : path.join(folder, 'sa.key')
  if (file !== undefined && existsSync(file)) return readPrivateKey(file)
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  if (file === undefined) return privateKey
  // Servers that share the folder share the key: of two that make one at a time the first one counts.
  return withFolderLock(path.dirname(file), () => {
    if (existsSync(file)) return readPrivateKey(file)
    writePrivateFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    return privateKey
  })
}
