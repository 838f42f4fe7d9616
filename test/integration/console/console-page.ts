/** A real browser in front of a real test server: pages that are signed in, and what every view is held to. */
import http2 from 'node:http2'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { startServer, type TestServer } from '../../../src/testing/testing.ts'

const executablePath = process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium'

export interface Console {
  readonly server: TestServer
  readonly browser: Browser
  /** A page of a person's own browser profile, signed in by a link. */
  signIn(user?: { user: string; groups?: string[] }, look?: Look): Promise<Page>
  /** A request of the administrator, by no browser. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  close(): Promise<void>
}

export interface Answer {
  readonly code: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any
}

export interface Look {
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
}

type StartOptions = Parameters<typeof startServer>[0]

export async function startConsole(options: StartOptions = {}): Promise<Console> {
  const [server, browser] = await Promise.all([
    startServer(options),
    chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] }),
  ])
  let session: http2.ClientHttp2Session | undefined
  /** A connection that was idle for long is closed by the server. */
  const connected = (): http2.ClientHttp2Session => {
    if (session !== undefined && !session.destroyed && !session.closed) return session
    session = http2.connect(server.url, { rejectUnauthorized: false })
    session.on('error', () => {})
    return session
  }
  return {
    server,
    browser,
    async signIn(user, look = {}) {
      const context = await newContext(browser, look)
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      await page.goto(user === undefined ? await server.console() : await server.console(user))
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      return page
    },
    call: (method, path, body) => call(connected(), { method, path, body, token: server.token }),
    async close() {
      session?.destroy()
      await browser.close()
      await server.close()
    },
  }
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly token: string
}

function call(session: http2.ClientHttp2Session, { method, path, body, token }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const head = { ':method': method, ':path': path, authorization: `Bearer ${token}`, 'content-type': type }
    const request = session.request(head)
    let code = 0
    let text = ''
    request.setEncoding('utf8')
    request.on('response', (headers) => {
      code = Number(headers[':status'])
    })
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => resolve({ code, body: JSON.parse(text) }))
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

export function newContext(browser: Browser, look: Look = {}): Promise<BrowserContext> {
  return browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...look,
  })
}

/** The path of a view, on the page's own origin, without loading the page anew. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
}

const { source: axeSource } = axe

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** WCAG 2.1 AA in both themes. The rules run in the page, which lets no script of others in but those of the protocol itself. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // As the protocol evaluates it, the page's own policy does not stop it; within the page it would.
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axeSource)
    const violations = await page.evaluate<Violation[]>(
      "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }).then((run) => run.violations)",
    )
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
    )
    expect(found, `${page.url()} ${colorScheme}`).toEqual([])
  }
}
