/** A real kubectl against a server in this process: what people see first. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KubectlServer, kubectl, startKubectlServer } from './support/kubectl.ts'

describe('kubectl', () => {
  let server: KubectlServer
  const ok = (...args: string[]): Promise<string> => server.ok(...args)

  beforeAll(async () => {
    server = await startKubectlServer()
  })
  afterAll(() => server?.close())

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
    expect((await server.call('explain', 'pods.spec.nothing')).stderr).toContain('field "nothing" does not exist')
  })

  it('reads any path', async () => {
    expect(await ok('get', '--raw', '/readyz')).toBe('ok')
    expect(JSON.parse(await ok('get', '--raw', '/api/v1/namespaces/default'))).toMatchObject({ kind: 'Namespace' })
    expect(JSON.parse(await ok('get', '--raw', '/openapi/v2'))).toMatchObject({ swagger: '2.0' })
    expect(await ok('get', '--raw', '/metrics')).toContain('apiserver_request_total{')
  })

  it('has the server refuse unknown fields', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'strict' } }
    const bad = server.file('bad.json', { ...object, dta: { a: 'b' } })
    const refused = await server.call('create', '--validate=strict', '-f', bad)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('strict decoding error: unknown field "dta"')
    const warned = await server.call('create', '--validate=warn', '--dry-run=server', '-f', bad)
    expect(warned.stderr).toContain('Warning: unknown field "dta"')
    expect(warned.stdout).toContain('configmap/strict created (server dry run)')
    const good = server.file('good.json', { ...object, data: { a: 'b' } })
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
