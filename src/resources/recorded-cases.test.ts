/**
 * The rules of every kind find what the reference told of the recorded objects, updates and statuses, without a server around them.
 * The whole way is that of test/integration/validation.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type KindRegistries,
  type KindTarget,
  type Outcome,
  openKindRegistries,
} from '../../test/support/kind-registries.ts'
import { masked, type RecordedCase, type RecordedCases, recordedCases } from '../../test/support/recorded-cases.ts'
import { parseGroupVersion } from '../api/group-version.ts'
import type { JsonObject } from '../api/json.ts'
import { defaultRelease } from '../catalog/releases.ts'
import { findResource } from '../catalog/resources.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'

/** Others were answered before rules were asked, or by admission. */
const isOfRules = ({ code }: RecordedCase): boolean => code === 200 || code === 201 || code === 422

/** What the decoder and the version warn of. */
const isOfRequest = (warning: string): boolean => /^unknown field |^\S+ \w+ is deprecated in v/.test(warning)

const open = ({ gates, ranges }: RecordedCases): Promise<KindRegistries> =>
  openKindRegistries({
    release: defaultRelease,
    gates,
    ranges,
    isServed: ({ subresource }) => subresource === '',
  })

function targetOf(of: string, { metadata }: JsonObject): KindTarget {
  const slash = of.lastIndexOf('/')
  const apiVersion = of.slice(0, slash)
  const resource = of.slice(slash + 1)
  const version = parseGroupVersion(apiVersion)
  const isNamespaced = version !== undefined && findResource(version, resource)?.namespaced === true
  const name = String((metadata as JsonObject)['name'])
  return { apiVersion, resource, namespace: isNamespaced ? 'refusals' : '', name, dryRun: true }
}

/** Dry runs all share what the kinds are over; updates have it for themselves. */
async function outcomeOf(
  { of, merge, before = [], sub = '', change }: RecordedCase,
  recorded: RecordedCases,
  shared: KindRegistries,
): Promise<Outcome | undefined> {
  const body = applyMergePatch(recorded.bases[of] ?? {}, merge) as JsonObject
  const target = targetOf(of, body)
  if (change === undefined) return shared.create(target, body)
  const kinds = await open(recorded)
  const stored = { ...target, dryRun: false }
  expect((await kinds.create(stored, body))?.refused).toBeUndefined()
  for (const [part, patch] of before) expect((await kinds.change(stored, part, patch))?.refused).toBeUndefined()
  const outcome = await kinds.change(target, sub, change)
  kinds.close()
  return outcome
}

const told = ({ refused, warnings }: Outcome) => ({
  causes: (refused?.details?.causes ?? [])
    .map(({ reason, field = '', message = '' }) => [reason, field, masked(message)])
    .sort(),
  warnings: warnings.map(masked).sort(),
})

describe.each(recordedCases())('with $gates', (recorded) => {
  let shared: KindRegistries
  beforeAll(async () => {
    shared = await open(recorded)
  })
  afterAll(() => shared.close())

  describe.each(Object.keys(recorded.bases))('%s', (of) => {
    const cases = recorded.cases.filter((each) => each.of === of && isOfRules(each))
    test.each(cases)('$merge $sub $change', async (each) => {
      const { causes = [], warnings = [] } = each
      const outcome = await outcomeOf(each, recorded, shared)
      expect(outcome && told(outcome)).toEqual({ causes, warnings: warnings.filter((text) => !isOfRequest(text)) })
    })
  })
})
