/** Whether a certificate and a key belong together, in the words of Go's TLS library. */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { type PemBlock, pemBlocks } from '../../../../lib/pem.ts'

/** What is wrong with the pair, if anything is. */
export function keyPairProblem(certificatePem: string, keyPem: string): string | undefined {
  const certificates = pemBlocks(certificatePem)
  const certificate = certificates.find(({ type }) => type === 'CERTIFICATE')
  if (certificate === undefined) return noCertificate(certificates)
  const keys = pemBlocks(keyPem)
  const key = keys.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'))
  if (key === undefined) return noKey(keys)
  const publicKey = certificateKey(certificate)
  if (publicKey === undefined) return 'x509: malformed certificate'
  return mismatch(publicKey, privateKey(key))
}

const typesOf = (blocks: readonly PemBlock[]): string => `[${blocks.map(({ type }) => type).join(' ')}]`

function noCertificate(blocks: readonly PemBlock[]): string {
  const [first] = blocks
  if (first === undefined) return 'tls: failed to find any PEM data in certificate input'
  if (blocks.length === 1 && first.type.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`
}

function noKey(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return 'tls: failed to find any PEM data in key input'
  if (blocks.length === 1 && blocks[0]?.type === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key'
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(blocks)}`
}

function certificateKey({ bytes }: PemBlock): KeyObject | undefined {
  try {
    return new X509Certificate(bytes).publicKey
  } catch {
    return undefined
  }
}

const forms = ['pkcs1', 'pkcs8', 'sec1'] as const

/** The type of the block does not say how the key is encoded: all ways are tried. */
function privateKey({ bytes }: PemBlock): KeyObject | undefined {
  for (const type of forms) {
    try {
      return createPrivateKey({ key: bytes, format: 'der', type })
    } catch {
      // Not this one.
    }
  }
  return undefined
}

function mismatch(publicKey: KeyObject, key: KeyObject | undefined): string | undefined {
  if (key === undefined) return 'tls: failed to parse private key'
  if (publicKey.asymmetricKeyType !== key.asymmetricKeyType) {
    return 'tls: private key type does not match public key type'
  }
  return createPublicKey(key).equals(publicKey) ? undefined : 'tls: private key does not match public key'
}
