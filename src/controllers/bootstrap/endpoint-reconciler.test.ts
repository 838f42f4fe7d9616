import { describe, expect, it } from 'vitest'
import { limitedAddresses } from './endpoint-reconciler.ts'

describe('the addresses of a fixed number of servers', () => {
  it.each<[string, string[], string, number, string[]]>([
    ['adds the first', [], '10.0.0.1', 1, ['10.0.0.1']],
    ['adds itself in order', ['10.0.0.3'], '10.0.0.1', 3, ['10.0.0.1', '10.0.0.3']],
    ['replaces the only other', ['10.0.0.3'], '10.0.0.1', 1, ['10.0.0.1']],
    ['removes the one after itself', ['10.0.0.1', '10.0.0.2', '10.0.0.3'], '10.0.0.2', 2, ['10.0.0.1', '10.0.0.2']],
    ['goes round', ['10.0.0.1', '10.0.0.2'], '10.0.0.9', 2, ['10.0.0.2', '10.0.0.9']],
    ['leaves what is right', ['10.0.0.1', '10.0.0.2'], '10.0.0.1', 2, ['10.0.0.1', '10.0.0.2']],
  ])('%s', (_, known, own, count, expected) => {
    expect(limitedAddresses(known, own, count)).toEqual(expected)
  })
})
