/** Everything that the server and its commands write is for the owner alone, whatever the umask and whatever was there. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'

const cli = path.resolve(import.meta.dirname, '../../dist/cli.js')
let folder: string
const running: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'private-'))
  chmodSync(folder, 0o755)
})
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** With the umask of most systems, or none. */
const withUmask = (umask: string, args: readonly string[]): string[] => [
  '-c',
  `umask ${umask}; exec "$0" "$@"`,
  process.execPath,
  cli,
  ...args,
]

async function serve(umask: string, args: readonly string[]): Promise<{ stop(): Promise<void>; log(): string }> {
  const port = await freePort()
  const flags = ['--data-dir', path.join(folder, 'data'), '--bind-address', '127.0.0.1', '--secure-port', String(port)]
  const child = spawn('bash', withUmask(umask, [...flags, ...args]), { stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await until('the server is ready', () => out.includes('is ready') || child.exitCode !== null)
  expect(out).toContain('is ready')
  return {
    log: () => out,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Paths below a folder that somebody else has a right to. */
function open(below: string): string[] {
  return readdirSync(below, { withFileTypes: true, recursive: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => (statSync(file).mode & 0o077) !== 0)
}

test.each(['000', '022'])('a server and its commands with the umask %s', async (umask) => {
  const audit = path.join(folder, 'audit', 'audit.log')
  const policy = path.join(folder, 'policy.yaml')
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n', { mode: 0o600 })
  const server = await serve(umask, ['--audit-log-path', audit, '--audit-policy-file', policy])
  const run = (...args: string[]): void => {
    const { status, stderr } = spawnSync('bash', withUmask(umask, args), { encoding: 'utf8' })
    expect(`${status} ${stderr}`).toBe('0 ')
  }
  const data = path.join(folder, 'data')
  run('snapshot', 'save', path.join(folder, 'saved'), '--data-dir', data)
  await server.stop()
  mkdirSync(path.join(folder, 'restored'), { mode: 0o700 })
  run('snapshot', 'restore', path.join(folder, 'saved'), '--data-dir', path.join(folder, 'restored'))
  expect(open(folder)).toEqual([])
})

test('what others could read before is closed', async () => {
  const data = path.join(folder, 'data')
  const first = await serve('022', [])
  await first.stop()
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
  for (const entry of files) chmodSync(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
  chmodSync(data, 0o755)
  const again = await serve('022', [])
  await again.stop()
  expect([...open(data), ...((statSync(data).mode & 0o077) === 0 ? [] : [data])]).toEqual([])
})

test('a data folder that holds other things is left to its owner, who is warned', async () => {
  const data = path.join(folder, 'data')
  mkdirSync(data, { mode: 0o755 })
  writeFileSync(path.join(data, 'notes.txt'), 'mine', { mode: 0o644 })
  const server = await serve('022', [])
  expect(server.log()).toContain('others may look into')
  await server.stop()
  expect(open(data)).toEqual([path.join(data, 'notes.txt')])
})
