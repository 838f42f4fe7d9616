/** One odd text in one field: what a refusal quotes depends on the type of the field, and on what the rule looks at. */
import { formatGroupVersion } from '../../src/api/group-version.ts'
import { resources as catalogResources } from '../../src/catalog/resources.ts'
import { type FieldCase, fieldCases, fieldCasesOf } from '../harness/holds/field-bodies.ts'
import { type CaseGenerator, type CaseSource, can, isParent, objectPath, post, seedOf, toCase } from './building.ts'
import type { Case } from './case.ts'
import { isMap, type Json, type JsonPath, merged, pathsOf, valueAt, withValueAt } from './json.ts'
import type { Resource } from './resources.ts'

let all: readonly FieldCase[] | undefined
const byKind = new Map<string, readonly FieldCase[]>()

const isOf =
  ({ groupVersion, name }: Resource) =>
  (resource: FieldCase['resource']): boolean =>
    resource.resource === name && formatGroupVersion(resource) === groupVersion

function newFields(resource: Resource): readonly FieldCase[] {
  all ??= fieldCases()
  return all.filter((each) => isOf(resource)(each.resource))
}

function allFields(resource: Resource): readonly FieldCase[] {
  const key = `${resource.name} ${resource.groupVersion}`
  const known = byKind.get(key)
  if (known !== undefined) return known
  const fields = [...catalogResources()].filter(isOf(resource)).flatMap((each) => fieldCasesOf(each))
  byKind.set(key, fields)
  return fields
}

const oddTexts = ['', 'a', '\u0000', 'a\u0000<', '"\\', '\n', 'é', '\u200b', '😀', ' a', 'A/b', '1', 'a'.repeat(300)]

export const texts: CaseGenerator = (source) => (source.random.chance(0.4) ? created(source) : updated(source))

function created({ random, resource }: CaseSource): Case | undefined {
  const fields = newFields(resource)
  if (fields.length === 0) return undefined
  const text = random.pick(oddTexts)
  const body = random.pick(fields).body(random.pick([1, 1, 2]), () => text)
  // Nothing is made, so that there is nothing to remove.
  const steps = [post(resource, body as Json, '?dryRun=All')]
  return { family: 'texts', resource: `${resource.name} ${resource.groupVersion}`, steps, cleanup: [] }
}

/** Of an object that is there, through its status where the field is in that. */
function updated(source: CaseSource): Case | undefined {
  const { random, resource, resources } = source
  if (!isParent(resource) || !can(resource, 'create', 'update')) return undefined
  const fields = allFields(resource)
  if (fields.length === 0) return undefined
  const own = fields.filter(({ name }) => name.split('.').length <= 4)
  const field = random.pick(own.length > 0 && random.chance(0.7) ? own : fields)
  const seed = seedOf(source)
  const changed = withText(merged(seed, { metadata: { resourceVersion: '<rv>' } }), field, random.pick(oddTexts))
  const hasStatus = resources.some(
    ({ name, groupVersion }) => name === `${resource.name}/status` && groupVersion === resource.groupVersion,
  )
  const part = hasStatus && field.name.includes(' status.') ? '/status' : ''
  const put = { method: 'PUT', path: `${objectPath(resource, seed)}${part}?dryRun=All`, body: changed }
  return toCase('texts', source, [post(resource, seed), put])
}

const marker = 'the odd text'

/** The object with the text in the field, and what is missing on the way to it as small as it can be. */
function withText(object: Json, field: FieldCase, text: string): Json {
  const body = field.body(1, () => marker) as Json
  const path = placeOf(body)
  if (path === undefined) return object
  const there = path.findIndex((_, i) => valueAt(object, path.slice(0, i + 1)) === undefined)
  const from = there === -1 ? path : path.slice(0, there + 1)
  const value = field.body(1, () => text) as Json
  return withValueAt(object, from, valueAt(value, from)) ?? object
}

/** Where the text is a key, of the map that has it. */
function placeOf(body: Json): JsonPath | undefined {
  for (const path of pathsOf(body)) {
    const value = valueAt(body, path)
    if (value === marker || (isMap(value) && Object.hasOwn(value, marker))) return path
  }
  return undefined
}
