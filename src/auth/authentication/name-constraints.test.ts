/** Names of certificates and what authorities say of them: how they are read, and why a name may not stand there. */
import { describe, expect, it } from 'vitest'
import { derInteger, explicit, implicit, sequence, utf8 } from '../../lib/der.ts'
import { type DerValue, readDer } from '../../lib/der-reader.ts'
import { readAlternativeNames, readConstraints, violatedInChain } from './name-constraints.ts'

type Name = readonly ['dns' | 'email' | 'uri' | 'ip' | 'other', string | readonly number[]]

const tags = { email: 1, dns: 2, uri: 6, ip: 7, other: 8 } as const
const name = ([kind, value]: Name): Buffer =>
  implicit(tags[kind], typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from(value))
const der = (bytes: Buffer): DerValue | undefined => readDer(bytes)[0]
const subtrees = (names: readonly Name[]): Buffer => Buffer.concat(names.map((each) => sequence(name(each))))

interface Limits {
  readonly permits?: readonly Name[]
  readonly excludes?: readonly Name[]
}

const constraintsOf = ({ permits, excludes }: Limits) =>
  readConstraints(
    der(
      sequence(
        ...(permits === undefined ? [] : [explicit(0, subtrees(permits))]),
        ...(excludes === undefined ? [] : [explicit(1, subtrees(excludes))]),
      ),
    ),
  )
const namesOf = (...names: Name[]) => readAlternativeNames(der(sequence(...names.map(name))))

/** Why a leaf with the name may not stand below an authority with the limits. */
const wrong = (given: Name, limits: Limits): string | undefined =>
  violatedInChain([
    { alternativeNames: namesOf(given), constraints: undefined },
    { alternativeNames: undefined, constraints: constraintsOf(limits) },
  ])

describe('alternative names', () => {
  it('are read by their kinds, and others are left out', () => {
    const names = namesOf(['dns', 'a'], ['email', 'b@c'], ['uri', 'd://e'], ['ip', [1, 2, 3, 4]], ['other', 'x'])
    expect(names).toEqual({
      dns: ['a'],
      email: ['b@c'],
      uri: ['d://e'],
      ip: ['\u0001\u0002\u0003\u0004'],
      isEmpty: false,
    })
    expect([namesOf().isEmpty, namesOf(['other', 'x']).isEmpty]).toEqual([true, true])
    expect(namesOf(['ip', Array(16).fill(1)]).ip).toHaveLength(1)
  })

  it.each<[string, () => unknown, string]>([
    ['nothing', () => readAlternativeNames(undefined), 'alternative names are no sequence'],
    ['a text', () => readAlternativeNames(der(utf8('x'))), 'alternative names are no sequence'],
    ['an address of five bytes', () => namesOf(['ip', [1, 2, 3, 4, 5]]), 'an address of another length'],
    ['a name with an umlaut', () => namesOf(['dns', 'ä']), 'a dns name is not ASCII'],
    ['a mail address with an umlaut', () => namesOf(['email', 'ä@b']), 'a email name is not ASCII'],
  ])('are not %s', (_, read, message) => {
    expect(read).toThrow(message)
  })
})

