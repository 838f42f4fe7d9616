// The console in a real Chromium before 10,000 pods: how soon there are rows, how it scrolls, what the tab needs, and whether it stays
// responsive while 500 of them change a second. Figures, not limits: a busy machine shows other ones.
//
//   npm run bench:console
//   npm run bench:console -- --pods 100000 --changes 500 --seconds 10
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { ensureComponents } from './components.mjs'
import { root, setup } from './setup.mjs'

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '10' },
  },
})
const [pods, changes, seconds] = [values.pods, values.changes, values.seconds].map(Number)

setup()
const [missing] = await ensureComponents(['chromium'])
if (missing !== undefined) throw new Error(`there is no chromium: ${missing.reason}`)
const { startServer } = await import(path.join(root, 'dist/testing.js'))
const server = await startServer()
const { token } = server
const session = http2.connect(server.url, { rejectUnauthorized: false })
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_BIN, args: ['--no-sandbox'] })
try {
  await createPods()
  const page = await openPage()
  await showFirstRows(page)
  await showScrolling(page)
  await showMemory(page)
  await showStorm(page)
} finally {
  await browser.close()
  session.close()
  await server.close()
}

function show(what, value) {
  process.stdout.write(`${what.padEnd(58)} ${value}\n`)
}

function call(method, target, body, type = 'application/json') {
  return new Promise((resolve, reject) => {
    const request = session.request({
      ':method': method,
      ':path': target,
      'content-type': type,
      authorization: `Bearer ${token}`,
    })
    request.on('response', (headers) => {
      const code = headers[':status']
      request.resume().on('end', () => (code < 300 ? resolve(code) : reject(new Error(`${method} ${target}: ${code}`))))
    })
    request.on('error', reject)
    request.end(JSON.stringify(body))
  })
}

function podName(index) {
  return `pod-${String(index).padStart(6, '0')}`
}

async function createPods() {
  const spec = {
    containers: [
      { name: 'main', image: 'web:1.2', ports: [{ containerPort: 80 }], resources: { requests: { cpu: '10m' } } },
    ],
  }
  for (let index = 0; index < pods; index += 50) {
    const names = Array.from({ length: Math.min(50, pods - index) }, (_, at) => podName(index + at))
    await Promise.all(
      names.map((name) =>
        call('POST', '/api/v1/namespaces/default/pods', {
          metadata: { name, labels: { app: 'web', tier: 'front' } },
          spec,
        }),
      ),
    )
  }
}

/** A page that notes when the first row was drawn, and every task of more than 50 ms. */
async function openPage() {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 } })
  await context.addInitScript(() => {
    globalThis.longTasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration)
    }).observe({ type: 'longtask', buffered: true })
    new MutationObserver(() => {
      if (globalThis.firstRow !== undefined || document.querySelector('.grid-row') === null) return
      requestAnimationFrame(() => setTimeout(() => (globalThis.firstRow ??= performance.now())))
    }).observe(document, { childList: true, subtree: true })
  })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(await server.console())
  await page.getByRole('heading', { name: 'Everything' }).waitFor()
  await page.goto(new URL('/console/k/core/v1/pods', page.url()).href)
  return page
}

async function showFirstRows(page) {
  await page.waitForFunction(() => globalThis.firstRow !== undefined)
  const { arrived, drawn } = await page.evaluate(() => {
    const lists = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/pods?'))
    return {
      arrived: Math.min(...lists.map(({ responseEnd }) => responseEnd).filter((end) => end > 0)),
      drawn: globalThis.firstRow,
    }
  })
  show('first rows after the first page of the list arrived', `${Math.round(drawn - arrived)} ms`)
  await page.getByText(`${pods.toLocaleString('en')} objects`, { exact: true }).waitFor()
  show(
    `all ${pods.toLocaleString('en')} rows after the page was opened`,
    `${Math.round(await page.evaluate(() => performance.now()))} ms`,
  )
  show('rows in the document', await page.locator('.grid-row').count())
}

async function showScrolling(page) {
  const frames = await page.evaluate(async () => {
    const grid = document.querySelector('.grid')
    const times = []
    const end = performance.now() + 4000
    await new Promise((resolve) => {
      const step = (now) => {
        times.push(now)
        grid.scrollTop += 60
        if (now < end) requestAnimationFrame(step)
        else resolve()
      }
      requestAnimationFrame(step)
    })
    return times
      .slice(1)
      .map((time, index) => time - times[index])
      .sort((a, b) => a - b)
  })
  const at = (share) => frames[Math.floor(share * (frames.length - 1))].toFixed(1)
  show('scrolling, frames a second', (1000 / (frames.reduce((sum, each) => sum + each, 0) / frames.length)).toFixed(0))
  show('scrolling, time of a frame (median, 95th, 99th percentile)', `${at(0.5)}, ${at(0.95)}, ${at(0.99)} ms`)
}

async function showMemory(page) {
  const tab = await page.context().newCDPSession(page)
  await tab.send('HeapProfiler.collectGarbage')
  const { metrics } = await tab.send('Performance.enable').then(() => tab.send('Performance.getMetrics'))
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize').value
  show('heap of the tab', `${(heap / 2 ** 20).toFixed(0)} MiB`)
  const whole = await browser.newBrowserCDPSession()
  const { processInfo } = await whole.send('SystemInfo.getProcessInfo')
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentBytes(id))
  show('memory of the tab’s process, shared libraries among it', `${(Math.max(...sizes) / 2 ** 20).toFixed(0)} MiB`)
}

function residentBytes(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

async function showStorm(page) {
  await page.evaluate(() => globalThis.longTasks.splice(0))
  const begin = performance.now()
  let sent = 0
  while (performance.now() - begin < seconds * 1000) {
    const due = Math.floor(((performance.now() - begin) / 1000) * changes) - sent
    const patches = Array.from({ length: Math.min(due, 100) }, (_, index) => {
      const body = {
        metadata: { annotations: { beat: String(sent + index) } },
        spec: { containers: [{ name: 'main', image: `web:${sent + index}` }] },
      }
      return call(
        'PATCH',
        `/api/v1/namespaces/default/pods/${podName((sent + index) % Math.min(pods, 2000))}`,
        body,
        'application/strategic-merge-patch+json',
      )
    })
    sent += patches.length
    await Promise.all(patches)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const rate = Math.round(sent / ((performance.now() - begin) / 1000))
  const long = await page.evaluate(() => globalThis.longTasks)
  show(`changes a second, for ${seconds} s`, rate)
  show('tasks of more than 50 ms; the longest', `${long.length}; ${Math.round(Math.max(0, ...long))} ms`)
  const input = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const begin = performance.now()
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)))
      }),
  )
  show('a frame afterwards', `${Math.round(input)} ms`)
}
