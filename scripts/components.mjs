// The real programs that tests and benches talk to. Each is looked for in its environment variable, on the PATH and in
// .components/, and otherwise got from the system's package manager, by the machine's own sources:
// - `unpack`: the package is downloaded, from the suite that has the wanted release, and only unpacked into
//   .components/, so that no service starts and nothing on the system changes;
// - `install`: the package brings shared libraries and is installed, if this user may.
//
//   node scripts/components.mjs etcd-3.5 kubectl  gets them and prints where they are
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './setup.mjs'

/** Of a release, from the suite that has it. */
const etcd = (release, from) => ({
  command: 'etcd',
  variable: `ETCD${release.replace('.', '')}_BIN`,
  package: 'etcd-server',
  get: 'unpack',
  from,
  version: (file) => etcdVersion(file),
  usable: (file) => etcdVersion(file).startsWith(`${release}.`),
})

const components = {
  // The release that most clusters run, and the oldest one that is promised to work.
  'etcd-3.5': etcd('3.5', 'trixie'),
  'etcd-3.4': etcd('3.4', 'bookworm'),
  kubectl: {
    command: 'kubectl',
    variable: 'KUBECTL_BIN',
    package: 'kubectl',
    get: 'unpack',
    from: 'trixie',
    version: (file) => clientVersion(file),
    usable: (file) => Number(clientVersion(file).split('.')[1]) >= 28,
  },
  // A client of another language; `find` looks for a Python that has it.
  'python-client': {
    command: 'python3',
    variable: 'PYTHON_CLIENT_BIN',
    package: 'python3-kubernetes',
    get: 'install',
    version: (file) => pythonClient(file),
    usable: (file) => pythonClient(file) !== '',
  },
  // What the clients of other languages are tested with (`npm run clients`).
  go: {
    command: 'go',
    variable: 'GO_BIN',
    package: ['golang-1.24-go', 'golang-1.24-src'],
    get: 'unpack',
    from: 'trixie',
    at: 'usr/lib/go-1.24/bin',
    version: (file) => goVersion(file),
    usable: (file) => Number(goVersion(file).split('.')[1]) >= 19,
  },
  // The Go client, with what it imports; GOPATH is three folders up.
  'client-go': {
    command: 'rest/config.go',
    variable: 'CLIENT_GO',
    package: 'golang-k8s-client-go-dev',
    // Of two releases of protobuf that exclude each other, the one that is wanted.
    dependencies: /^golang-(?!github-golang-protobuf-1-3)[\w.-]+-dev$/,
    get: 'unpack',
    from: 'trixie',
    at: 'usr/share/gocode/src/k8s.io/client-go',
  },
  pytest: {
    command: 'python3',
    variable: 'PYTEST_BIN',
    package: 'python3-pytest',
    get: 'install',
    version: (file) => output(file, ['-c', 'import pytest; print(pytest.__version__)']).trim(),
    usable: (file) => output(file, ['-c', 'import pytest; print(1)']) !== '',
  },
  junit: {
    command: 'junit-platform-console-standalone.jar',
    variable: 'JUNIT_JAR',
    package: ['junit5', 'libopentest4j-java', 'libapiguardian-java', 'libpicocli-java', 'libunivocity-parsers-java'],
    get: 'unpack',
    from: 'bookworm',
    at: 'usr/share/java',
  },
  openssl: {
    command: 'openssl',
    variable: 'OPENSSL_BIN',
    package: 'openssl',
    get: 'install',
    version: (file) => output(file, ['version']).split(' ')[1] ?? '',
  },
  // What the console is looked at with.
  chromium: {
    command: 'chromium',
    variable: 'CHROMIUM_BIN',
    package: 'chromium',
    get: 'install',
    version: (file) => /\d+(\.\d+)*/.exec(output(file, ['--version']))?.[0] ?? '',
  },
  // What the image is made in (`npm run image`).
  debootstrap: { command: 'debootstrap', variable: 'DEBOOTSTRAP_BIN', package: 'debootstrap', get: 'install' },
  h2load: { command: 'h2load', variable: 'H2LOAD_BIN', package: 'nghttp2-client', get: 'install' },
}

