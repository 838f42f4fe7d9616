/**
 * Field sets meet a schema: sets written under an older schema are brought in line with the present one, and the named
 * fields that a set only implies are spelt out.
 */
import type { Schema } from '../../schema/schema.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { isField, isKey, type PathElement } from './path-element.ts'
import { isAtomicMap, isNamedField, memberSchema } from './topology.ts'

/**
 * An owner of a part of what is now atomic owns the whole value. (What was one value and has parts now stays
 * owned at the top: its owner has no claim on the parts.)
 */
export function reconcileWithSchema(set: FieldSet, schema: Schema): FieldSet {
  const known = set.memo.reconciled
  if (known?.schema === schema) return known.result
  const result = reconcile(set, schema)
  set.memo.reconciled = { schema, result }
  if (result !== set) result.memo.reconciled = { schema, result }
  return result
}

function reconcile(set: FieldSet, schema: Schema): FieldSet {
  if (isUntyped(schema)) return set
  let changed = false
  const entries: FieldSetEntry[] = []
  for (const entry of set.entries) {
    const type = entry.child && childSchema(schema, entry.element)
    const now = entry.child && type ? reconcileEntry(entry, entry.child, type) : entry
    changed ||= now !== entry
    entries.push(now)
  }
  return changed ? FieldSet.from(entries) : set
}

function reconcileEntry(entry: FieldSetEntry, child: FieldSet, type: Schema): FieldSetEntry {
  const { element, member } = entry
  const whole = type.kind === 'list' ? type.topology === 'atomic' : isAtomicMap(type) && !isUntyped(type)
  if (whole) return { element, member: true, child: undefined }
  const below = reconcile(child, type)
  return below === child ? entry : { element, member, child: below }
}

/** Nothing is known of the inside, so nothing can have changed. */
function isUntyped(schema: Schema): boolean {
  if (schema.kind === 'any') return true
  if (schema.kind === 'map') return schema.values.kind === 'any'
  return schema.kind === 'object' && schema.fields.size === 0
}

/** The set with every declared field that leads to a member: `.a.b.c` brings `.a` and `.a.b`, unless they are keys. */
export function withNamedFields(set: FieldSet, schema: Schema | undefined): FieldSet {
  if (schema === undefined) return set
  let changed = false
  const entries: FieldSetEntry[] = []
  for (const entry of set.entries) {
    const { element, member, child } = entry
    if (child === undefined) {
      entries.push(entry)
      continue
    }
    const named = member || (isField(element) && isNamedField(schema, element.text))
    const below = withNamedFields(child, childSchema(schema, element))
    const same = named === member && below === child
    entries.push(same ? entry : { element, member: named, child: below })
    changed ||= !same
  }
  return changed ? FieldSet.from(entries) : set
}

function childSchema(schema: Schema, element: PathElement): Schema | undefined {
  if (isField(element)) return memberSchema(schema, element.text)
  return isKey(element) && schema.kind === 'list' ? schema.items : undefined
}
