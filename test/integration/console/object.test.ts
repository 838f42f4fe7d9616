/** One object: reading, editing with a dry run and conflicts, owners, actions, events. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Console, expectAccessible, startConsole, visit } from './console-page.ts'

let console: Console
let page: Page

const deployment = (name: string, replicas = 1) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default', labels: { app: name } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
  },
})

const at = (name: string, tab = '') =>
  visit(page, `/console/o/apps/v1/deployments/default/${name}${tab === '' ? '' : `?tab=${tab}`}`)

const read = async (name: string) => {
  const { AppsV1Api } = await import('@kubernetes/client-node')
  return (await console.server.client(AppsV1Api)).readNamespacedDeployment({ namespace: 'default', name })
}

/** Replaces a line of the editor, as somebody who types would. */
async function typeOver(line: string, text: string): Promise<void> {
  await page.locator('.cm-line').filter({ hasText: line }).first().click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.insertText(text)
}

beforeAll(async () => {
  console = await startConsole()
  await console.server.apply(['web', 'other', 'scaled', 'doomed'].map((name) => deployment(name)))
  page = await console.signIn()
})
afterAll(() => console.close())

describe('reading', () => {
  it('shows what is worth knowing, live, with its events', async () => {
    await at('web')
    await page.getByText('web:1').waitFor()
    const uid = (await read('web')).metadata?.uid
    await console.server.apply({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e1', namespace: 'default' },
      involvedObject: { kind: 'Deployment', namespace: 'default', name: 'web', uid },
      type: 'Warning',
      reason: 'Tested',
      message: 'it was tried out',
      lastTimestamp: new Date().toISOString(),
    })
    await page.getByText('it was tried out').waitFor()
    await expectAccessible(page)
  })

  it('has the YAML, with status and managed fields as wanted', async () => {
    await page.getByRole('link', { name: 'YAML' }).click()
    await page.locator('.cm-content').getByText('replicas').waitFor()
    expect(await page.locator('.cm-content').textContent()).not.toContain('managedFields')
    await page.getByRole('button', { name: 'Managed fields' }).click()
    await page.locator('.cm-content').getByText('managedFields').waitFor()
    await expectAccessible(page)
  })
})

describe('editing', () => {
  it('asks the server as one types, and marks what it would refuse', async () => {
    await at('other', 'yaml')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByText('nothing changed').waitFor()
    await typeOver('replicas: 1', 'replicas: -1')
    await page.getByText('the server would refuse it').waitFor()
    await page.locator('.cm-lintRange-error').waitFor()
    await typeOver('replicas: -1', 'replicass: 1')
    await page.locator('.cm-lintRange-error').waitFor()
    await typeOver('replicass: 1', 'replicas: [')
    await page.locator('.cm-lintRange-error').waitFor()
    await expectAccessible(page)
  })

  it('completes fields from the schema', async () => {
    await at('other', 'yaml')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.locator('.cm-line').filter({ hasText: 'replicas: 1' }).click()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.type('minR')
    await page.locator('.cm-tooltip-autocomplete').getByText('minReadySeconds').click()
    await page.keyboard.type('5')
    await page.getByText('the server would accept it').waitFor()
    await page.getByRole('button', { name: 'Review and apply' }).click()
    await page.getByRole('dialog').locator('.diff-line.added').getByText('minReadySeconds: 5').waitFor()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('was changed').waitFor()
    const after = await read('other')
    expect(after.spec?.minReadySeconds).toBe(5)
    const own = after.metadata?.managedFields?.find(({ manager }) => manager === 'pilothouse-console')
    expect(own?.operation).toBe('Apply')
    expect(own?.fieldsV1).toEqual({ 'f:spec': { 'f:minReadySeconds': {} } })
  })

  it('shows a conflict field by field, and takes over only what is chosen', async () => {
    await at('web', 'yaml')
    await page.getByRole('button', { name: 'Edit' }).click()
    await typeOver('replicas: 1', 'replicas: 4')
    await typeOver('image: web:1', 'image: web:2')
    await page.getByText(/conflicts with/).waitFor()
    await page.getByRole('button', { name: 'Review and apply' }).click()
    const dialog = page.getByRole('dialog')
    const line = (field: string) => dialog.getByRole('row').filter({ hasText: field })
    await line('.spec.replicas').getByLabel('take over').check()
    expect(await dialog.getByRole('button', { name: 'Apply', exact: true }).isDisabled()).toBe(true)
    await line('image').getByLabel('leave theirs').check()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('was changed').waitFor()
    const after = await read('web')
    expect(after.spec?.replicas).toBe(4)
    expect(after.spec?.template.spec?.containers[0]?.image).toBe('web:1')
  })

  it('removes what others own by a patch', async () => {
    await at('other', 'yaml')
    await page.getByRole('button', { name: 'Edit' }).click()
    await typeOver('replicas: 1', 'paused: true')
    await page.getByRole('button', { name: 'Review and apply' }).click()
    await page.getByText('removed by a JSON patch').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('was changed').waitFor()
    expect((await read('other')).spec?.paused).toBe(true)
  })
})

