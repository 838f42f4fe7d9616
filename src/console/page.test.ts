import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { callLocally, type LocalAnswer } from '../http/local-exchange.ts'
import { ListPage } from './page.ts'

const nobody = { name: '', groups: [], extra: new Map() }
let folder: string
let page: ListPage

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'console-page-'))
  mkdirSync(path.join(folder, 'console/assets'), { recursive: true })
  const write = (name: string, content: string | Buffer): void => writeFileSync(path.join(folder, name), content)
  write('secret.js', 'never')
  write(
    'console/index.html',
    '<meta name="csp-nonce" content="__CSP_NONCE__"><script src="/console/assets/a-1.js" nonce="__CSP_NONCE__">',
  )
  write('console/icon.svg', '<svg/>')
  write('console/assets/a-1.js', 'code()')
  write('console/assets/a-1.js.br', brotliCompressSync('code()'))
  write('console/assets/a-1.js.gz', gzipSync('code()'))
  page = new ListPage({ folder: pathToFileURL(`${path.join(folder, 'console')}/`) })
})

afterAll(() => rmSync(folder, { recursive: true }))

const ask = (at: string, headers: Record<string, string> = {}, method = 'GET'): Promise<LocalAnswer> =>
  callLocally({ method, path: at, headers, body: undefined }, (exchange) =>
    page.answer(new RequestContext(exchange, requestInfo(exchange), nobody)),
  )

describe('the page', () => {
  it('has a nonce of its own in every answer', async () => {
    const [one, other] = [await ask('/console/'), await ask('/console/o/apps/v1/deployments/default/web')]
    const nonce = /content="([^"]+)"/.exec(one.body.toString())?.[1] ?? ''
    expect(nonce).not.toContain('CSP')
    expect(one.headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}'`)
    expect(one.headers['content-security-policy']).not.toContain('unsafe')
    expect(other.body.toString()).not.toContain(nonce)
    expect(one.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
  })

  it('sends assets as they were compressed', async () => {
    const br = await ask('/console/assets/a-1.js', { 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect(br.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(brotliDecompressSync(br.body).toString()).toBe('code()')
    const gzip = await ask('/console/assets/a-1.js', { 'accept-encoding': 'gzip, br;q=0' })
    expect(gunzipSync(gzip.body).toString()).toBe('code()')
    const plain = await ask('/console/assets/a-1.js')
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.body.toString()).toBe('code()')
    expect((await ask('/console/icon.svg')).headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'no-cache',
    })
  })

  it.each([
    '/console/../secret.js',
    '/console/%2e%2e/secret.js',
    '/console/..%2fsecret.js',
    '/console//etc/passwd',
    '/console/file:///etc/passwd',
    '/console/assets/../../secret.js',
  ])('does not leave its folder for %s', async (at) => {
    const body = await ask(at).then(
      (answer) => answer.body.toString(),
      (error: Error) => error.message,
    )
    expect(body).not.toContain('never')
    expect(body).not.toContain('root:')
  })

  it('leads to itself, and to nothing that is not there', async () => {
    const moved = await ask('/console')
    expect([moved.status, moved.headers['location']]).toEqual([308, '/console/'])
    await expect(ask('/console/assets/b-2.js')).rejects.toThrow()
    await expect(ask('/console/', {}, 'POST')).rejects.toThrow('can only be read')
  })
})
