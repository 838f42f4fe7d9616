/**
 * The markers of types that a release declares its rules with, read from its facts. A line is a field and one marker:
 *
 *     scheduling.v1alpha2.PodGroupSpec.priority +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:minimum=1
 *
 * Gates do not change while a server runs: a marker that depends on one is taken or left when it is read. Those on trial are left.
 */
import { isLaterRelease, packagedFact } from '../api/release-facts.ts'

/** What must hold for a field. */
export interface FieldMarkers {
  readonly required?: true
  readonly optional?: true
  readonly forbidden?: true
  readonly immutable?: true
  /** One of a set of fields of which exactly one must be there. */
  readonly unionMember?: true
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly maxBytes?: number
  /** `k8s-short-name` and its like. */
  readonly format?: string
  /** The keys of a list's items, which must be unique. */
  readonly keys?: readonly string[]
}

/** By the catalogue's name of the type, and the field. */
export type TypeMarkers = ReadonlyMap<string, ReadonlyMap<string, FieldMarkers>>

export const markersOf = (release: number, gate: (name: string) => boolean): TypeMarkers =>
  parseMarkers(isLaterRelease(release) ? packagedFact(release, 'declared-validation.txt') : '', gate)

type Mutable = { -readonly [Key in keyof FieldMarkers]: FieldMarkers[Key] }

export function parseMarkers(text: string, gate: (name: string) => boolean): TypeMarkers {
  const types = new Map<string, Map<string, Mutable>>()
  for (const line of text.split('\n')) {
    const [, type = '', field = '', marker = ''] = /^(\S+)\.(\w+) (\+\S.*)$/.exec(line) ?? []
    const effective = unwrapped(marker.replace(/ #.*$/, ''), gate)
    if (effective === undefined) continue
    const fields = types.get(type) ?? new Map<string, Mutable>()
    const markers = fields.get(field) ?? {}
    apply(effective, markers)
    fields.set(field, markers)
    types.set(type, fields)
  }
  return types
}

interface Marker {
  readonly name: string
  readonly value: string
}

/** The marker inside of those that say when it holds; undefined where it does not. */
function unwrapped(text: string, gate: (name: string) => boolean): Marker | undefined {
  const [, name, argument = '', value = ''] = /^\+k8s:(\w+)(?:\(([^)]*)\))?(?:=(.*))?$/.exec(text) ?? []
  if (name === undefined || name === 'alpha') return undefined
  if (name !== 'ifEnabled' && name !== 'ifDisabled') return { name, value }
  const isOn = gate(argument.replaceAll('"', ''))
  return isOn === (name === 'ifEnabled') ? unwrapped(value, gate) : undefined
}

const flags: ReadonlySet<string> = new Set(['required', 'optional', 'forbidden', 'immutable', 'unionMember'])
const numbers: ReadonlySet<string> = new Set(['minimum', 'maximum', 'maxItems', 'maxBytes'])

function apply({ name, value }: Marker, markers: Mutable): void {
  if (flags.has(name)) Object.assign(markers, { [name]: true })
  else if (numbers.has(name)) Object.assign(markers, { [name]: Number(value) })
  else if (name === 'format') markers.format = value
  else if (name === 'listMapKey') markers.keys = [...(markers.keys ?? []), value]
}
