/**
 * Annotations of nodes from before there were fields: taints, and controllers whose pods a node would rather not run.
 * Mirrors pkg/apis/core/validation: ValidateNodeSpecificAnnotations, ValidateTaintsInNodeAnnotations,
 * ValidateAvoidPodsInNodeAnnotations.
 */
import { invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { readJson, unmarshalTypeError } from '../../../../api/golang/json.ts'
import { isJsonObject, type JsonValue, jsonTypeName } from '../../../../api/json.ts'
import type { StringMap } from '../../../../api/object.ts'
import type { Taint } from '../../../../catalog/types/core-v1.ts'
import type { Errors } from '../../../checks/checks.ts'
import { type ListedType, readAnnotatedList } from '../../pods/annotated-list.ts'
import { validateTaints } from './taints.ts'

const taintsAnnotation = 'scheduler.alpha.kubernetes.io/taints'
const avoidAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods'
const annotationsPath = FieldPath.of('metadata', 'annotations')

export function validateNodeAnnotations(errors: Errors, annotations: StringMap | undefined): void {
  const taints = annotations?.[taintsAnnotation] ?? ''
  if (taints !== '') validateTaintsText(errors, taints)
  const avoided = annotations?.[avoidAnnotation] ?? ''
  if (avoided !== '') validateAvoidPods(errors, avoided)
}

const listedTaint: ListedType<Taint> = {
  name: 'core.Taint',
  fields: { key: ['Key', 'string'], value: ['Value', 'string'], effect: ['Effect', 'core.TaintEffect'] },
}

function validateTaintsText(errors: Errors, text: string): void {
  const taints = readAnnotatedList(text, listedTaint)
  if (typeof taints === 'string') errors.push(invalid(annotationsPath, taintsAnnotation, taints))
  else validateTaints(errors, taints, annotationsPath.child(taintsAnnotation))
}

function validateAvoidPods(errors: Errors, text: string): void {
  const entries = readEntries(text)
  if (typeof entries === 'string') {
    errors.push(invalid(annotationsPath.child('AvoidPods'), avoidAnnotation, entries))
    return
  }
  entries.forEach((entry, i) => {
    validateEntry(errors, entry, annotationsPath.child(avoidAnnotation).index(i))
  })
}

/** A text: what is wrong with the annotation. */
function readEntries(text: string): JsonValue[] | string {
  const read = readJson(text)
  if (typeof read === 'string') return read
  const { value } = read
  if (value === null) return []
  if (!isJsonObject(value)) return unmarshalTypeError(jsonTypeName(value), 'value of type v1.AvoidPods')
  const entries = value['preferAvoidPods'] ?? []
  if (Array.isArray(entries)) return entries
  return unmarshalTypeError(
    jsonTypeName(entries),
    'struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry',
  )
}

function validateEntry(errors: Errors, entry: JsonValue, parent: FieldPath): void {
  const at = parent.child('PodSignature')
  const signature = isJsonObject(entry) ? entry['podSignature'] : undefined
  const owner = isJsonObject(signature) ? signature['podController'] : undefined
  if (!isJsonObject(owner)) errors.push(required(at))
  else if (owner['controller'] !== true) {
    errors.push(invalid(at.child('PodController', 'Controller'), false, 'must point to a controller'))
  }
}
