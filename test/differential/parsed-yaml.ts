/** Answers in YAML as what they say, for the rules that explain differences. */
import { parse as parseYaml } from 'yaml'
import { placesBetween } from './compare.ts'
import type { Difference } from './execute.ts'
import { isMap, type Json } from './json.ts'

/** Objects in YAML are compared as texts; rules look at what these say. Texts that say the same still differ. */
export function withParsedYaml(difference: Difference): Difference {
  const { reference, server, places } = difference
  const [theirs, ours] = [yamlObject(reference.body), yamlObject(server.body)]
  if (theirs === undefined || ours === undefined) return difference
  const inBody = placesBetween(theirs, ours, ['body'])
  if (inBody.length === 0) return difference
  return {
    ...difference,
    reference: { ...reference, body: theirs },
    server: { ...server, body: ours },
    places: [...places.filter(({ path }) => path[0] !== 'body'), ...inBody],
  }
}

/** Undefined for what is no object in YAML. */
export function yamlObject(body: Json): Json | undefined {
  if (typeof body !== 'string' || !body.startsWith('apiVersion: ')) return undefined
  try {
    const value = parseYaml(body) as Json
    return isMap(value) ? value : undefined
  } catch {
    return undefined
  }
}
