/** Where two answers differ: a list of places, with both values. */
import { isList, isMap, type Json, type JsonPath } from './json.ts'
import type { Observed } from './normalise.ts'

export interface Place {
  readonly path: JsonPath
  /** Undefined: absent. */
  readonly reference: Json | undefined
  readonly server: Json | undefined
}

const mostPlaces = 40

export const compare = (reference: Observed, server: Observed): Place[] =>
  placesBetween(reference as unknown as Json, server as unknown as Json, [])

/** `path`: where the two values are. */
export function placesBetween(reference: Json, server: Json, path: JsonPath): Place[] {
  const places: Place[] = []
  collect(reference, server, { path, places })
  return places
}

interface Walk {
  readonly path: JsonPath
  readonly places: Place[]
}

function collect(reference: Json | undefined, server: Json | undefined, { path, places }: Walk): void {
  if (reference === server || places.length >= mostPlaces) return
  if (isList(reference) && isList(server)) {
    for (let i = 0; i < Math.max(reference.length, server.length); i++) {
      collect(reference[i], server[i], { path: [...path, i], places })
    }
  } else if (isMap(reference) && isMap(server)) {
    for (const key of new Set([...Object.keys(reference), ...Object.keys(server)])) {
      collect(own(reference, key), own(server, key), { path: [...path, key], places })
    }
  } else places.push({ path, reference, server })
}

const own = (map: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined
