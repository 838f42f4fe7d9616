import { describe, expect, it } from 'vitest'
import { signingRequest } from '../../src/admission/testing/signing-request.ts'
import { eventTally } from './events.ts'
import { maskedObject, maskedText } from './masking.ts'
import { matches } from './matching.ts'

describe('what is left to chance', () => {
  const texts: readonly (readonly [text: string, masked: string])[] = [
    ['web-68455d994f-b2cdf', 'web-68455d994f-?????'],
    ['web-green', 'web-green'],
    ['tick-29123456-b2cdf', 'tick-MINUTE-?????'],
    ['web-78688679f', 'web-78688679f'],
    ['bound to node-3 in zone-a', 'bound to NODE in ZONE'],
    ['pvc-11d5e325-92e4-4f7b-b06a-12345678cd7e', 'pvc-UID'],
    ['10.244.1.7 and 172.30.0.2', 'IP and NODEIP'],
  ]
  for (const [text, masked] of texts) it(`${text} → ${masked}`, () => expect(maskedText(text)).toBe(masked))

  it('leaves a request for a certificate as it is', () => {
    const request = signingRequest({ commonName: 'a' })
    expect(maskedText(request)).toBe(request)
  })

  it('puts lists in one order that addresses decide', () => {
    const endpoints = (...ready: boolean[]) => ({
      metadata: { name: 'a', generation: ready.length },
      endpoints: ready.map((each, i) => ({ addresses: [`10.0.0.${i}`], conditions: { ready: each } })),
    })
    const masked = (...ready: boolean[]) => maskedObject('discovery.k8s.io/v1/endpointslices', endpoints(...ready))
    expect(masked(true, false)).toEqual(masked(false, true))
    expect(masked(true)).not.toEqual(masked(false))
    expect(masked(true)['metadata']).toEqual({ name: 'a' })
    expect(maskedObject('v1/services', endpoints(true))['metadata']).toEqual({ name: 'a', generation: 1 })
  })
})

describe('events', () => {
  const event = (name: string, more: object = {}) => ({
    type: 'Normal',
    reason: 'Started',
    involvedObject: { kind: 'Pod', name },
    source: { component: 'kubelet' },
    message: `started ${name}`,
    ...more,
  })
  const key = 'Normal | Started | Pod | web-????? |  | kubelet |  | started web-?????'

  it('are told once or several times', () => {
    expect(eventTally([event('web-bbbbb')])).toEqual({ [key]: 'once' })
    expect(eventTally([event('web-bbbbb'), event('web-ccccc')])).toEqual({ [key]: 'several times' })
    expect(eventTally([event('web-bbbbb', { count: 3 })])).toEqual({ [key]: 'several times' })
    expect(eventTally([event('web-bbbbb', { series: { count: 1 } })])).toEqual({ [key]: 'once' })
  })

  it('differ in their words, their type and who tells of them', () => {
    for (const more of [{ message: 'a' }, { type: 'Warning' }, { source: { component: 'b' } }, { action: 'c' }]) {
      expect(Object.keys(eventTally([event('web-bbbbb', more)]))).not.toEqual([key])
    }
  })
})

describe('an expectation', () => {
  const actual = { status: { replicas: 2, conditions: [{ type: 'A' }, { type: 'B', status: 'True' }] } }
  it('is met by what says at least as much', () => {
    expect(matches(actual, { status: { replicas: 2, conditions: [{ type: 'B' }] } })).toBe(true)
    expect(matches(actual, { status: { replicas: 3 } })).toBe(false)
    expect(matches(actual, { status: { conditions: [{ type: 'B', status: 'False' }] } })).toBe(false)
    expect(matches(actual, { spec: null })).toBe(true)
    expect(matches(actual, { status: null })).toBe(false)
  })
})
