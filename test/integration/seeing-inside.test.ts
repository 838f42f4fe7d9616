/** What a running server tells of itself: health, metrics, profiles, status and flags, and to whom. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { type Answer, startTestServer, type TestServer } from './support/test-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'seeing-inside-'))
const socketPath = join(folder, 'debug.sock')
let server: TestServer

beforeAll(async () => {
  const manifest = join(folder, 'labels.yaml')
  writeFileSync(manifest, 'apiserver_watch_events_total,kind: ConfigMap\n')
  server = await startTestServer([
    '--store',
    'memory',
    '--feature-gates=ComponentStatusz=true,ComponentFlagz=true',
    `--debug-socket-path=${socketPath}`,
    '--disabled-metrics=apiserver_current_inflight_requests,go_goroutines',
    `--allow-metric-labels-manifest=${manifest}`,
    '--show-hidden-metrics-for-version=1.32',
  ])
})

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const text = async (path: string, headers?: Record<string, string>): Promise<string> =>
  (await server.call('GET', path, undefined, { accept: 'text/plain', ...headers })).body.toString()

const as = (user: string, method: string, path: string): Promise<Answer> =>
  server.call(method, path, undefined, { 'impersonate-user': user })

async function samples(): Promise<Map<string, number>> {
  const lines = (await text('/metrics')).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

describe('health', () => {
  it('lists the checks of the reference', async () => {
    const names = (page: string) => async () =>
      (await text(`/${page}?verbose`)).split('\n').flatMap((line) => /^\[\+\](\S+) ok$/.exec(line)?.[1] ?? [])
    const [live, ready, old] = await Promise.all([names('livez')(), names('readyz')(), names('healthz')()])
    for (const all of [live, ready, old]) expect(all.slice(0, 3)).toEqual(['ping', 'log', 'etcd'])
    const onlyReady = ready.filter((name) => !live.includes(name))
    expect(onlyReady).toEqual(['etcd-readiness', 'informer-sync', 'shutdown'])
    expect(ready).toContain('autoregister-completion')
    expect(ready).toContain('poststarthook/rbac/bootstrap-roles')
  })

  it('leaves out several checks and names those that are unknown', async () => {
    const page = await text('/readyz?verbose&exclude=etcd&exclude=shutdown&exclude=b&exclude=a')
    expect(page).toContain('[+]etcd excluded: ok\n')
    expect(page).toContain('[+]shutdown excluded: ok\n')
    expect(page).toContain('warn: some health checks cannot be excluded: no matches for "a","b"\n')
    expect(page.endsWith('healthz check passed\n')).toBe(true)
  })

  it('shows the outcome of checks as service level indicators', async () => {
    await text('/readyz')
    const page = await text('/metrics/slis')
    expect(page).toContain('# HELP kubernetes_healthcheck [STABLE]')
    expect(page).toMatch(/^kubernetes_healthcheck\{name="etcd",type="readyz"\} 1$/m)
    expect(page).toMatch(/^kubernetes_healthchecks_total\{name="ping",status="success",type="readyz"\} \d+$/m)
  })
})

describe('metrics', () => {
  it('counts what happens', async () => {
    const maps = '/api/v1/namespaces/default/configmaps'
    const watch = await server.watch(`${maps}?watch=1`)
    await server.call('POST', maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })
    await watch.until((events) => events.some(({ object }) => object.metadata.name === 'a'))
    await server.call('GET', `${maps}?labelSelector=a%3Db`)
    const worked = 'workqueue_work_duration_seconds_count{name="AvailableConditionController"}'
    const found = await until('the first work of a controller', async () => {
      const all = await samples()
      return (all.get(worked) ?? 0) > 0 && all
    })
    const value = (name: string): number => found.get(name) ?? Number.NaN
    expect(value('apiserver_watch_events_total{group="",version="v1",kind="ConfigMap"}')).toBeGreaterThan(0)
    expect(value('apiserver_watch_cache_events_received_total{resource="configmaps"}')).toBeGreaterThan(0)
    expect(value('apiserver_watch_cache_initializations_total{resource="configmaps"}')).toBe(1)
    expect(value('apiserver_cache_list_total{resource_prefix="/registry/configmaps/",index="index"}')).toBeGreaterThan(
      0,
    )
    expect(value('apiserver_storage_objects{resource="configmaps"}')).toBeGreaterThan(0)
    expect(value('aggregator_unavailable_apiservice{name="v1.apps"}')).toBe(0)
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6)
    expect(value('workqueue_adds_total{name="AvailableConditionController"}')).toBeGreaterThan(0)
    expect(value('disabled_metrics_total')).toBe(2)
    watch.close()
  })

  it('leaves out what is disabled, and shows what the last release hid', async () => {
    const page = await text('/metrics')
    expect(page).not.toContain('apiserver_current_inflight_requests')
    expect(page).toContain('apiserver_flowcontrol_request_concurrency_limit [ALPHA] (Deprecated from 1.30) ')
  })

  it('shows label values that are not allowed as unexpected', async () => {
    const watch = await server.watch('/api/v1/namespaces?watch=1')
    await watch.until((events) => events.length > 0)
    const found = await samples()
    expect(found.get('apiserver_watch_events_total{group="",version="v1",kind="unexpected"}')).toBeGreaterThan(0)
    expect(found.get('apiserver_watch_events_total{group="",version="v1",kind="Namespace"}')).toBeUndefined()
    expect(found.get('cardinality_enforcement_unexpected_categorizations_total')).toBeGreaterThan(0)
    watch.close()
  })
})

describe('pages for people', () => {
  it('tells the status', async () => {
    expect(await text('/statusz')).toMatch(
      /^\nkube-apiserver statusz\nWarning: This endpoint is not meant .*\n\nStarted: \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}\nUp: 0 hr \d\d min \d\d sec\nGo version: \S+\nBinary version: 1\.33\.\S+\nEmulation version: 1\.33\n$/,
    )
  })

  it('tells the flags', async () => {
    const page = await text('/flagz')
    expect(page.startsWith('\nkube-apiserver flags\nWarning: ')).toBe(true)
    expect(page).toContain(`\ndebug-socket-path=${socketPath}\n`)
    expect(page).toContain('\nauthorization-webhook-cache-authorized-ttl=5m0s\n')
    expect(page).toContain('\nauthorization-mode=[RBAC]\n')
  })

  it.each(['/statusz', '/flagz'])('writes %s as plain text only', async (path) => {
    const refused = await server.call('GET', path, undefined, { accept: 'application/json' })
    expect([refused.status, refused.body.toString()]).toEqual([406, 'media type not acceptable, must be: text/plain\n'])
  })
})

describe('debugging', () => {
  it.each([
    '/debug/pprof',
    '/debug/pprof/heap',
    '/debug/pprof/profile',
    '/debug/flags/v',
    '/metrics',
    '/statusz',
    '/flagz',
  ])('%s is for administrators', async (path) => {
    expect((await as('mallory', 'GET', path)).status).toBe(403)
  })

  it('takes a CPU profile', async () => {
    const answer = await server.call('GET', '/debug/pprof/profile?seconds=0.05')
    expect(answer.headers['content-disposition']).toContain('.cpuprofile')
    expect(answer.json().nodes.length).toBeGreaterThan(0)
    server.forgetHolds()
  })

  it('takes one heap snapshot at a time', async () => {
    const all = await Promise.all([1, 2, 3].map(() => server.call('GET', '/debug/pprof/heap')))
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect((await server.call('GET', '/debug/pprof/heap')).status).toBe(200)
    server.forgetHolds()
  })

  it.each<[string, string, number, string]>([
    ['PUT', '4', 200, 'successfully set klog.logging.verbosity to 4'],
    ['PUT', '0', 200, 'successfully set klog.logging.verbosity to 0'],
    ['PUT', 'much', 400, 'failed set klog.logging.verbosity much: strconv.ParseInt: parsing "much": invalid syntax'],
    ['GET', '', 406, 'unsupported http method'],
  ])('%s %s to the verbosity of the log', async (method, body, status, expected) => {
    const socket = await onSocket(method, '/debug/flags/v', body)
    expect(socket).toEqual({ status, body: expected })
  })

  it('serves profiles on the socket to its owner alone, and nothing else', async () => {
    expect(statSync(socketPath).mode & 0o777).toBe(0o600)
    expect((await onSocket('GET', '/debug/pprof/', '')).status).toBe(200)
    expect((await onSocket('GET', '/api/v1/secrets', '')).status).toBe(404)
  })
})

function onSocket(method: string, path: string, body: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method, path, agent: false }, (response) => {
      let answer = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        answer += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: answer }))
    })
    request.on('error', reject).end(body)
  })
}
