// Holds the built server against recorded answers of the reference, where the recordings are beside this project, and
// compares the score of each area with the floor in oracle-floor.json.
//
//   npm run oracle                          all areas; fails below a floor
//   npm run oracle -- --only patch/ --verbose   one area with its differences; no floor
//   npm run oracle -- --raise               writes the scores that are higher as the new floors
//   npm run oracle -- --store memory        on another store (any flag of the server may follow `--`)
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { root, setup } from './setup.mjs'

const oracle = path.join(root, '..', 'shared', 'oracle', 'oracle.mjs')
const floorFile = path.join(root, 'oracle-floor.json')
const { values: options, positionals: serverFlags } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    verbose: { type: 'boolean' },
    raise: { type: 'boolean' },
    store: { type: 'string', default: 'lmdb' },
  },
})

if (existsSync(oracle)) {
  setup()
  process.exitCode = await main()
} else {
  process.stdout.write('oracle: no recordings beside this project; nothing was compared\n')
}

async function main() {
  const work = mkdtempSync(path.join(tmpdir(), 'pilothouse-oracle-'))
  const port = await freePort()
  const server = startServer(work, port)
  const cleanUp = async () => {
    await stop(server)
    rmSync(work, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => cleanUp().then(() => process.exit(1)))
  try {
    await ready(server, port)
    const summary = await runOracle(port)
    return summary === undefined ? 0 : report(scores(summary))
  } finally {
    await cleanUp()
  }
}

/** With the flags that the reference had when its answers were recorded. */
function startServer(work, port) {
  writeFileSync(path.join(work, 'tokens.csv'), 'admintoken,admin,admin,"system:masters"\n')
  const flags = [
    `--store=${options.store}`,
    `--data-dir=${work}/data`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${work}/tokens.csv`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    '--allow-privileged=true',
    '--disable-admission-plugins=ServiceAccount',
    ...serverFlags,
  ]
  const child = spawn(process.execPath, [path.join(root, 'dist', 'cli.js'), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.tail = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      child.tail = (child.tail + text).slice(-8000)
    })
  }
  return child
}

async function ready(server, port) {
  for (const deadline = Date.now() + 300_000; Date.now() < deadline; ) {
    if (hasEnded(server)) throw new Error(`the server ended before it was ready:\n${server.tail}`)
    if ((await statusOf(`https://127.0.0.1:${port}/readyz`)) === 200) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the server was not ready within five minutes:\n${server.tail}`)
}

function statusOf(url) {
  return new Promise((resolve) => {
    const headers = { authorization: 'Bearer admintoken' }
    const request = https.get(url, { headers, rejectUnauthorized: false, agent: false, timeout: 5000 }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(0))
  })
}

/** The list of scenarios with their scores, or nothing when the differences themselves were asked for. */
async function runOracle(port) {
  const showing = options.only !== undefined || options.verbose
  const args = [oracle, 'check', '--server', `https://127.0.0.1:${port}`, '--token', 'admintoken']
  if (options.only !== undefined) args.push('--only', options.only)
  if (options.verbose) args.push('--verbose')
  if (!showing) args.push('--json')
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', showing ? 'inherit' : 'pipe', 'inherit'],
    timeout: 3_600_000,
  })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  await new Promise((resolve) => child.on('close', resolve))
  if (showing) return undefined
  const line = text.split('\n').find((candidate) => candidate.startsWith('['))
  if (line === undefined) throw new Error(`the oracle gave no summary:\n${text}`)
  return JSON.parse(line)
}

function scores(summary) {
  const areas = new Map()
  for (const { name, matched, total } of summary) {
    const area = name.split('/')[0]
    const sum = areas.get(area) ?? { matched: 0, total: 0 }
    areas.set(area, { matched: sum.matched + matched, total: sum.total + total })
  }
  return areas
}

function report(areas) {
  const floors = existsSync(floorFile) ? JSON.parse(readFileSync(floorFile, 'utf8')) : {}
  const below = [...areas].filter(([area, { matched }]) => matched < (floors[area] ?? 0))
  let all = 0
  for (const [area, { matched, total }] of areas) {
    all += matched
    process.stdout.write(`oracle: ${area.padEnd(10)} ${matched} of ${total} steps match (floor ${floors[area] ?? 0})\n`)
  }
  const total = [...areas.values()].reduce((sum, area) => sum + area.total, 0)
  process.stdout.write(`oracle: ${all} of ${total} steps match\n`)
  if (options.raise) {
    for (const [area, { matched }] of areas) floors[area] = Math.max(floors[area] ?? 0, matched)
    writeFileSync(floorFile, `${JSON.stringify(floors, null, 2)}\n`)
  }
  for (const [area] of below) process.stdout.write(`oracle: ${area} is below its floor\n`)
  return below.length === 0 ? 0 : 1
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null
}

async function stop(child) {
  if (hasEnded(child)) return
  const ended = new Promise((resolve) => child.on('exit', resolve))
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await ended
  clearTimeout(impatient)
}
