/** Cells that volumes, claims and classes share. */
import type { JsonObject, JsonValue } from '../../../api/json.ts'
import { at, isDeleting, listValue, type MakeCell, textValue } from '../../columns/cells.ts'

const shortModes: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

export const modesText = (modes: JsonValue | undefined): string =>
  shortModes
    .filter(([mode]) => listValue(modes).includes(mode))
    .map(([, short]) => short)
    .join(',')

export const phase = (object: JsonObject): string =>
  isDeleting(object) ? 'Terminating' : textValue(at(object, 'status', 'phase'))

/** The class of a volume or claim; an old annotation comes first. */
export const storageClass: MakeCell = (object) => {
  const annotated = at(object, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class')
  return typeof annotated === 'string' ? annotated : textValue(at(object, 'spec', 'storageClassName'))
}

/** What was set to an empty text is set. */
export const unsetAt =
  (...path: string[]): MakeCell =>
  (object) =>
    String(at(object, ...path) ?? '<unset>')
