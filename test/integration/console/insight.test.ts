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

/** The address, once it is written, in another person's browser. */
async function shared(look: (other: Page) => Promise<unknown>): Promise<void> {
  const other = await console.signIn()
  // What is typed is written into the address a moment later, or when the page is left.
  await page.evaluate("dispatchEvent(new Event('pagehide'))")
  await other.goto(page.url())
  await look(other)
  await other.context().close()
}

describe('requests', () => {
  it('are shown as they happen, and what refused one is reported', async () => {
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
    await page.getByText('members of the group system:masters are never refused').waitFor()
    await page.getByText(/Where the time went/).waitFor()
    await page.getByText('image: web:latest').first().waitFor()
    await expectAccessible(page)
  })

  it('name the rule that allowed them, the priority level and what plugins changed', async () => {
    const alice = console.server.user('alice')
    await console.server.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'alice-edits', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
    })
    await visit(page, '/console/requests?q=user:alice+verb:create')
    await page.getByText('live', { exact: true }).waitFor()
    const core = await alice.client((await import('@kubernetes/client-node')).CoreV1Api)
    await core.createNamespacedPod({ namespace: 'default', body: pod('of-alice', 'web:1') })
    await page.getByRole('row').filter({ hasText: '201' }).getByRole('link').click()
    await page.getByText(/RBAC: allowed by RoleBinding "alice-edits\/default"/).waitFor()
    await page.getByRole('link', { name: 'RoleBinding default/alice-edits' }).waitFor()
    await page.getByText('global-default, by flow schema global-default').waitFor()
    await page.getByText(/^number \d+, dealt to the flow of alice; (did not wait|waited .*) for \d+ seats?$/).waitFor()
    await page
      .getByText(/add \/spec\/tolerations/)
      .first()
      .waitFor()
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

  it('counts refusals as they happen', async () => {
    const refused = page.getByText(/^\d+ refused$/)
    const before = Number.parseInt((await refused.first().textContent()) ?? '', 10)
    await console.call('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod('again', 'web:latest'))
    await page.getByText(`${before + 1} refused`).waitFor()
  })

  it('shows webhooks with their last denials, and what each changed in a request', async () => {
    const hooks = await console.server.webhooks.serve(
      {
        validate: ({ object }) => object?.data?.['colour'] !== 'red' || 'no red, please',
        mutate: ({ object }) => {
          if (object) object.metadata.labels = { team: 'blue' }
        },
      },
      { rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }] },
    )
    await visit(page, '/console/definitions/policies')
    const body = { metadata: { name: 'red' }, data: { colour: 'red' } }
    expect((await console.call('POST', '/api/v1/namespaces/default/configmaps', body)).code).toBe(400)
    const denial = page.getByRole('row').filter({ hasText: 'no red, please' })
    await denial.filter({ hasText: 'CREATE configmaps default/red' }).getByRole('link').click()
    await page.getByText(/add \/metadata\/labels/).waitFor()
    await page.getByText('no red, please').first().waitFor()
    await hooks.close()
  })

  it('tries a rule where it stands, with self typed by the definition', async () => {
    await visit(page, '/console/definitions/resources/boats.example.com')
    await page.getByRole('link', { name: 'try it' }).click()
    await page.getByLabel('self: object (YAML)').fill('crew: 13')
    await page.locator('code.outcome').getByText('false', { exact: true }).waitFor()
    await page.getByLabel('Where self is').selectOption({ label: 'spec.crew' })
    await page.getByLabel('Expression', { exact: true }).fill('self + 1 > oldSelf')
    await page.getByLabel('self: integer (YAML)').fill('3')
    await page.getByLabel('oldSelf, of an update (YAML)').fill('4')
    await page.locator('code.outcome').getByText('false', { exact: true }).waitFor()
    await page.getByText('Estimated').waitFor()
    await page.getByLabel('Expression', { exact: true }).fill('self.size()')
    await page.getByText(/It does not compile.*found no matching overload/).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Expression', { exact: true }).fill('self * 2')
    await page.locator('code.outcome').getByText('6', { exact: true }).waitFor()
    await shared(async (other) => {
      await other.locator('code.outcome').getByText('6', { exact: true }).waitFor()
      await other.getByText('int', { exact: true }).first().waitFor()
    })
  })

  it('gives expressions of policies all that they see', async () => {
    await visit(page, '/console/definitions/playground')
    const fill = async (label: string, text: string) => {
      const summary = page.getByText(label, { exact: true }).first()
      if (!(await page.getByLabel(label).isVisible())) await summary.click()
      await page.getByLabel(label).fill(text)
    }
    await fill('oldObject (YAML)', 'metadata:\n  name: old')
    await fill('params (YAML)', 'limit: 2')
    await fill('request (YAML)', 'operation: UPDATE\nuserInfo:\n  username: bob')
    await fill('namespaceObject (YAML)', 'metadata:\n  name: shop')
    await fill('variables (YAML, name: expression)', 'who: request.userInfo.username')
    await page
      .getByLabel('Expression', { exact: true })
      .fill(
        "variables.who + ' ' + oldObject.metadata.name + ' ' + namespaceObject.metadata.name + ' ' + string(params.limit)",
      )
    await page.locator('code.outcome').getByText('bob old shop 2').waitFor()
    await shared((other) => other.locator('code.outcome').getByText('bob old shop 2').waitFor())
    await page.getByLabel(/^Policy/).selectOption('no-latest')
    await page.locator('code.outcome').getByText('true', { exact: true }).waitFor()
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

describe('a simulated cluster', () => {
  const panel = (title: string) =>
    page.locator('.panel').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
  const line = (name: string) => panel('Simulated nodes').getByRole('row').filter({ hasText: name })

  it('has nodes that are cordoned, come under pressure, fail and return', async () => {
    await visit(page, '/console/time')
    await line('node-1').getByText('ready', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cordon node-1' }).click()
    await line('node-1').getByText('cordoned').waitFor()
    await page.getByRole('button', { name: 'Uncordon node-1' }).click()
    await line('node-1').getByText('cordoned').waitFor({ state: 'detached' })
    await page.getByLabel('Pressure on node-1').selectOption('memory')
    await line('node-1').getByText('MemoryPressure').waitFor()
    await page.getByRole('button', { name: 'Relieve node-1' }).click()
    await line('node-1').getByText('MemoryPressure').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Fail node-1' }).click()
    await page.getByText('node-1 falls silent').waitFor()
    await page.getByRole('button', { name: '10 min', exact: true }).click()
    await line('node-1').getByText('not ready').waitFor()
    await page.getByRole('button', { name: 'Return node-1' }).click()
    await page.getByRole('button', { name: '1 min', exact: true }).click()
    await line('node-1').getByText('ready', { exact: true }).waitFor()
    await expectAccessible(page)
  })

  it('has pods that do as they are reported', async () => {
    await console.server.apply({ apiVersion: 'v1', kind: 'Pod', ...pod('told', 'web:1') })
    await panel('Simulated pods').getByRole('row').filter({ hasText: 'told' }).getByText('Running').waitFor()
    await panel('Simulated pods').getByLabel('Pods').fill('told')
    await panel('Simulated pods').getByLabel('What they do').selectOption('be evicted')
    await panel('Simulated pods').getByRole('button', { name: 'Do it' }).click()
    await panel('Simulated pods').getByRole('row').filter({ hasText: 'told' }).getByText('Failed').waitFor()
    await panel('Simulated pods').getByRole('button', { name: 'Stop' }).click()
    await panel('Simulated pods').getByRole('list', { name: 'Scripts' }).waitFor({ state: 'detached' })
  })

  it('is copied, and the copy has a console of its own', async () => {
    await page.getByRole('button', { name: 'Make a copy of this server' }).click()
    const link = panel('Copies').getByRole('link')
    const [copy] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await copy.getByRole('heading', { name: 'Everything' }).waitFor()
    expect(new URL(copy.url()).origin).not.toBe(new URL(page.url()).origin)
    await copy.goto(new URL('/console/k/core/v1/pods', copy.url()).href)
    await copy.getByRole('row').filter({ hasText: 'told' }).waitFor()
    await copy.close()
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
