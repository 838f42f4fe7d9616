/**
 * What `/metrics` shows of a server that all sorts of clients have used: every metric is fed, but for those that need
 * what is not here (other stores, proxies, plugins), and says what the reference's says: name, type, labels, bounds.
 */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { metricDefinitions } from '../../src/telemetry/metrics/definitions.ts'
import { until } from '../support/until.ts'
import { type Json, startTestServer, type TestServer } from './support/test-server.ts'

const authority = createCertificateAuthority('authority', Date.now())
const certificate = issueCertificate(authority, {
  commonName: 'hook',
  names: ['127.0.0.1'],
  usage: 'server',
  now: Date.now(),
})
const hookMs = 300

let server: TestServer
let hook: Server
let page = ''

const post = async (path: string, body: unknown, headers?: Record<string, string>): Promise<Json> =>
  (await server.call('POST', path, body, headers)).json()
const meta = (name: string, more: Json = {}) => ({ metadata: { name, ...more } })
const admission = '/apis/admissionregistration.k8s.io/v1'
const readPage = async (): Promise<string> =>
  (await server.call('GET', '/metrics', undefined, { accept: '*/*' })).body.toString()

beforeAll(async () => {
  hook = createServer({ key: certificate.keyPem, cert: certificate.certPem }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { uid } = (JSON.parse(Buffer.concat(chunks).toString()) as Json).request
    await delay(hookMs)
    const { pathname } = new URL(request.url ?? '/', 'https://hook')
    if (pathname === '/broken') response.writeHead(500).end()
    else {
      const answer = { uid, allowed: pathname !== '/never' }
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
    }
  })
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
  server = await startTestServer(['--store=memory', '--feature-gates=WatchList=true'])
  await drive()
  page = await readPage()
})
afterAll(async () => {
  await server.close()
  hook.closeAllConnections()
  hook.close()
})

async function drive(): Promise<void> {
  await driveReads()
  await driveAccess()
  await driveAdmission()
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    ...meta('web'),
    spec: { type: 'NodePort', ports: [{ port: 80 }] },
  }
  await post('/api/v1/namespaces/default/services', service)
  await post('/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    ...meta('v1.away.example.com'),
    spec: {
      group: 'away.example.com',
      version: 'v1',
      groupPriorityMinimum: 10,
      versionPriority: 10,
      service: { namespace: 'default', name: 'nobody' },
      insecureSkipTLSVerify: true,
    },
  })
  await until('the API service to be missed', async () =>
    (await readPage()).includes('aggregator_unavailable_apiservice_total{'),
  )
}

async function driveReads(): Promise<void> {
  await server.call('GET', '/api/v1/namespaces?limit=1')
  await server.call('GET', '/api/v1/componentstatuses')
  await server.call('DELETE', '/api/v1/namespaces/default/limitranges')
  await server.call('GET', '/api/v1/namespaces/default/limitranges?fieldSelector=metadata.name%3Da')
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  await server.call('GET', '/apis', undefined, { accept: aggregated })
  const listing = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const watch = await server.watch(`/api/v1/namespaces?${listing}`)
  await watch.until((events) => events.some(({ type }) => type === 'BOOKMARK'))
  watch.close()
}

/** Tokens, good and bad ones, and users who may not. */
async function driveAccess(): Promise<void> {
  const account = await until('the default account', async () => {
    const { json, status } = await server.call('GET', '/api/v1/namespaces/default/serviceaccounts/default')
    return status === 200
      ? json()
      : server
          .call('POST', '/api/v1/namespaces/default/serviceaccounts', {
            apiVersion: 'v1',
            kind: 'ServiceAccount',
            ...meta('default'),
          })
          .then(() => undefined)
  })
  expect(account.metadata.name).toBe('default')
  const pod = await post('/api/v1/namespaces/default/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    ...meta('holder'),
    spec: { containers: [{ name: 'a', image: 'b' }] },
  })
  // As a kubelet asks: such tokens live longer than asked for, and are counted by whether they are renewed in time.
  const { status } = await post('/api/v1/namespaces/default/serviceaccounts/default/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      expirationSeconds: 3607,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'holder', uid: pod.metadata.uid },
    },
  })
  for (const token of [status.token, 'nonsense']) {
    await post('/apis/authentication.k8s.io/v1/tokenreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token },
    })
  }
  await server.call('GET', '/api/v1/pods', undefined, { 'impersonate-user': 'ann' })
}