describe('constraints', () => {
  it('are read, and tell of kinds that are not known', () => {
    expect(constraintsOf({ permits: [['dns', 'a']], excludes: [['uri', 'b']] })).toMatchObject({
      permitted: { dns: ['a'], uri: [] },
      excluded: { dns: [], uri: ['b'] },
      hasUnknown: false,
    })
    expect(constraintsOf({ permits: [['other', 'a']] }).hasUnknown).toBe(true)
    expect(constraintsOf({ permits: [['dns', 'a']], excludes: [['other', 'a']] }).hasUnknown).toBe(true)
  })

  const permitted = explicit(0, subtrees([['dns', 'a']]))
  const excluded = explicit(1, subtrees([['dns', 'b']]))
  it.each<[string, Buffer, string]>([
    ['a text', utf8('x'), 'name constraints are no sequence'],
    ['in the wrong order', sequence(excluded, permitted), 'strange name constraints'],
    ['twice', sequence(permitted, permitted), 'strange name constraints'],
    ['with something else', sequence(permitted, explicit(2, subtrees([['dns', 'a']]))), 'strange name constraints'],
    ['empty', sequence(), 'empty name constraints'],
    ['of empty parts', sequence(explicit(0, Buffer.alloc(0)), explicit(1, Buffer.alloc(0))), 'empty name constraints'],
    ['without a base', sequence(explicit(0, sequence())), 'a subtree without a base'],
    ['of no subtrees', sequence(explicit(0, derInteger(1))), 'a subtree without a base'],
  ])('are not %s', (_, bytes, message) => {
    expect(() => readConstraints(der(bytes))).toThrow(message)
  })

  it.each<[string, Name, string | undefined]>([
    ['all names', ['dns', ''], undefined],
    ['what is below', ['dns', '.example.com'], undefined],
    ['empty labels', ['dns', 'a..b'], 'a subtree of no names'],
    ['a dot at the end', ['dns', 'a.'], 'a subtree of no names'],
    ['spaces', ['dns', 'a b'], 'a subtree of no names'],
    ['a host', ['uri', 'example.com'], undefined],
    ['an address as a host', ['uri', '10.0.0.1'], 'a subtree of no names'],
    ['a mailbox', ['email', 'a@example.com'], undefined],
    ['a quoted mailbox', ['email', '"a b"@example.com'], undefined],
    ['a mailbox of no name', ['email', '@example.com'], 'a subtree of no names'],
    ['a mailbox that begins with a dot', ['email', '.a@example.com'], 'a subtree of no names'],
    ['a mailbox that ends with a dot', ['email', 'a.@example.com'], 'a subtree of no names'],
    ['a mailbox with two dots', ['email', 'a..b@example.com'], 'a subtree of no names'],
    ['a mailbox of a domain with a space', ['email', 'a@b c'], 'a subtree of no names'],
    ['a mailbox of an empty label', ['email', 'a@b..c'], 'a subtree of no names'],
    ['a mailbox with a line', ['email', '"a\nb"@c'], 'a subtree of no names'],
    ['a mail domain', ['email', 'example.com'], undefined],
    ['a mail domain of empty labels', ['email', 'a..b'], 'a subtree of no names'],
    ['a range', ['ip', [10, 0, 0, 0, 255, 0, 0, 0]], undefined],
    ['a long range', ['ip', [...Array<number>(16).fill(1), ...Array<number>(16).fill(255)]], undefined],
    ['a mask with holes', ['ip', [10, 0, 0, 0, 255, 0, 255, 0]], 'a subtree of no addresses'],
    ['a range without a mask', ['ip', [10, 0, 0, 0]], 'a subtree of no addresses'],
    ['a range of another length', ['ip', Array<number>(16).fill(0)], 'a subtree of no addresses'],
  ])('are about %s, or not', (_, subtree, message) => {
    const read = () => constraintsOf({ permits: [subtree] })
    if (message === undefined) expect(read).not.toThrow()
    else expect(read).toThrow(message)
  })
})

