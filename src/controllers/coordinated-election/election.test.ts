import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { formatMicroTime, instantOfMillis } from '../../api/time.ts'
import { electedLease, electionStep } from './election.ts'

const now = Date.parse('2024-01-01T01:00:00Z')
const ago = (seconds: number): string => formatMicroTime(instantOfMillis(now - seconds * 1000))

const object = (name: string, spec: object, age = 100): KubeObject =>
  ({ apiVersion: '', kind: '', metadata: { name, creationTimestamp: ago(age) }, spec }) as unknown as KubeObject
const candidate = (name: string, spec: object = {}, age?: number): KubeObject => {
  const versions = { binaryVersion: '1.33.0', emulationVersion: '1.33.0', strategy: 'OldestEmulationVersion' }
  return object(name, { leaseName: 'l', renewTime: ago(1), pingTime: ago(2), ...versions, ...spec }, age)
}
const lease = (spec: object = {}): KubeObject =>
  object('l', { holderIdentity: 'a', leaseDurationSeconds: 5, renewTime: ago(1), ...spec })

const reported = (step: ReturnType<typeof electionStep>): string => {
  if (step.action === 'ping') return `ping ${step.candidates.map(({ metadata }) => metadata.name).join()}`
  return step.action === 'elect' ? `elect ${step.elected.holder} by ${step.elected.strategy}` : step.action
}

describe('a step of an election', () => {
  const oldest = 'by OldestEmulationVersion'
  it.each([
    ['nobody stands', undefined, [], 'none'],
    ['all have expired', undefined, [candidate('a', { renewTime: ago(1801) })], 'none'],
    ['nobody holds it', undefined, [candidate('a')], `elect a ${oldest}`],
    ['the holder is gone', lease({ renewTime: ago(6) }), [candidate('b')], `elect b ${oldest}`],
    ['the holder gave it back', lease({ holderIdentity: '' }), [candidate('b')], `elect b ${oldest}`],
    ['the holder is the best', lease(), [candidate('a'), candidate('b', {}, 50)], 'wait'],
    [
      'an older version comes',
      lease(),
      [candidate('a'), candidate('b', { emulationVersion: '1.32.0' })],
      `elect b ${oldest}`,
    ],
    [
      'an older binary comes',
      lease(),
      [candidate('a'), candidate('b', { binaryVersion: '1.32.9', emulationVersion: '1.33.0' })],
      `elect b ${oldest}`,
    ],
    [
      'versions are numbers',
      undefined,
      [candidate('a', { emulationVersion: '1.10.0' }), candidate('b', { emulationVersion: '1.9.0' })],
      `elect b ${oldest}`,
    ],
    ['the elder of two', undefined, [candidate('a', {}, 10), candidate('b', {}, 20)], `elect b ${oldest}`],
    ['none was pinged', undefined, [candidate('a', { renewTime: ago(60), pingTime: undefined })], 'ping a'],
    [
      'only some have answered',
      undefined,
      [candidate('a'), candidate('b', { renewTime: ago(60), pingTime: ago(2) })],
      'wait',
    ],
    [
      'some never answered',
      undefined,
      [candidate('a'), candidate('b', { renewTime: ago(60), pingTime: ago(6), emulationVersion: '1.1.0' })],
      `elect a ${oldest}`,
    ],
    [
      'all must answer every now and then',
      lease(),
      [candidate('a', { renewTime: ago(901), pingTime: ago(902) })],
      'ping a',
    ],
    [
      'the newest binary has the strategy',
      undefined,
      [candidate('a'), candidate('b', { binaryVersion: '1.34.0', strategy: 'x.example/y' })],
      'elect undefined by x.example/y',
    ],
    ['strategies differ', undefined, [candidate('a'), candidate('b', { strategy: 'x.example/y' })], 'wait'],
    ['versions cannot be read', undefined, [candidate('a', { emulationVersion: 'x' })], 'wait'],
  ])('%s', (_, current, candidates, expected) => {
    expect(reported(electionStep(current, candidates, now))).toBe(expected)
  })
})

describe('the Lease after an election', () => {
  const strategy = 'OldestEmulationVersion'
  const given = { strategy, leaseDurationSeconds: 5, renewTime: ago(0) }
  it.each([
    ['without a holder', lease({ holderIdentity: '' }), 'b', { holderIdentity: 'b', ...given }],
    [
      'that has run out',
      lease({ renewTime: ago(6), acquireTime: ago(60), preferredHolder: 'c' }),
      'b',
      { holderIdentity: 'b', ...given },
    ],
    [
      'of another',
      lease({ strategy }),
      'b',
      { holderIdentity: 'a', strategy, leaseDurationSeconds: 5, renewTime: ago(1), preferredHolder: 'b' },
    ],
    ['of the elected', lease({ strategy }), 'a', undefined],
    [
      'of another strategy',
      lease(),
      'a',
      { holderIdentity: 'a', strategy, leaseDurationSeconds: 5, renewTime: ago(1) },
    ],
    ['that others decide on', lease({ strategy }), undefined, undefined],
  ])('%s', (_, before, holder, spec) => {
    expect(electedLease(before, { strategy, holder }, now)?.['spec']).toEqual(spec)
  })
})
