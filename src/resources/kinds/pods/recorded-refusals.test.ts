/** Holds the rules of pods and workloads against refusals that the reference was seen to give. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../api/json.ts'
import { resolveFeatureGates } from '../../../config/feature-gates.ts'
import { applyMergePatch } from '../../../patch/merge-patch.ts'
import { writerOf } from './test-writer.ts'

interface Vector {
  readonly r: string
  readonly set?: string
  readonly to?: JsonValue
  readonly del?: string
  readonly merge?: JsonObject
  readonly code: number
  readonly causes?: readonly (readonly [reason: string, field: string, message: string])[]
}

const file = path.join(import.meta.dirname, '../../../../../shared/facts/vectors.json')
const resources = [
  'v1/pods',
  'v1/replicationcontrollers',
  'apps/v1/deployments',
  'apps/v1/replicasets',
  'apps/v1/daemonsets',
  'apps/v1/statefulsets',
  'apps/v1/controllerrevisions',
  'batch/v1/jobs',
  'batch/v1/cronjobs',
  'policy/v1/poddisruptionbudgets',
]

/** The keys of a path such as `spec.containers[0].name`. */
const keysOf = (text: string): string[] => text.replaceAll(/\[(\d+)\]/g, '.$1').split('.')

function change(base: JsonObject, { set, to, del, merge }: Vector): JsonObject {
  if (merge !== undefined) return applyMergePatch(base, merge) as JsonObject
  const copy = structuredClone(base)
  const keys = keysOf(set ?? del ?? '')
  let at = copy as Record<string, JsonValue>
  for (const key of keys.slice(0, -1)) {
    at[key] ??= {}
    at = at[key] as Record<string, JsonValue>
  }
  const last = keys.at(-1) ?? ''
  if (del !== undefined) delete at[last]
  else at[last] = to as JsonValue
  return copy
}

const present = existsSync(file)
if (!present) process.stderr.write('no recorded refusals beside this project: the rules of pods were not compared\n')

describe.skipIf(!present)('recorded refusals', () => {
  const facts = present ? JSON.parse(readFileSync(file, 'utf8')) : { bases: {}, create: [], merge: [] }
  const gates = resolveFeatureGates(new Map(), { major: 1, minor: 33 })
  for (const key of resources) {
    const slash = key.lastIndexOf('/')
    const writer = writerOf(key.slice(0, slash), key.slice(slash + 1), (name) => gates.enabled(name))
    const vectors: Vector[] = [...facts.create, ...facts.merge].filter((one: Vector) => one.r === key)
    const known = vectors.filter(({ code }) => code === 422 || code === 201)
    test.each(known.map((vector) => [JSON.stringify(vector).slice(0, 150), vector] as const))(
      `${key} %s`,
      (_, vector) => {
        const body = change(facts.bases[key] as JsonObject, vector)
        const metadata = (body['metadata'] ?? {}) as JsonObject
        const renamed =
          metadata['name'] === (facts.bases[key] as JsonObject & { metadata: JsonObject }).metadata['name']
        const { errors } = writer.create({ ...body, metadata: renamed ? { ...metadata, name: 'probe' } : metadata })
        const got = errors
          .slice(0, Math.max(3, vector.causes?.length ?? 0))
          .map(({ reason, field, message }) => [reason.replace('FieldValue', ''), field, comparable(message)])
        const wanted = (vector.causes ?? []).map(([reason, field, message]) => [reason, field, comparable(message)])
        expect(got).toEqual(wanted)
      },
    )
  }
})

/** Recorded messages are cut, and structs in them hold addresses; an empty map and none are one here. */
const comparable = (message: string): string => message.replace('(nil)', '{').split('{')[0]?.slice(0, 150) ?? ''
