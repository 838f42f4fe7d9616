// The single executable on a PATH that has nothing else on it: it serves, on the embedded store, and answers to the reference's name.
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { kubectlBinary } from '../../scripts/components.mjs'
import { freePort } from '../../scripts/free-port.mjs'
import { root } from '../../scripts/setup.mjs'

export async function executable(run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-one-file-'))
  try {
    const built = path.join(folder, 'built')
    run.must(process.execPath, [path.join(root, 'scripts/executable.mjs'), '--out', built], { cwd: root })
    return await use(run, folder, built)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function use(run, folder, built) {
  const bin = path.join(folder, 'bin')
  const temporary = path.join(folder, 'tmp')
  mkdirSync(bin)
  mkdirSync(temporary)
  copyFileSync(built, path.join(bin, 'pilothouse'))
  symlinkSync('pilothouse', path.join(bin, 'kube-apiserver'))
  const env = { PATH: bin, HOME: folder, TMPDIR: temporary }
  const call = (name, args) => run.must(path.join(bin, name), args, { cwd: folder, env }).stdout
  if (!/^Pilothouse v/.test(call('pilothouse', ['version']))) throw new Error('pilothouse version')
  if (!/^Kubernetes v1\./.test(call('kube-apiserver', ['--version']))) throw new Error('kube-apiserver --version')
  const times = []
  for (const name of ['pilothouse', 'kube-apiserver', 'pilothouse'])
    times.push(await start(run, path.join(bin, name), { folder, env }))
  const left = readdirSync(temporary)
  if (left.length > 0) throw new Error(`it leaves ${left.join(', ')} behind`)
  if (existsSync(path.join(folder, '.cache'))) throw new Error('it compiles although it was built for this Node')
  return `ready after ${times.map((time) => `${time.toFixed(2)} s`).join(', ')}`
}

/** On the embedded store, which the next start finds again. */
async function start(run, file, { folder, env }) {
  const flags = [`--secure-port=${await freePort()}`, '--bind-address=127.0.0.1', '--logging-format=text']
  const began = performance.now()
  const server = spawn(file, flags, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = await run.untilReady(server)
  const seconds = (performance.now() - began) / 1000
  if (/warning/i.test(said)) throw new Error(`it complains: ${said}`)
  const kubectl = kubectlBinary()
  if (kubectl === undefined) throw new Error('there is no kubectl')
  const config = { cwd: folder, env: { ...env, KUBECONFIG: path.join(folder, 'pilothouse-data/admin.kubeconfig') } }
  const { stdout } = run.must(kubectl, ['explain', 'deployment.spec.replicas'], config)
  if (!stdout.includes('Default: 1')) throw new Error(`kubectl explain prints ${stdout}`)
  run.must(kubectl, ['apply', '-f', '-'], {
    ...config,
    input: '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kept"}}',
  })
  server.kill('SIGTERM')
  if ((await run.ended(server)) !== 0) throw new Error('it does not end well')
  return seconds
}
