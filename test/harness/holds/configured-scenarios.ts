/** Large objects on servers that audit and encrypt, and many requests on one connection. */
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { encodeCbor } from '../../../src/codec/cbor.ts'
import { type Call, mapOf, type Scenario } from './scenario.ts'

const secrets = '/api/v1/namespaces/default/secrets'
const dry = '?dryRun=All'

function flagsWithFiles(): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-holds-'))
  const policy = path.join(folder, 'audit.yaml')
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n')
  const encryption = path.join(folder, 'encryption.yaml')
  const key = Buffer.alloc(32, 7).toString('base64')
  const providers = `[{aescbc: {keys: [{name: a, secret: ${key}}]}}, {identity: {}}]`
  writeFileSync(
    encryption,
    `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: [{resources: [secrets], providers: ${providers}}]\n`,
    { mode: 0o600 },
  )
  return [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${path.join(folder, 'audit.log')}`,
    `--encryption-provider-config=${encryption}`,
  ]
}

const flags = flagsWithFiles()

const large = { metadata: { name: 'large' }, stringData: mapOf(900, (i) => `k${i}`, 'x'.repeat(1000)) }
const keys = JSON.stringify({ metadata: { name: 'keys' }, stringData: mapOf(40_000, (i) => `k${i}`, 'x') })

const configMaps = '/api/v1/namespaces/default/configmaps'
const audited = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'audited' },
  data: mapOf(50_000, (i) => `k${i}`, 'v'),
}
const text = JSON.stringify(audited)
/** In CBOR a map has at most a thousand keys. */
const inCbor = encodeCbor({ ...audited, data: mapOf(1000, (i) => `k${i}`, 'v'.repeat(900)) })

const auditedWrites: Readonly<Record<string, Omit<Call, 'path'>>> = {
  'merge patch': { method: 'PATCH', type: 'application/merge-patch+json', body: text },
  'strategic merge patch': { method: 'PATCH', type: 'application/strategic-merge-patch+json', body: text },
  'JSON patch': {
    method: 'PATCH',
    type: 'application/json-patch+json',
    body: JSON.stringify([{ op: 'replace', path: '/data', value: audited.data }]),
  },
  'apply by YAML': { method: 'PATCH', type: 'application/apply-patch+yaml', body: text },
  'apply by CBOR': { method: 'PATCH', type: 'application/apply-patch+cbor', body: inCbor },
  replace: { method: 'PUT', body: text },
}

const auditedScenarios = Object.entries(auditedWrites).map(
  ([name, call]): Scenario => ({
    name: `audit of a config map with 50,000 keys, ${name}`,
    flags,
    prepare: async (server) => {
      await server.call({ path: configMaps, body: { metadata: { name: 'audited' }, data: { a: 'b' } }, mayFail: true })
    },
    act: (server) =>
      server.call({
        ...call,
        path: `${configMaps}/audited${dry}&fieldManager=m${name.startsWith('apply') ? '&force=true' : ''}`,
      }),
  }),
)

export const configuredScenarios: readonly Scenario[] = [
  ...auditedScenarios,
  {
    name: 'audit and encryption of a secret of 0.9 MiB, create',
    flags,
    act: async (server, attempt) => {
      const name = `large${attempt}-${Date.now()}`
      await server.call({ path: secrets, body: { ...large, metadata: { name } } })
      await server.call({ path: `${secrets}/${name}` })
      await server.call({ method: 'DELETE', path: `${secrets}/${name}` })
    },
  },
  {
    name: 'audit of a secret with 40,000 keys, dry run',
    flags,
    act: (server) => server.call({ path: `${secrets}${dry}`, body: keys }),
  },
  {
    name: 'audit of a list of 3,000 encrypted secrets',
    flags,
    prepare: (server) =>
      server.fill(3000, (i) => ({
        path: secrets,
        body: { metadata: { name: `s${i}` }, stringData: { a: 'x'.repeat(500) } },
      })),
    act: (server) => server.call({ path: secrets }),
  },
  {
    name: '2,000 requests for /livez in one write to a connection',
    act: (server) => pipeline(server.port),
  },
  {
    name: '200 new connections at once',
    act: (server) => pipeline(server.port, 200),
  },
]

const client = `
const tls = require('node:tls')
const [port, connections] = process.argv.slice(1).map(Number)
const each = connections > 1 ? 1 : 2000
let left = connections
for (let i = 0; i < connections; i++) {
  let seen = 0
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
    socket.write('GET /livez HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'.repeat(each))
  })
  socket.on('data', (data) => {
    seen += data.toString('latin1').split('HTTP/1.1 200').length - 1
    if (seen >= each) socket.destroy()
  })
  const gone = () => { if (--left === 0) process.exit(0) }
  socket.on('close', gone)
  socket.on('error', () => {})
}
`

/** From another process, so that the client's own work does not count. */
function pipeline(port: number, connections = 1): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', client, String(port), String(connections)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.on('error', reject)
    child.on('exit', () => resolve())
  })
}
