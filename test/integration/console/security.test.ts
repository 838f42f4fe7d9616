/** What must not get through: used links, pages of other origins, users without rights, objects that are made of markup and scripts. */
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { startTestServer, type TestServer as WireServer } from '../support/test-server.ts'
import { type Console, newContext, startConsole, visit } from './console-page.ts'

let console: Console

beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

describe('signing in', () => {
  it('works once with a link, and says so the second time', async () => {
    const link = await console.server.console()
    for (const works of [true, false]) {
      const page = await (await newContext(console.browser)).newPage()
      await page.goto(link)
      if (works) await page.getByRole('heading', { name: 'Everything' }).waitFor()
      else await page.getByRole('heading', { name: 'Pilothouse console' }).waitFor()
      expect(page.url()).not.toContain('code')
      await page.context().close()
    }
  })

  it('takes a link by hand, refuses a wrong one, and ends when signed out', async () => {
    const page = await (await newContext(console.browser)).newPage()
    await page.goto(new URL('/console/', console.server.url).href)
    await page.getByLabel('Link or code').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('is wrong, was used, or has expired').waitFor()
    await page.getByLabel('Link or code').fill(await console.server.console())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Everything' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Link or code').waitFor()
    await page.reload()
    await page.getByLabel('Link or code').waitFor()
    await page.context().close()
  })
})

describe('what lasts only so long', () => {
  let passed = 0
  let server: WireServer
  const link = async (): Promise<string> => (await server.call('POST', '/console/v1/links')).json().url

  beforeAll(async () => {
    const clock = { ...systemClock, now: () => Date.now() + passed }
    server = await startTestServer(['--store=memory', '--console'], clock)
  })
  afterAll(() => server.close())

  it('a link that has expired signs nobody in', async () => {
    const late = await link()
    passed += 2 * 60_000 + 1000
    const page = await (await newContext(console.browser)).newPage()
    await page.goto(late)
    await page.getByRole('heading', { name: 'Pilothouse console' }).waitFor()
    expect(page.url()).not.toContain('code')
    expect(await page.context().cookies()).toEqual([])
    expect(await page.evaluate("fetch('/api/v1/namespaces').then(({ status }) => status)")).toBe(403)
    await page.context().close()
  })

  it('a session that has ended asks for a new link, in the page that is open', async () => {
    const page = await (await newContext(console.browser)).newPage()
    await page.goto(await link())
    await page.getByRole('heading', { name: 'Everything' }).waitFor()
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict' })
    expect(await page.evaluate('document.cookie')).toBe('')
    passed += 12 * 3_600_000 + 1000
    // Whatever it asks next is refused.
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByLabel('Link or code').waitFor()
    await page.context().close()
  })
})

