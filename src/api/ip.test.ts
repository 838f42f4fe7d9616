import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as ip from './ip.ts'

describe('the strict reader', () => {
  test.each([
    ['1.2.3.4', 'IPv4', '1.2.3.4'],
    ['255.255.255.255', 'IPv4', '255.255.255.255'],
    ['::', 'IPv6', '::'],
    ['::1', 'IPv6', '::1'],
    ['1::', 'IPv6', '1::'],
    ['2001:DB8:0:0:1:0:0:1', 'IPv6', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', 'IPv6', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:2:0:0:0:3', 'IPv6', '1:0:0:2::3'],
    ['::ffff:1.2.3.4', 'IPv6', '::ffff:1.2.3.4'],
    ['::1.2.3.4', 'IPv6', '::102:304'],
    ['1:2:3:4:5:6:1.2.3.4', 'IPv6', '1:2:3:4:5:6:102:304'],
    ['fe80::1%eth0', 'IPv6', 'fe80::1%eth0'],
  ])('%s', (text, family, written) => {
    const address = ip.parseAddress(text)
    expect(address.family).toBe(family)
    expect(ip.formatIp(address)).toBe(written)
  })

  test.each([
    ['', 'unable to parse IP'],
    ['host', 'unable to parse IP'],
    ['%a', 'missing IPv6 address'],
    ['1.2.3', 'IPv4 address too short'],
    ['1.2.3.4.5', 'IPv4 address too long'],
    ['1.2.3.256', 'IPv4 field has value >255'],
    ['01.2.3.4', 'IPv4 field has octet with leading zero'],
    ['1..3.4', 'IPv4 field must have at least one digit (at ".3.4")'],
    ['1.2.3.', 'IPv4 field must have at least one digit (at ".")'],
    ['1.2.3.x', 'unexpected character (at "x")'],
    ['fe80::%', 'zone must be a non-empty string'],
    ['1:2', 'address string too short'],
    ['::1::', 'multiple :: in address (at ":")'],
    ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
    ['1:2:3:4:5:6:7:8::', 'the :: must expand to at least one field of zeros'],
    ['::12345', 'each group must have 4 or less digits (at "12345")'],
    [':1', 'each colon-separated field must have at least one digit (at ":1")'],
    ['1:', 'colon must be followed by more characters (at ":")'],
    ['1:g', 'each colon-separated field must have at least one digit (at "g")'],
    ['1g:', 'unexpected character, want colon (at "g:")'],
    ['1:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'],
    ['::1.2.3', 'IPv4 address too short'],
  ])('%j is refused', (text, what) => {
    expect(() => ip.parseAddress(text)).toThrow(new ip.AddressError(`ParseAddr(${JSON.stringify(text)}): ${what}`))
  })

  test.each([
    ['1.2.3.4', "no '/'"],
    ['1.2.3/8', 'ParseAddr("1.2.3"): IPv4 address too short'],
    ['1.2.3.4/33', 'prefix length out of range'],
    ['1.2.3.4/08', 'bad bits after slash: "08"'],
    ['1.2.3.4/', 'bad bits after slash: ""'],
    ['1.2.3.4/-1', 'bad bits after slash: "-1"'],
    ['::%a/1', 'IPv6 zones cannot be present in a prefix'],
  ])('the range %j is refused', (text, what) => {
    expect(() => ip.parsePrefix(text)).toThrow(
      new ip.AddressError(`netip.ParsePrefix(${JSON.stringify(text)}): ${what}`),
    )
  })

  test('what is written reads the same', () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        expect(ip.formatIp(ip.parseAddress(text))).toBe(text)
      }),
    )
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const address = ip.parseAddress(text)
        expect(ip.parseAddress(ip.formatIp(address))).toEqual(address)
      }),
    )
  })
})

