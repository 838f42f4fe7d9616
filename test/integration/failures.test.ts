/**
 * Starts and commands that fail for a reason outside of the program: each ends with exit code 1 and one line that names the cause and what
 * helps, whatever the layer that noticed it. Real processes, real etcd, real rights.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { freePort } from '../support/free-port.ts'
import { CertificateFolder } from './auth/certificates.ts'

const cli = path.resolve(import.meta.dirname, '../../dist/cli.js')
const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-failures-'))
const at = (...names: string[]): string => path.join(folder, ...names)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Root passes every check of rights unless it leaves its capabilities. */
const withoutRights =
  process.geteuid?.() === 0
    ? ['setpriv', '--inh-caps=-all', '--bounding-set=-dac_override,-dac_read_search,-net_bind_service,-fowner']
    : []

async function run(args: readonly string[], wrapper: readonly string[] = []): Promise<Ended> {
  const [command = '', ...rest] = [...wrapper, process.execPath, cli, ...args]
  const child = spawn(command, rest, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** `words` in their order, on the one line that there is. */
async function expectLine(ended: Promise<Ended>, words: RegExp): Promise<void> {
  const { code, stderr } = await ended
  expect(stderr).toMatch(/^Error: [^\n]*\n$/)
  expect(stderr).toMatch(words)
  expect(code).toBe(1)
}

let folders = 0

/** Without a name a new folder: the first start of two servers at once in the same is another subject. */
const serveFlags = async (data = `new-${++folders}`): Promise<string[]> => [
  '--bind-address=127.0.0.1',
  `--secure-port=${await freePort()}`,
  `--data-dir=${at(data)}`,
]

describe('an etcd that cannot be used', () => {
  const certificates = new CertificateFolder()
  const authority = certificates.authority('etcd')
  const other = certificates.authority('other')
  const names = { extensions: ['subjectAltName=IP:127.0.0.1'] }
  const serving = certificates.issue(authority, '/CN=etcd', names)
  const stranger = certificates.issue(other, '/CN=stranger', names)
  const files = Object.fromEntries(
    Object.entries({ ca: authority, other, serving, stranger }).map(([name, { key, certificate }]) => [
      name,
      { key: certificates.file(`${name}.key`, key), certificate: certificates.file(`${name}.crt`, certificate) },
    ]),
  ) as Record<'ca' | 'other' | 'serving' | 'stranger', { key: string; certificate: string }>
  let secure: EtcdCluster
  let plain: EtcdCluster
  let web: Server
  let silent: Server

  beforeAll(async () => {
    const { ca, serving } = files
    secure = await EtcdCluster.start(1, { ca: ca.certificate, cert: serving.certificate, key: serving.key })
    plain = await EtcdCluster.start()
    web = createWebServer((_, response) => response.end()).listen(0, '127.0.0.1')
    silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await Promise.all([once(web, 'listening'), once(silent, 'listening')])
  })
  afterAll(async () => {
    await Promise.all([secure.stop(), plain.stop()])
    web.close()
    silent.close()
    certificates.close()
  })

  const portOf = (url: string): string => url.split(':').at(-1) ?? ''
  const listening = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`
  const tls = (): string => `127.0.0.1:${portOf(secure.urls[0] ?? '')}`
  const open = (): string => `127.0.0.1:${portOf(plain.urls[0] ?? '')}`
  const ca = `--etcd-cafile=${files.ca.certificate}`
  const pair = ({ certificate, key }: { certificate: string; key: string }): string[] => [
    `--etcd-certfile=${certificate}`,
    `--etcd-keyfile=${key}`,
  ]

  const cases: readonly (readonly [string, () => readonly string[], RegExp])[] = [
    ['whose authority is not known', () => [`https://${tls()}`], /unknown authority; .*--etcd-cafile/],
    [
      'whose authority is another',
      () => [`https://${tls()}`, `--etcd-cafile=${files.other.certificate}`],
      /another authority than those in --etcd-cafile/,
    ],
    ['that speaks TLS, asked by http', () => [`http://${tls()}`], /speaks TLS; use https:/],
    ['that speaks no TLS, asked by https', () => [`https://${open()}`, ca], /does not speak TLS; use http:/],
    ['that demands a certificate', () => [`https://${tls()}`, ca], /demands a client certificate; .*--etcd-certfile/],
    [
      'that refuses the certificate',
      () => [`https://${tls()}`, ca, ...pair(files.stranger)],
      /refuses the client certificate of --etcd-certfile/,
    ],
    [
      'whose certificate is for another name',
      () => [`https://localhost:${portOf(secure.urls[0] ?? '')}`, ca],
      /certificate is not valid for any names, but wanted to match localhost; use a name/,
    ],
    ['that is not there', () => [`http://127.0.0.1:1`], /nothing listens on 127\.0\.0\.1:1; start etcd/],
    ['whose host is not known', () => ['http://etcd.invalid:2379'], /host etcd\.invalid is not known/],
    ['that is a web server', () => [`http://${listening(web)}`], /is a web server, but no etcd/],
    ['that is silent', () => [`http://${listening(silent)}`], /does not answer; check the address/],
    [
      'of several, each for a reason of its own',
      () => [`http://127.0.0.1:1,https://${open()}`, ca],
      /http:\/\/127\.0\.0\.1:1: nothing listens.*; https:.*: 127.* does not speak TLS/,
    ],
    [
      'without the file of the CA',
      () => [`https://${tls()}`, '--etcd-cafile=/nowhere'],
      /--etcd-cafile: \/nowhere: there is no such file/,
    ],
    [
      'with something else for a CA',
      () => [`https://${tls()}`, `--etcd-cafile=${files.ca.key}`],
      /--etcd-cafile: .*ca\.key holds no certificate/,
    ],
    [
      'with halves of two pairs',
      () => [`https://${tls()}`, ca, ...pair({ certificate: files.serving.certificate, key: files.stranger.key })],
      /--etcd-keyfile: .* is not the private key of/,
    ],
  ]

  it.concurrent.each(cases)('%s', async (_, given, words) => {
    const [servers = '', ...flags] = given()
    const etcd = [`--etcd-servers=${servers}`, '--storage-initialization-timeout=1s']
    await expectLine(run([...(await serveFlags()), ...etcd, ...flags]), words)
  })

  it('says the same to copy, in its own words for addresses', async () => {
    const args = ['copy', '--from', `etcd://${tls()}`, '--to', `lmdb://${at('copied')}`]
    await expectLine(run(args), /speaks TLS; use etcds:/)
  })
})

describe('folders and files', () => {
  beforeAll(async () => {
    const { code, stderr } = await startAndStop(await serveFlags('good'))
    expect(`${code} ${stderr.includes('Warning')}`).toBe('0 false')
  })

  async function startAndStop(flags: readonly string[]): Promise<Ended> {
    const child = spawn(process.execPath, [cli, ...flags], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let [stdout, stderr] = ['', '']
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk)
    })
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk)
      if (stdout.includes('is ready')) child.kill('SIGTERM')
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, stdout, stderr }
  }

  /** A copy of the good folder, changed. */
  function changed(name: string, change: (folder: string) => void): string {
    cpSync(at('good'), at(name), { recursive: true })
    change(at(name))
    return name
  }

  const starts: readonly (readonly [string, () => string, RegExp])[] = [
    [
      'a folder that may not be written',
      () => changed('read-only', (data) => chmodSync(path.join(data, 'store'), 0o500)),
      /store belongs to user \d+ \(mode 500\), this process runs as user \d+; run as its owner, .*EACCES/,
    ],
    [
      'a folder in one that may not be written',
      () => {
        mkdirSync(at('closed'), { mode: 0o500 })
        return 'closed/data'
      },
      /--data-dir: .*permission denied: .*closed belongs to user/,
    ],
    [
      'a store that may not be read',
      () => changed('unreadable', (data) => chmodSync(path.join(data, 'store/data.mdb'), 0)),
      /data\.mdb: permission denied: it belongs to user/,
    ],
    [
      'a store that may only be read',
      () => changed('unwritable', (data) => chmodSync(path.join(data, 'store/data.mdb'), 0o400)),
      /data\.mdb: permission denied: it belongs to user/,
    ],
    [
      'a key that may not be read',
      () => changed('no-key', (data) => chmodSync(path.join(data, 'pki/ca.key'), 0)),
      /ca\.key: permission denied: it belongs to user/,
    ],
    [
      'a file in place of the folder',
      () => {
        writeFileSync(at('file'), '')
        return 'file'
      },
      /--data-dir: .*is a file, not a folder; choose another path \(/,
    ],
    [
      'a folder in place of the lock',
      () =>
        changed('lock', (data) => {
          rmSync(path.join(data, 'store/lock.mdb'))
          mkdirSync(path.join(data, 'store/lock.mdb'))
        }),
      /lock\.mdb is no file; move it away/,
    ],
    [
      'a store that is damaged',
      () => changed('damaged', (data) => writeFileSync(path.join(data, 'store/data.mdb'), Buffer.alloc(9000, 'x'))),
      /data\.mdb is damaged: .*; restore a snapshot .*, or move the folder away/,
    ],
    [
      'a store that is cut',
      () => changed('cut', (data) => truncateSync(path.join(data, 'store/data.mdb'), 9000)),
      /data\.mdb is damaged: .*; restore a snapshot/,
    ],
    [
      'half a pair of certificates',
      () => changed('half', (data) => rmSync(path.join(data, 'pki/ca.key'))),
      /ca\.crt is there without .*ca\.key: put the key beside it/,
    ],
    [
      'something else for a certificate',
      () => changed('no-certificate', (data) => writeFileSync(path.join(data, 'pki/ca.crt'), 'hello')),
      /ca\.crt holds no certificate/,
    ],
  ]

  it.concurrent.each(starts)('%s', async (_, prepare, words) => {
    await expectLine(run(await serveFlags(prepare()), withoutRights), words)
  })

  it('a file system that is read-only', async (context) => {
    const data = changed('mounted', () => undefined)
    const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    const wrapper = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, at(data)]
    if (spawnSync(wrapper[0] ?? '', [...wrapper.slice(1), 'true']).status !== 0) {
      console.warn('\n!!! NOT TESTED: a read-only file system, because user namespaces are not allowed here\n')
      context.skip()
    }
    await expectLine(run(await serveFlags(data), wrapper), /the file system is read-only; choose a place .*EROFS/)
  })

  it('snapshots', async () => {
    const good = ['--data-dir', at('good')]
    expect(await run(['snapshot', 'save', at('a.snap'), ...good])).toMatchObject({ code: 0 })
    const before = readFileSync(at('a.snap'))
    await expectLine(run(['snapshot', 'save', at('a.snap'), ...good]), /a\.snap is there already; .*--force/)
    expect(readFileSync(at('a.snap'))).toEqual(before)
    expect(await run(['snapshot', 'save', at('a.snap'), ...good, '--force'])).toMatchObject({ code: 0 })
    await expectLine(run(['snapshot', 'save', at('no/a.snap'), ...good]), /there is no such file or folder; check/)
    await expectLine(run(['snapshot', 'save', at('b.snap'), '--data-dir', at('empty')]), /there is no store in/)
    await expectLine(run(['snapshot', 'restore', at('none.snap'), ...good]), /none\.snap: there is no such file/)
    await expectLine(run(['snapshot', 'restore', cli, ...good]), /cannot be used: it is no snapshot/)
    await expectLine(run(['snapshot', 'restore', at('a.snap'), ...good]), /is not empty; use --force/)
    mkdirSync(at('sealed'), { mode: 0o500 })
    const save = run(['snapshot', 'save', at('sealed/a.snap'), ...good], withoutRights)
    await expectLine(save, /sealed belongs to user \d+ \(mode 500\)/)
  })
})

