import { describe, expect, it } from 'vitest'
import type { Awaitable } from '../lib/awaitable.ts'
import { AdmissionChain, type MeterOf } from './chain.ts'
import type { AdmissionPlugin } from './plugin.ts'
import { testRequest } from './testing/test-cluster.ts'

const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', annotations: { seen: '' } } }

/** Appends its name; later if it waits. */
const mark = (name: string, waits = false): AdmissionPlugin => ({
  name,
  handles: () => true,
  mutate: ({ object: given }) => {
    const seen = `${given?.metadata.annotations?.['seen']}${name}`
    const changed = { ...given!, metadata: { ...given?.metadata, annotations: { seen } } }
    return waits ? Promise.resolve(changed) : changed
  },
})

describe('the chain', () => {
  it('runs in order and at once when nothing waits', () => {
    const result = new AdmissionChain([mark('a'), mark('b')]).mutate(testRequest({ object }))
    expect(result).toMatchObject({ metadata: { annotations: { seen: 'ab' } } })
    expect(object.metadata.annotations.seen).toBe('')
  })

  it('keeps the order when something waits', async () => {
    const chain = new AdmissionChain([mark('a', true), mark('b'), mark('c', true)])
    expect(await chain.mutate(testRequest({ object }))).toMatchObject({ metadata: { annotations: { seen: 'abc' } } })
  })

  it('leaves out plugins that do not care', () => {
    const careless = { ...mark('x'), handles: () => false }
    expect(new AdmissionChain([careless]).mutate(testRequest({ object }))).toBe(object)
  })

  it('gives everyone another look when a plugin asks for it, once', async () => {
    const again: AdmissionPlugin = {
      name: 'again',
      handles: () => true,
      mutate: async (_, pass) => {
        pass.repeat()
        return undefined
      },
    }
    const chain = new AdmissionChain([mark('a'), again])
    expect(await chain.mutate(testRequest({ object }))).toMatchObject({ metadata: { annotations: { seen: 'aa' } } })
  })

  it('stops at the first refusal', async () => {
    const refuse: AdmissionPlugin = {
      name: 'refuse',
      handles: () => true,
      validate: async () => {
        throw new Error('no')
      },
    }
    let reached = false
    const later: AdmissionPlugin = {
      name: 'later',
      handles: () => true,
      validate: () => {
        reached = true
      },
    }
    await expect(new AdmissionChain([refuse, later]).validate(testRequest({ object }))).rejects.toThrow('no')
    expect(reached).toBe(false)
  })

  it('tells how each plugin that cares decided, at once or later', async () => {
    const reported: string[] = []
    const meterOf: MeterOf = (plugin, phase, operation) => ({
      passed: (seconds) => reported.push(`${plugin} ${phase} ${operation} passed ${seconds >= 0}`),
      refused: (seconds) => reported.push(`${plugin} ${phase} ${operation} refused ${seconds >= 0}`),
    })
    const refuse = (name: string, validate: () => Awaitable<void>): AdmissionPlugin => ({
      name,
      handles: () => true,
      validate,
    })
    const no = (): never => {
      throw new Error('no')
    }
    const mutators = [mark('a'), mark('b', true), { ...mark('x'), handles: () => false }, mark('c')]
    await new AdmissionChain(mutators, meterOf).mutate(testRequest({ object }))
    const request = testRequest({ object })
    expect(() => new AdmissionChain([refuse('d', () => {}), refuse('e', no)], meterOf).validate(request)).toThrow('no')
    const later = new AdmissionChain([refuse('f', async () => no())], meterOf)
    await expect(later.validate(request)).rejects.toThrow('no')
    const { operation } = request
    expect(reported).toEqual([
      `a admit ${operation} passed true`,
      `b admit ${operation} passed true`,
      `c admit ${operation} passed true`,
      `d validate ${operation} passed true`,
      `e validate ${operation} refused true`,
      `f validate ${operation} refused true`,
    ])
  })
})
