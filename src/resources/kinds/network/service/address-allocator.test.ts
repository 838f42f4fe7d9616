import { describe, expect, it } from 'vitest'
import { type Cidr, formatIp, parseCidr } from '../../../../api/ip.ts'
import { candidateAddresses } from './address-allocator.ts'

const of = (range: string, random = 0): string[] =>
  [...candidateAddresses(parseCidr(range) as Cidr, () => random)].map(formatIp)

describe('candidates', () => {
  it('are all addresses but the first and, in IPv4, the last', () => {
    expect(of('10.0.0.0/30')).toEqual(['10.0.0.1', '10.0.0.2'])
    expect(of('fd00::/126')).toEqual(['fd00::1', 'fd00::2', 'fd00::3'])
    expect(of('10.0.0.0/31')).toEqual([])
    expect(of('10.0.0.0/32')).toEqual([])
  })

  it('keep the bottom of a range for the end', () => {
    const all = of('10.0.0.0/24')
    expect(all).toHaveLength(254)
    expect(new Set(all).size).toBe(254)
    expect(all[0]).toBe('10.0.0.17')
    expect(all.slice(-16)).toEqual(Array.from({ length: 16 }, (_, i) => `10.0.0.${i + 1}`))
  })

  it('begin anywhere', () => {
    expect(of('10.0.0.0/29', 0.75)).toHaveLength(6)
    expect(new Set(of('10.0.0.0/29', 0.75)).size).toBe(6)
  })
})
