/** Requests to a server that may die at any moment. */
import type { IncomingMessage } from 'node:http'
import https from 'node:https'

export interface Answer {
  /** 0 when the connection broke: whether the request was carried out is unknown. */
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any kind.
  readonly body: any
}

const requestMs = 30_000
const broken: Answer = { status: 0, body: undefined }

export class KillsClient {
  readonly #agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false })
  readonly #ports: readonly number[]
  readonly #token: string
  #requests = 0

  /** With several servers each request goes to the next. */
  constructor(ports: readonly number[], token: string) {
    this.#ports = ports
    this.#token = token
  }

  call(method: string, path: string, body?: unknown): Promise<Answer> {
    return new Promise((resolve) => {
      const request = this.#request(method, path, async (response) => {
        let text = ''
        try {
          for await (const chunk of response) text += String(chunk)
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
        } catch {
          // A body that is cut off acknowledges nothing; health checks answer in plain text.
          const isWhole = response.complete && !text.startsWith('{')
          resolve(isWhole ? { status: response.statusCode ?? 0, body: text } : broken)
        }
      })
      request.setTimeout(requestMs, () => request.destroy())
      request.on('error', () => resolve(broken))
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
      // Without it Node frames no body of a DELETE.
      if (bytes.length > 0) request.setHeader('content-length', bytes.length)
      request.end(bytes)
    })
  }

  /** Resolves to the status when the stream is over. A last line that is cut off is left out. */
  watch(path: string, signal: AbortSignal, onLine: (line: string) => void): Promise<number> {
    return new Promise((resolve) => {
      const request = this.#request('GET', path, (response) => {
        let rest = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n')
          rest = lines.pop() ?? ''
          // A refusal is a Status, not an event.
          if (response.statusCode === 200) for (const line of lines) onLine(line)
        })
        response.on('error', () => {})
        response.on('close', () => resolve(response.statusCode ?? 0))
      })
      const abort = (): unknown => request.destroy()
      signal.addEventListener('abort', abort)
      request.on('error', () => resolve(0))
      request.on('close', () => signal.removeEventListener('abort', abort))
      request.end()
      if (signal.aborted) abort()
    })
  }

  #request(
    method: string,
    path: string,
    onResponse: (response: IncomingMessage) => void,
  ): ReturnType<typeof https.request> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' }
    const port = this.#ports[this.#requests++ % this.#ports.length]
    return https.request({ host: '127.0.0.1', port, agent: this.#agent, method, path, headers }, onResponse)
  }

  close(): void {
    this.#agent.destroy()
  }
}
