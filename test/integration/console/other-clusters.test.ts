/** Another cluster, read through its API alone, over plain HTTP/1.1: what can work does, and what cannot says why. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClusterProxy, openClusterProxy } from '../../../src/console/cluster-proxy.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { readKubeconfig } from '../../../src/outbound/kubeconfig.ts'
import { type Console, expectAccessible, newContext, startConsole, visit } from './console-page.ts'

let console: Console
let front: ClusterProxy
let page: Page

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
  },
}

beforeAll(async () => {
  console = await startConsole()
  await console.server.apply([
    deployment,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'alice-views', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'boats', singular: 'boat', kind: 'Boat' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { crew: { type: 'integer' } } } },
              },
            },
          },
        ],
      },
    },
  ])
  const connection = readKubeconfig(console.server.kubeconfig().file())
  front = await openClusterProxy({ connection, clock: systemClock, port: 0, isReadOnly: false })
  page = await (await newContext(console.browser)).newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(front.link().url)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
})
afterAll(async () => {
  await front.close()
  await console.close()
})

describe('another cluster', () => {
  it('has counts, of kinds without objects too, and a search', async () => {
    await page.getByRole('link', { name: 'Deployment 1', exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'StatefulSet 0', exact: true }).first().waitFor()
    await page.getByRole('button', { name: /^Search/ }).click()
    await page.getByRole('combobox', { name: /^Search/ }).fill('app=web')
    await page.getByRole('option', { name: /web Deployment in default/ }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('has lists that are live', async () => {
    await visit(page, '/console/k/core/v1/configmaps?ns=default')
    await page.getByText('live', { exact: true }).waitFor()
    await console.server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new', namespace: 'default' } })
    await page.getByRole('row').filter({ hasText: 'new' }).waitFor()
  })

  it('has definitions that come and go, and their rules to try', async () => {
    await visit(page, '/console/definitions/playground?for=rule&definition=boats.example.com&path=spec/crew')
    await page.getByLabel('Expression', { exact: true }).fill('self * 2')
    await page.getByLabel('self: integer (YAML)').fill('21')
    await page.locator('code.outcome').getByText('42', { exact: true }).waitFor()
  })

  it('is changed by its own API', async () => {
    await visit(page, '/console/o/apps/v1/deployments/default/web')
    await page.getByRole('button', { name: 'Scale' }).click()
    await page.getByLabel('Replicas').fill('3')
    // A note goes by itself: it is waited for before a slow browser is done with the click.
    const note = page.getByText('web is scaled to 3')
    const refusal = page.getByRole('dialog').getByRole('alert')
    const answered = note.or(refusal).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Scale' }).click()
    await answered
    expect(await refusal.allTextContents()).toEqual([])
    const { body } = await console.call('GET', '/apis/apps/v1/namespaces/default/deployments/web')
    expect(body.spec.replicas).toBe(3)
  })

  it('says who can, why and why not by its roles and bindings', async () => {
    await visit(page, '/console/access/who-can?verb=list&what=pods&namespace=default')
    await page.getByRole('link', { name: 'RoleBinding default/alice-views' }).waitFor()
    await visit(page, '/console/access/why?user=alice&verb=delete&what=pods&namespace=default')
    await page.getByText('not allowed', { exact: true }).waitFor()
    await page.getByText('another verb').first().waitFor()
    await visit(page, '/console/access')
    await page.getByRole('link', { name: 'ClusterRoleBinding cluster-admin' }).first().waitFor()
    await expectAccessible(page)
  })

  it('says why it has no more', async () => {
    for (const [path, words] of [
      ['o/apps/v1/deployments/default/web?tab=history', 'does not give out the versions'],
      ['requests', 'does not tell what is asked of it'],
      ['server/metrics', 'its own monitoring'],
      ['server/flows', 'who waits for a seat'],
      ['server/flags', 'its flags and gates'],
      ['time', 'no test server'],
    ] as const) {
      await visit(page, `/console/${path}`)
      await page.getByText(words).waitFor()
    }
    await visit(page, '/console/server')
    await page.getByText('v1.33').first().waitFor()
  })

  it('leaves connections to requests, however many watches a view has', async () => {
    await visit(page, '/console/definitions/policies')
    await page.getByText(/^(live|every 5 s)$/).waitFor()
    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByRole('link', { name: 'Who can' }).click()
    await page.getByRole('link', { name: 'ClusterRoleBinding cluster-admin' }).waitFor()
  })
})
