/** Of a catalogue of definitions, those that objects need. */
import { parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { type FoundDocument, fileObjects } from '../object-files.ts'

export function neededDefinitions(
  catalog: readonly FoundDocument[],
  objects: readonly FoundDocument[],
): FoundDocument[] {
  const wanted = new Set<string>()
  for (const { apiVersion, kind } of objects.flatMap(readable)) {
    wanted.add(`${kind}.${parseGroupVersion(apiVersion)?.group}`)
  }
  return catalog.filter((document) => readable(document).some(({ object }) => wanted.has(definedKind(object))))
}

/** What cannot be read is reported where it is checked. */
function readable(document: FoundDocument) {
  try {
    return [...fileObjects(document)]
  } catch {
    return []
  }
}

function definedKind({ kind, spec }: JsonObject): string {
  if (kind !== 'CustomResourceDefinition' || !isJsonObject(spec) || !isJsonObject(spec['names'])) return ''
  return `${String(spec['names']['kind'])}.${String(spec['group'])}`
}
