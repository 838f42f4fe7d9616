// Connections through a real HTTP CONNECT proxy.
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ReviewClient } from '../../../src/auth/webhook/webhook-client.ts'
import { callOutbound } from '../../../src/outbound/call.ts'
import { type ConnectProxy, connectDial } from '../../../src/outbound/connect-dial.ts'
import { readKubeconfig } from '../../../src/outbound/kubeconfig.ts'
import { Transport } from '../../../src/outbound/transport.ts'
import { kubeconfigFor } from '../../support/kubeconfig.ts'
import { CertificateFolder } from './certificates.ts'
import { ConnectProxyServer } from './connect-proxy.ts'

const folder = new CertificateFolder()
const authority = folder.authority('servers')
const serving = folder.issue(authority, '/CN=server', { extensions: ['subjectAltName=IP:127.0.0.1'] })
const server = createServer({ key: serving.key, cert: serving.certificate }, (_, response) =>
  response.end('{"ok":true}'),
)
const proxies = [new ConnectProxyServer(), new ConnectProxyServer(serving), new ConnectProxyServer()] as const
const socketPath = join(folder.folder, 'proxy.sock')

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await Promise.all([proxies[0].start(), proxies[1].start(), proxies[2].start(socketPath)])
})
afterAll(() => {
  for (const proxy of proxies) proxy.close()
  server.closeAllConnections()
  server.close()
  folder.close()
})

const target = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`
async function fetchThrough(proxy: ConnectProxy, ca: string): Promise<string> {
  const transport = new Transport({ tls: { ca }, dial: connectDial(proxy), keepAlive: false })
  const { port } = server.address() as AddressInfo
  const facts = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBytes: 1000 }
  const { body } = await callOutbound(transport, { scheme: 'https', host: '127.0.0.1', port, path: '/' }, facts)
  return body.toString()
}

describe('connectDial', () => {
  it.each<[string, number, () => ConnectProxy]>([
    ['TCP', 0, () => ({ url: proxies[0].url })],
    ['TLS', 1, () => ({ url: proxies[1].url, ca: authority.certificate })],
    ['a unix socket', 2, () => ({ socketPath })],
  ])('reaches a server over %s', async (_, index, proxy) => {
    expect(await fetchThrough(proxy(), authority.certificate)).toBe('{"ok":true}')
    expect(proxies[index]?.targets).toEqual([target()])
  })

  it('trusts the server, not the proxy', async () => {
    await expect(fetchThrough({ url: proxies[0].url }, folder.authority('other').certificate)).rejects.toThrow()
    await expect(
      fetchThrough({ url: proxies[1].url, ca: folder.authority('other').certificate }, authority.certificate),
    ).rejects.toThrow()
  })

  it('says when the proxy refuses or is not there', async () => {
    proxies[0].refusing = true
    await expect(fetchThrough({ url: proxies[0].url }, authority.certificate)).rejects.toThrow(
      /proxy error from .* while dialing .*, code 403/,
    )
    proxies[0].refusing = false
    await expect(fetchThrough({ socketPath: `${socketPath}.none` }, authority.certificate)).rejects.toThrow('ENOENT')
  })

  it('serves webhooks whose kubeconfig names a proxy', async () => {
    const before = proxies[0].targets.length
    const cluster = {
      server: `https://${target()}/`,
      'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
      'proxy-url': proxies[0].url,
    }
    const file = folder.file('kubeconfig', kubeconfigFor(cluster))
    const client = new ReviewClient({
      connection: readKubeconfig(file),
      read: (body) => JSON.parse(body.toString()) as { ok: boolean },
      timeoutMs: 60_000,
    })
    expect(await client.post({})).toEqual({ ok: true })
    expect(await client.post({})).toEqual({ ok: true })
    expect(proxies[0].targets.length).toBe(before + 1)
    client.close()
  })
})
