// Spans of real requests at a real collector.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { CertificateFolder } from '../auth/certificates.ts'
import { ConnectProxyServer } from '../auth/connect-proxy.ts'
import { startTestServer } from '../support/test-server.ts'
import { type CollectedSpan, Collector } from './collector.ts'

const folder = mkdtempSync(join(tmpdir(), 'tracing-'))
const collectors: Collector[] = []
afterEach(() => {
  for (const collector of collectors.splice(0)) collector.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, content: object): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

async function startTraced(samplingRatePerMillion: number | undefined, flags: readonly string[] = []) {
  const collector = new Collector()
  collectors.push(collector)
  const endpoint = await collector.start()
  const config = { apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'TracingConfiguration', endpoint }
  const path = file('tracing.yaml', { ...config, samplingRatePerMillion })
  const server = await startTestServer(['--store=memory', `--tracing-config-file=${path}`, ...flags])
  return { server, collector }
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
const traceparent = (sampled: boolean) => `00-${parent.traceId}-${parent.spanId}-${sampled ? '01' : '00'}`
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name)

describe('tracing', () => {
  it('has spans for a request, for admission, for webhooks and for the store', async () => {
    const certificates = new CertificateFolder()
    const authority = certificates.authority('hooks')
    const serving = certificates.issue(authority, '/CN=hook', { extensions: ['subjectAltName=IP:127.0.0.1'] })
    const traceparents: (string | undefined)[] = []
    const webhook = createServer({ key: serving.key, cert: serving.certificate }, async (request, response) => {
      traceparents.push(request.headers['traceparent'] as string | undefined)
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const { apiVersion, kind, request: review } = JSON.parse(text)
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: true } }))
    })
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve))
    const { server, collector } = await startTraced(1_000_000)
    await server.call('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'hook.example.com',
          clientConfig: {
            url: `https://127.0.0.1:${(webhook.address() as AddressInfo).port}/`,
            caBundle: Buffer.from(authority.certificate).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
    const created = await server.call('POST', configMaps, { metadata: { name: 'a' } }, { 'audit-id': 'traced' })
    expect(created.status).toBe(201)
    await server.close()
    webhook.closeAllConnections()
    webhook.close()
    certificates.close()

    const [root, ...others] = named(collector.spans, 'POST /api/v1/namespaces/{:namespace}/configmaps')
    if (root === undefined) throw new Error(`only ${collector.spans.map(({ name }) => name)}`)
    expect(others).toEqual([])
    expect(root).toMatchObject({ service: 'apiserver', kind: 2, parentSpanId: '', links: [] })
    expect(root.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.target': configMaps,
      'http.response.status_code': '201',
      'audit-id': 'traced',
    })
    const inside = collector.spans.filter(({ traceId, spanId }) => traceId === root.traceId && spanId !== root.spanId)
    for (const span of inside) {
      expect(span.start >= root.start && span.end >= span.start).toBe(true)
    }
    const [call] = named(inside, 'Call mutating webhook')
    const [plugin] = named(inside, 'Admit MutatingAdmissionWebhook')
    const [write] = named(inside, 'etcdserverpb.KV/Txn')
    expect(call?.parentSpanId).toBe(plugin?.spanId)
    expect(plugin?.parentSpanId).toBe(root.spanId)
    expect(write).toMatchObject({ parentSpanId: root.spanId, attributes: { operation: 'create' } })
    expect(named(inside, 'Validate ResourceQuota')).toHaveLength(1)
    expect(traceparents).toEqual([`00-${root.traceId}-${call?.spanId}-01`])
  })

  it('follows the decision of those who may decide, and otherwise only links to them', async () => {
    const { server, collector } = await startTraced(undefined)
    await server.call('GET', configMaps)
    await server.call('GET', `${configMaps}/sampled`, undefined, { traceparent: traceparent(true) })
    await server.call('GET', `${configMaps}/not`, undefined, { traceparent: traceparent(false) })
    await server.call('GET', `${configMaps}/bad`, undefined, { traceparent: 'ff-nonsense' })
    await server.close()
    const targets = collector.spans.map(({ attributes }) => attributes['http.target']).filter(Boolean)
    expect(targets).toEqual([`${configMaps}/sampled`])
    expect(collector.spans[0]).toMatchObject({ traceId: parent.traceId, parentSpanId: parent.spanId })
  })

  it('does not let strangers decide', async () => {
    const { server, collector } = await startTraced(1_000_000, ['--anonymous-auth'])
    const insecure = await import('node:https')
    await new Promise<void>((resolve, reject) => {
      const options = { headers: { traceparent: traceparent(false) }, rejectUnauthorized: false, agent: false }
      insecure
        .get(`${server.url}/version`, options, (response) => response.resume().on('end', resolve))
        .on('error', reject)
    })
    await server.close()
    const span = collector.spans.find(({ attributes }) => attributes['http.target'] === '/version')
    expect(span).toMatchObject({ name: 'GET', parentSpanId: '', links: [parent] })
    expect(span?.traceId).not.toBe(parent.traceId)
  })

  it('reaches the collector through the control plane’s proxy', async () => {
    const proxy = new ConnectProxyServer()
    const socket = join(folder, 'proxy.sock')
    await proxy.start(socket)
    const connection = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: socket } } }
    const egress = file('egress.yaml', {
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [{ name: 'controlplane', connection }],
    })
    const { server, collector } = await startTraced(1_000_000, [`--egress-selector-config-file=${egress}`])
    await server.call('GET', configMaps)
    await server.close()
    expect(collector.spans.length).toBeGreaterThan(0)
    expect(proxy.targets).toHaveLength(1)
    proxy.close()
  })
})
