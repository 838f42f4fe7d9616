/**
 * The command as it is installed, where other tools use it: around commands of any language, and started in place of the
 * reference by controller-runtime's envtest, with the arguments and files that that one uses.
 */
import assert from 'node:assert'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Context, compileFunction, createContext, runInContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCertificateAuthority, issueCertificate } from '../../src/pki/certificates.ts'
import { EtcdCluster } from '../contract/store/etcd-process.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { kubectl } from './support/kubectl.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'pilothouse-commands-'))
const cli = join(folder, 'built', 'cli.js')

beforeAll(() => {
  const build = [join(root, 'scripts/build.mjs'), '--outdir', join(folder, 'built')]
  execFileSync(process.execPath, build, { cwd: root, stdio: 'ignore' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the package in a world of its own, as jest gives every test file one', () => {
  /** As test runners load modules: into a context of theirs, with the modules of Node from outside. */
  function requireInside(context: Context, file: string): unknown {
    const inside = createRequire(file)
    const load = (name: string): unknown =>
      name.startsWith('.') ? requireInside(context, inside.resolve(name)) : inside(name)
    const module = { exports: runInContext('({})', context) as unknown }
    const parameters = ['exports', 'require', 'module', '__filename', '__dirname']
    compileFunction(readFileSync(file, 'utf8'), parameters, { parsingContext: context, filename: file })(
      module.exports,
      load,
      module,
      file,
      resolve(file, '..'),
    )
    return module.exports
  }

  it('gives objects, arrays, promises and errors of that world', async () => {
    const context = createContext({ assert, testing: undefined as unknown })
    context['testing'] = requireInside(context, join(folder, 'built', 'testing.js'))
    await runInContext(
      `(async () => {
        const { startServer, tidy } = testing
        const starting = startServer()
        assert.ok(starting instanceof Promise)
        const server = await starting
        try {
          const metadata = { name: 'a', namespace: 'default', labels: { of: 'mine' } }
          const [applied] = await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { x: '1' } })
          assert.deepStrictEqual(tidy(applied), { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { x: '1' } })
          assert.deepStrictEqual((await server.get('configmaps', 'a')).data, { x: '1' })
          const all = await server.list('configmaps', 'default')
          assert.deepStrictEqual(all.map(({ data }) => data), [{ x: '1' }])
          const seen = []
          const found = await server.waitFor('configmaps', (each) => seen.push(each) && each.metadata.name === 'a')
          assert.ok(found instanceof Object && seen.every((each) => each instanceof Object))
          const withIt = server.snapshot('with it')
          await server.reset()
          assert.strictEqual(await server.get('configmaps', 'a'), undefined)
          await server.restore(withIt)
          assert.deepStrictEqual(tidy(await server.get('configmaps', 'a')), tidy(applied))
          const failure = await server.call('GET', '/api/v1/namespaces/default/pods/none').catch((error) => error)
          assert.ok(failure instanceof Error)
          assert.deepStrictEqual([failure.name, failure.status], ['RequestFailure', 404])
          assert.deepStrictEqual(failure.body.details, { name: 'none', kind: 'pods' })
          assert.throws(() => server.faults.add({ none: 1 }), TypeError)
          const waiting = server.waitFor('pods', (pod) => pod.colour === 'blue', { timeout: 1 })
          await assert.rejects(waiting, /pod\\.colour === 'blue'/)
          const alice = server.user('alice', ['devs'])
          assert.deepStrictEqual(alice.groups, ['devs'])
          await assert.rejects(server.call('GET', '/api/v1/secrets', undefined, { user: alice }), { status: 403 })
          const fault = server.faults.add({ verb: 'list', error: 503 })
          assert.strictEqual(fault.hits, 0)
          assert.strictEqual(server.faults, server.faults)
          assert.deepStrictEqual([...server.requests], [])
          assert.ok(server.kubeconfig().config.users instanceof Array)
        } finally {
          await server.close()
        }
      })()`,
      context,
    )
  })
})

describe('pilothouse test', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [cli, 'test', ...args], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: folder, HOME: join(folder, 'home') },
    })
  const leftovers = () => readdirSync(folder).filter((name) => name.startsWith('pilothouse-testing-'))

  it('gives kubectl a server, and leaves nothing behind', () => {
    const script = `
      set -e
      '${kubectl}' create configmap colours --from-literal=a=blue
      '${kubectl}' get configmap colours -o 'jsonpath={.data.a}'
      '${kubectl}' create deployment web --image=nginx --dry-run=server -o name
      test -f "$KUBECONFIG" && test "$USE_EXISTING_CLUSTER" = true
      exit 7`
    const { status, stdout, stderr } = run('--', 'sh', '-c', script)
    expect([status, stderr]).toEqual([7, ''])
    expect(stdout).toBe('configmap/colours created\nbluedeployment.apps/web\n')
    expect(leftovers()).toEqual([])
  })

  it('opens the test endpoint and simulates a cluster when asked', () => {
    const script = `
      const { PILOTHOUSE_TEST_ENDPOINT: endpoint } = process.env
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
      const send = async (path, body) => (await fetch(endpoint + path, { method: 'POST', body: JSON.stringify(body) })).json()
      await send('/apply', pod)
      await send('/settled')
      const [again] = await send('/apply', pod)
      console.log(again.spec.nodeName, again.status.phase)`
    const flags = ['--simulate', '--test-endpoint=127.0.0.1:0', '--server-log', join(folder, 'log')]
    const { status, stdout, stderr } = run(...flags, '--', process.execPath, '--input-type=module', '-e', script)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^node-[123] Running$/m)
    expect(existsSync(join(folder, 'log'))).toBe(true)
  })

  it.each([
    ['a command that a signal ends', ['--', 'sh', '-c', 'kill -9 $$'], 137, ''],
    ['a command that is not there', ['--', 'no-such-command-here'], 127, 'cannot run no-such-command-here'],
    ['a command that cannot be run', ['--', tmpdir()], 126, 'cannot run'],
    ['no command', [], 1, 'pilothouse test [server flags] -- COMMAND'],
    ['a flag that is gone', ['--fake-node', '--', 'true'], 1, '--fake-node gave way to --simulate'],
    ['a flag that there is not', ['--no-such-flag', '--', 'true'], 1, 'no-such-flag'],
  ])('%s', (_, args, code, message) => {
    const { status, stderr } = run(...args)
    expect(status).toBe(code)
    expect(stderr).toContain(message)
    expect(leftovers()).toEqual([])
  })

  it('passes signals on, and the exit code of a command that minds them', async () => {
    const script = 'trap "exit 5" TERM; echo begun; while :; do sleep 0.05; done'
    const child = spawn(process.execPath, [cli, 'test', '--', 'sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((begun) => child.stdout.once('data', begun))
    child.kill('SIGTERM')
    expect(await new Promise((ended) => child.once('exit', ended))).toBe(5)
  })
})