describe('ports and addresses', () => {
  it('a port that another server has, by either flag', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const words = (flag: string) => new RegExp(`another program listens on 127.0.0.1:${port}; .* with ${flag}\n`)
    const flags = ['--store=memory', '--bind-address=127.0.0.1', `--data-dir=${at('ports')}`]
    await expectLine(run([...flags, `--secure-port=${port}`]), words('--secure-port'))
    const plain = [`--secure-port=${await freePort()}`, `--insecure-port=${port}`]
    await expectLine(run([...flags, ...plain]), words('--insecure-port'))
    taken.close()
  })

  it('a port below 1024, without the right', async (context) => {
    if (Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')) < 444) {
      console.warn('\n!!! NOT TESTED: a privileged port, because this system has none\n')
      context.skip()
    }
    const flags = ['--store=memory', '--bind-address=127.0.0.1', '--secure-port=443', `--data-dir=${at('ports')}`]
    await expectLine(run(flags, withoutRights), /port 443 is for privileged programs alone; .*--secure-port.*systemd/)
  })

  it('an address of another machine', async () => {
    const flags = ['--store=memory', '--bind-address=192.0.2.1', '--secure-port=6443', `--data-dir=${at('ports')}`]
    await expectLine(run(flags), /192\.0\.2\.1 is no address of this machine; .*--bind-address/)
  })
})

