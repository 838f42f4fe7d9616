/** The fields that an unknown one may have meant: those of the type that it is in. */
import { nearestNames } from '../../config/nearest-names.ts'
import type { ObjectSchema, Schema } from '../../schema/schema.ts'

/** `path` as servers print it: `spec.containers[0].imagePolicy`. */
export function nearFields(root: ObjectSchema, path: string): string[] {
  const steps = path
    .replaceAll(/\[[^\]]*\]/g, '.[]')
    .split('.')
    .filter((step) => step !== '')
  const wrong = steps.pop() ?? ''
  let schema: Schema | undefined = root
  for (const step of steps) schema = schema && memberOf(schema, step)
  return schema?.kind === 'object' ? nearestNames(wrong, schema.fields.keys()) : []
}

function memberOf(schema: Schema, step: string): Schema | undefined {
  if (step === '[]') return schema.kind === 'list' ? schema.items : schema.kind === 'map' ? schema.values : undefined
  if (schema.kind === 'object') return schema.fields.get(step)?.schema
  return schema.kind === 'map' ? schema.values : undefined
}