const folder = path.join(root, '.components')
const suites = ['bullseye', 'bookworm', 'trixie', 'forky', 'sid']

/** Where a kubectl that is new enough is, if it is there already. */
export function kubectlBinary() {
  return find('kubectl')
}

/** Where a Python with its Kubernetes client is, if it is there already. */
export function pythonClientBinary() {
  return find('python-client')
}

/** `name version` of components that there are. */
export function describeComponents(names) {
  return names.flatMap((name) => {
    const file = find(name)
    return file === undefined ? [] : [`${name.replace(/-\d.*/, '')} ${components[name].version?.(file) ?? ''}`.trim()]
  })
}

/** Gets what is missing and sets each component's variable for this process. Returns those that could not be got. */
export async function ensureComponents(names) {
  const missing = []
  for (const name of names) {
    try {
      const { variable } = components[name]
      process.env[variable] = find(name) ?? get(name)
    } catch (error) {
      missing.push({ name, reason: error.message })
    }
  }
  return missing
}

function find(name) {
  const { command, variable, at = 'usr/bin', usable = () => true } = components[name]
  const places = [
    process.env[variable],
    ...(process.env.PATH ?? '').split(path.delimiter).map((p) => path.join(p, command)),
  ]
  places.push(path.join(folder, name, at, command))
  return places.find((file) => file && existsSync(file) && usable(file))
}

function get(name) {
  if (!existsSync('/usr/bin/apt-get'))
    throw new Error('it is not installed and this system has no apt-get to get it with')
  process.stderr.write(`Getting ${name} …\n`)
  if (components[name].get === 'install') installPackage(components[name])
  else unpackPackage(name)
  const file = find(name)
  if (file === undefined)
    throw new Error(`package ${components[name].package} has no ${components[name].command} that works here`)
  return file
}