describe('a name below an authority', () => {
  const ten = ['ip', [10, 0, 0, 0, 255, 0, 0, 0]] as const
  const long = ['ip', [0x20, 1, ...Array<number>(14).fill(0), 255, 255, ...Array<number>(14).fill(0)]] as const
  it.each<[string, Name, Limits, string | undefined]>([
    ['is permitted', ['dns', 'a.example.com'], { permits: [['dns', 'example.com']] }, undefined],
    [
      'is one of several',
      ['dns', 'b'],
      {
        permits: [
          ['dns', 'a'],
          ['dns', 'b'],
        ],
      },
      undefined,
    ],
    ['is not permitted', ['dns', 'b'], { permits: [['dns', 'a']] }, 'DNS name "b" is not permitted by any constraint'],
    [
      'is excluded',
      ['dns', 'x.a'],
      {
        excludes: [
          ['dns', 'b'],
          ['dns', 'a'],
        ],
      },
      'DNS name "x.a" is excluded by constraint "a"',
    ],
    [
      'is excluded where it is permitted',
      ['dns', 'x.a'],
      { permits: [['dns', 'a']], excludes: [['dns', 'x.a']] },
      'DNS name "x.a" is excluded by constraint "x.a"',
    ],
    ['is no name', ['dns', '.a'], { permits: [['dns', 'a']] }, 'x509: cannot parse dnsName ".a"'],
    ['is empty', ['dns', ''], { excludes: [['dns', 'a']] }, undefined],
    [
      'is a wildcard of what is excluded',
      ['dns', '*.a.b'],
      { excludes: [['dns', 'x.A.b']] },
      'DNS name "*.a.b" is excluded by constraint "x.A.b"',
    ],
    ['is a wildcard beside what is excluded', ['dns', '*.a.b'], { excludes: [['dns', 'x.c.b']] }, undefined],
    [
      'is a wildcard of what alone is permitted',
      ['dns', '*.a.b'],
      { permits: [['dns', 'x.a.b']] },
      'DNS name "*.a.b" is not permitted by any constraint',
    ],
    ['is a wildcard where a top is excluded', ['dns', '*.a'], { excludes: [['dns', 'b']] }, undefined],
    ['is an address', ['ip', [10, 1, 2, 3]], { permits: [ten] }, undefined],
    [
      'is an address without',
      ['ip', [11, 1, 2, 3]],
      { permits: [ten] },
      'IP address "11.1.2.3" is not permitted by any constraint',
    ],
    [
      'is an address within what is excluded',
      ['ip', [10, 1, 2, 3]],
      { excludes: [ten] },
      'IP address "10.1.2.3" is excluded by constraint "10.0.0.0"',
    ],
    ['is a long address', ['ip', [0x20, 1, ...Array<number>(14).fill(9)]], { permits: [long] }, undefined],
    [
      'is a long address without',
      ['ip', [0x20, 2, ...Array<number>(14).fill(0)]],
      { permits: [long] },
      'IP address "2002:0000:0000:0000:0000:0000:0000:0000" is not permitted by any constraint',
    ],
    [
      'is a long address where short ones are excluded',
      ['ip', Array<number>(16).fill(10)],
      { excludes: [ten] },
      undefined,
    ],
    ['is a URI', ['uri', 'https://u@a.example.com:8443/p?q'], { permits: [['uri', 'example.com']] }, undefined],
    [
      'is a URI of another host',
      ['uri', 'https://evil.org/example.com'],
      { permits: [['uri', 'example.com']] },
      'URI "https://evil.org/example.com" is not permitted by any constraint',
    ],
    [
      'is a URI of an address',
      ['uri', 'https://10.0.0.1/'],
      { excludes: [['uri', 'a']] },
      'URI ("https://10.0.0.1/") cannot be matched against constraints',
    ],
    [
      'is a URI of a long address',
      ['uri', 'https://[::1]/'],
      { excludes: [['uri', 'a']] },
      'URI ("https://[::1]/") cannot be matched against constraints',
    ],
    [
      'is a URI of no host',
      ['uri', 'urn:a:b'],
      { excludes: [['uri', 'a']] },
      'URI ("urn:a:b") cannot be matched against constraints',
    ],
    [
      'is a URI of a host with a leading dot',
      ['uri', 'https://.a/'],
      { excludes: [['uri', 'b']] },
      'URI ("https://.a/") cannot be matched against constraints',
    ],
    ['is a mailbox', ['email', 'a@example.com'], { permits: [['email', 'a@EXAMPLE.com']] }, undefined],
    [
      'is a mailbox of somebody else',
      ['email', 'b@example.com'],
      { permits: [['email', 'a@example.com']] },
      'email address "b@example.com" is not permitted by any constraint',
    ],
    ['is a mailbox of a domain', ['email', 'a@x.example.com'], { permits: [['email', '.example.com']] }, undefined],
    [
      'is a mailbox of another domain',
      ['email', 'a@example.org'],
      { permits: [['email', 'example.com']] },
      'email address "a@example.org" is not permitted by any constraint',
    ],
    [
      'is a mailbox that is excluded',
      ['email', '"a"@b'],
      { excludes: [['email', 'a@b']] },
      'email address "\\"a\\"@b" is excluded by constraint "a@b"',
    ],
    ['is no mailbox', ['email', 'a'], { excludes: [['email', 'b']] }, 'cannot parse rfc822Name "a"'],
    ['is of another kind', ['dns', 'a'], { permits: [['email', 'b']], excludes: [['uri', 'a']] }, undefined],
  ])('%s', (_, given, limits, expected) => {
    expect(wrong(given, limits)).toBe(expected)
  })

  it('is held against all above it, and against none below', () => {
    const named = (text: string) => ({ alternativeNames: namesOf(['dns', text]), constraints: undefined })
    const limit = (text: string) => ({
      alternativeNames: undefined,
      constraints: constraintsOf({ permits: [['dns', text]] }),
    })
    const plain = { alternativeNames: undefined, constraints: undefined }
    expect(violatedInChain([named('a'), plain, limit('b')])).toContain('"a" is not permitted')
    expect(violatedInChain([named('a'), limit('a'), limit('b')])).toContain('"a" is not permitted')
    expect(violatedInChain([limit('b'), named('a')])).toBeUndefined()
    expect(violatedInChain([plain, named('a'), limit('b')])).toContain('"a" is not permitted')
    expect(violatedInChain([named('a'), limit('a')])).toBeUndefined()
  })
})
