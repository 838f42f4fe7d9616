/**
 * ConfigMap: keys that can be file names, one size for all values together, and a lock that never opens again.
 * Mirrors pkg/apis/core/validation: ValidateConfigMap, ValidateConfigMapUpdate.
 * Mirrors pkg/registry/core/configmap: strategy.
 */
import { limitErrorsOf } from '../../../../api/error-limit.ts'
import { type FieldError, forbidden, invalid, tooLong } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import { checkConfigMapKey } from '../../../../api/names.ts'
import type { KubeObject, StringMap } from '../../../../api/object.ts'
import { inTurns, type Steps } from '../../../../lib/in-turns.ts'
import { wholePath } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { bytesOfBase64, keysPerStep, lockedMessage, maxDataBytes, sameData } from '../data-size.ts'

type ConfigMap = KubeObject & { immutable?: boolean; data?: StringMap; binaryData?: StringMap }

const dataPath = FieldPath.of('data')
const binaryPath = FieldPath.of('binaryData')

function* validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): Steps<FieldError[]> {
  const errors: FieldError[] = []
  let bytes = 0
  let count = 0
  for (const key of keysOf(data)) {
    if (++count % keysPerStep === 0) yield
    for (const message of checkConfigMapKey(key)) errors.push(invalid(dataPath.key(key), key, message))
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalid(dataPath.key(key), key, 'duplicate of key present in binaryData'))
    }
    bytes += Buffer.byteLength(data[key] ?? '')
  }
  for (const key of keysOf(binaryData)) {
    if (++count % keysPerStep === 0) yield
    for (const message of checkConfigMapKey(key)) errors.push(invalid(binaryPath.key(key), key, message))
    bytes += bytesOfBase64(binaryData[key] ?? '')
  }
  if (bytes > maxDataBytes) errors.push(tooLong(wholePath, maxDataBytes))
  return errors
}

function* validateConfigMapUpdate(configMap: ConfigMap, old: ConfigMap): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (old.immutable === true) {
    if (configMap.immutable !== true) errors.push(forbidden('immutable', lockedMessage))
    // Defaulting makes a map of no data.
    if (!sameData(configMap.data ?? {}, old.data ?? {})) errors.push(forbidden('data', lockedMessage))
    if (!sameData(configMap.binaryData, old.binaryData)) errors.push(forbidden('binaryData', lockedMessage))
  }
  return [...errors, ...(yield* validateConfigMap(configMap))]
}

export function configMapRules(): KindRules<ConfigMap> {
  return {
    strategy: {
      validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
      validateInTurns: (configMap, old) =>
        inTurns(
          limitErrorsOf(old === undefined ? validateConfigMap(configMap) : validateConfigMapUpdate(configMap, old)),
        ),
    },
  }
}
