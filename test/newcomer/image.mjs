// `npm run image -- [--root DIR]`: plays packaging/docker/Dockerfile where there is no Docker: its base image is a minimal Debian made by
// debootstrap, its steps run in there by chroot, and what it starts must serve, keep its data and end well. Needs root and Debian's packages. `--root`
// keeps the base for the next time.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensureComponents } from '../../scripts/components.mjs'
import { freePort } from '../../scripts/free-port.mjs'
import { root as clone } from '../../scripts/setup.mjs'
import * as run from './run.mjs'

const { values } = parseArgs({ options: { root: { type: 'string' } } })
const [missing] = await ensureComponents(['kubectl', 'debootstrap'])
if (missing !== undefined) throw new Error(`there is no ${missing.name}: ${missing.reason}`)
const work = mkdtempSync(path.join(tmpdir(), 'pilothouse-image-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
const image = path.join(work, 'image')
const state = { user: 'root', folder: '/', entry: [], command: [] }

const play = {
  FROM: (name) => {
    const [, suite] = /^debian:(\w+)-slim$/.exec(name)
    const base = values.root ?? path.join(work, 'base')
    if (!existsSync(path.join(base, 'bin/sh')))
      run.must(process.env.DEBOOTSTRAP_BIN, ['--variant=minbase', suite, base, 'http://deb.debian.org/debian'], {})
    run.must('cp', ['-a', base, image], {})
  },
  RUN: (command) => run.must('chroot', [image, 'sh', '-ec', command], {}),
  COPY: (names) => {
    const [from, to] = names.split(' ')
    copyFileSync(path.join(clone, from), path.join(image, to))
  },
  USER: (user) => Object.assign(state, { user }),
  WORKDIR: (folder) => {
    mkdirSync(path.join(image, folder), { recursive: true })
    Object.assign(state, { folder })
  },
  VOLUME: (folder) => {
    if (!existsSync(path.join(image, folder))) throw new Error(`${folder} is a volume and no folder of the image`)
  },
  EXPOSE: () => undefined,
  ENTRYPOINT: (text) => Object.assign(state, { entry: JSON.parse(text) }),
  CMD: (text) => Object.assign(state, { command: JSON.parse(text) }),
}

run.must(process.execPath, [path.join(clone, 'scripts/executable.mjs')], { cwd: clone })
for (const line of readFileSync(path.join(clone, 'packaging/docker/Dockerfile'), 'utf8').split('\n')) {
  if (line === '' || line.startsWith('#')) continue
  const [, instruction, rest] = /^(\w+) (.*)$/.exec(line)
  if (play[instruction] === undefined) throw new Error(`${instruction} cannot be played`)
  play[instruction](rest)
}
await start(['apply', '-f', '-'], '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kept"}}')
await start(['get', 'namespace', 'kept'])
const { stdout } = spawnSync('chroot', [image, '/usr/local/bin/kube-apiserver', '--version'], { encoding: 'utf8' })
if (!stdout.startsWith('Kubernetes v1.')) throw new Error(`kube-apiserver --version prints ${stdout}`)
process.stdout.write('image: all went well\n')

/** As `docker run` would, with a port of this machine; `kubectl` is what is asked of it. */
async function start(kubectl, input) {
  const port = await freePort()
  const inside = [
    'chroot',
    `--userspec=${state.user}:${state.user}`,
    image,
    'sh',
    '-c',
    `cd ${state.folder} && exec "$@"`,
    'sh',
  ]
  const args = [...inside, ...state.entry, ...state.command, `--secure-port=${port}`, '--bind-address=127.0.0.1']
  const script = `mount -t proc proc ${image}/proc && exec "$@"`
  const server = spawn('unshare', ['--mount', 'sh', '-ec', script, 'sh', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await run.untilReady(server)
  const env = { PATH: process.env.PATH, HOME: work, KUBECONFIG: path.join(image, 'data/admin.kubeconfig') }
  try {
    run.must(process.env.KUBECTL_BIN, kubectl, { env, input })
  } finally {
    server.kill('SIGTERM')
  }
  if ((await run.ended(server)) !== 0) throw new Error('it does not end well')
}
