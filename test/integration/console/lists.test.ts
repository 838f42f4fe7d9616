/** Everything, lists, the palette: real clicks and keys on a real server, and what a watch brings without them. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Console, expectAccessible, startConsole, visit } from './console-page.ts'

let console: Console
let page: Page

const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels },
  data,
})

beforeAll(async () => {
  console = await startConsole()
  await console.server.apply(['alpha', 'beta', 'gamma'].map((name) => configMap(name, { a: '1' }, { tier: name })))
  page = await console.signIn()
})
afterAll(() => console.close())

/** A page that was only just drawn may not listen yet: a key that has no effect is pressed again. */
async function pressUntil(key: string | (() => Promise<string>), isDone: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    await page.keyboard.press(typeof key === 'string' ? key : await key())
    for (let looks = 0; looks < 20; looks++) {
      if (await isDone()) return
      await page.waitForTimeout(50)
    }
  }
  throw new Error(`no effect of the key ${typeof key === 'string' ? key : await key()} on ${page.url()}`)
}

const row = (name: string) => page.getByRole('row').filter({ hasText: name })

describe('everything', () => {
  it('shows kinds by group with counts, and takes the code out of the address', async () => {
    expect(page.url()).not.toContain('code')
    const group = page.locator('.kind-group').filter({ has: page.getByRole('heading', { name: 'core', exact: true }) })
    // The cluster has some of its own.
    await console.server.settled()
    const before = (await console.server.list('configmaps')).length
    const counted = (count: number) => group.getByRole('link', { name: `ConfigMap ${count}`, exact: true })
    await counted(before).waitFor()
    await console.server.apply(configMap('delta'))
    await counted(before + 1).waitFor()
    await expectAccessible(page)
  })

  it('filters kinds and leads to a list', async () => {
    await page.getByLabel('Filter kinds').fill('cm')
    await expect.poll(() => page.locator('.kind-group a').count()).toBe(1)
    await page.locator('.kind-group a').click()
    await row('alpha').waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/k/core/v1/configmaps')
  })
})

describe('a list', () => {
  beforeAll(() => visit(page, '/console/k/core/v1/configmaps'))

  it('is live: rows come, change and go', async () => {
    await page.getByText('live', { exact: true }).waitFor()
    await console.server.apply(configMap('epsilon', { a: '1', b: '2' }))
    await row('epsilon').getByRole('gridcell', { name: '2', exact: true }).waitFor()
    await console.server.apply(configMap('epsilon', { a: '1', b: '2', c: '3' }))
    await row('epsilon').getByRole('gridcell', { name: '3', exact: true }).waitFor()
    const core = await console.server.client((await import('@kubernetes/client-node')).CoreV1Api)
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'epsilon' })
    await row('epsilon').waitFor({ state: 'detached' })
    await expectAccessible(page)
  })

  it('sorts, filters and selects, all of it in the address', async () => {
    await page.getByRole('button', { name: 'Age' }).click()
    expect(page.url()).toContain('sort=Age')
    await page.keyboard.press('/')
    await page.keyboard.type('alp')
    await row('beta').waitFor({ state: 'detached' })
    expect(page.url()).toContain('q=alp')
    await page.getByLabel('Filter rows').fill('')
    await page.getByLabel('Label selector').fill('tier=gamma')
    await row('alpha').waitFor({ state: 'detached' })
    await row('gamma').waitFor()
    await page.getByLabel('Label selector').fill('tier=<')
    await page.locator('#labels[aria-invalid="true"]').waitFor()
    await page.goto(page.url())
    await row('gamma').waitFor()
    await row('alpha').waitFor({ state: 'detached' })
  })

  it('is walked by the keyboard', async () => {
    await visit(page, '/console/k/core/v1/configmaps?ns=default')
    await row('beta').waitFor()
    const selected = page.locator('[role=row][aria-selected=true]')
    const isAt = async (name: string): Promise<boolean> => (await selected.filter({ hasText: name }).count()) > 0
    await pressUntil(
      async () => ((await selected.count()) === 0 || (await isAt('alpha')) ? 'j' : 'k'),
      () => isAt('beta'),
    )
    await pressUntil('Enter', () => page.getByRole('heading', { name: 'beta' }).isVisible())
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'Everything' }).waitFor()
    const help = page.getByRole('dialog', { name: 'Keyboard' }).getByText('Go to a kind')
    await pressUntil('?', () => help.isVisible())
    await page.keyboard.press('Escape')
  })

  it('goes on after its watch was cut, and lists again after 410 without emptying', async () => {
    await visit(page, '/console/k/core/v1/configmaps')
    await row('alpha').waitFor()
    for (const kind of ['cut', 'expired'] as const) {
      console.server.watches.break(kind)
      await console.server.apply(configMap(`after-${kind}`))
      await row(`after-${kind}`).waitFor()
      await row('alpha').waitFor()
    }
  })

  it('creates what the server accepts, and shows what it refuses', async () => {
    await page.getByRole('button', { name: 'Create' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('YAML')
      .fill('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Wrong_Name\n  namespace: default\n')
    await dialog.getByRole('button', { name: 'Try out' }).click()
    await dialog.getByText('lowercase RFC 1123').waitFor()
    await dialog
      .getByLabel('YAML')
      .fill('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made-here\n  namespace: default\n')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'made-here' }).waitFor()
  })
})

describe('the palette', () => {
  it('finds objects by name and label, and kinds by their short names', async () => {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox')
    await field.fill('gamma')
    await page.getByRole('option', { name: /gamma ConfigMap in default/ }).waitFor()
    await field.fill('tier=alpha')
    await page.getByRole('option', { name: /alpha ConfigMap/ }).waitFor()
    await expectAccessible(page)
    await field.fill(':deploy')
    await page.getByRole('option', { name: /^Deployment/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Deployment' }).waitFor()
  })
})

describe('the shape of the page', () => {
  it('fits a phone: nothing but tables is wider than the screen', async () => {
    const phone = await console.signIn(undefined, { viewport: { width: 390, height: 780 } })
    for (const path of [
      '',
      'k/core/v1/configmaps',
      'o/core/v1/configmaps/default/alpha',
      'requests',
      'access',
      'server',
    ]) {
      await visit(phone, `/console/${path}`)
      await phone.getByRole('heading', { level: 1 }).waitFor()
      expect(await phone.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390)
    }
    await phone.getByRole('button', { name: 'Menu' }).click()
    await phone.getByRole('link', { name: 'Access' }).click()
    await phone.getByRole('heading', { name: 'Access' }).waitFor()
    await phone.context().close()
  })

  it('keeps the theme that was chosen', async () => {
    await page.getByRole('button', { name: /^Theme/ }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
    expect(await page.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark')
  })
})
