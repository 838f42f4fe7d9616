/** One odd text in one field: what a refusal quotes depends on the type of the field, and on what the rule looks at. */
import { formatGroupVersion } from '../../src/api/group-version.ts'
import { type FieldCase, fieldCases } from '../harness/holds/field-bodies.ts'
import { type CaseGenerator, post } from './building.ts'
import type { Json } from './json.ts'
import type { Resource } from './resources.ts'

let all: readonly FieldCase[] | undefined

function fieldsOf({ groupVersion, name }: Resource): readonly FieldCase[] {
  all ??= fieldCases()
  return all.filter(({ resource }) => resource.resource === name && formatGroupVersion(resource) === groupVersion)
}

const oddTexts = ['', 'a', '\u0000', 'a\u0000<', '"\\', '\n', 'é', '\u200b', '😀', ' a', 'A/b', '1', 'a'.repeat(300)]

export const texts: CaseGenerator = ({ random, resource }) => {
  const fields = fieldsOf(resource)
  if (fields.length === 0) return undefined
  const text = random.pick(oddTexts)
  const body = random.pick(fields).body(random.pick([1, 1, 2]), () => text)
  // Nothing is made, so that there is nothing to remove.
  const steps = [post(resource, body as Json, '?dryRun=All')]
  return { family: 'texts', resource: `${resource.name} ${resource.groupVersion}`, steps, cleanup: [] }
}
