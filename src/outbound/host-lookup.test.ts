// What was checked is what is dialled: every spelling of an address is either that address or none.
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type AddressPolicy, assertAllowed, hostLookup, isProxyable, reachFrom, resolveHost } from './host-lookup.ts'

const lookUp = (host: string, policy: AddressPolicy, all: boolean): Promise<string | LookupAddress[]> =>
  new Promise((resolve, reject) => {
    hostLookup(policy)(host, { all }, (error, found) => {
      if (error === null) resolve(found)
      else reject(error)
    })
  })

describe('spellings of addresses that the C library would take', () => {
  test.each([
    '0177.0.0.1',
    '0177.0.0.01',
    '127.0.0.010',
    '0x7f.0.0.1',
    '0x7f.1',
    '0X7F000001',
    '127.1',
    '127.0.1',
    '2130706433',
    '017700000001',
    '0',
    '00',
    '0x0',
    '192.0.2.02',
    '127.0.0.1.',
    '1.2.3.4.5',
    'a.0x7f',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '１２７.0.0.1',
    'ｌocalhost',
    'localhost\0.example.com',
    'localhost ',
    'a b',
  ])('%s is no host, under any policy', async (host) => {
    expect(isIP(host)).toBe(0)
    for (const policy of ['any', 'proxyable'] as const) {
      for (const all of [true, false]) {
        await expect(lookUp(host, policy, all)).rejects.toMatchObject({ code: 'ENOTFOUND' })
      }
      await expect(resolveHost(host, policy)).rejects.toMatchObject({ code: 'ENOTFOUND' })
    }
  })
})

describe('addresses that nobody is proxied to', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '255.255.255.255',
    '169.254.169.254',
    '224.0.0.1',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:169.254.169.254',
    'fe80::1',
    'fe80::1%lo',
    'ff02::1',
  ])('%s', async (host) => {
    expect(isIP(host)).not.toBe(0)
    expect(() => assertAllowed(host, 'proxyable')).toThrow('address not allowed')
    await expect(resolveHost(host, 'proxyable')).rejects.toThrow('address not allowed')
    expect(() => assertAllowed(host, 'any')).not.toThrow()
  })

  test.each(['10.0.0.1', '192.0.2.2', 'fd00::2', '2001:db8::1', '::ffff:10.0.0.1'])('unlike %s', (host) => {
    expect(isProxyable(host)).toBe(true)
    expect(() => assertAllowed(host, 'proxyable')).not.toThrow()
  })

  test('nor to names that stand for them', async () => {
    await expect(lookUp('localhost', 'proxyable', true)).rejects.toThrow('address not allowed')
    await expect(lookUp('localhost', 'proxyable', false)).rejects.toThrow('address not allowed')
    await expect(resolveHost('localhost', 'proxyable')).rejects.toThrow('address not allowed')
    expect(await lookUp('localhost', 'any', true)).not.toHaveLength(0)
  })
})

describe('reachFrom', () => {
  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.1.1', 'localhost', 'a.localhost', 'LOCALHOST.'])(
    'lets %s lead to everywhere',
    (host) => {
      expect(reachFrom(host)).toBe('any')
    },
  )
  test.each(['192.0.2.1', '2001:db8::1', 'idp.example.com', 'localhost.example.com', 'notlocalhost', '0177.0.0.1'])(
    'lets %s not lead to this machine',
    (host) => {
      expect(reachFrom(host)).toBe('proxyable')
    },
  )
})

describe('IPv6 addresses that hold an IPv4 one', () => {
  test.each([
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::7f00:1',
    '64:ff9b:1:7f00:0:100::',
    // Around the zeros a public one, at the end this machine.
    '64:ff9b:1:c000:2:100:7f00:1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001:0:7f00:1::3fff:fdfe',
    '2001:0:c000:201::80ff:fffe',
    'fd00::5efe:7f00:1',
    'fd00::200:5efe:a9fe:a9fe',
  ])('%s is not proxied to', (host) => {
    expect(isProxyable(host)).toBe(false)
  })
  test.each([
    '64:ff9b::192.0.2.1',
    '64:ff9b:1::c000:201',
    '64:ff9b:1:c000:2:100::',
    '2002:c000:201::1',
    '2001:0:c000:201::3fff:fdfe',
    '2001:db8::7f00:1',
    'fd00::5efe:c000:201',
  ])('%s is', (host) => {
    expect(isProxyable(host)).toBe(true)
  })
})