async function driveAdmission(): Promise<void> {
  const namespace = (name: string, labels: Json) => ({ apiVersion: 'v1', kind: 'Namespace', ...meta(name, { labels }) })
  await post('/api/v1/namespaces', namespace('strict', { 'pod-security.kubernetes.io/enforce': 'restricted' }))
  await post('/api/v1/namespaces/strict/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    ...meta('default'),
  })
  const pod = { apiVersion: 'v1', kind: 'Pod', ...meta('p'), spec: { containers: [{ name: 'c', image: 'i' }] } }
  await post('/api/v1/namespaces/strict/pods', pod)
  await post('/api/v1/namespaces/default/pods', pod)
  const url = `https://127.0.0.1:${(hook.address() as AddressInfo).port}`
  const caBundle = Buffer.from(authority.certPem).toString('base64')
  const webhook = (name: string, path: string, more: Json = {}) => ({
    name: `${name}.example.com`,
    clientConfig: { url: `${url}${path}`, caBundle },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    matchConditions: [{ name: 'hooked', expression: `object.metadata.name.startsWith('${name}')` }],
    ...more,
  })
  await post(`${admission}/mutatingwebhookconfigurations`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    ...meta('slow'),
    webhooks: [webhook('slow', '/')],
  })
  await post(`${admission}/validatingwebhookconfigurations`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    ...meta('others'),
    webhooks: [
      webhook('slow', '/'),
      webhook('open', '/broken', { failurePolicy: 'Ignore' }),
      webhook('never', '/never'),
      webhook('bad', '/', {
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'fails', expression: 'object.data.none == "x"' }],
      }),
    ],
  })
  await drivePolicy()
  for (const name of ['slow', 'open', 'never', 'plain']) {
    await post('/api/v1/namespaces/default/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', ...meta(name) })
  }
}

async function drivePolicy(): Promise<void> {
  await post(`${admission}/validatingadmissionpolicies`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    ...meta('no-secrets'),
    spec: {
      matchConstraints: {
        resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
      },
      matchConditions: [{ name: 'always', expression: 'true' }],
      validations: [{ expression: 'false' }],
    },
  })
  await post(`${admission}/validatingadmissionpolicybindings`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    ...meta('no-secrets'),
    spec: { policyName: 'no-secrets', validationActions: ['Deny'] },
  })
  await until('the policy to be in force', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 's-' } }
    return (await server.call('POST', '/api/v1/namespaces/default/secrets', secret)).status === 422
  })
}

/** What needs something that this test does not have. */
const unfed: readonly RegExp[] = [
  /^apiserver_storage_(transformation|envelope|data_key|decode)_/,
  /^apiserver_envelope_encryption_/,
  /^apiserver_(encryption|authentication|authorization)_config_controller_/,
  /^apiserver_(authorization_(webhook|match_condition)|authentication_jwt|egress_dialer)_/,
  /^apiserver_audit_(error|level)_total$/,
  /^apiserver_(crd_)?conversion_webhook_/,
  /^apiserver_(terminated_watchers|request_aborts|request_terminations|request_post_timeout)_total$/,
  /^authentication_token_cache_fetch_total$/,
  /^apiserver_flowcontrol_(rejected|request_queue_length|request_dispatch_no|dispatch_r|latest_s|next_|request_concurrency_limit)/,
  /^apiserver_(clusterip_repair_ip|nodeport_repair_port)_errors_total$/,
  /^(etcd_request_errors_total|workqueue_retries_total|leader_election_master_status|node_authorizer_)/,
  /^pod_security_(exemptions|errors)_total$/,
  /^apiserver_externaljwt_/,
  /^apiserver_certificates_registry_/,
  // Only connections to kubelets that speak an older protocol.
  /^apiserver_stream_(translator|tunnel)_requests_total$/,
]

