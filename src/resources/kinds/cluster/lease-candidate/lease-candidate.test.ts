import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../api/object.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { leaseCandidateRules } from './lease-candidate.ts'

const context: WriteContext = { user: undefined, namespace: 'n', dryRun: false, now: 0, gate: () => true }
const good = { leaseName: 'l', binaryVersion: '1.30.0', emulationVersion: '1.30.0', strategy: 'OldestEmulationVersion' }
const { strategy } = leaseCandidateRules()

type Candidate = Parameters<NonNullable<typeof strategy.validate>>[0]
const candidate = (spec: object): Candidate =>
  ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: { ...good, ...spec } }) as KubeObject as Candidate

describe('lease candidates', () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ leaseName: '' }, ['spec.leaseName: Required value']],
    [{ binaryVersion: '' }, ['spec.binaryVersion: Required value']],
    [
      { binaryVersion: '1.30' },
      [
        'spec.binaryVersion: Invalid value: "1.30": must be a valid semantic version',
        'spec.binaryVersion: Invalid value: "1.30": must be greater than or equal to `emulationVersion`',
      ],
    ],
    [
      { binaryVersion: '1.30.0-beta.2', emulationVersion: '1.30.0-beta.11' },
      ['spec.binaryVersion: Invalid value: "1.30.0-beta.2": must be greater than or equal to `emulationVersion`'],
    ],
    [{ binaryVersion: '1.30.0', emulationVersion: '1.30.0-rc.1' }, []],
    [
      { emulationVersion: '1.18446744073709551616.0' },
      [
        'spec.emulationVersion: Invalid value: "1.18446744073709551616.0": must be a valid semantic version',
        "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
      ],
    ],
    [{ strategy: '' }, ['spec.strategy: Required value']],
    [{ strategy: 'example.com/mine', emulationVersion: '' }, []],
    [
      { emulationVersion: '' },
      ["spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"],
    ],
    [
      { strategy: 'Odd' },
      ['spec.strategy.strategy: Unsupported value: "Odd": supported values: "OldestEmulationVersion"'],
    ],
  ])('%j', (spec, expected) => {
    const errors = strategy.validate?.(candidate(spec), context) ?? []
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected)
  })

  it('stand for one lease', () => {
    const errors = strategy.validateUpdate?.(candidate({ leaseName: 'm' }), candidate({}), context) ?? []
    expect(errors.map(({ field }) => field)).toEqual(['spec.leaseName'])
  })
})