describe('who owns what', () => {
  it('colours fields by manager and explains a conflict before it happens', async () => {
    await at('web', 'owners')
    const lines = page.getByRole('listbox', { name: 'Fields and their owners' })
    await lines.getByRole('option').filter({ hasText: 'replicas: 4' }).click()
    const side = page.getByRole('complementary', { name: 'Owners' })
    await side.getByRole('heading', { name: '.spec.replicas' }).waitFor()
    await side.locator('.panel').first().getByText('pilothouse-console').first().waitFor()
    await side.getByLabel('Value').fill('9')
    await side.getByRole('button', { name: 'Ask' }).click()
    await side.getByText(/A conflict: pilothouse-console.* owns \.spec\.replicas/).waitFor()
    expect((await read('web')).spec?.replicas).toBe(4)
    await expectAccessible(page)
  })
})

describe('history', () => {
  it('has every version as its difference, and puts one back', async () => {
    const configMap = (value: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kept', namespace: 'default' },
      data: { mode: value },
    })
    await console.server.apply(configMap('first'))
    await console.server.apply(configMap('second'))
    await visit(page, '/console/o/core/v1/configmaps/default/kept?tab=history')
    await page.locator('.diff-line.added').getByText('mode: second').waitFor()
    await page.getByRole('list', { name: 'Versions' }).getByRole('button').filter({ hasText: 'created' }).click()
    await page.locator('.diff-line.added').getByText('mode: first').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Put this version back' }).click()
    await page.getByRole('dialog').locator('.diff-line.removed').getByText('mode: second').waitFor()
    await page.getByRole('button', { name: 'Put it back' }).click()
    await expect
      .poll(async () => {
        const { CoreV1Api } = await import('@kubernetes/client-node')
        const core = await console.server.client(CoreV1Api)
        return (await core.readNamespacedConfigMap({ namespace: 'default', name: 'kept' })).data
      })
      .toEqual({ mode: 'first' })
  })
})

describe('tree', () => {
  it('connects what selects, refers and owns, can be walked, and shows what a deletion would take along', async () => {
    const owner = (await read('web')).metadata
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: owner?.uid, controller: true },
    ]
    await console.server.apply([
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web-1', namespace: 'default', labels: { app: 'web' }, ownerReferences },
        spec: { containers: [{ name: 'a', image: 'b:1' }] },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'front', namespace: 'default' },
        spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
      },
    ])
    await visit(page, '/console/o/core/v1/services/default/front?tab=tree')
    await page.getByRole('link', { name: /web-1 Pod · selects/ }).waitFor()
    // A pod moves below the slice that leads to it, as soon as there is one.
    await console.server.apply({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'front-a', namespace: 'default', labels: { 'kubernetes.io/service-name': 'front' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'], targetRef: { kind: 'Pod', namespace: 'default', name: 'web-1' } }],
    })
    await page.getByRole('link', { name: /front-a EndpointSlice · has/ }).waitFor()
    await page.getByRole('link', { name: /web-1 Pod · leads to/ }).click()
    await page.getByRole('link', { name: /front Service · selects it/ }).waitFor()
    await page.getByRole('link', { name: /front-a EndpointSlice · leads to it/ }).waitFor()
    await page.getByRole('link', { name: /web Deployment · owner/ }).click()
    await page.getByRole('heading', { name: 'web', exact: true }).waitFor()
    await page.getByLabel('Deletion').selectOption('background')
    await page.getByText('2 would be deleted').waitFor()
    await expectAccessible(page)
  })
})

describe('a link to a part of an object', () => {
  /** Another person with the same address. */
  const elsewhere = async (look: (other: Page) => Promise<unknown>): Promise<void> => {
    const other = await console.signIn()
    await page.evaluate("dispatchEvent(new Event('pagehide'))")
    await other.goto(page.url())
    await look(other)
    await other.context().close()
  }

  it('has the field that is chosen, and the question about it', async () => {
    await at('scaled', 'owners')
    await page.getByRole('option').filter({ hasText: 'replicas: 1' }).first().click()
    await page.getByLabel('Manager').fill('robot')
    await page.getByLabel('Value').fill('9')
    await elsewhere(async (other) => {
      await other.getByRole('option', { selected: true }).filter({ hasText: 'replicas' }).waitFor()
      expect(await other.getByLabel('Manager').inputValue()).toBe('robot')
      await other.getByRole('button', { name: 'Ask' }).click()
      await other.getByText(/A conflict: .* owns \.spec\.replicas/).waitFor()
    })
  })

  it('has the revision, the toggles of the YAML and the deletion that is tried', async () => {
    await console.call('PATCH', '/apis/apps/v1/namespaces/default/deployments/scaled', {
      metadata: { labels: { tier: 'x' } },
    })
    await at('scaled', 'history')
    await page.getByRole('button', { name: /created/ }).click()
    const revision = (await page.getByRole('heading', { name: /^Revision/ }).textContent()) ?? ''
    await elsewhere((other) => other.getByRole('heading', { name: revision, exact: true }).waitFor())
    await at('scaled', 'yaml')
    await page.getByRole('button', { name: 'Managed fields' }).click()
    await elsewhere((other) => other.locator('.cm-content').getByText('managedFields').waitFor())
    await at('scaled', 'tree')
    await page.getByLabel('Deletion').selectOption('orphan')
    await elsewhere(async (other) => {
      await other.getByText('1 would be deleted').waitFor()
      expect(await other.getByLabel('Deletion').inputValue()).toBe('orphan')
    })
  })
})