const value = (series: RegExp): number =>
  page
    .split('\n')
    .filter((line) => series.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)

describe('/metrics', () => {
  it('shows something of everything', () => {
    const shown = new Set(
      page
        .split('\n')
        .filter((line) => !line.startsWith('#'))
        .map((line) => /^\w+/.exec(line)?.[0].replace(/_(bucket|sum|count)$/, '')),
    )
    const missing = metricDefinitions()
      // Those are hidden.
      .filter(({ deprecated }) => deprecated === undefined)
      .map(({ name }) => name)
      .filter((name) => !shown.has(name) && !shown.has(name.replace(/_count$/, '')))
      .filter((name) => !unfed.some((pattern) => pattern.test(name)))
    expect(missing).toEqual([])
  })

  it.each([
    ['client certificates', /^apiserver_client_certificate_expiration_seconds_count /],
    ['deleted collections', /^apiserver_request_total\{verb="DELETE",.*resource="limitranges",.*scope="namespace"/],
    ['lists by name', /^apiserver_request_total\{verb="LIST",.*resource="limitranges",.*scope="namespace"/],
    ['who asks', /^authentication_duration_seconds_count\{result="success"\}/],
    ['refused requests', /^authorization_attempts_total\{result="no-opinion"\}/],
    ['tokens', /^serviceaccount_valid_tokens_total /],
    ['filters', /^apiserver_request_filter_duration_seconds_count\{filter="priorityandfairness"\}/],
    ['bodies', /^apiserver_request_body_size_bytes_count\{resource="configmaps",verb="create"\}/],
    [
      'consistent reads',
      /^apiserver_watch_cache_consistent_read_total\{fallback="false",resource="namespaces",success="true"\}/,
    ],
    ['initial events', /^apiserver_init_events_total\{resource="namespaces"\}/],
    ['addresses', /^kube_apiserver_clusterip_allocator_allocation_total\{cidr="10.0.0.0\/24",scope="dynamic"\}/],
    ['node ports', /^kube_apiserver_nodeport_allocator_allocated_ports /],
    [
      'refused pods',
      /^pod_security_evaluations_total\{decision="deny",mode="enforce",policy_level="restricted",policy_version="latest",request_operation="create",resource="pod"/,
    ],
    ['conditions', /^apiserver_admission_match_condition_exclusions_total\{kind="webhook",name="never.example.com"/],
    [
      'conditions that fail',
      /^apiserver_admission_match_condition_evaluation_errors_total\{kind="webhook",name="bad.example.com"/,
    ],
    ['webhooks that failed', /^apiserver_admission_webhook_fail_open_count\{name="open.example.com"/],
    [
      'time in which seats are free',
      /^apiserver_flowcontrol_priority_level_seat_utilization_count\{phase="executing",priority_level="exempt"\}/,
    ],
    [
      'reads that run',
      /^apiserver_flowcontrol_read_vs_write_current_requests_count\{phase="executing",request_kind="readOnly"\}/,
    ],
    [
      'quantiles',
      /^apiserver_admission_step_admission_duration_seconds_summary\{operation="CREATE",rejected="false",type="admit",quantile="0.99"\}/,
    ],
    ['lost servers', /^aggregator_unavailable_apiservice_total\{name="v1.away.example.com",reason="ServiceNotFound"\}/],
  ])('counts %s', (_, series) => {
    expect(value(series)).toBeGreaterThan(0)
  })

  it('leaves the time of webhooks out of what it promises', () => {
    const labels = 'verb="POST",group="",version="v1",resource="configmaps"'
    const whole = value(new RegExp(`^apiserver_request_duration_seconds_sum\\{${labels.replace(',', ',dry_run="",')}`))
    const own = value(new RegExp(`^apiserver_request_sli_duration_seconds_sum\\{${labels}`))
    // Asked by both configurations for `slow`, by one for `open` and `never`: at least four times.
    expect(whole - own).toBeGreaterThanOrEqual((4 * hookMs) / 1000 - 0.05)
  })

  it('writes bounds as the reference does', () => {
    expect(page).toContain('le="1e+06"')
    expect(page).toContain('le="1e-08"')
  })
})
