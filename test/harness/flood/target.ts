/**
 * The server that is flooded: one of its own process, started from the built program, or another one that is named by
 * FLOOD_URL, FLOOD_TOKEN (a member of system:masters) and FLOOD_PID (to look at its memory), such as a kube-apiserver.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'

export interface FloodTarget {
  readonly url: string
  readonly token: string
  readonly pid: number
  /** It is this project's server, whose main thread does all the work. */
  readonly isOwn: boolean
  /** Bytes that it takes of the machine's memory; 0 where that cannot be known. */
  resident(): number
  isAlive(): boolean
  close(): Promise<void>
}

export async function startFloodTarget(): Promise<FloodTarget> {
  const { FLOOD_URL: url, FLOOD_TOKEN: token = '', FLOOD_PID: pid } = process.env
  if (url !== undefined) {
    const process = { pid: Number(pid), resident: () => residentOf(Number(pid)), isAlive: () => true }
    return { url, token, isOwn: false, ...process, close: async () => {} }
  }
  return startOwn()
}

async function startOwn(): Promise<FloodTarget> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-flood-'))
  const token = 'flood-administrator'
  writeFileSync(path.join(folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`)
  const port = await freePort()
  const flags = [
    '--store=memory',
    `--data-dir=${folder}/data`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--token-auth-file=${folder}/tokens.csv`,
    '--disable-admission-plugins=ServiceAccount',
  ]
  const child = spawn(process.execPath, [path.resolve('dist/cli.js'), ...flags], { stdio: 'ignore' })
  const url = `https://127.0.0.1:${port}`
  await ready(child, url, token)
  return {
    url,
    token,
    pid: child.pid ?? 0,
    isOwn: true,
    resident: () => residentOf(child.pid ?? 0),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async close() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ready(child: ChildProcess, url: string, token: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await delay(100)) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    if (await isReady(url, token)) return
  }
  throw new Error('the server is not ready in time')
}

function isReady(url: string, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = http2.connect(url, { rejectUnauthorized: false })
    session.on('error', () => resolve(false))
    session.on('connect', () => {
      const stream = session.request({ ':path': '/readyz', authorization: `Bearer ${token}` })
      stream.on('response', (headers) => resolve(headers[':status'] === 200))
      stream.on('error', () => resolve(false))
      stream.on('close', () => session.destroy())
      stream.resume()
    })
  })
}

function residentOf(pid: number): number {
  try {
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  } catch {
    return 0
  }
}
