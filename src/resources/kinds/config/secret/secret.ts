/**
 * Secret: what its type asks of its data. `stringData` is a convenience for writers: it is part of `data` from the
 * moment that a body is decoded, and is never read back.
 * Mirrors pkg/apis/core/validation: ValidateSecret, ValidateSecretUpdate.
 * Mirrors pkg/registry/core/secret: strategy.
 */
import { limitErrorsOf } from '../../../../api/error-limit.ts'
import { type FieldError, forbidden, invalid, required, tooLong } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { jsonObjectProblem } from '../../../../api/golang/json.ts'
import { isJsonObject, type JsonObject } from '../../../../api/json.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import { mapInSteps } from '../../../../api/large-values.ts'
import { checkConfigMapKey } from '../../../../api/names.ts'
import type { KubeObject, StringMap } from '../../../../api/object.ts'
import { inTurns, runToEnd, type Steps } from '../../../../lib/in-turns.ts'
import { immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { bytesOfBase64, keysPerStep, lockedMessage, maxDataBytes, sameData } from '../data-size.ts'
import { keyPairProblem } from './key-pair.ts'

type Secret = KubeObject & { immutable?: boolean; data?: StringMap; stringData?: StringMap; type?: string }

const dataPath = FieldPath.of('data')
const accountAnnotation = 'kubernetes.io/service-account.name'

/** The object with what `stringData` says moved to `data`. */
export const mergeStringData = (object: JsonObject): JsonObject => runToEnd(mergeStringDataInSteps(object))

function* mergeStringDataInSteps(object: JsonObject): Steps<JsonObject> {
  if (object['stringData'] === undefined) return object
  const { stringData, ...secret } = object
  if (!isJsonObject(stringData)) return secret
  const texts = keysOf(stringData)
  if (texts.length === 0) return secret
  const given = isJsonObject(secret['data']) ? secret['data'] : {}
  const keys = [...keysOf(given), ...texts.filter((key) => !Object.hasOwn(given, key))]
  const data = yield* mapInSteps(keys, (i) => {
    const key = keys[i] as string
    return Object.hasOwn(stringData, key) ? Buffer.from(String(stringData[key] ?? '')).toString('base64') : given[key]
  })
  // Keys are put in again one by one, so that `data` stays where the wire has it.
  const merged: JsonObject = {}
  for (const key of ['kind', 'apiVersion', 'metadata', 'immutable']) {
    if (secret[key] !== undefined) merged[key] = secret[key]
  }
  return { ...merged, data, ...(secret['type'] === undefined ? {} : { type: secret['type'] }) }
}

function* validateSecret(secret: Secret): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const { data = {} } = secret
  let bytes = 0
  let count = 0
  for (const key of keysOf(data)) {
    if (++count % keysPerStep === 0) yield
    for (const message of checkConfigMapKey(key)) errors.push(invalid(dataPath.key(key), key, message))
    bytes += bytesOfBase64(data[key] ?? '')
  }
  if (bytes > maxDataBytes) errors.push(tooLong(dataPath, maxDataBytes))
  return [...errors, ...validateType(secret, data)]
}

function validateType({ type, metadata }: Secret, data: StringMap): FieldError[] {
  const need = (key: string): FieldError[] => (Object.hasOwn(data, key) ? [] : [required(dataPath.key(key))])
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const at = FieldPath.of('metadata', 'annotations').key(accountAnnotation)
      return (metadata.annotations?.[accountAnnotation] ?? '') === '' ? [required(at)] : []
    }
    case 'kubernetes.io/dockercfg':
      return validateJson(data, '.dockercfg')
    case 'kubernetes.io/dockerconfigjson':
      return validateJson(data, '.dockerconfigjson')
    case 'kubernetes.io/basic-auth': {
      const either = Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')
      return either ? [] : [required(dataPath.key('username')), required(dataPath.key('password'))]
    }
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [required(dataPath.key('ssh-privatekey'))] : []
    case 'kubernetes.io/tls':
      return [...need('tls.crt'), ...need('tls.key')]
    default:
      return []
  }
}

function validateJson(data: StringMap, key: string): FieldError[] {
  const at = dataPath.key(key)
  if (!Object.hasOwn(data, key)) return [required(at)]
  const problem = jsonObjectProblem(Buffer.from(data[key] ?? '', 'base64').toString('latin1'))
  return problem === undefined ? [] : [invalid(at, '<secret contents redacted>', problem)]
}

/** A pair that no server could use is taken, with a word of warning. */
function warnings({ type, data = {} }: Secret): string[] {
  if (type !== 'kubernetes.io/tls') return []
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('latin1')
  const problem = keyPairProblem(text('tls.crt'), text('tls.key'))
  return problem === undefined ? [] : [problem]
}

function* validateSecretUpdate(secret: Secret, old: Secret): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (secret.type !== old.type) errors.push(invalid('type', secret.type, immutableMessage))
  if (old.immutable === true) {
    if (secret.immutable !== true) errors.push(forbidden('immutable', lockedMessage))
    if (!sameData(secret.data, old.data)) errors.push(forbidden('data', lockedMessage))
  }
  return [...errors, ...(yield* validateSecret(secret))]
}

export function secretRules(): KindRules<Secret> {
  return {
    strategy: {
      validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
      validateInTurns: (secret, old) =>
        inTurns(limitErrorsOf(old === undefined ? validateSecret(secret) : validateSecretUpdate(secret, old))),
      warningsOnCreate: warnings,
      warningsOnUpdate: warnings,
      prepareForUpdate(draft, old) {
        if ((draft.type ?? '') === '' && old.type !== undefined) draft.type = old.type
      },
    },
    decoded: mergeStringData,
    decodedInSteps: mergeStringDataInSteps,
    fields: { type: (secret) => (secret as Secret).type ?? '' },
  }
}
