/** A real kubectl against a simulated cluster: what a newcomer tries first. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KubectlServer, startKubectlServer } from './support/kubectl.ts'

describe('kubectl on a simulated cluster', () => {
  let server: KubectlServer
  let pod = ''
  const ok = (...args: string[]): Promise<string> => server.ok(...args)

  beforeAll(async () => {
    // The store that users have: its writes take a while, so that others come between.
    server = await startKubectlServer(['--simulate=nodes=2,seed=7', '--store', 'lmdb'])
    await ok('create', 'deployment', 'web', '--image=nginx', '--replicas=2')
    expect(await ok('rollout', 'status', 'deployment/web', '--timeout=60s')).toContain('successfully rolled out')
    pod = (await ok('get', 'pods', '-o', 'jsonpath={.items[0].metadata.name}')).trim()
  })
  afterAll(() => server?.close())

  it('reads logs', async () => {
    expect(await ok('logs', 'deployment/web')).toContain('is simulated')
    await ok('run', 'talker', '--image=busybox', '--restart=Never', '--', 'sh', '-c', 'echo hello; exit 3')
    await ok('wait', '--for=jsonpath={.status.phase}=Failed', 'pod/talker', '--timeout=60s')
    expect(await ok('logs', 'talker')).toBe('hello\n')
  })

  it('runs commands, and passes their exit codes on', async () => {
    expect(await ok('exec', pod, '--', 'echo', 'hi')).toBe('hi\n')
    const long = 'a'.repeat(20_000)
    expect(await ok('exec', pod, '--', 'echo', long)).toBe(`${long}\n`)
    expect(await server.call('exec', pod, '--', 'sh', '-c', 'exit 7')).toMatchObject({ code: 7 })
    expect(await server.call('exec', pod, '--', 'no-such-program')).toMatchObject({ code: 127 })
  })

  it('copies files there and back', async () => {
    const [here, back] = [join(server.folder, 'here.txt'), join(server.folder, 'back.txt')]
    writeFileSync(here, 'kept by a simulated container\n')
    await ok('cp', here, `${pod}:/tmp/there.txt`)
    await ok('cp', `${pod}:/tmp/there.txt`, back)
    expect(readFileSync(back, 'utf8')).toBe('kept by a simulated container\n')
  })

  it('attaches to a container until it ends', async () => {
    const attached = await ok(
      'run',
      'sayer',
      '--image=busybox',
      '--restart=Never',
      '--attach',
      '--rm',
      '--quiet',
      '--',
      'echo',
      'hi',
    )
    expect(attached).toContain('hi\n')
  })

  describe.each(['true', 'false'])('with remote commands over WebSockets: %s', (sockets) => {
    const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: sockets }
    const reader = 'while [ -z "$s" ]; do read s; done; echo read:$s && cat && echo "stdin closed"'

    it('writes to a container that reads, until its input ends', async () => {
      const name = `reader-${sockets}`
      const run = ['run', name, '--image=busybox', '--restart=Never', '--stdin', '--quiet', '--', 'sh', '-c', reader]
      const { code, stdout } = await server.write('value\nabcd1234', { env }, ...run)
      expect([code, stdout]).toEqual([0, expect.stringContaining('read:value\nabcd1234stdin closed\n')])
      await ok('wait', '--for=jsonpath={.status.phase}=Succeeded', `pod/${name}`, '--timeout=60s')
      expect(await ok('logs', name)).toBe('read:value\nabcd1234stdin closed\n')
    })

    it('leaves a container whose input stays open running', async () => {
      const name = `left-${sockets}`
      const run = [
        'run',
        name,
        '--image=busybox',
        '--stdin',
        '--leave-stdin-open',
        '--',
        'sh',
        '-c',
        'cat && echo closed',
      ]
      expect((await server.write('abcd1234\n', { env }, ...run)).stdout).toContain('abcd1234\n')
      expect(await ok('logs', name)).toBe('abcd1234\n')
      expect(await ok('get', 'pod', name, '-o', 'jsonpath={.status.phase}')).toBe('Running')
    })

    it('attaches to a container that reads, until it ends', async () => {
      const name = `echoer-${sockets}`
      const container = {
        name: 'app',
        image: 'busybox',
        stdin: true,
        command: ['sh', '-c', 'read x; echo got $x; exit 3'],
      }
      const spec = { restartPolicy: 'Never', containers: [container] }
      await ok('apply', '-f', server.file(`${name}.json`, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }))
      await ok('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s')
      expect((await server.write('it\nrest', { env }, 'attach', '-i', name)).stdout).toContain('got it\n')
      await ok('wait', '--for=jsonpath={.status.phase}=Failed', `pod/${name}`, '--timeout=60s')
      const path = 'jsonpath={.status.containerStatuses[0].state.terminated.exitCode}'
      expect(await ok('get', 'pod', name, '-o', path)).toBe('3')
    })
  })

  it('drains a node', async () => {
    await ok('create', 'poddisruptionbudget', 'web', '--selector=app=web', '--max-unavailable=1')
    const drained = await ok('drain', 'node-1', '--force', '--ignore-daemonsets', '--timeout=60s')
    expect(drained).toContain('node/node-1 drained')
    await ok('rollout', 'status', 'deployment/web', '--timeout=60s')
    const nodes = await ok('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.nodeName}')
    expect(new Set(nodes.trim().split(' '))).toEqual(new Set(['node-2']))
    await ok('uncordon', 'node-1')
  })

  it('shows what pods and nodes use', async () => {
    await ok('wait', '--for=condition=Available', 'apiservice/v1beta1.metrics.k8s.io', '--timeout=60s')
    expect(await ok('top', 'nodes')).toMatch(/^node-1 +\d+m/m)
    expect(await ok('top', 'pods')).toMatch(/^web-\S+ +1m +1Mi/m)
  })

  it('undoes a rollout', async () => {
    await ok('set', 'image', 'deployment/web', 'nginx=nginx:2')
    await ok('rollout', 'status', 'deployment/web', '--timeout=60s')
    await ok('rollout', 'undo', 'deployment/web')
    await ok('rollout', 'status', 'deployment/web', '--timeout=60s')
    expect(await ok('get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe(
      'nginx',
    )
    expect(await ok('rollout', 'history', 'deployment/web')).toMatch(/^2 .*\n3 /m)
  })
})
