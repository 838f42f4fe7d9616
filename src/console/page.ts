/**
 * The application that browsers load: the files of the build, as they are, with headers that keep everything else out of the page. Files are read when
 * they are first asked for; names that could lead out of the folder are no names.
 */
import { randomBytes } from 'node:crypto'
import type { RequestContext } from '../api/request-context.ts'
import { ApiError, pathNotFound } from '../api/status-error.ts'
import { readPackageBytes } from '../lib/package-file.ts'

/** Seen from the built program, and from the sources. */
const folders = ['./console/', '../../dist/console/']
const namePattern = /^(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(\w+)$/
const noncePlaceholder = '__CSP_NONCE__'
const maxFiles = 500

const types: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['json', 'application/json'],
  ['webmanifest', 'application/manifest+json'],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['ico', 'image/x-icon'],
  ['woff2', 'font/woff2'],
  ['txt', 'text/plain; charset=utf-8'],
])

type Encoding = 'br' | 'gzip'
const suffixes: readonly (readonly [Encoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

export interface ListPageOptions {
  /** Where the files are; those of the package unless given. */
  readonly folder?: URL | undefined
}

export class ListPage {
  readonly #folders: readonly URL[]
  readonly #files = new Map<string, Buffer | undefined>()

  constructor({ folder }: ListPageOptions = {}) {
    this.#folders = folder === undefined ? folders.map((each) => new URL(each, import.meta.url)) : [folder]
  }

  answer(context: RequestContext): void {
    const { exchange, info } = context
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      throw new ApiError({ code: 405, reason: 'MethodNotAllowed', message: 'the page can only be read' })
    }
    if (info.path === '/console') {
      exchange.respond(308, { ...securityHeaders(), location: '/console/' }, '')
      return
    }
    const name = info.path.slice('/console/'.length)
    const type = types.get(namePattern.exec(name)?.[1] ?? '')
    if (type !== undefined && name !== 'index.html' && this.#file(name) !== undefined) {
      this.#sendFile(context, name, type)
      return
    }
    if (name.startsWith('assets/')) throw pathNotFound()
    this.#sendIndex(context)
  }

  #sendFile(context: RequestContext, name: string, type: string): void {
    const [encoding, body] = this.#variant(name, acceptedEncodings(context.header('accept-encoding')))
    const isHashed = name.startsWith('assets/')
    const headers = {
      ...securityHeaders(),
      'content-type': type,
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    }
    context.exchange.respond(200, headers, context.exchange.method === 'HEAD' ? '' : body)
  }

  /** Every answer has a nonce of its own for the style sheets that the editor makes. */
  #sendIndex({ exchange }: RequestContext): void {
    const index = this.#file('index.html')
    if (index === undefined) {
      const message = 'the console is not part of this build: npm run build makes it'
      throw new ApiError({ code: 404, reason: 'NotFound', message })
    }
    const nonce = randomBytes(18).toString('base64')
    const headers = {
      ...securityHeaders(nonce),
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    }
    const body = index.toString('utf8').replaceAll(noncePlaceholder, nonce)
    exchange.respond(200, headers, exchange.method === 'HEAD' ? '' : body)
  }

  #variant(name: string, accepted: ReadonlySet<string>): [Encoding | undefined, Buffer] {
    for (const [encoding, suffix] of suffixes) {
      const made = accepted.has(encoding) ? this.#file(name + suffix) : undefined
      if (made !== undefined) return [encoding, made]
    }
    return [undefined, this.#file(name) as Buffer]
  }

  #file(name: string): Buffer | undefined {
    if (this.#files.has(name)) return this.#files.get(name)
    let found: Buffer | undefined
    for (const folder of this.#folders) found ??= readPackageBytes(new URL(name, folder))
    if (this.#files.size >= maxFiles) this.#files.clear()
    // What is not there may be built yet.
    if (found !== undefined) this.#files.set(name, found)
    return found
  }
}

function acceptedEncodings(header: string | undefined): ReadonlySet<string> {
  const accepted = (header ?? '').split(',').map((part) => part.trim().toLowerCase())
  return new Set(accepted.filter((part) => !/;\s*q=0(\.0*)?$/.test(part)).map((part) => part.replace(/;.*$/, '')))
}

/** For everything under `/console/`. */
export function securityHeaders(nonce?: string): Record<string, string> {
  const styles = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src ${styles}`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  }
}
