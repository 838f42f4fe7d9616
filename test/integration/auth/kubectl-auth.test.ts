/** A real kubectl asks who it is and what it may do, gets tokens, and brings roles into order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KubectlServer, startKubectlServer } from '../support/kubectl.ts'

describe('kubectl auth', () => {
  let server: KubectlServer
  const ok = (...args: string[]): Promise<string> => server.ok(...args)

  beforeAll(async () => {
    server = await startKubectlServer()
    await ok('create', 'serviceaccount', 'robot')
    await ok('create', 'role', 'reader', '--verb=get,list', '--resource=pods,deployments.apps', '--resource-name=one')
    await ok('create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=default:robot')
  })
  afterAll(() => server?.close())

  it('whoami', async () => {
    const { status } = JSON.parse(await ok('auth', 'whoami', '-o', 'json')) as {
      status: { userInfo: { username: string; groups: string[] } }
    }
    expect(status.userInfo.groups).toEqual(expect.arrayContaining(['system:masters', 'system:authenticated']))
    const robot = 'system:serviceaccount:default:robot'
    const text = await ok('auth', 'whoami', '--as', robot, '--as-group', 'system:authenticated')
    expect(text).toMatch(new RegExp(`^Username +${robot}$`, 'm'))
    expect(text).toMatch(/^Groups +\[system:authenticated\]$/m)
  })

  it('can-i --list', async () => {
    expect(await ok('auth', 'can-i', '--list')).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m)
    const robot = await ok('auth', 'can-i', '--list', '--as', 'system:serviceaccount:default:robot')
    expect(robot).toMatch(/^deployments\.apps +\[\] +\[one\] +\[get list\]$/m)
    expect(robot).toMatch(/^pods +\[\] +\[one\] +\[get list\]$/m)
    expect(robot).toMatch(/^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m)
    expect(robot).toMatch(/^ +\[\/healthz\] +\[\] +\[get\]$/m)
    expect(robot).not.toMatch(/secrets/)
  })

  it('can-i', async () => {
    const as = ['--as', 'system:serviceaccount:default:robot']
    const cases: [string[], string, number][] = [
      [['get', 'pods/one'], 'yes\n', 0],
      [['get', 'pods/two'], 'no\n', 1],
      [['list', 'secrets', '-A'], 'no\n', 1],
      [['get', '/healthz'], 'yes\n', 0],
      [['get', '/logs'], 'no\n', 1],
    ]
    for (const [what, answer, code] of cases) {
      expect(await server.call('auth', 'can-i', ...what, ...as), what.join(' ')).toMatchObject({ stdout: answer, code })
    }
  })

  it('reconcile', async () => {
    const metadata = { name: 'kept' }
    const rule = (verb: string) => ({ apiGroups: [''], resources: ['configmaps'], verbs: [verb] })
    const role = (verbs: string[]) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules: verbs.map(rule),
    })
    expect(await ok('auth', 'reconcile', '-f', server.file('role.json', role(['get'])))).toContain(
      'clusterrole.rbac.authorization.k8s.io/kept reconciled',
    )
    await ok('auth', 'reconcile', '-f', server.file('role.json', role(['list'])))
    const { rules } = JSON.parse(await ok('get', 'clusterrole', 'kept', '-o', 'json')) as { rules: unknown[] }
    expect(rules).toEqual([rule('get'), rule('list')])
    await ok('auth', 'reconcile', '--remove-extra-permissions', '-f', server.file('role.json', role(['list'])))
    const after = JSON.parse(await ok('get', 'clusterrole', 'kept', '-o', 'json')) as { rules: unknown[] }
    expect(after.rules).toEqual([rule('list')])
  })

  it('create token', async () => {
    const token = (
      await ok('create', 'token', 'robot', '--duration=10m', '--audience=https://kubernetes.default.svc.cluster.local')
    ).trim()
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
    expect(claims).toMatchObject({
      sub: 'system:serviceaccount:default:robot',
      iss: 'https://kubernetes.default.svc.cluster.local',
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot' } },
    })
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(600)
    const whoami = await asToken(server, token, 'auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')
    expect(whoami).toMatchObject({ code: 0, stdout: 'system:serviceaccount:default:robot' })
    const other = (await ok('create', 'token', 'robot', '--audience=vault')).trim()
    expect(await asToken(server, other, 'auth', 'whoami')).toMatchObject({ code: 1 })
    expect(await server.call('create', 'token', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('serviceaccounts "nobody" not found'),
    })
    await ok('delete', 'serviceaccount', 'robot')
    expect((await asToken(server, token, 'auth', 'whoami')).stderr).toMatch(/Unauthorized|must be logged in/)
  })
})

/** Without the certificate of the administrator, which would come first. */
function asToken(server: KubectlServer, token: string, ...args: string[]) {
  return server.call('--kubeconfig', '/dev/null', ...address(server), '--token', token, ...args)
}

const address = ({ url }: KubectlServer): string[] => ['--server', url, '--insecure-skip-tls-verify']
