/** Certificates of authorities, given as base64 of PEM: whether anything can be trusted by them. */

import { X509Certificate } from 'node:crypto'
import { pemBlocks } from '../lib/pem.ts'
import { GoLiteral } from './golang/literal.ts'
import { maxQuotedText } from './golang/quote.ts'
import { quotedJsonText } from './golang/quoted-items.ts'

/** What is wrong with the bundle, or undefined. One certificate that can be read is enough. */
export function caBundleProblem(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  if (text === '') return undefined
  const blocks = pemBlocks(text)
  const certificates = blocks.filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders)
  const problems = certificates.map(({ bytes }) => certificateProblem(bytes))
  if (problems.includes(undefined)) return undefined
  const why = problems[0] ?? (blocks.length === 0 ? 'unable to parse bytes as PEM block' : nothingSeen(text))
  return `unable to load root certificates: ${why}`
}

/** Text after the last block is read as one that is missing. */
const nothingSeen = (text: string): string =>
  /-----END [^\n]*-----[ \t\r]*\n?$/.test(text)
    ? 'no valid certificate authority data seen'
    : 'unable to parse bytes as PEM block'

function certificateProblem(bytes: Buffer): string | undefined {
  try {
    new X509Certificate(bytes)
    return undefined
  } catch {
    return 'failed to parse certificate: x509: malformed certificate'
  }
}

const byteLiterals = Array.from({ length: 256 }, (_, byte) => `0x${byte.toString(16)}`)

/** The bytes as messages show them, of many the first. */
export function goBytes(base64: string): GoLiteral {
  const bytes = Buffer.from(base64, 'base64')
  const shown = Array.from(bytes.subarray(0, maxQuotedText), (byte) => byteLiterals[byte])
  if (shown.length < bytes.length) shown.push('...')
  return new GoLiteral(`[]byte{${shown.join(', ')}}`, () => quotedJsonText(base64))
}
