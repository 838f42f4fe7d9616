/** Everything, lists, the palette: real clicks and keys on a real server, and what a watch brings without them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../../src/pki/certificates.ts'
import { startServer, type TestServer } from '../../../src/testing/testing.ts'
import { type Console, expectAccessible, startConsole, visit } from './console-page.ts'

let console: Console
let page: Page

const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels },
  data,
})

let far: TestServer
let certificates = ''

/** Another API server, which this one passes a group on to. */
async function startAggregated(): Promise<string[]> {
  certificates = mkdtempSync(join(tmpdir(), 'console-aggregated-'))
  const file = (name: string, content: string): string => {
    writeFileSync(join(certificates, name), content)
    return join(certificates, name)
  }
  const authority = createCertificateAuthority('front proxies', Date.now())
  const front = issueCertificate(authority, { commonName: 'front', usage: 'client', now: Date.now() })
  far = await startServer({
    flags: [
      `--requestheader-client-ca-file=${file('ca.crt', authority.certPem)}`,
      '--requestheader-allowed-names=front',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
    ],
  })
  await far.apply([definition('far.example.com', 'boats', 'Boat')])
  await far.apply([
    {
      apiVersion: 'far.example.com/v1',
      kind: 'Boat',
      metadata: { name: 'dinghy', namespace: 'default', labels: { hull: 'wood' } },
    },
  ])
  return [
    `--proxy-client-cert-file=${file('front.crt', front.certPem)}`,
    `--proxy-client-key-file=${file('front.key', front.keyPem)}`,
  ]
}

const definition = (group: string, plural: string, kind: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    names: { plural, singular: kind.toLowerCase(), kind },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

beforeAll(async () => {
  console = await startConsole({ flags: await startAggregated() })
  await console.server.apply(['alpha', 'beta', 'gamma'].map((name) => configMap(name, { a: '1' }, { tier: name })))
  page = await console.signIn()
})
afterAll(async () => {
  await console.close()
  await far.close()
  rmSync(certificates, { recursive: true })
})

/**
 * A page that was only just drawn may not listen yet, and forgets a first key of two (`g e`) when the second comes late: keys that have no
 * effect are pressed again.
 */
async function pressUntil(keys: string, isDone: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    for (const key of keys.split(' ')) await page.keyboard.press(key)
    for (let looks = 0; looks < 20; looks++) {
      if (await isDone()) return
      await page.waitForTimeout(50)
    }
  }
  throw new Error(`no effect of the keys ${keys} on ${page.url()}`)
}

const row = (name: string) => page.getByRole('row').filter({ hasText: name })

/** Below the head, from 0. */
const nameInRow = async (index: number): Promise<string> =>
  (await page.locator(`[role=row][aria-rowindex="${index + 2}"] .name`).textContent()) ?? ''

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

describe('kinds that come later', () => {
  beforeAll(() => visit(page, '/console/'))

  it('are there without a reload, with their count', async () => {
    await page.getByRole('heading', { name: 'Everything' }).waitFor()
    await console.server.apply([definition('late.example.com', 'lates', 'Late')])
    await page.getByRole('link', { name: 'Late 0', exact: true }).waitFor()
    await console.server.apply([
      { apiVersion: 'late.example.com/v1', kind: 'Late', metadata: { name: 'one', namespace: 'default' } },
    ])
    await page.getByRole('link', { name: 'Late 1', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Only kinds with objects' }).click()
    await page.getByLabel('Filter kinds').fill('late')
    await page.getByLabel('Namespace').fill('kube-system')
    await page.getByText('No kind matches.').waitFor()
    await page.reload()
    await page.getByText('No kind matches.').waitFor()
    expect(await page.getByLabel('Filter kinds').inputValue()).toBe('late')
    expect(await page.getByLabel('Namespace').inputValue()).toBe('kube-system')
    await page.getByLabel('Namespace').fill('default')
    await page.getByRole('link', { name: 'Late 1', exact: true }).waitFor()
    await console.call('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lates.late.example.com')
    await page.getByText('No kind matches.').waitFor()
  })

  it('are counted, found, listed, watched and shown if another server has them', async () => {
    await visit(page, '/console/')
    await console.server.apply([
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'far', namespace: 'default' },
        spec: { type: 'ExternalName', externalName: '127.0.0.1' },
      },
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.far.example.com' },
        spec: {
          group: 'far.example.com',
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 10,
          insecureSkipTLSVerify: true,
          service: { name: 'far', namespace: 'default', port: Number(new URL(far.url).port) },
        },
      },
    ])
    await page.getByRole('link', { name: 'Boat 1', exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: /^Search/ })
    for (const words of ['dinghy', 'hull=wood', 'boat din']) {
      await field.fill(words)
      await page.getByRole('option', { name: /dinghy Boat in default/ }).waitFor()
    }
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Boat 1', exact: true }).click()
    await row('dinghy').waitFor()
    await far.apply([
      { apiVersion: 'far.example.com/v1', kind: 'Boat', metadata: { name: 'ketch', namespace: 'default' } },
    ])
    await row('ketch').waitFor()
    await row('dinghy').getByRole('link').click()
    await page.getByText('Boat · far.example.com/v1').waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByText('kept by the server that serves this API').waitFor()
    await page.getByRole('link', { name: 'Tree' }).click()
    await page.getByText('It is connected with nothing.').waitFor()
  })
})

