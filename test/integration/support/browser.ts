/** What a browser is to a server: cookies, the headers that browsers add by themselves, no other credential. Over HTTP/2 where there is TLS. */
import http from 'node:http'
import http2 from 'node:http2'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Json = any

export interface BrowserAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly bytes: Buffer
  json(): Json
}

export interface Lines {
  readonly lines: Json[]
  until(enough: (lines: readonly Json[]) => boolean): Promise<readonly Json[]>
  readonly ended: Promise<void>
  close(): void
}

type Headers = Record<string, string>

export class Browser {
  readonly url: URL
  readonly #session: http2.ClientHttp2Session | undefined
  readonly #cookies = new Map<string, string>()

  constructor(url: string, ca?: string) {
    this.url = new URL(url)
    if (this.url.protocol === 'https:') {
      this.#session = http2.connect(this.url.origin, ca === undefined ? { rejectUnauthorized: false } : { ca })
      this.#session.on('error', () => {})
    }
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  /** As the page's own scripts call: same origin, marked. */
  async fetch(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<BrowserAnswer> {
    return this.raw(method, path, body, {
      'sec-fetch-site': 'same-origin',
      ...(method === 'GET' ? {} : { origin: this.url.origin, 'x-pilothouse-console': '1' }),
      ...headers,
    })
  }

  async get(path: string): Promise<Json> {
    const answer = await this.fetch('GET', path)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.json()
  }

  /** Follows a link as the page does. */
  async signIn(link: string): Promise<BrowserAnswer> {
    const code = new URL(link).hash.replace('#code=', '')
    return this.fetch('POST', '/console/v1/session', { code })
  }

  raw(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<BrowserAnswer> {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const all = this.#headers(text, headers)
    return this.#session === undefined ? this.#http1(method, path, text, all) : this.#http2(method, path, text, all)
  }

  #headers(body: string | undefined, headers: Headers): Headers {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return {
      'user-agent': 'Mozilla/5.0',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(cookie === '' ? {} : { cookie }),
      ...headers,
    }
  }

  #keep(headers: BrowserAnswer['headers']): void {
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const name = pair.slice(0, pair.indexOf('='))
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name)
      else this.#cookies.set(name, pair.slice(pair.indexOf('=') + 1))
    }
  }

  #answer(status: number, headers: BrowserAnswer['headers'], bytes: Buffer): BrowserAnswer {
    this.#keep(headers)
    const text = bytes.toString('utf8')
    return { status, headers, text, bytes, json: () => JSON.parse(text) as Json }
  }

  #http2(method: string, path: string, body: string | undefined, headers: Headers): Promise<BrowserAnswer> {
    return new Promise((resolve, reject) => {
      const stream = this.#session?.request({ ':method': method, ':path': path, ...headers })
      if (stream === undefined) return
      let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {}
      const chunks: Buffer[] = []
      stream.on('response', (received) => {
        head = received
      })
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', reject)
      stream.on('end', () => resolve(this.#answer(Number(head[':status'] ?? 0), head, Buffer.concat(chunks))))
      stream.end(body)
    })
  }

  #http1(method: string, path: string, body: string | undefined, headers: Headers): Promise<BrowserAnswer> {
    return new Promise((resolve, reject) => {
      const request = http.request(this.url.origin + path, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve(this.#answer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))),
        )
        response.on('error', reject)
      })
      request.on('error', reject)
      request.end(body)
    })
  }

  /** A stream of JSON lines, over HTTP/2. Rejects for an answer that is none. */
  follow(path: string): Promise<Lines> {
    const stream = this.#session?.request({
      ':path': path,
      ...this.#headers(undefined, { 'sec-fetch-site': 'same-origin' }),
    })
    if (stream === undefined) throw new Error('streams are tested over HTTP/2')
    const lines: Json[] = []
    const waiting = new Set<() => void>()
    let rest = ''
    let isOver = false
    const ended = new Promise<void>((resolve) => stream.on('close', resolve))
    const look = (): void => {
      for (const listener of waiting) listener()
    }
    stream.on('error', () => {})
    stream.on('close', () => {
      isOver = true
      look()
    })
    stream.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts.map((part) => JSON.parse(part) as Json))
      look()
    })
    const until: Lines['until'] = (enough) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!enough(lines) && !isOver) return
          waiting.delete(check)
          if (enough(lines)) resolve(lines)
          else reject(new Error(`the stream ended after ${JSON.stringify(lines.slice(-3))}`))
        }
        waiting.add(check)
        check()
      })
    return new Promise((resolve, reject) => {
      stream.on('response', (head) => {
        if (head[':status'] === 200) resolve({ lines, until, ended, close: () => stream.close() })
        else reject(new Error(`${path}: ${head[':status']}`))
      })
    })
  }

  close(): void {
    this.#session?.destroy()
  }
}