describe('a user who may see less', () => {
  let page: Page

  beforeAll(async () => {
    await console.server.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace: 'team' }, data: { a: 'b' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hidden', namespace: 'default' }, data: { a: 'b' } },
    ])
    const apiVersion = 'rbac.authorization.k8s.io/v1'
    const metadata = { name: 'read', namespace: 'team' }
    await console.server.apply([
      {
        apiVersion,
        kind: 'Role',
        metadata,
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
      },
      {
        apiVersion,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'read' },
        subjects: [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    ])
    page = await console.signIn({ user: 'viewer' })
  })

  it('is reported that a list is refused, and sees that of the own namespace by typing its name', async () => {
    await visit(page, '/console/k/core/v1/configmaps')
    await page.getByText(/User "viewer" cannot list resource "configmaps"/).waitFor()
    expect(await page.getByText('hidden').count()).toBe(0)
    await page.getByLabel('Namespace').fill('team')
    await page.getByRole('link', { name: 'theirs' }).click()
    await page.getByRole('heading', { name: 'theirs' }).waitFor()
  })

  it('is refused an edit by the server, in its words', async () => {
    await visit(page, '/console/o/core/v1/configmaps/team/theirs?tab=yaml')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.locator('.cm-line').filter({ hasText: 'a: b' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type('c')
    await page.getByText(/cannot patch resource "configmaps"/).waitFor()
  })

  it('has no look at requests or the server', async () => {
    for (const path of ['requests', 'server/metrics', 'server/flags']) {
      await visit(page, `/console/${path}`)
      await page.getByText('pilothouse:console').waitFor()
    }
  })
})

describe('another origin', () => {
  let other: http.Server
  let origin = ''

  beforeAll(async () => {
    other = http.createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<title>other</title><iframe id="frame" src="${console.server.url}/console/"></iframe>`)
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  })
  afterAll(() => other.close())

  it('neither reads nor writes with the cookie, and does not frame the page', async () => {
    const page = await console.signIn()
    const evil = await page.context().newPage()
    await evil.goto(origin)
    const body = JSON.stringify({ metadata: { name: 'forged' } })
    const outcome = await evil.evaluate<string[]>(`(async () => {
      const url = ${JSON.stringify(console.server.url)}
      const read = await fetch(url + '/api/v1/namespaces', { credentials: 'include' }).then((r) => r.text(), () => 'blocked')
      const write = await fetch(url + '/api/v1/namespaces/default/configmaps', { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${JSON.stringify(body)} }).then((r) => r.type, () => 'blocked')
      const header = await fetch(url + '/api/v1/namespaces/default/configmaps', { method: 'POST', credentials: 'include', headers: { 'x-pilothouse-console': '1', 'content-type': 'application/json' }, body: ${JSON.stringify(body)} }).then((r) => r.text(), () => 'blocked')
      return [read, write, header]
    })()`)
    expect(outcome[0]).toBe('blocked')
    expect(outcome[2]).toBe('blocked')
    const { body: list } = await console.call('GET', '/api/v1/namespaces/default/configmaps')
    expect(list.items.map((item: { metadata: { name: string } }) => item.metadata.name)).not.toContain('forged')
    const frame = evil.frames().find((each) => each !== evil.mainFrame())
    expect(await frame?.content()).not.toContain('id="app"')
    await page.context().close()
  })
})

describe('objects made of markup and scripts', () => {
  const markup = `"><img src=x onerror="window.hit=1"><script>window.hit=1</script><svg onload="window.hit=1">`

  beforeAll(async () => {
    const { server } = console
    await server.apply([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'markup',
          namespace: 'default',
          annotations: { note: markup, 'javascript.example.com/url': 'javascript:window.hit=1' },
        },
        data: { 'index.html': `<!doctype html>\n${markup}\n`, plain: markup, __proto__x: markup },
      },
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'markup', namespace: 'default' },
        involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'markup' },
        type: markup.slice(0, 100),
        reason: '<b>reason</b>',
        message: markup,
        source: { component: markup.slice(0, 60) },
      },
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'marked', labels: { tier: 'a' } },
        status: {
          conditions: [{ type: 'Ready', status: 'False', reason: '<i>reason</i>', message: markup }],
        },
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'marked' },
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
          },
          validations: [{ expression: "object.metadata.name != 'refused'", message: '<b>refused</b>' }],
        },
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'marked' },
        spec: { policyName: 'marked', validationActions: ['Deny'] },
      },
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'marks.example.com' },
        spec: {
          group: 'example.com',
          names: { plural: 'marks', singular: 'mark', kind: 'Mark' },
          scope: 'Namespaced',
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  description: markup,
                  properties: {
                    spec: {
                      type: 'object',
                      description: markup,
                      properties: { text: { type: 'string', description: markup } },
                    },
                  },
                },
              },
              additionalPrinterColumns: [
                { name: '<i>Text</i>', type: 'string', jsonPath: '.spec.text', description: markup },
              ],
            },
          ],
        },
      },
    ])
    const { body: node } = await console.call('GET', '/api/v1/nodes/marked')
    expect(node.status.conditions[0].message).toBe(markup)
    await server.apply({
      apiVersion: 'example.com/v1',
      kind: 'Mark',
      metadata: { name: 'one', namespace: 'default' },
      spec: { text: markup },
    })
  })

  /** By other agents: what they call themselves, their managers and what they ask for is markup, too. */
  async function hostileRequests(): Promise<void> {
    const headers = {
      authorization: `Bearer ${console.server.token}`,
      'user-agent': '<b>agent</b><img src=x onerror=1>',
    }
    const merge = { ...headers, 'content-type': 'application/merge-patch+json' }
    const path = '/api/v1/namespaces/default/configmaps/markup?fieldManager=%3Cimg%20src%3Dx%3E'
    await plain('PATCH', path, merge, { data: { more: markup } })
    await plain('GET', '/api/v1/namespaces/hostile/secrets/%3Cb%3E?x=%3Cscript%3E', headers)
    await expect
      .poll(async () => {
        const secret = { metadata: { name: 'refused' } }
        const { code } = await console.call('POST', '/api/v1/namespaces/default/secrets?dryRun=All', secret)
        return code
      })
      .toBe(422)
  }

  /** Over HTTP/1.1, with headers as they are given. */
  function plain(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = { method, headers, rejectUnauthorized: false }
      const request = https.request(new URL(path, console.server.url), options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      request.on('error', reject)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  it('are shown as text in every view, and nothing of them runs', async () => {
    const page = await console.signIn()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    const object = 'o/core/v1/configmaps/default/markup'
    await visit(page, '/console/requests')
    await page.getByText('live', { exact: true }).waitFor()
    await hostileRequests()
    const id =
      (await page.getByRole('row').filter({ hasText: 'hostile' }).first().getByRole('link').getAttribute('href')) ?? ''
    const views: [string, string][] = [
      [object, 'onerror'],
      [`${object}?tab=yaml`, 'index.html'],
      [`${object}?tab=owners`, 'onerror'],
      [`${object}?tab=tree`, 'markup'],
      [`${object}?tab=history`, '<img src=x>'],
      [`${object}?tab=owners&manager=%3Cb%3Ex%3C%2Fb%3E&field=%3Cb%3E`, '<img src=x>'],
      [`${object}?tab=%3Cb%3E`, '<b>'],
      ['o/core/v1/nodes/_/marked', '<i>reason</i>'],
      ['k/core/v1/nodes', 'marked'],
      ['requests?q=hostile', '<b>agent</b>'],
      [id.replace('/console/', ''), '<b>agent</b>'],
      ['requests/watches', 'live'],
      ['definitions/policies', '<b>refused</b>'],
      ['definitions/playground#expression=%22%3Cb%3Ex%3C%2Fb%3E%22&object=%3Cscript%3E', '<b>x</b>'],
      ['access/why?user=%3Cb%3Eeve%3C%2Fb%3E&what=pods', '<b>eve</b>'],
      ['access/try?user=%3Cb%3E&path=javascript:window.hit=1', 'Send'],
      ['k/core/v1/configmaps?labels=a%3D%3Cb%3E&fields=%3Cb%3E&sort=%3Cb%3E&ns=%3Cb%3E', 'ConfigMap'],
      ['k/core/v1/%3Cb%3Ekind%3C%2Fb%3E', '<b>kind</b>'],
      ['k/core/v1/events', '<b>reason</b>'],
      ['k/example.com/v1/marks', '<img src=x'],
      ['o/example.com/v1/marks/default/one?tab=yaml', 'onerror'],
      ['definitions/resources/marks.example.com', '<script>'],
      ['k/core/v1/configmaps?q=%3Cimg%20src%3Dx%3E', '0 of'],
      ['o/core/v1/configmaps/default/%3Cimg%20src%3Dx%20onerror%3Dwindow.hit%3D1%3E', 'not found'],
    ]
    for (const [path, text] of views) {
      await visit(page, `/console/${path}`)
      await page.getByText(text).first().waitFor()
      expect(await page.evaluate('window.hit'), path).toBeUndefined()
      expect(await page.locator('img[src="x"], main script, main svg[onload], main b, main i').count(), path).toBe(0)
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