describe('a server that is told to stop', () => {
  const start = async (...flags: string[]): Promise<{ child: ChildProcess; output: () => string }> => {
    const store = ['--store=memory', '--data-dir', mkdtempSync(join(folder, 'data-'))]
    const port = ['--bind-address=127.0.0.1', '--secure-port', String(await freePort())]
    const child = spawn(process.execPath, [cli, 'serve', ...store, ...port, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
    }
    await until('the server to be ready', () => text.includes('Pilothouse is ready'))
    return { child, output: () => text }
  }
  const end = (child: ChildProcess): Promise<unknown> =>
    child.exitCode === null ? new Promise((done) => child.once('exit', done)) : Promise.resolve(child.exitCode)

  it('ends well at the first signal', async () => {
    const { child, output } = await start()
    child.kill('SIGTERM')
    expect(await end(child)).toBe(0)
    await until('the end of the log', () => output().includes('"msg":"stopped"'))
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends at once when %s follows while it waits', async (second) => {
    const { child, output } = await start('--shutdown-delay-duration=10h')
    child.kill('SIGTERM')
    await until('the stop to begin', () => output().includes('"msg":"stopping"'))
    expect(child.exitCode).toBeNull()
    child.kill(second)
    expect(await end(child)).toBe(1)
    await until('the end of the log', () => output().includes('"msg":"ending at once"'))
    expect(output()).not.toContain('"msg":"stopped"')
  })
})

describe('pilothouse check', () => {
  it('reads the standard input and ends with 2 for what would be refused', () => {
    const input = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\nspec: {}\n'
    const { status, stdout } = spawnSync(process.execPath, [cli, 'check', '-f', '-'], { input, encoding: 'utf8' })
    expect(status).toBe(2)
    expect(stdout.split('\n').map((line) => line.slice(0, 45))).toEqual([
      'stdin:4: error: ConfigMap A: spec: unknown fi',
      'stdin:3: error: ConfigMap A: metadata.name: I',
      '1 object in 1 file: 2 errors, 0 warnings',
      '',
    ])
  })
})

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any
}