function installPackage({ package: name }) {
  if (process.getuid?.() !== 0) throw new Error(`package ${name} is not installed and only root may install it`)
  if (!/Candidate: \d/.test(output('apt-cache', ['policy', name]))) must('apt-get', ['update', '-qq'])
  must('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name])
}

function unpackPackage(name) {
  const own = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? ''
  const { from } = components[name]
  const [first, ...others] = suites.includes(own) && own !== from ? [from, own] : [own]
  try {
    unpackFrom(name, own, first)
  } catch (error) {
    if (others.length === 0) throw error
    unpackFrom(name, own, others[0])
  }
}

/** Downloads with a private apt configuration: the machine's sources with another suite, and state of its own. */
function unpackFrom(name, ownSuite, suite) {
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(path.join(folder, 'get-'))
  try {
    for (const sub of ['sources', 'state/lists/partial', 'cache/archives/partial', 'files']) {
      mkdirSync(path.join(work, sub), { recursive: true })
    }
    writeFileSync(path.join(work, 'state', 'status'), '')
    writeSources(path.join(work, 'sources'), ownSuite, suite)
    const apt = [
      ...['-o', 'Dir::Etc::sourcelist=/dev/null', '-o', `Dir::Etc::sourceparts=${work}/sources`],
      ...['-o', `Dir::State=${work}/state`, '-o', `Dir::State::status=${work}/state/status`],
      ...['-o', `Dir::Cache=${work}/cache`, '-o', 'APT::Sandbox::User=', '-o', 'Acquire::Retries=3'],
    ]
    must('apt-get', [...apt, 'update', '-qq'], work)
    must('apt-get', [...apt, 'download', '-qq', ...packagesOf(components[name], apt)], work)
    for (const file of readdirSync(work).filter((entry) => entry.endsWith('.deb'))) {
      must('dpkg-deb', ['-x', file, 'files'], work)
    }
    const target = path.join(folder, name)
    rmSync(target, { recursive: true, force: true })
    renameSync(path.join(work, 'files'), target)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** A package, or several; with `dependencies` also those of all that they depend on whose names match. */
function packagesOf({ package: given, dependencies }, apt) {
  const named = [given].flat()
  if (dependencies === undefined) return named
  const unwanted = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
    (each) => `--no-${each}`,
  )
  const found = output('apt-cache', [...apt, 'depends', '--recurse', ...unwanted, ...named]).split('\n')
  return [...new Set([...named, ...found.filter((line) => dependencies.test(line))])]
}

/** The machine's package sources for its own suite, asked for another suite. */
function writeSources(target, ownSuite, suite) {
  const list = readIfThere('/etc/apt/sources.list')
  const parts = existsSync('/etc/apt/sources.list.d') ? readdirSync('/etc/apt/sources.list.d') : []
  const read = (end) =>
    parts.filter((file) => file.endsWith(end)).map((file) => readIfThere(`/etc/apt/sources.list.d/${file}`))
  const lines = [list, ...read('.list')]
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => oneLine(line, ownSuite, suite))
  const stanzas = read('.sources')
    .flatMap((text) => text.split(/\n\s*\n/))
    .flatMap((text) => stanza(text, ownSuite, suite))
  if (lines.length + stanzas.length === 0) throw new Error('the system names no package source for its own release')
  writeFileSync(path.join(target, 'main.list'), `${lines.join('\n')}\n`)
  writeFileSync(path.join(target, 'main.sources'), `${stanzas.join('\n\n')}\n`)
}

function oneLine(line, ownSuite, suite) {
  const [, head, named, rest] = /^(deb\s+(?:\[[^\]]*\]\s+)?\S+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
  return named === ownSuite ? [`${head} ${suite} ${rest}`] : []
}

function stanza(text, ownSuite, suite) {
  const fields = text.split('\n').filter((line) => !line.startsWith('#'))
  const value = (key) =>
    fields
      .find((line) => line.toLowerCase().startsWith(`${key}:`))
      ?.split(/[:\s]+/)
      .slice(1) ?? []
  if (!value('types').includes('deb') || !value('suites').includes(ownSuite) || value('enabled').includes('no'))
    return []
  return [fields.map((line) => (/^suites:/i.test(line) ? `Suites: ${suite}` : line)).join('\n')]
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function clientVersion(file) {
  return /"gitVersion":\s*"v([\d.]+)/.exec(output(file, ['version', '--client', '-o', 'json']))?.[1] ?? ''
}

function etcdVersion(file) {
  return /etcd Version: (\S+)/.exec(output(file, ['--version']))?.[1] ?? ''
}

function goVersion(file) {
  return /go(\d[\d.]*)/.exec(output(file, ['version']))?.[1] ?? ''
}

function pythonClient(file) {
  return output(file, ['-c', 'import kubernetes; print(kubernetes.__version__)']).trim()
}

function output(command, args) {
  const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch }
  return spawnSync(command, args, { env, encoding: 'utf8', timeout: 120_000 }).stdout ?? ''
}

function must(command, args, cwd = root) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const { status, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 900_000 })
  if (status === 0) return
  // Addresses of package sources are the machine's own business.
  const said = (error?.message ?? stderr)
    .replace(/\w+:\/\/\S+/g, '…')
    .trim()
    .split('\n')
    .at(-1)
  throw new Error(`${command} ${args.find((arg) => /^[a-z]/.test(arg)) ?? ''} failed: ${said}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const names = process.argv.slice(2)
  const unknown = names.filter((name) => !Object.hasOwn(components, name))
  if (unknown.length > 0 || names.length === 0) {
    process.stderr.write(`usage: node scripts/components.mjs ${Object.keys(components).join('|')} …\n`)
    process.exit(2)
  }
  const missing = await ensureComponents(names)
  for (const name of names) {
    const lost = missing.find((item) => item.name === name)
    process.stdout.write(
      lost ? `${name}: missing: ${lost.reason}\n` : `${name}: ${process.env[components[name].variable]}\n`,
    )
  }
  process.exitCode = missing.length === 0 ? 0 : 1
}
