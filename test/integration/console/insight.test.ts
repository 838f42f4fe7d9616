/** Requests, access, definitions and policies, time and faults, the server: each on a real server with something to see. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Console, expectAccessible, startConsole, visit } from './console-page.ts'

let console: Console
let page: Page

const pod = (name: string, image: string) => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image }] },
})

beforeAll(async () => {
  console = await startConsole({ simulate: { nodes: 1 } })
  await console.server.apply([
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'no-latest' },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        validations: [
          { expression: "object.spec.containers.all(c, !c.image.endsWith(':latest'))", message: 'say which version' },
        ],
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'no-latest' },
      spec: { policyName: 'no-latest', validationActions: ['Deny'] },
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
                properties: {
                  spec: {
                    type: 'object',
                    required: ['crew'],
                    'x-kubernetes-validations': [{ rule: 'self.crew <= 12' }],
                    properties: { crew: { type: 'integer', minimum: 1, description: 'How many sail it.' } },
                  },
                },
              },
            },
          },
        ],
      },
    },
  ])
  page = await console.signIn()
})
afterAll(() => console.close())

describe('requests', () => {
  it('are shown as they happen, and what refused one is told', async () => {
    await visit(page, '/console/requests')
    await page.getByText('live', { exact: true }).waitFor()
    // A policy holds a moment after it was made.
    await expect
      .poll(
        async () =>
          (await console.call('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod('late', 'web:latest'))).code,
      )
      .toBe(422)
    await page.getByLabel('Filter requests').fill('code:422 verb:create')
    const row = page.getByRole('row').filter({ hasText: '422' }).first()
    await row.waitFor()
    await expectAccessible(page)
    await row.getByRole('link').click()
    await page.getByText('say which version').first().waitFor()
    await page.getByRole('heading', { name: 'Admission' }).waitFor()
    await page.getByRole('cell', { name: 'ValidatingAdmissionPolicy' }).first().waitFor()
    await page.getByRole('heading', { name: 'Authorization' }).waitFor()
    await page.getByText(/Where the time went/).waitFor()
    await page.getByText('image: web:latest').first().waitFor()
    await expectAccessible(page)
  })

  it('that watch are listed with how far they are', async () => {
    const other = await page.context().newPage()
    await visit(page, '/console/requests/watches')
    await other.goto(new URL('/console/k/core/v1/secrets', page.url()).href)
    await page.getByRole('row').filter({ hasText: 'secrets' }).first().waitFor()
    await other.close()
    await expectAccessible(page)
  })
})

describe('access', () => {
  it('says who can, and by which binding', async () => {
    await visit(page, '/console/access/who-can?verb=delete&what=pods&namespace=default')
    await page.getByRole('link', { name: 'ClusterRoleBinding cluster-admin' }).waitFor()
    await expectAccessible(page)
  })

  it('explains why not, and what comes closest', async () => {
    await visit(page, '/console/access/why?user=nobody&verb=delete&what=pods&namespace=default')
    await page.getByText('not allowed', { exact: true }).waitFor()
    await page.getByLabel('User or service account').fill('system:serviceaccount:kube-system:replicaset-controller')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('allowed', { exact: true }).waitFor()
    await expectAccessible(page)
  })

  it('tries a request as somebody else', async () => {
    await visit(page, '/console/access/try?user=nobody&path=/api/v1/secrets')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/nobody.* cannot list resource/).waitFor()
    await expectAccessible(page)
  })

  it('lists what one may do', async () => {
    await visit(page, '/console/access')
    await page
      .getByRole('cell', { name: /^\* · \*/ })
      .first()
      .waitFor()
    await expectAccessible(page)
  })
})

describe('definitions and policies', () => {
  it('shows a schema as a tree, with its rules', async () => {
    await visit(page, '/console/definitions/resources/boats.example.com')
    await page.getByText('How many sail it.').waitFor()
    await page.getByText('self.crew <= 12').waitFor()
    await expectAccessible(page)
  })

  it('shows policies with what they match and refused', async () => {
    await visit(page, '/console/definitions/policies')
    await page.getByRole('link', { name: 'no-latest' }).first().waitFor()
    await page.getByText('CREATE · pods in core v1').waitFor()
    await page.getByText('say which version').first().waitFor()
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByRole('listitem').filter({ hasText: 'no-latest' }).waitFor()
    await expectAccessible(page)
  })

  it('evaluates expressions', async () => {
    await visit(page, '/console/definitions/playground')
    await page.getByText('true', { exact: true }).waitFor()
    await page.getByLabel('Expression', { exact: true }).fill('size(object.spec.containers) + 41')
    await page.getByText('42', { exact: true }).waitFor()
    await page.getByLabel('Expression', { exact: true }).fill('object.spec.')
    await page.getByText('It does not compile').waitFor()
    await expectAccessible(page)
  })
})

describe('time and faults', () => {
  it('lets time pass', async () => {
    const before = console.server.clock.now()
    await visit(page, '/console/time')
    await page.getByRole('button', { name: '1 h', exact: true }).click()
    await page.getByText('1 h passed').waitFor()
    expect(console.server.clock.now() - before).toBeGreaterThanOrEqual(3_600_000)
    await expectAccessible(page)
  })

  it('adds a fault, counts its hits, and removes it', async () => {
    await page.getByLabel('Verb').fill('create')
    const faults = page.locator('.panel').filter({ has: page.getByRole('heading', { name: 'Faults' }) })
    await faults.getByLabel('Resource').fill('secrets')
    await page.getByLabel('What happens').selectOption('503')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await faults.getByText('error: 503').waitFor()
    const secret = { metadata: { name: 'a' } }
    expect((await console.call('POST', '/api/v1/namespaces/default/secrets', secret)).code).toBe(503)
    await faults.getByRole('cell', { name: '1', exact: true }).waitFor()
    await faults.getByRole('button', { name: 'Remove', exact: true }).click()
    await faults.getByText('No request is broken').waitFor()
  })

  it('goes back to a snapshot', async () => {
    const snapshots = page.locator('.panel').filter({ has: page.getByRole('heading', { name: 'Snapshots' }) })
    await snapshots.getByLabel('Name').fill('before')
    await snapshots.getByRole('button', { name: 'Keep the present state' }).click()
    await snapshots.getByRole('button', { name: 'Restore' }).waitFor()
    await console.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'later' } })
    await snapshots.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Back to before').waitFor()
    expect((await console.call('GET', '/api/v1/namespaces/default/configmaps/later')).code).toBe(404)
  })
})

describe('the server', () => {
  it('tells its health, store, flags and gates', async () => {
    await visit(page, '/console/server')
    await page.getByText('readyz').waitFor()
    await page.getByText('RBAC').first().waitFor()
    await expectAccessible(page)
    await visit(page, '/console/server/flags')
    await page.getByLabel('Filter flags').fill('authorization-mode')
    await page.getByText('--authorization-mode').first().waitFor()
    await visit(page, '/console/server/gates')
    await page.getByText('WatchList').first().waitFor()
    await expectAccessible(page)
  })

  it('plots what it is doing', async () => {
    await visit(page, '/console/server/metrics')
    await page.getByRole('img', { name: /^Requests/ }).waitFor()
    await page.locator('canvas').first().waitFor()
    await expectAccessible(page)
  })

  it('draws how requests are let in', async () => {
    await visit(page, '/console/server/flows')
    await page.getByRole('heading', { name: 'workload-low' }).waitFor()
    await expectAccessible(page)
  })
})
