/** The rules of every kind find the same, in the same order, whether their loops are left and run in steps or not. */
import { describe, expect, it } from 'vitest'
import { type FieldCase, fieldCases } from '../../test/harness/holds/field-bodies.ts'
import { limitErrors } from '../api/error-limit.ts'
import type { FieldError } from '../api/field-error.ts'
import { formatGroupVersion } from '../api/group-version.ts'
import type { KubeObject } from '../api/object.ts'
import { rulesInSteps } from '../api/rules-in-steps.ts'
import type { ResourceSliceSpec } from '../catalog/types/resource-v1beta2.ts'
import { runToEnd } from '../lib/in-turns.ts'
import type { WriteContext } from '../registry/strategy.ts'
import { sliceConversion } from './kinds/devices/device-conversion.ts'
import { validateSlice } from './kinds/devices/resource-slice.ts'
import { type Writer, writerOf } from './kinds/pods/test-writer.ts'
import { rulesFor } from './kinds.ts'

const everyLoop = { least: 2, ofGo: 0 }
const items = 5
const context: WriteContext = { user: undefined, namespace: 'ns', dryRun: false, now: 0, gate: () => false }

const texts: Record<string, (i: number) => string> = {
  good: (i) => `a${i}`,
  equal: () => 'a',
  bad: (i) => `Bad ${i}!`,
}

const toldOf = (errors: readonly FieldError[]): string[] =>
  errors.map(({ reason, field, message }) => `${reason} ${field}: ${message}`)

/** Those of one version of each kind that has rules. */
const byKind = new Map<string, FieldCase[]>()
for (const each of fieldCases()) {
  const { resource, isText } = each
  if (isText) continue
  const { group, version } = resource.kindVersion
  if (rulesFor(group, resource.resource) === undefined || resource.version !== version) continue
  const kind = `${formatGroupVersion(resource.kindVersion)} ${resource.resource}`
  byKind.set(kind, [...(byKind.get(kind) ?? []), each])
}

const writers = [...byKind].map(([kind, cases]): [string, Writer, FieldCase[]] => {
  const [apiVersion, resource] = kind.split(' ') as [string, string]
  return [kind, writerOf(apiVersion, resource, () => false), cases]
})

/** The objects that have one list or map with some items. */
function* objectsOf({ read }: Writer, cases: readonly FieldCase[]): Generator<KubeObject> {
  for (const { body } of cases) {
    for (const text of Object.values(texts)) {
      const object = read(body(items, text))
      if (object !== undefined) yield object
    }
  }
}

function compare(rules: () => FieldError[]): void {
  const inSteps = runToEnd(rulesInSteps(() => limitErrors(rules), everyLoop))
  expect(toldOf(inSteps)).toEqual(toldOf(limitErrors(rules)))
}

describe('rules in steps', () => {
  const synchronous = writers.filter(([, { rules }]) => rules.strategy.validateInTurns === undefined)
  it.each(synchronous)('%s', (_, writer, cases) => {
    const { strategy } = writer.rules
    for (const object of objectsOf(writer, cases)) {
      strategy.prepareForCreate?.(object, context)
      const old = writer.read(object) ?? object
      compare(() => strategy.validate?.(object, context) ?? [])
      compare(() => strategy.validateUpdate?.(object, old, context) ?? [])
    }
  })

  it.each(writers.filter(([kind]) => kind.endsWith(' resourceslices')))('%s', (_, writer, cases) => {
    for (const object of objectsOf(writer, cases)) {
      const { spec } = sliceConversion.fromHub(object) as KubeObject & { spec: ResourceSliceSpec }
      compare(() => validateSlice(spec, () => false))
    }
  })
})
