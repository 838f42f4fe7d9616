/**
 * Fields that a later release brought together with a feature gate: while the gate is off they are dropped from what is written,
 * unless the stored object has them. The facts name the gates of a field, so that this needs no rule of the kind.
 */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { isJsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { hasChange } from '../api/release-changes.ts'
import { isLaterRelease } from '../api/release-facts.ts'
import { typeNamed } from '../catalog/catalog.ts'
import type { Strategy } from '../registry/strategy.ts'
import type { Field, ObjectSchema, Schema } from '../schema/schema.ts'

/** `*` stands for every item of a list or value of a map. */
type Path = readonly string[]

interface GatedField {
  readonly path: Path
  readonly gates: readonly string[]
}

interface Services {
  /** Absent in tests of rules alone. */
  readonly release?: number
  gate(name: string): boolean
}

/** The fields of a type are looked through when an object of it is first written: at the start that would be all types. */
export function withGatedFields(strategy: Strategy, schema: ObjectSchema, { release, gate }: Services): Strategy {
  if (release === undefined || !isLaterRelease(release)) return strategy
  let found: DroppedFields | undefined
  const dropped = (): DroppedFields => {
    found ??= droppedFields(schema, release, gate)
    return found
  }
  return {
    ...strategy,
    prepareForCreate(draft, context) {
      drop(draft, undefined, dropped().inCreates)
      return strategy.prepareForCreate?.(draft, context)
    },
    prepareForUpdate(draft, old, context) {
      const isCounted = countedAsChange.test(schema.name ?? '')
      if (!isCounted) drop(draft, old, dropped().inUpdates)
      strategy.prepareForUpdate?.(draft, old, context)
      if (isCounted) drop(draft, old, dropped().inUpdates)
    },
  }
}

interface DroppedFields {
  readonly inCreates: readonly GatedField[]
  readonly inUpdates: readonly GatedField[]
}

function droppedFields(schema: ObjectSchema, release: number, gate: Services['gate']): DroppedFields {
  const inCreates = gatedFields(schema, release).filter(({ gates }) => !gates.every(gate))
  const inUpdates = inCreates.filter(({ gates }) => !gates.every((name) => gate(name) || keptByStatus.has(name)))
  return { inCreates, inUpdates }
}

function drop(draft: KubeObject, old: KubeObject | undefined, fields: readonly GatedField[]): void {
  for (const { path } of fields) {
    if (old !== undefined && isUsed(old, path)) continue
    const [first = '', ...rest] = path
    const part = draft[first] as JsonValue | undefined
    if (part === undefined) continue
    const kept = rest.length === 0 ? undefined : withoutField(part, rest)
    if (kept === undefined) delete draft[first]
    else if (kept !== part) Object.assign(draft, { [first]: kept })
  }
}

function isUsed(value: JsonValue | undefined, [key, ...rest]: Path): boolean {
  if (key === undefined) return value !== undefined && value !== null
  if (typeof value !== 'object' || value === null) return false
  if (key === '*') return Object.values(value).some((item) => isUsed(item as JsonValue, rest))
  return isJsonObject(value) && isUsed(value[key], rest)
}

/** A copy where something is dropped, which shares everything else; the value itself otherwise. */
function withoutField(value: JsonValue, [key = '', ...rest]: Path): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (key === '*') {
    if (Array.isArray(value)) {
      const items = value.map((item) => withoutField(item as JsonValue, rest))
      return items.some((item, i) => item !== value[i]) ? items : value
    }
    const entries = Object.entries(value).map(([name, item]) => [name, withoutField(item as JsonValue, rest)] as const)
    const isChanged = entries.some(([name, item]) => item !== (value as JsonObject)[name])
    return isChanged ? Object.fromEntries(entries) : value
  }
  if (!isJsonObject(value) || value[key] === undefined) return value
  if (rest.length === 0) {
    const { [key]: _, ...others } = value
    return others
  }
  const kept = withoutField(value[key] as JsonValue, rest)
  return kept === value[key] ? value : { ...value, [key]: kept }
}

/** Gates of fields in a status whose own endpoint takes them all the same, while the main one leaves the status alone. */
const keptByStatus: ReadonlySet<string> = new Set(['CRDObservedGenerationTracking', 'NodeDeclaredFeatures'])

/** Types whose hooks count a generation before anything is dropped. */
const countedAsChange = /\.ResourceSlice$/

/** Fields of claims for devices, which the rules of their kind drop: a request of nothing else remains a request. */
const droppedByKind = /\.(?:Device(?:Sub|)Request|ExactDeviceRequest|DeviceConstraint)$/

/** A marker of upstream that names no gate: what it means is another one. */
const gateNamed = (name: string): string => (name === 'PodCertificateProjection' ? 'PodCertificateRequest' : name)

/** Those that the default release does not have. */
function gatedFields(schema: ObjectSchema, release: number): GatedField[] {
  const found: GatedField[] = []
  const walk = (type: ObjectSchema, path: Path, above: readonly (string | undefined)[]): void => {
    const before = type.name === undefined ? undefined : typeNamed(type.name)
    for (const field of type.fields.values()) {
      const at = [...path, field.name]
      const isDropped = isNew(field, before) && !droppedByKind.test(type.name ?? '') && !isFree(field, release)
      const { schema: inner, steps } = innerType(field.schema)
      const gates = field.gates ?? gatesOfNew(inner)
      if (isDropped && gates !== undefined) found.push({ path: at, gates: gates.map(gateNamed) })
      if (inner.kind === 'object' && !above.includes(inner.name)) walk(inner, [...at, ...steps], [...above, inner.name])
    }
  }
  walk(schema, [], [schema.name])
  return found
}

/** A part that came with a gate, and is nothing without it: all its fields have that gate. */
function gatesOfNew(schema: Schema): readonly string[] | undefined {
  if (schema.kind !== 'object' || schema.name === undefined || typeNamed(schema.name) !== undefined) return undefined
  const [first, ...others] = new Set([...schema.fields.values()].map(({ gates }) => gates?.join()))
  return others.length === 0 ? first?.split(',') : undefined
}

/** A marker that names gates which nothing asks for the field any more. */
const isFree = ({ name }: Field, release: number): boolean =>
  name === 'allocationTimestamp' && hasChange(release, 'keepsAllocationTimes')

const isNew = ({ name }: Field, before: ObjectSchema | undefined): boolean => before?.fields.has(name) !== true

function innerType(schema: Schema): { readonly schema: Schema; readonly steps: Path } {
  const steps: string[] = []
  let inner = schema
  while (inner.kind === 'list' || inner.kind === 'map') {
    steps.push('*')
    inner = inner.kind === 'list' ? inner.items : inner.values
  }
  return { schema: inner, steps }
}
