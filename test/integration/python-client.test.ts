/** A program written with the Python client against a server in this process. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KubectlServer, startKubectlServer } from './support/kubectl.ts'

const run = promisify(execFile)
const { pythonClientBinary } = (await import('../../scripts/components.mjs' as string)) as {
  pythonClientBinary(): string | undefined
}
const python = pythonClientBinary()
if (python === undefined)
  throw new Error('there is no Python client: `node scripts/components.mjs python-client` gets it')

describe('the Python client', () => {
  let server: KubectlServer

  beforeAll(async () => {
    // Whose config map would come and go among those that are paged and watched.
    server = await startKubectlServer(['--controllers=*,-root-ca-certificate-publisher-controller'])
  })
  afterAll(() => server?.close())

  it('does what a program does', async () => {
    const program = join(import.meta.dirname, 'support', 'python-client.py')
    const { stdout } = await run(python, [program, join(server.folder, 'config')])
    const added = Array.from({ length: 7 }, (_, i) => ['ADDED', `c${i}`])
    expect(JSON.parse(stdout)).toEqual({
      created: [1, 'RollingUpdate', 'UTC'],
      requests: { cpu: '500m', memory: '1Gi' },
      replaced: 2,
      conflict: [
        409,
        'Conflict',
        'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
      ],
      patched: 'web:2',
      scaled: ['Scale', 5, 'app=web'],
      missing: [404, 'NotFound', 'deployments.apps "no" not found'],
      invalid: [422, 'Invalid'],
      pages: [['c0', 'c1', 'c2'], ['c3', 'c4', 'c5'], ['c6']],
      selected: ['web'],
      events: [...added, ['DELETED', 'c0']],
      custom: { masts: 3 },
      refused: [
        422,
        'Invalid',
        'Ship.sea.example.com "two" is invalid: spec.masts: Invalid value: 0: spec.masts in body should be greater than or equal to 1',
      ],
      applied: 4,
      dynamic: ['one'],
      version: '33',
    })
  })
})
