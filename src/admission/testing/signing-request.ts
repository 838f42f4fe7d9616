/** Real certificate signing requests for tests. */
import { createSign, generateKeyPairSync } from 'node:crypto'
import { bits, derInteger, derSet, explicit, objectId, sequence, utf8 } from '../../lib/der.ts'

export interface RequestedSubject {
  readonly commonName: string
  readonly organizations?: readonly string[]
}

/** PEM in base64, as the `request` of an object. */
export function signingRequest({ commonName, organizations = [] }: RequestedSubject): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const part = (id: string, text: string): Buffer => derSet(sequence(objectId(id), utf8(text)))
  const subject = sequence(...organizations.map((name) => part('2.5.4.10', name)), part('2.5.4.3', commonName))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const information = sequence(derInteger(0), subject, key, explicit(0, Buffer.alloc(0)))
  const signature = createSign('sha256').update(information).sign(privateKey)
  const whole = sequence(information, sequence(objectId('1.2.840.10045.4.3.2')), bits(signature))
  const type = 'CERTIFICATE REQUEST'
  const pem = `-----BEGIN ${type}-----\n${whole.toString('base64')}\n-----END ${type}-----\n`
  return Buffer.from(pem).toString('base64')
}
