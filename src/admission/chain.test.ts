import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../api/admission.ts'
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
      admitted: (seconds) => reported.push(`${plugin} ${phase} ${operation} admitted ${seconds >= 0}`),
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
      `a admit ${operation} admitted true`,
      `b admit ${operation} admitted true`,
      `c admit ${operation} admitted true`,
      `d validate ${operation} admitted true`,
      `e validate ${operation} refused true`,
      `f validate ${operation} refused true`,
    ])
  })
})

describe('which plugins a request meets', () => {
  /** A chain of one plugin that is about creates of pods, and how often it was asked what it is about. */
  function about() {
    const asked: string[] = []
    const plugin: AdmissionPlugin = {
      ...mark('a'),
      handles: ({ operation, group, resource, subresource }) => {
        asked.push(`${operation} ${group} ${resource} ${subresource}`)
        return operation === 'CREATE' && group === '' && resource === 'pods' && subresource === ''
      },
    }
    const chain = new AdmissionChain([plugin])
    const isMet = (more: Partial<AdmissionRequest> = {}): boolean =>
      chain.mutate(testRequest({ object, ...more })) !== object
    return { asked, isMet }
  }
  const pods = { group: '', version: 'v1', resource: 'pods' }
  const others: [string, Partial<AdmissionRequest>][] = [
    ['operation', { operation: 'UPDATE' }],
    ['group', { resource: { ...pods, group: 'x' } }],
    ['resource', { resource: { ...pods, resource: 'nodes' } }],
    ['part', { subresource: 'status' }],
  ]

  it.each(others)('is another matter for another %s', (_, other) => {
    const { isMet, asked } = about()
    expect([isMet(), isMet(other), isMet(), isMet(other), isMet(other), isMet()]).toEqual([
      true,
      false,
      true,
      false,
      false,
      true,
    ])
    expect(asked).toHaveLength(2)
  })

  it('is the same for another version, name or namespace', () => {
    const { isMet, asked } = about()
    for (const more of [{}, { resource: { ...pods, version: 'v2' } }, { name: 'y' }, { namespace: 'other' }])
      expect(isMet(more)).toBe(true)
    expect(asked).toEqual(['CREATE  pods '])
  })

  it('is remembered for ten thousand kinds of request', () => {
    const { isMet, asked } = about()
    const ask = (i: number): boolean => isMet({ resource: { ...pods, resource: `r${i}` } })
    for (let i = 0; i < 10_000; i++) ask(i)
    ask(0)
    expect(asked).toHaveLength(10_000)
    ask(10_000)
    ask(0)
    expect(asked).toHaveLength(10_002)
  })
})

describe('a second round', () => {
  it('knows that it is one, and what each plugin left for it', async () => {
    const seen: unknown[] = []
    const remembering = (name: string): AdmissionPlugin => ({
      name,
      handles: () => true,
      mutate: async (_, pass) => {
        const memory = pass.remember(name, () => ({ name, count: 0 }))
        memory.count++
        seen.push([pass.round, memory.name, memory.count])
        pass.repeat()
        return undefined
      },
    })
    const chain = new AdmissionChain([remembering('a'), remembering('b')])
    expect(await chain.mutate(testRequest({ object }))).toBe(object)
    expect(seen).toEqual([
      [0, 'a', 1],
      [0, 'b', 1],
      [1, 'a', 2],
      [1, 'b', 2],
    ])
    await chain.mutate(testRequest({ object }))
    expect(seen[4]).toEqual([0, 'a', 1])
  })

  it('is not there where nobody asks for it', async () => {
    const chain = new AdmissionChain([mark('a', true)])
    expect(await chain.mutate(testRequest({ object }))).toMatchObject({ metadata: { annotations: { seen: 'a' } } })
  })
})

it('validates at once where no plugin waits, and in order where some do', async () => {
  const order: string[] = []
  const checking = (name: string, waits: boolean): AdmissionPlugin => ({
    name,
    handles: () => true,
    validate: waits
      ? async () => {
          await Promise.resolve()
          order.push(name)
        }
      : () => void order.push(name),
  })
  const request = testRequest({ object })
  expect(new AdmissionChain([checking('a', false), checking('b', false)]).validate(request)).toBeUndefined()
  await new AdmissionChain([checking('c', true), checking('d', false), checking('e', true)]).validate(request)
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e'])
})
