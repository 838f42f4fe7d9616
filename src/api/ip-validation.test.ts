import { describe, expect, test } from 'vitest'
import * as checks from './ip-validation.ts'

const noIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const noCidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

describe('addresses and ranges of fields', () => {
  test.each<[string, (value: string) => readonly string[], string, string[]]>([
    ['ip', checks.checkIp, '10.0.0.1', []],
    ['ip', checks.checkIp, 'x', [noIp]],
    ['ip', checks.checkIp, '010.0.0.1', ['must not have leading 0s']],
    ['ip', checks.checkIp, '::ffff:1.2.3.4', ['must not be an IPv4-mapped IPv6 address']],
    ['ip', checks.checkIp, '2001:DB8::1', ['must be in canonical form ("2001:db8::1")']],
    ['legacy ip', checks.checkLegacyIp, '010.0.0.1', []],
    ['cidr', checks.checkCidr, '10.0.0.0/8', []],
    ['cidr', checks.checkCidr, '10.0.0.0', [noCidr]],
    ['cidr', checks.checkCidr, '10.0.0.0/08', ['must not have leading 0s in IP or prefix length']],
    ['cidr', checks.checkCidr, '10.0.0.1/8', ['must not have bits set beyond the prefix length']],
    ['cidr', checks.checkCidr, '::ffff:1.2.3.0/120', ['must not have an IPv4-mapped IPv6 address']],
    ['cidr', checks.checkCidr, 'FD00::/8', ['must be in canonical form ("fd00::/8")']],
    ['legacy cidr', checks.checkLegacyCidr, '10.0.0.1/08', []],
    ['interface', checks.checkInterfaceAddress, '10.0.0.1/8', []],
    ['interface', checks.checkInterfaceAddress, '10.0.0.1/08', ['must be in canonical form ("10.0.0.1/8")']],
    ['socket', checks.checkSocketAddress, '[::]:80', []],
    ['socket', checks.checkSocketAddress, '0.0.0.0:99999', ['must be between 1 and 65535, inclusive']],
    [
      'socket',
      checks.checkSocketAddress,
      '::80',
      [expect.stringContaining('must be a valid socket address') as string],
    ],
  ])('%s %j', (_, check, value, messages) => expect(check(value)).toEqual(messages))

  test.each<[string, string[]]>([
    ['10.0.0.1', []],
    [
      '010.0.0.1',
      [
        'f: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
      ],
    ],
    ['FE80::1', ['f: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")']],
  ])('warnings for the address %s', (value, warnings) => expect(checks.warningsForIp('f', value)).toEqual(warnings))

  test.each<[string, string[]]>([
    ['10.0.0.0/8', []],
    [
      '10.0.0.1/8',
      ['f: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
    ],
    [
      '10.0.0.0/08',
      [
        'f: non-standard CIDR value "10.0.0.0/08" will be considered invalid in a future Kubernetes release: use "10.0.0.0/8"',
      ],
    ],
    ['FD00::/8', ['f: IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")']],
  ])('warnings for the range %s', (value, warnings) => expect(checks.warningsForCidr('f', value)).toEqual(warnings))
})