describe('the lenient reader', () => {
  test.each([
    ['010.002.003.004', '10.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::00001', '::1'],
  ])('%s is %s', (text, written) => {
    const address = ip.parseIp(text)
    expect(address && ip.formatIp(address)).toBe(written)
  })
  test.each(['', 'host', '1.2.3', '256.1.1.1', 'fe80::1%eth0', '1.2.3.4.', '::10000'])('%j is refused', (text) =>
    expect(ip.parseIp(text)).toBeUndefined(),
  )
  test.each([
    ['10.0.0.5/024', '10.0.0.5/24'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:10.0.0.0/90', '::ffff:10.0.0.0/90'],
    ['fd00::/8', 'fd00::/8'],
  ])('the range %s is %s', (text, written) => {
    const cidr = ip.parseCidr(text)
    expect(cidr && ip.formatCidr(cidr)).toBe(written)
  })
  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/+8', '10.0.0.0/', 'x/8', '::/129'])(
    'the range %j is refused',
    (text) => expect(ip.parseCidr(text)).toBeUndefined(),
  )
})

describe('ranges', () => {
  const cidr = ip.parsePrefix('10.1.2.3/24')
  const at = ip.parseAddress

  test('its ends and size', () => {
    expect(ip.formatCidr(ip.maskedCidr(cidr))).toBe('10.1.2.0/24')
    expect(ip.formatIp(ip.firstIp(cidr))).toBe('10.1.2.0')
    expect(ip.formatIp(ip.lastIp(cidr))).toBe('10.1.2.255')
    expect(ip.cidrSize(cidr)).toBe(256n)
    expect(ip.cidrSize(ip.parsePrefix('::/0'))).toBe(2n ** 128n)
    expect(ip.formatIp(ip.lastIp(ip.parsePrefix('::/0')))).toBe('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')
  })

  test('what it contains', () => {
    expect(ip.cidrContains(cidr, at('10.1.2.255'))).toBe(true)
    expect(ip.cidrContains(cidr, at('10.1.3.0'))).toBe(false)
    expect(ip.cidrContains(cidr, at('::1'))).toBe(false)
    expect(ip.cidrContainsCidr(cidr, ip.parsePrefix('10.1.2.0/25'))).toBe(true)
    expect(ip.cidrContainsCidr(cidr, ip.parsePrefix('10.1.0.0/16'))).toBe(false)
    expect(ip.cidrsOverlap(cidr, ip.parsePrefix('10.1.0.0/16'))).toBe(true)
    expect(ip.cidrsOverlap(cidr, ip.parsePrefix('10.2.0.0/16'))).toBe(false)
  })

  test('the next address, up to the last', () => {
    expect(ip.nextIp(at('10.0.0.255'))).toEqual(at('10.0.1.0'))
    expect(ip.nextIp(at('255.255.255.255'))).toBeUndefined()
    expect(ip.offsetIp(at('0.0.0.0'), -1n)).toBeUndefined()
    expect(ip.compareIps(at('1.1.1.1'), at('::'))).toBe(-1)
  })

  test.each<[string, string]>([
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['127.1.2.3', 'loopback'],
    ['::1', 'loopback'],
    ['169.254.1.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['febf::1', 'link-local'],
    ['224.0.0.1', 'link-local multicast'],
    ['ff02::1', 'link-local multicast'],
    ['ff12::1', 'link-local multicast'],
    ['224.0.1.1', 'multicast'],
    ['ff05::1', 'multicast'],
    ['255.255.255.255', 'none'],
    ['10.0.0.1', 'global'],
    ['2001:db8::1', 'global'],
  ])('%s is %s', (text, kind) => {
    const a = at(text)
    expect(ip.isUnspecifiedIp(a)).toBe(kind === 'unspecified')
    expect(ip.isLoopbackIp(a)).toBe(kind === 'loopback')
    expect(ip.isLinkLocalUnicastIp(a)).toBe(kind === 'link-local')
    expect(ip.isLinkLocalMulticastIp(a)).toBe(kind === 'link-local multicast')
    expect(ip.isMulticastIp(a)).toBe(kind.includes('multicast'))
    expect(ip.isGlobalUnicastIp(a)).toBe(kind === 'global')
  })
})
