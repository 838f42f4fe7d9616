/**
 * A real kubectl against a server in this process: what people see first. Without kubectl these tests are skipped
 * loudly; where they must not be (CI=true) they fail.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { temporaryCredentials } from '../../src/server/data-folder.ts'
import type { RunningServer } from '../../src/server/running-server.ts'
import { startServer } from '../../src/server/server.ts'

const run = promisify(execFile)
const { kubectlBinary } = (await import('../../scripts/components.mjs' as string)) as {
  kubectlBinary(): string | undefined
}
const kubectl = kubectlBinary()
const mustRun = process.env['CI'] === 'true'
if (kubectl === undefined && !mustRun) {
  console.warn('SKIPPED: there is no kubectl. `node scripts/components.mjs kubectl` gets one.')
}

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

describe.skipIf(kubectl === undefined && !mustRun)('kubectl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-kubectl-'))
  let server: RunningServer | undefined

  const call = async (...args: string[]): Promise<Result> => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG: join(folder, 'config') }
    try {
      return { code: 0, ...(await run(kubectl ?? 'kubectl', args, { env, maxBuffer: 64 << 20 })) }
    } catch (error) {
      const { code, stdout = '', stderr = '' } = error as { code?: number | string; stdout?: string; stderr?: string }
      return { code: typeof code === 'number' ? code : 1, stdout, stderr: stderr === '' ? String(error) : stderr }
    }
  }
  const ok = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await call(...args)
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const file = (name: string, object: unknown): string => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify(object))
    return path
  }

  beforeAll(async () => {
    const parsed = parseServerOptions(['--store', 'memory', '--bind-address', '127.0.0.1'])
    const options = { ...parsed, serving: { ...parsed.serving, securePort: 0 } }
    const credentials = temporaryCredentials(options, systemClock)
    server = await startServer(options, { logger: silentLogger(), credentials, clock: systemClock })
    await server.ready
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    file('config', {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'c',
          cluster: {
            server: server.addresses[0],
            'certificate-authority-data': base64(credentials.servingCaPem),
          },
        },
      ],
      users: [
        {
          name: 'u',
          user: {
            'client-certificate-data': base64(credentials.admin.certPem),
            'client-key-data': base64(credentials.admin.keyPem),
          },
        },
      ],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'c',
    })
  })

  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is there where it must be', () => {
    expect(kubectl).toBeDefined()
  })

  it('lists versions and resources', async () => {
    expect((await ok('api-versions')).split('\n')).toEqual(expect.arrayContaining(['v1', 'apps/v1', 'batch/v1']))
    const resources = await ok('api-resources')
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m)
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace$/m)
    const { serverVersion } = JSON.parse(await ok('version', '-o', 'json')) as { serverVersion: { minor: string } }
    expect(serverVersion.minor).toBe('33')
  })

  it.each([
    ['pods', 'Pod'],
    ['deployments', 'Deployment'],
    ['customresourcedefinitions', 'CustomResourceDefinition'],
  ])('explains %s', async (resource, kind) => {
    const text = await ok('explain', resource)
    expect(text).toContain(`KIND:       ${kind}`)
    expect(text).toMatch(/^ {2}spec\t<\w+>/m)
    const older = await ok('explain', resource, '--output', 'plaintext-openapiv2')
    expect(older).toContain(`KIND:     ${kind}`)
  })

  it('explains fields of fields', async () => {
    const text = await ok('explain', 'pods.spec.containers.ports')
    expect(text).toContain('FIELD: ports <[]ContainerPort>')
    expect(text).toContain('containerPort\t<integer> -required-')
    expect(text).toContain('enum: SCTP, TCP, UDP')
    expect((await call('explain', 'pods.spec.nothing')).stderr).toContain('field "nothing" does not exist')
  })

  it('reads any path', async () => {
    expect(await ok('get', '--raw', '/readyz')).toBe('ok')
    expect(JSON.parse(await ok('get', '--raw', '/api/v1/namespaces/default'))).toMatchObject({ kind: 'Namespace' })
    expect(JSON.parse(await ok('get', '--raw', '/openapi/v2'))).toMatchObject({ swagger: '2.0' })
    expect(await ok('get', '--raw', '/metrics')).toContain('apiserver_request_total{')
  })

  it('has the server refuse unknown fields', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'strict' } }
    const bad = file('bad.json', { ...object, dta: { a: 'b' } })
    const refused = await call('create', '--validate=strict', '-f', bad)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('strict decoding error: unknown field "dta"')
    const warned = await call('create', '--validate=warn', '--dry-run=server', '-f', bad)
    expect(warned.stderr).toContain('Warning: unknown field "dta"')
    expect(warned.stdout).toContain('configmap/strict created (server dry run)')
    const good = file('good.json', { ...object, data: { a: 'b' } })
    expect(await ok('create', '--validate=strict', '-f', good)).toBe('configmap/strict created\n')
    expect(await ok('apply', '--server-side', '-f', good)).toBe('configmap/strict serverside-applied\n')
    expect(await ok('diff', '-f', good)).toBe('')
  })

  it('prints objects as tables', async () => {
    expect(await ok('get', 'configmaps', 'strict', '-o', 'wide')).toMatch(/^NAME +DATA +AGE\nstrict +1 +/)
    expect(await ok('get', 'services', '-o', 'wide')).toMatch(
      /^NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE +SELECTOR\nkubernetes +ClusterIP +/,
    )
    expect(await ok('get', 'namespaces,clusterroles', '-o', 'wide')).toMatch(/namespace\/default +Active +/)
    expect(await ok('create', 'deployment', 'web', '--image=web:1')).toBe('deployment.apps/web created\n')
    expect(await ok('get', 'deploy', '-o', 'wide')).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS /)
    expect(await ok('delete', 'deployment', 'web', '--wait=false')).toContain('deployment.apps "web" deleted')
  })
})
