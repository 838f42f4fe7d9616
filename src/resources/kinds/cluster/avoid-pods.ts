/** The annotation of a node that names controllers whose pods it would rather not run. */
import { invalid, required } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { isJsonObject, type JsonValue } from '../../../api/json.ts'
import type { StringMap } from '../../../api/object.ts'
import type { Errors } from '../pods/checks.ts'

const annotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods'
const annotations = FieldPath.of('metadata').child('annotations')

export function validateAvoidPods(errors: Errors, given: StringMap | undefined): void {
  const text = given?.[annotation] ?? ''
  if (text === '') return
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch (error) {
    errors.push(invalid(annotations, 'AvoidPods', (error as Error).message))
    return
  }
  const entries = isJsonObject(value) ? value['preferAvoidPods'] : undefined
  if (!Array.isArray(entries)) return
  for (const entry of entries) validateEntry(errors, entry)
}

function validateEntry(errors: Errors, entry: JsonValue): void {
  const at = annotations.child('PodSignature')
  const signature = isJsonObject(entry) ? entry['podSignature'] : undefined
  const owner = isJsonObject(signature) ? signature['podController'] : undefined
  if (!isJsonObject(owner)) errors.push(required(at))
  else if (owner['controller'] !== true) {
    errors.push(invalid(at.child('PodController', 'Controller'), owner['controller'], 'must point to a controller'))
  }
}
