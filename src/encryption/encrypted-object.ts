/** The rules for what a KMS v2 plugin says and for what is stored of it. */
import { validateFullyQualifiedDomainName } from '../api/names.ts'
import { aggregate } from '../api/status-error.ts'
import { type EncryptedObject, type KmsAnnotations, keySource } from './kms-messages.ts'
import { aggregateErrors } from './transformer.ts'

const maxKeyId = 1024
const maxSource = 1024
const maxAnnotations = 32 * 1024

/** Throws when it breaks a rule. */
export function checkEncryptedObject(object: EncryptedObject): void {
  const { sourceType, encryptedData, encryptedSource, keyId, annotations } = object
  if (sourceType !== keySource.key && sourceType !== keySource.seed) {
    throw new Error(`unknown encryptedDEKSourceType: ${sourceType}`)
  }
  if (encryptedData.length === 0) throw new Error('encrypted data is empty')
  checkSource(encryptedSource)
  const problem = keyIdProblem(keyId)
  if (problem !== undefined) throw new Error(`failed to validate key id: ${problem.message}`)
  checkAnnotations(annotations)
}

function checkSource(source: Buffer): void {
  const prefix = 'failed to validate encrypted DEK source: encrypted DEK source is '
  if (source.length === 0) throw new Error(`${prefix}empty`)
  if (source.length > maxSource) {
    throw new Error(`${prefix}${source.length} bytes, which exceeds the max size of ${maxSource}`)
  }
}

export interface KeyIdProblem {
  /** For the metrics. */
  readonly code: 'empty' | 'too_long'
  readonly message: string
}

export function keyIdProblem(keyId: string): KeyIdProblem | undefined {
  const length = Buffer.byteLength(keyId)
  if (length === 0) return { code: 'empty', message: 'keyID is empty' }
  if (length <= maxKeyId) return undefined
  return { code: 'too_long', message: `keyID is ${length} bytes, which exceeds the max size of ${maxKeyId}` }
}

function checkAnnotations(annotations: KmsAnnotations): void {
  const errors: Error[] = []
  let size = 0
  for (const [key, value] of annotations) {
    const found = validateFullyQualifiedDomainName('annotations', key)
    if (found.length > 0) errors.push(new Error(aggregate(found)))
    size += Buffer.byteLength(key) + value.length
  }
  if (size > maxAnnotations) {
    errors.push(new Error(`total size of annotations is ${size}, which exceeds the max size of ${maxAnnotations}`))
  }
  if (errors.length > 0)
    throw new Error(`failed to validate annotations: ${(aggregateErrors(errors) as Error).message}`)
}

/** The identity of a data key: everything that the plugin needs to decrypt it. */
export function sourceName({ sourceType, encryptedSource, keyId, annotations }: EncryptedObject): string {
  const parts = [String(sourceType), encryptedSource.toString('latin1'), keyId]
  for (const key of [...annotations.keys()].sort()) {
    parts.push(key, Buffer.from(annotations.get(key) ?? []).toString('latin1'))
  }
  return parts.map((part) => `${part.length}:${part}`).join('')
}
