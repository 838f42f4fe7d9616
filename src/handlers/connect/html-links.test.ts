// Links are rewritten wherever the page is cut; what is no link stays byte for byte.
import { describe, expect, it } from 'vitest'
import { HtmlLinks } from './html-links.ts'
import { type ProxyFront, rewrittenLink } from './proxy-front.ts'

const page = {
  destination: { scheme: 'https', host: '10.0.0.1', port: 443, path: '/' },
  requestHost: 'api.example.com',
} as const
const pod: ProxyFront = { prefix: '/api/v1/namespaces/a/pods/b/proxy', scheme: '', host: '' }
const aggregated: ProxyFront = { prefix: '', scheme: 'https', host: '10.0.0.1:443' }

function rewritten(text: string, front: ProxyFront, size = text.length): string {
  const links = new HtmlLinks((link) => rewrittenLink(link, front, page))
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) parts.push(links.push(bytes.subarray(at, at + size)))
  return Buffer.concat([...parts, links.end()]).toString('utf8')
}

const prefix = pod.prefix
describe.each<[string, string, string]>([
  ['a link', '<a href="/x">x</a>', `<a href="${prefix}/x">x</a>`],
  ['no quotes, other case', "<A HREF=/x CLASS='y'>", `<a href="${prefix}/x" class="y">`],
  ['one that is relative', '<img src="x.png"/>', '<img src="x.png"/>'],
  ['one to elsewhere', '<a href="https://example.com/x">', '<a href="https://example.com/x">'],
  ['one to the destination', '<a href="https://10.0.0.1:443/x?y#z">', `<a href="${prefix}/x?y#z">`],
  ['one that is there already', `<a href="${prefix}/x">`, `<a href="${prefix}/x">`],
  ['one of no known attribute', '<a data-href="/x">', '<a data-href="/x">'],
  ['one that is no URL', '<a href="/%zz">', '<a href="/%zz">'],
  ['a dotted path', '<a href="/a/../b/">', `<a href="${prefix}/b/">`],
  ['references', '<a href="/x?a=1&amp;b=&#50;&copy;">', `<a href="${prefix}/x?a=1&amp;b=2&copy;">`],
  ['text beyond ASCII', '<p title="ä">ö</p><a href="/ü">', `<p title="ä">ö</p><a href="${prefix}/%C3%BC">`],
  [
    'comments',
    '<!-- <a href="/x"> --><!doctype html><?a href="/x"?>',
    '<!-- <a href="/x"> --><!doctype html><?a href="/x"?>',
  ],
  ['scripts', '<script src="/x">"<a href=/y>"</script><b>', `<script src="${prefix}/x">"<a href=/y>"</script><b>`],
  ['what is no tag', 'a < b <3 </ >', 'a < b <3 </ >'],
  ['a tag that does not end', 'x<a href="/x', 'x'],
  ['keys of strangers', '<constructor __proto__="/x">', '<constructor __proto__="/x">'],
])('%s', (_, text, expected) => {
  it('at once', () => expect(rewritten(text, pod)).toBe(expected))
  it('byte by byte', () => expect(rewritten(text, pod, 1)).toBe(expected))
})

it('names the aggregated server', () => {
  expect(rewritten('<a href="/x">x</a>', aggregated)).toBe('<a href="https://10.0.0.1:443/x">x</a>')
})

it('passes a tag without an end through, as far as it is one', () => {
  const text = `<a href="${'x'.repeat(1 << 20)}`
  expect(rewritten(text, pod, 65_536)).toBe(text)
})
