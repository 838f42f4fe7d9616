// The pictures of docs/console.md: every view, light and dark, of a simulated cluster with something to see.
//
//   node scripts/run.mjs console-screenshots [--only requests]
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { ensureComponents } from './components.mjs'
import { load, manifests, refusals } from './console-scene.mjs'
import { root, setup } from './setup.mjs'

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, outdir: { type: 'string', default: 'docs/console' } },
})
const folder = path.resolve(root, values.outdir)

setup()
const [missing] = await ensureComponents(['chromium'])
if (missing !== undefined) throw new Error(`there is no chromium: ${missing.reason}`)
const { startServer } = await import(path.join(root, 'dist/testing.js'))
// Few seats, so that there are queues to see.
const flags = ['--max-requests-inflight=40', '--max-mutating-requests-inflight=20']
const server = await startServer({ simulate: { nodes: 3 }, flags })
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_BIN, args: ['--no-sandbox'] })
mkdirSync(folder, { recursive: true })

const web = 'o/apps/v1/deployments/shop/web'

/** Name, address, what must be in sight, and what is done before the picture is taken. */
const views = [
  ['everything', '', '.kind-group'],
  ['list', 'k/core/v1/pods', '.grid-row'],
  ['object', web, '.condition-line'],
  ['edit', `${web}?tab=yaml`, '.cm-line', edit],
  ['conflict', `${web}?tab=yaml`, '.cm-line', conflict],
  ['owners', `${web}?tab=owners`, '.owned-line', chooseReplicas],
  ['history', `${web}?tab=history`, '.version'],
  ['tree', 'o/core/v1/services/shop/web?tab=tree', '.node', undefined],
  ['deletion', `${web}?tab=tree`, '.node', previewDeletion],
  ['requests', 'requests', '.grid-row'],
  ['request', 'requests', '.grid-row', openRefusal],
  ['access', 'access/who-can?verb=delete&what=pods&namespace=shop', 'tbody tr'],
  ['why-not', 'access/why?user=alice&verb=delete&what=pods&namespace=shop', '.facts'],
  ['definitions', 'definitions/resources/boats.example.com', '.schema'],
  ['policies', 'definitions/policies', '.panel .panel, .panel'],
  [
    'playground',
    'definitions/playground?for=rule&definition=boats.example.com&version=v1&path=spec',
    '.outcome',
    tryRule,
  ],
  ['time', 'time', '.clock-face'],
  ['nodes', 'time', '.clock-face', breakNodes],
  ['server', 'server', '.health'],
  ['metrics', 'server/metrics', 'canvas', () => page.waitForTimeout(25_000)],
  ['flows', 'server/flows', '.seats', () => page.waitForTimeout(3000)],
]

let page
let stopLoad

try {
  await server.apply(manifests)
  page = await openPage()
  await page.goto(new URL('/console/requests', page.url()).href)
  await refusals(server)
  await page.waitForTimeout(8000)
  for (const view of views.filter(([name]) => name.includes(values.only))) {
    if (['metrics', 'flows'].includes(view[0])) stopLoad ??= await load(server)
    await picture(page, view)
  }
  await phone()
} finally {
  await stopLoad?.()
  await browser.close()
  await server.close()
}

async function openPage(viewport = { width: 1280, height: 800 }) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(await server.console())
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return page
}

async function picture(page, [name, address, wanted, prepare]) {
  await page.goto(new URL(`/console/${address}`, page.url()).href)
  await page.locator(wanted).first().waitFor()
  await prepare?.(page)
  await page.waitForTimeout(900)
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.waitForTimeout(250)
    await shoot(page, `${name}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/** As WebP, a third of the size of PNG. */
async function shoot(page, name) {
  const tab = await page.context().newCDPSession(page)
  const { data } = await tab.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  writeFileSync(path.join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
  await tab.detach()
}

async function phone() {
  const page = await openPage({ width: 390, height: 780 })
  await page.goto(new URL('/console/k/core/v1/pods?ns=shop', page.url()).href)
  await page.locator('.grid-row').first().waitFor()
  await page.waitForTimeout(900)
  await shoot(page, 'phone-light')
  await page.context().close()
}

async function typeOver(page, line, text) {
  await page.locator('.cm-line').filter({ hasText: line }).first().click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.insertText(text)
}

async function edit(page) {
  await page.getByRole('button', { name: 'Edit' }).click()
  await typeOver(page, 'replicas: 3', 'replicas: -3')
  await page.locator('.cm-lintRange-error').first().waitFor()
  await page.locator('.cm-lintRange-error').first().hover()
}

async function conflict(page) {
  await page.getByRole('button', { name: 'Edit' }).click()
  await typeOver(page, 'replicas: 3', 'replicas: 5')
  await typeOver(page, 'image: shop/web:1.4.2', 'image: shop/web:1.5.0')
  await page.getByText(/conflicts with/).waitFor()
  await page.getByRole('button', { name: 'Review and apply' }).click()
  await page.getByRole('dialog').locator('.diff-line').first().waitFor()
}

async function chooseReplicas(page) {
  await page.getByRole('option').filter({ hasText: 'replicas: 3' }).first().click()
}

async function previewDeletion(page) {
  await page.getByLabel('Deletion').selectOption('background')
}

async function tryRule(page) {
  await page.getByLabel(/^self:/).fill('crew: 6\nberths: 4\nrig: ketch\n')
  await page.locator('.badge', { hasText: 'bool' }).waitFor()
}

async function breakNodes(page) {
  await page.getByLabel('Pressure on node-2').selectOption('memory')
  await page.getByRole('button', { name: 'Cordon node-3' }).click()
  await page.getByText('MemoryPressure').waitFor()
  await page.getByText('node-3 is cordoned').waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: 'Open watches' }).evaluate((heading) => heading.scrollIntoView())
}

async function openRefusal(page) {
  await page.getByLabel('Filter requests').fill('code:4xx verb:create')
  await page.locator('.grid-row a').first().click()
  await page.getByText('Where the time went').waitFor()
}