describe('in place of the reference, as envtest starts it', () => {
  let server: ChildProcess | undefined
  let output = ''

  /** The files that envtest writes before it starts the server, and what its clients show. */
  function envtestFiles(certDir: string) {
    mkdirSync(certDir)
    const now = Date.now()
    const write = (name: string, text: string): string => {
      writeFileSync(join(certDir, name), text)
      return join(certDir, name)
    }
    const servingCa = createCertificateAuthority('envtest-environment', now)
    const names = ['localhost', '127.0.0.1']
    const serving = issueCertificate(servingCa, { commonName: 'localhost', usage: 'server', names, now })
    write('apiserver.crt', serving.certPem)
    write('apiserver.key', serving.keyPem)
    // Its public half is a certificate, not a bare key.
    const signer = createCertificateAuthority('envtest-environment', now)
    const clientCa = createCertificateAuthority('envtest-environment', now)
    return {
      ca: servingCa.certPem,
      client: issueCertificate(clientCa, {
        commonName: 'admin',
        organizations: ['system:masters'],
        usage: 'client',
        now,
      }),
      flags: [
        `--service-account-key-file=${write('sa-signer.crt', signer.certPem)}`,
        `--service-account-signing-key-file=${write('sa-signer.key', signer.keyPem)}`,
        `--client-ca-file=${write('client-cert-auth-ca.crt', clientCa.certPem)}`,
      ],
    }
  }

  async function start(
    certDir: string,
    etcd: string,
    more: readonly string[],
    command: readonly string[] = [process.execPath, cli],
  ): Promise<string> {
    const port = await freePort()
    const flags = [
      '--advertise-address=127.0.0.1',
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--cert-dir=${certDir}`,
      '--disable-admission-plugins=ServiceAccount',
      `--etcd-servers=${etcd}`,
      '--insecure-port=0',
      `--secure-port=${port}`,
      `--service-account-issuer=https://127.0.0.1:${port}/`,
      '--service-cluster-ip-range=10.0.0.0/24',
      ...more,
    ]
    output = ''
    const cwd = join(folder, 'cwd')
    mkdirSync(cwd, { recursive: true })
    const [file = '', ...args] = [...command, ...flags]
    server = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (output += chunk))
    return `https://127.0.0.1:${port}`
  }

  const ended = (child: ChildProcess) =>
    new Promise<number | null>((done) => (child.exitCode === null ? child.once('exit', done) : done(child.exitCode)))

  afterEach(async () => {
    if (server?.exitCode !== null) return
    server.kill('SIGKILL')
    await ended(server)
  })

  function ask(url: string, options: https.RequestOptions, body?: unknown): Promise<Answer> {
    return new Promise((done, failed) => {
      const headers = { 'content-type': 'application/json' }
      const request = https.request(url, { ...options, headers, agent: false }, (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text }),
        )
      })
      request.on('error', failed)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  /** As envtest does: whoever answers with 200, whatever its certificate. */
  async function untilHealthy(url: string): Promise<void> {
    await until(url, async () => {
      if (server?.exitCode !== null) throw new Error(`it ended: ${output}`)
      return ask(url, { rejectUnauthorized: false }).then(
        (answer) => answer.status === 200,
        () => false,
      )
    })
  }

  it('serves a library that holds its input, until that ends', async () => {
    const child = spawn(process.execPath, [cli, 'test', '--json', '--test-endpoint=127.0.0.1:0'], { cwd: folder })
    const line = await new Promise<string>((done) => child.stdout.once('data', (chunk) => done(String(chunk))))
    const { url, token, kubeconfig, testEndpoint } = JSON.parse(line)
    expect(kubeconfig).toContain(url)
    expect(await (await fetch(`${testEndpoint}/`)).json()).toMatchObject({ url, token })
    child.stdin.end()
    expect(await ended(child)).toBe(0)
    const both = spawnSync(process.execPath, [cli, 'test', '--json', '--', 'true'], { encoding: 'utf8' })
    expect(both).toMatchObject({ status: 1, stderr: expect.stringContaining('--json takes no command') })
  })

  it('shows its flags as envtest looks for them', () => {
    const { status, stdout } = spawnSync(process.execPath, [cli, '--help'], { encoding: 'utf8' })
    expect(status).toBe(0)
    for (const flag of ['etcd-servers', 'insecure-port', 'cert-dir'])
      expect(stdout).toMatch(new RegExp(`^\\s*--${flag}\\b`, 'm'))
  })

  it('serves its clients, on an etcd of theirs', async () => {
    const etcd = await EtcdCluster.start(1)
    try {
      const certDir = join(folder, 'certs')
      const { ca, client, flags } = envtestFiles(certDir)
      const given = readFileSync(join(certDir, 'apiserver.crt'), 'utf8')
      const url = await start(certDir, etcd.urls[0] ?? '', flags)
      await untilHealthy(`${url}/healthz`)
      await untilHealthy(`${url}/readyz`)
      const admin = { ca, cert: client.certPem, key: client.keyPem }

      expect(readFileSync(join(certDir, 'apiserver.crt'), 'utf8')).toBe(given)
      expect((await ask(`${url}/api/v1/namespaces/default`, { ca })).status).toBe(403)
      expect((await ask(`${url}/api/v1/namespaces/default`, admin)).body).toMatchObject({ kind: 'Namespace' })
      const pod = {
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] },
      }
      const pods = `${url}/api/v1/namespaces/default/pods`
      expect((await ask(pods, { ...admin, method: 'POST' }, pod)).status).toBe(201)

      const accounts = `${url}/api/v1/namespaces/default/serviceaccounts`
      await ask(accounts, { ...admin, method: 'POST' }, { metadata: { name: 'robot' } })
      const request = { spec: { audiences: [`${url}/`] } }
      const { body } = await ask(`${accounts}/robot/token`, { ...admin, method: 'POST' }, request)
      const [, claims = ''] = body.status.token.split('.')
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).iss).toBe(`${url}/`)

      // No controller finalizes namespaces in envtest: suites do so themselves.
      const spaces = `${url}/api/v1/namespaces`
      await ask(spaces, { ...admin, method: 'POST' }, { metadata: { name: 'kept' } })
      const deleted = await ask(`${spaces}/kept`, { ...admin, method: 'DELETE' })
      expect(deleted.body.status.phase).toBe('Terminating')
      const { body: left } = await ask(`${spaces}/kept`, admin)
      const finalized = await ask(`${spaces}/kept/finalize`, { ...admin, method: 'PUT' }, { ...left, spec: {} })
      expect(finalized.status).toBe(200)
      expect((await ask(`${spaces}/kept`, admin)).status).toBe(404)

      // Nothing but the folder of the certificates is written to.
      expect(readdirSync(join(folder, 'cwd'))).toEqual([])
      server?.kill('SIGTERM')
      expect(await ended(server as ChildProcess)).toBe(0)
    } finally {
      await etcd.stop()
    }
  })

  it('needs no other program with the assets of pilothouse envtest', async () => {
    const assets = join(folder, 'assets')
    const printed = spawnSync(process.execPath, [cli, 'envtest', '--assets', assets], { encoding: 'utf8' })
    expect(printed.stdout).toBe(`export KUBEBUILDER_ASSETS='${assets}'\n`)
    const path = spawnSync(process.execPath, [cli, 'envtest', '-p', 'path', '--assets', assets], { encoding: 'utf8' })
    expect(path.stdout).toBe(assets)
    const inside = [cli, 'envtest', `--assets=${assets}`, '--', 'sh', '-c', 'echo $KUBEBUILDER_ASSETS; exit 3']
    expect(spawnSync(process.execPath, inside, { encoding: 'utf8' })).toMatchObject({
      stdout: `${assets}\n`,
      status: 3,
    })
    for (const [name, flag] of [['etcd', 'data-dir'] as const, ['kube-apiserver', 'insecure-port'] as const]) {
      const { status, stdout } = spawnSync(join(assets, name), ['--help'], { encoding: 'utf8' })
      expect([status, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^\\s*--${flag}\\b`, 'm'))])
    }

    const address = `http://127.0.0.1:${await freePort()}`
    const etcdFlags = [
      `--listen-client-urls=${address}`,
      `--data-dir=${folder}`,
      '--listen-peer-urls=http://127.0.0.1:0',
    ]
    const etcd = spawn(join(assets, 'etcd'), etcdFlags, { stdio: 'ignore' })
    await until('etcd to answer', () =>
      fetch(`${address}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    const certDir = join(folder, 'assets-certs')
    const { ca, client, flags } = envtestFiles(certDir)
    const url = await start(certDir, address, flags, [join(assets, 'kube-apiserver')])
    await untilHealthy(`${url}/healthz`)
    const admin = { ca, cert: client.certPem, key: client.keyPem }
    expect((await ask(`${url}/api/v1/namespaces/default`, admin)).body).toMatchObject({ kind: 'Namespace' })
    for (const child of [server as ChildProcess, etcd]) {
      child.kill('SIGTERM')
      expect(await ended(child)).toBe(0)
    }
  })

  it('makes the certificates that are missing, under the names of the reference', async () => {
    const certDir = join(folder, 'own-certs')
    const port = await freePort()
    const flags = ['--store=memory', '--bind-address=127.0.0.1', `--secure-port=${port}`, `--cert-dir=${certDir}`]
    server = spawn(process.execPath, [cli, ...flags], { cwd: folder, stdio: 'ignore' })
    await untilHealthy(`https://127.0.0.1:${port}/readyz`)
    expect(readdirSync(certDir)).toEqual(expect.arrayContaining(['apiserver.crt', 'apiserver.key']))
    expect(() => createPrivateKey(readFileSync(join(certDir, 'apiserver.key')))).not.toThrow()
  })

  it('says that nobody answers where etcd should be, and ends', async () => {
    await start(join(folder, 'no-etcd'), `http://127.0.0.1:${await freePort()}`, [])
    expect(await ended(server as ChildProcess)).toBe(1)
    expect(output).toMatch(/etcd at http:\/\/127\.0\.0\.1:\d+ cannot be used/)
  })
})