it.concurrent.each([
  [['appyl', '-f', 'a.yaml'], /unknown command "appyl"/],
  [['snapshot', 'sav'], /unknown action "sav"/],
  [['envtest', '--nonsense'], /"--nonsense" is not known/],
  [['envtest', '-p'], /-p needs a value/],
])('what there is not: %j', (args, words) => expectLine(run(args), words))

describe('files that flags name', () => {
  const more: Readonly<Record<string, readonly string[]>> = {
    'authorization-webhook-config-file': ['--authorization-mode=Webhook'],
    'authorization-policy-file': ['--authorization-mode=ABAC'],
    'proxy-client-cert-file': ['--proxy-client-key-file=/nowhere'],
    'tls-cert-file': ['--tls-private-key-file=/nowhere'],
    'oidc-ca-file': ['--oidc-issuer-url=https://127.0.0.1:1', '--oidc-client-id=a'],
  }
  const flags = [
    'admission-control-config-file',
    // Read even if no event goes anywhere.
    'audit-policy-file',
    'authentication-config',
    'authentication-token-webhook-config-file',
    'authorization-config',
    'authorization-policy-file',
    'authorization-webhook-config-file',
    'client-ca-file',
    'egress-selector-config-file',
    'encryption-provider-config',
    'oidc-ca-file',
    'proxy-client-cert-file',
    'requestheader-client-ca-file',
    'service-account-key-file',
    'tls-cert-file',
    'token-auth-file',
    'tracing-config-file',
  ]

  it.concurrent.each(flags)('--%s: a file that is not there', async (flag) => {
    const given = ['--store=memory', ...(await serveFlags()), `--${flag}=/nowhere`, ...(more[flag] ?? [])]
    const words =
      flag === 'encryption-provider-config' ? /encryption provider configuration file "\/nowhere"/ : `--${flag}: `
    const ended = run(given)
    await expectLine(ended, typeof words === 'string' ? new RegExp(`${words}.*no such file`) : words)
    expect((await ended).stderr).not.toMatch(/nowhere.*: \/nowhere/)
  })

  const bundles: readonly (readonly [string, string, RegExp])[] = [
    ['is empty', '', /does not contain any valid .* certificates/],
    ['is no PEM', 'garbage\n', /does not contain any valid .* certificates/],
    ['is broken', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /x509: malformed certificate/],
  ]

  it.concurrent.each(bundles)('a bundle of authorities that %s', async (name, text, words) => {
    const file = at(`${name}.crt`)
    writeFileSync(file, text)
    for (const flag of ['--client-ca-file', '--requestheader-client-ca-file']) {
      const line = new RegExp(`${flag}: .*: .*${words.source}`)
      await expectLine(run(['--store=memory', ...(await serveFlags()), `${flag}=${file}`]), line)
    }
  })

  const kubeconfigs: readonly (readonly [string, string, RegExp])[] = [
    ['that is no YAML', 'clusters: [', /kubeconfig .*: error parsing YAML: .* at line 1/],
    ['that names no server', 'apiVersion: v1\nkind: Config\n', /kubeconfig .*: invalid configuration/],
    ['whose context is missing', 'apiVersion: v1\nkind: Config\ncurrent-context: a\n', /kubeconfig .*context/],
  ]

  it.concurrent.each(kubeconfigs)('a kubeconfig %s', async (name, text, words) => {
    const file = at(`${name}.kubeconfig`)
    writeFileSync(file, text)
    const flag = `--authentication-token-webhook-config-file=${file}`
    await expectLine(run(['--store=memory', ...(await serveFlags()), flag]), words)
    await expectLine(run(['conformance', '--kubeconfig', file]), words)
  })
})
