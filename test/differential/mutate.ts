/** Mutations of an object: a few random edits, guided by its schema, each of which keeps most of what was valid. */
import type { Random } from '../harness/random.ts'
import { isList, isMap, type Json, type JsonMap, type JsonPath, pathsOf, valueAt, withValueAt } from './json.ts'
import { randomValue, resolve, type Schemas } from './schema-values.ts'

export interface Shape {
  readonly schemas: Schemas
  readonly schema: Json | undefined
}

/** What addresses the object or says what it is stays, most of the time: else nothing but "wrong name" would be compared. */
const anchors = new Set(['apiVersion', 'kind', 'metadata.name', 'metadata.namespace', 'metadata.resourceVersion'])

export function mutated(random: Random, object: Json, shape: Shape): Json {
  let result = object
  for (let edits = random.pick([0, 1, 1, 1, 1, 2, 2, 3]); edits > 0; edits--) result = edit(random, result, shape)
  return result
}

function edit(random: Random, object: Json, shape: Shape): Json {
  const path = random.chance(0.6) ? schemaPath(random, object, shape) : presentPath(random, object)
  if (path === undefined || (anchors.has(path.path.join('.')) && random.chance(0.95))) return object
  const present = valueAt(object, path.path)
  return withValueAt(object, path.path, edited(random, present, path.schema, shape.schemas)) ?? object
}

function edited(
  random: Random,
  present: Json | undefined,
  schema: Json | undefined,
  schemas: Schemas,
): Json | undefined {
  const dice = random.below(100)
  if (present !== undefined && dice < 15) return undefined
  if (dice < 30) return random.pick<Json>([null, {}, [], '', 0, -1, false])
  if (isList(present) && dice < 45) return [...present, random.pick<Json>([present[0] ?? null, null, ''])]
  if (isMap(present) && dice < 40)
    return { ...present, [random.pick(['unknown', '__proto__x', 'Name', 'a'])]: random.pick<Json>(['x', 1, null, {}]) }
  if (typeof present === 'string' && dice < 40)
    return random.pick([`${present}x`, present.toUpperCase(), ` ${present}`, `${present}\n`])
  if (typeof present === 'number' && dice < 50)
    return random.pick([present + 1, -present, present + 0.5, present * 1000])
  return randomValue(random, schemas, schema)
}

interface Target {
  readonly path: JsonPath
  readonly schema: Json | undefined
}

function presentPath(random: Random, object: Json): Target | undefined {
  const paths = [...pathsOf(object)]
  return paths.length === 0 ? undefined : { path: random.pick(paths), schema: undefined }
}

/** Down the schema, along what is there as often as along what is not. */
function schemaPath(random: Random, object: Json, { schemas, schema }: Shape): Target | undefined {
  const path: (string | number)[] = []
  let here: Json | undefined = schema
  for (let depth = 0; depth < 12; depth++) {
    const type = resolve(schemas, here)
    const present = valueAt(object, path)
    const step = nextStep(random, type, present)
    if (step === undefined) break
    path.push(step)
    here = typeof step === 'number' ? type['items'] : memberSchema(type, step)
    if (random.chance(0.15) && depth > 0) break
  }
  return path.length === 0 ? undefined : { path, schema: here }
}

function memberSchema(type: JsonMap, name: string): Json | undefined {
  const properties = type['properties']
  return isMap(properties) && Object.hasOwn(properties, name) ? properties[name] : type['additionalProperties']
}

function nextStep(random: Random, type: JsonMap, present: Json | undefined): string | number | undefined {
  if (isMap(type['properties'])) {
    const declared = Object.keys(type['properties']).filter((name) => name !== 'status' || random.chance(0.3))
    const there = isMap(present) ? Object.keys(present) : []
    return there.length > 0 && random.chance(0.55) ? random.pick(there) : random.pick(declared)
  }
  if (type['type'] === 'array') return isList(present) && present.length > 0 ? random.below(present.length) : 0
  if (isMap(present) && Object.keys(present).length > 0) return random.pick(Object.keys(present))
  return undefined
}