describe('addresses of what is not there', () => {
  it.each([
    ['k/core/v1/configmaps/default/nothing', 'There is no ConfigMap “nothing” in default.'],
    ['o/core/v1/configmaps/default/nothing', 'There is no ConfigMap “nothing” in default.'],
    ['o/core/v1/nodes/_/nothing', 'There is no Node “nothing”.'],
    ['k/core/v1/nothings', 'The server has no kind “nothings” in core/v1.'],
    ['k/example.com/v7/nothings/default/a', 'The server has no kind “nothings” in example.com/v7.'],
    ['o/core/v1/configmaps/default/alpha?tab=nothing', 'An object has no such part: nothing'],
    ['definitions/resources/nothing.example.com', 'There is no definition “nothing.example.com”.'],
    ['definitions/nothing', 'There is no such page.'],
    ['access/nothing', 'There is no such page.'],
    ['server/nothing', 'There is no such page.'],
    ['requests/nothing', 'There is no such page.'],
    ['requests/99999999', 'there is no request "99999999", or it was forgotten'],
    ['nothing', 'There is no such page.'],
  ])('say so: %s', async (path, words) => {
    await visit(page, `/console/${path}`)
    await page.getByText(words).first().waitFor()
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

  it('loses no key that comes as the filter before it is taken', async () => {
    await visit(page, '/console/k/core/v1/configmaps?ns=default')
    const field = page.getByLabel('Label selector')
    // Text is taken 400 ms after the last key.
    await field.pressSequentially('abcdefghijkl', { delay: 402 })
    expect(await field.inputValue()).toBe('abcdefghijkl')
  })

  it('sorts, filters and selects, all of it in the address', async () => {
    await page.getByRole('button', { name: 'Age' }).click()
    expect(page.url()).toContain('sort=Age')
    await page.keyboard.press('/')
    await page.keyboard.type('alp')
    await row('beta').waitFor({ state: 'detached' })
    await expect.poll(() => page.url()).toContain('q=alp')
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
    const [first, second, third] = await Promise.all([nameInRow(0), nameInRow(1), nameInRow(2)])
    for (const name of [first, second, third]) {
      await page.keyboard.press('j')
      await selected.filter({ hasText: name }).waitFor()
    }
    await page.keyboard.press('k')
    await selected.filter({ hasText: second }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: second }).waitFor()
    await pressUntil('g e', () => page.getByRole('heading', { name: 'Everything' }).isVisible())
    const help = page.getByRole('dialog', { name: 'Keyboard' }).getByText('Go to a kind')
    await pressUntil('?', () => help.isVisible())
    await page.keyboard.press('Escape')
  })

  it('takes keys that come faster than it draws', async () => {
    await visit(page, '/console/k/core/v1/configmaps?ns=default')
    await row('beta').waitFor()
    const third = await nameInRow(2)
    // All of them within one task of the page.
    await page.evaluate(`for (const key of ['j', 'j', 'j', 'Enter'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`)
    await page.getByRole('heading', { name: third }).waitFor()
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
    await visit(phone, '/console/k/core/v1/configmaps')
    await phone.getByRole('row').filter({ hasText: 'alpha' }).first().waitFor()
    const age = phone.getByRole('button', { name: 'Age' })
    await phone.evaluate("document.querySelector('[role=grid]').scrollTo({ left: 10000 })")
    await expect.poll(async () => (await age.boundingBox())?.x ?? 1000).toBeLessThan(390)
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
