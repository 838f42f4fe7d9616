/** How the values that field selectors look at are read from an object: a getter a path. */
import type { KubeObject } from './object.ts'

export type FieldGetter = (object: KubeObject) => string
export type SelectableFields = ReadonlyMap<string, FieldGetter>