describe('conditions', () => {
  it('are a timeline of what the server still knows of them', async () => {
    const status = (value: string, second: number) => ({
      status: {
        conditions: [
          {
            type: 'Available',
            status: value,
            reason: `Was${value}`,
            lastTransitionTime: new Date(Date.now() + second * 1000).toISOString(),
          },
        ],
      },
    })
    const path = '/apis/apps/v1/namespaces/default/deployments/scaled/status'
    await console.call('PATCH', path, status('False', 1))
    await console.call('PATCH', path, status('True', 2))
    await at('scaled')
    await page.getByRole('img', { name: /^Available: unknown since .*False since .*True since/ }).waitFor()
    await expectAccessible(page)
  })
})

describe('the keyboard alone', () => {
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  /** Tab by tab, as somebody without a mouse goes. */
  async function tabTo(words: RegExp): Promise<void> {
    for (let steps = 0; steps < 120; steps++) {
      await page.keyboard.press('Tab')
      if (words.test(await focused())) return
    }
    throw new Error(`the keyboard does not reach ${words}`)
  }

  it('goes through the parts of an object, chooses a field, and answers a dialog', async () => {
    await at('other')
    await page.getByRole('heading', { name: 'other', exact: true }).waitFor()
    for (const [key, title] of [
      ['y', 'YAML'],
      ['h', 'History'],
      ['t', 'Tree'],
      ['m', 'Who owns what'],
    ] as const) {
      // A page that was only just drawn may not listen yet.
      await expect
        .poll(async () => {
          await page.keyboard.press(key)
          return page.locator('.tabs [aria-current=page]').textContent()
        })
        .toBe(title)
    }
    await tabTo(/^.{0,60}replicas: 1$/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '.spec.replicas' }).waitFor()
    await page.keyboard.press('v')
    await page.locator('.tabs [aria-current=page]').filter({ hasText: 'Overview' }).waitFor()
    await tabTo(/^Delete$/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(/^Try out$/)
    await page.keyboard.press('Enter')
    await page.getByText('The server would delete it').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('u')
    await page.getByRole('grid', { name: 'Deployment' }).waitFor()
  })
})

describe('actions', () => {
  it('scales and restarts', async () => {
    await at('scaled')
    await page.getByRole('button', { name: 'Scale' }).click()
    // The number that there is comes selected: what is typed replaces it.
    await page.getByLabel('Replicas').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('7')
    await page.getByRole('dialog').getByRole('button', { name: 'Scale' }).click()
    await expect.poll(async () => (await read('scaled')).spec?.replicas).toBe(7)
    await page.getByRole('button', { name: 'Restart' }).click()
    await expect.poll(async () => (await read('scaled')).spec?.template.metadata?.annotations).toBeDefined()
  })

  it('deletes with options, and keeps the last state in sight', async () => {
    await at('doomed')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it owns').selectOption('Foreground')
    await dialog.getByRole('button', { name: 'Try out' }).click()
    await page.getByText('The server would delete it').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('What it owns').selectOption('Background')
    await dialog.getByRole('button', { name: 'Delete doomed' }).click()
    await page.getByText('deleted', { exact: true }).waitFor()
    await page.getByText('web:1').waitFor()
  })

  it('cordons nodes and evicts pods', async () => {
    await console.server.apply([
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p1', namespace: 'default' },
        spec: { containers: [{ name: 'a', image: 'b:1' }] },
      },
    ])
    await visit(page, '/console/o/core/v1/nodes/_/n1')
    await page.getByRole('button', { name: 'Cordon' }).click()
    await page.getByRole('button', { name: 'Uncordon' }).waitFor()
    await visit(page, '/console/o/core/v1/pods/default/p1')
    await page.getByRole('button', { name: 'Evict' }).click()
    await page.getByText('p1 was evicted').waitFor()
  })
})
