import { describe, expect, test } from 'vitest'
import { caBundleProblem, goBytes } from './ca-bundle.ts'

const bundle = (text: string): string | undefined => caBundleProblem(Buffer.from(text).toString('base64'))
const block = (type: string, body: string): string =>
  `-----BEGIN ${type}-----\n${Buffer.from(body).toString('base64')}\n-----END ${type}-----\n`

describe('bundles of authorities', () => {
  test.each([
    ['', undefined],
    ['text', 'unable to parse bytes as PEM block'],
    [block('KEY', 'k'), 'no valid certificate authority data seen'],
    [`${block('KEY', 'k')}\n`, 'unable to parse bytes as PEM block'],
    [block('CERTIFICATE', 'c'), 'failed to parse certificate: x509: malformed certificate'],
  ])('%j', (text, expected) => {
    expect(bundle(text)).toBe(expected === undefined ? undefined : `unable to load root certificates: ${expected}`)
  })

  test('are shown by their bytes', () => {
    expect(goBytes(Buffer.from('a\n').toString('base64')).go).toBe('[]byte{0x61, 0xa}')
    const many = goBytes(Buffer.alloc(2_000_000, 0xab).toString('base64'))
    expect(/^\[\]byte\{(0xab, )+\.\.\.\}$/.test(many.go)).toBe(true)
    expect(/^"(q6ur)+"\.\.\.$/.test(many.jsonAt(34))).toBe(true)
    expect(Math.max(many.go.length, many.jsonAt(34).length)).toBeLessThan(1_000_000)
  })
})
