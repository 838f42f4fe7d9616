/**
 * The files and sockets of real processes: what is given as a file and is none, what somebody has put where the server writes, and who may
 * read and connect to what it leaves. Without a umask, so that every right is the program's own doing.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../support/free-port.ts'
import type { Trial } from './attack.ts'

const program = path.resolve('dist/cli.js')
/** A start takes a second, on a busy machine ten. What takes longer hangs. */
const patienceMs = 90_000
const isRoot = process.geteuid?.() === 0
const stranger = 54_321

/** What a trial has: a folder of its own, and the program. */
class Bench {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'ways-in-files-'))
  readonly #children: ChildProcess[] = []

  constructor() {
    // Others can look into it.
    chmodSync(this.folder, 0o755)
  }

  at(...parts: string[]): string {
    return path.join(this.folder, ...parts)
  }

  file(name: string, text: string, mode = 0o644): string {
    mkdirSync(path.dirname(this.at(name)), { recursive: true })
    writeFileSync(this.at(name), text)
    chmodSync(this.at(name), mode)
    return this.at(name)
  }

  pipe(name: string): string {
    mkdirSync(path.dirname(this.at(name)), { recursive: true })
    execFileSync('mkfifo', [this.at(name)])
    return this.at(name)
  }

  link(name: string, to: string): string {
    mkdirSync(path.dirname(this.at(name)), { recursive: true })
    symlinkSync(to, this.at(name))
    return this.at(name)
  }

  /** Runs it to its end, or until it is ready. */
  async run(args: readonly string[]): Promise<Run> {
    const script = 'umask 000; exec "$0" "$@"'
    const temporary = this.at('tmp')
    mkdirSync(temporary, { recursive: true, mode: 0o755 })
    const child = spawn('sh', ['-c', script, process.execPath, program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: temporary },
    })
    this.#children.push(child)
    let output = ''
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const ready = new Promise<void>((resolve) => {
      const keep = (chunk: Buffer): void => {
        output += chunk.toString()
        if (output.includes('is ready')) resolve()
      }
      child.stdout.on('data', keep)
      child.stderr.on('data', keep)
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs)
    })
    await Promise.race([ended, ready, late])
    clearTimeout(timer)
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM')
      await ended
    }
    const isReady = output.includes('is ready')
    return { pid: child.pid ?? 0, code: child.exitCode, isReady, output, stop }
  }

  spawn(command: string, args: readonly string[], who: { readonly uid: number; readonly gid: number }): ChildProcess {
    const child = spawn(command, args, { ...who, stdio: ['ignore', 'pipe', 'inherit'] })
    this.#children.push(child)
    return child
  }

  async serve(flags: readonly string[]): Promise<Run> {
    const given = ['--bind-address=127.0.0.1', `--secure-port=${await freePort()}`]
    const folder = flags.some((flag) => flag.startsWith('--data-dir')) ? [] : [`--data-dir=${this.at('data')}`]
    return this.run([...given, ...folder, ...flags])
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

interface Run {
  readonly pid: number
  /** Null while it runs. */
  readonly code: number | null
  readonly isReady: boolean
  readonly output: string
  stop(): Promise<void>
}

const trial = (name: string, attempt: (bench: Bench) => Promise<string | undefined>): Trial => ({
  name,
  async attempt() {
    const bench = new Bench()
    try {
      return await attempt(bench)
    } finally {
      bench.close()
    }
  },
})

/** It must end by itself, with an error that names the file. */
function refused({ code, isReady, output }: Run, named: string): string | undefined {
  if (isReady) return 'the server starts'
  if (code === null) return `it hangs: ${output}`
  if (code === 0) return 'it succeeds'
  return output.includes(named) ? undefined : `it does not say why: ${output}`
}

/** Flags that name a file; `F` stands for it, `G` for a good certificate or key beside it. */
const fileFlags: readonly (readonly string[])[] = [
  ['--token-auth-file=F'],
  ['--client-ca-file=F'],
  ['--requestheader-client-ca-file=F'],
  ['--audit-policy-file=F', '--audit-log-path=-'],
  ['--authentication-config=F'],
  ['--authentication-token-webhook-config-file=F'],
  ['--authorization-config=F'],
  ['--authorization-mode=Webhook', '--authorization-webhook-config-file=F'],
  ['--authorization-mode=ABAC', '--authorization-policy-file=F'],
  ['--encryption-provider-config=F'],
  ['--tls-cert-file=F', '--tls-private-key-file=F'],
  ['--tls-sni-cert-key=F,F'],
  ['--service-account-key-file=F'],
  ['--service-account-signing-key-file=F'],
  ['--admission-control-config-file=F'],
  ['--egress-selector-config-file=F'],
  ['--tracing-config-file=F'],
  ['--oidc-issuer-url=https://192.0.2.1', '--oidc-client-id=a', '--oidc-ca-file=F'],
  ['--etcd-servers=https://192.0.2.1:2379', '--etcd-cafile=F'],
]

const pipesAsFiles = fileFlags.map((flags) =>
  trial(`a pipe that nobody writes to as ${flags.find((flag) => flag.endsWith('F'))}`, async (bench) => {
    const pipe = bench.pipe('pipe')
    return refused(
      await bench.serve(flags.map((flag) => flag.replaceAll('=F', `=${pipe}`).replace(',F', `,${pipe}`))),
      'pipe',
    )
  }),
)

/** Where the server writes, there is something else already. */
const places = [
  'data/admin.kubeconfig',
  'data/pki/ca.key',
  'data/pki/apiserver.crt',
  'data/pki/.lock',
  'data/store/owner',
  'data/store/data.mdb',
] as const

const pipesInPlace = places.map((place) =>
  trial(`a pipe at ${place}`, async (bench) => {
    bench.pipe(place)
    const run = await bench.serve([])
    if (!run.isReady) return refused(run, path.basename(place))
    await run.stop()
    return openTo(bench.at('data'))
  }),
)

const victim = 'of somebody else'

/** The file that a link leads to must stay as it is; a server that does not start is one way. */
const linksInPlace = [...places, 'data/store/lock.mdb', 'data/store/ballast', 'data/pki/sa.key'].map((place) =>
  trial(`a link at ${place}`, async (bench) => {
    const file = bench.file('victim', victim)
    bench.link(place, file)
    const run = await bench.serve([])
    if (run.isReady) await run.stop()
    else if (run.code === null || run.code === 0) return `it neither starts nor fails: ${run.output}`
    if (readFileSync(file, 'utf8') !== victim) return 'the file that it leads to was written'
    return (statSync(file).mode & 0o777) === 0o644 || !run.isReady ? undefined : 'the file that it leads to was changed'
  }),
)

const planted: readonly Trial[] = !isRoot
  ? []
  : (
      [
        ['an authority of a stranger', 'data/pki/ca.key', []],
        ['a kubeconfig of a stranger', 'data/admin.kubeconfig', []],
        ['a store of a stranger', 'data/store/data.mdb', []],
        [
          'an audit log of a stranger',
          'audit/audit.log',
          ['--audit-log-path=F/audit/audit.log', '--audit-policy-file=F/policy'],
        ],
      ] as const
    ).map(([name, place, flags]) =>
      trial(`${name} in a folder where all may write`, async (bench) => {
        bench.file('policy', '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}')
        const file = bench.file(place, '')
        chmodSync(path.dirname(file), 0o777)
        chownSync(file, stranger, stranger)
        return refused(await bench.serve(flags.map((flag) => flag.replace('F', bench.folder))), path.basename(place))
      }),
    )

/** What somebody else has a right to. */
function openTo(folder: string, except: readonly string[] = []): string | undefined {
  const found = [folder, ...readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)))]
  const open = found.filter((file) => !except.includes(file) && (statSync(file).mode & 0o077) !== 0)
  return open.length === 0 ? undefined : `others have rights to ${open.join(', ')}`
}

/** The unix sockets that a process and its children listen on. */
function listening(pid: number): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        return []
      }
    }),
  )
  const own = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , flags, , , inode]) => flags === '00010000' && inodes.has(inode ?? ''))
    .map((fields) => fields[7] ?? '')
  return [...own, ...children.flatMap(listening)]
}

/** Whether a stranger gets through: only root can try. */
const connects = (socket: string): boolean => {
  const script =
    'require("net").connect(process.argv[1]).on("connect", () => process.exit(0)).on("error", () => process.exit(1))'
  try {
    execFileSync(process.execPath, ['-e', script, socket], {
      ...(isRoot ? { uid: stranger, gid: stranger } : {}),
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

const left = trial('what a server with everything switched on leaves open', async (bench) => {
  const policy = bench.file('policy', '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}')
  const socket = bench.at('debug.sock')
  mkdirSync(bench.at('data'), { mode: 0o777 })
  const run = await bench.serve([
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${bench.at('audit', 'audit.log')}`,
    `--debug-socket-path=${socket}`,
    '--request-workers=2',
  ])
  if (!run.isReady) return `it does not start: ${run.output}`
  const sockets = process.platform === 'linux' ? listening(run.pid) : [socket]
  if (!sockets.includes(socket)) return 'the debug socket is not there'
  const others = sockets.filter((each) => each !== socket)
  const problem =
    others.length > 0
      ? `it listens on ${others.join(', ')}`
      : (statSync(socket).mode & 0o077) !== 0 || (isRoot && connects(socket))
        ? 'strangers may connect to the debug socket'
        : (openTo(bench.at('data')) ?? openTo(bench.at('audit')) ?? openTo(bench.at('tmp'), [bench.at('tmp')]))
  await run.stop()
  return problem
})

const notASocket = trial('a file at the path of the debug socket', async (bench) => {
  const file = bench.file('precious', victim)
  return refused(await bench.serve([`--debug-socket-path=${file}`]), 'precious')
})

const auditPipe = trial('a pipe without a reader as the audit log', async (bench) => {
  const policy = bench.file('policy', '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}')
  return refused(await bench.serve([`--audit-policy-file=${policy}`, `--audit-log-path=${bench.pipe('pipe')}`]), 'pipe')
})

const encryption = (socket: string): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      {
        resources: ['secrets'],
        providers: [{ kms: { apiVersion: 'v2', name: 'k', endpoint: `unix://${socket}`, timeout: '2s' } }],
      },
    ],
  })

/** Says so in a file when somebody connects. */
const listener = `
const [socket, told] = process.argv.slice(1)
const server = require('net').createServer(() => require('fs').writeFileSync(told, 'connected'))
server.listen(socket, () => console.log('listening'))
`

async function listenAsStranger(bench: Bench, socket: string, told: string): Promise<void> {
  const child = bench.spawn(process.execPath, ['-e', listener, socket, told], { uid: stranger, gid: stranger })
  await new Promise((resolve) => child.stdout?.once('data', resolve))
}

/** The server tries again within a second or two. */
const retriesMs = 6000

/** Whoever listens at the socket of a plugin is given keys in the clear. */
const plantedSockets: readonly Trial[] = !isRoot
  ? []
  : [
      ['that is there', 'before'],
      ['that comes while it is waited for', 'later'],
    ].map(([name, when]) =>
      trial(`a KMS socket of a stranger ${name}, in a folder where all may write`, async (bench) => {
        const open = bench.at('open')
        mkdirSync(open)
        chmodSync(open, 0o1777)
        const [socket, told] = [path.join(open, 'kms.sock'), path.join(open, 'told')]
        if (when === 'before') await listenAsStranger(bench, socket, told)
        const config = bench.file('encryption', encryption(socket), 0o600)
        const run = await bench.serve([`--encryption-provider-config=${config}`])
        if (!run.isReady) return `it does not start: ${run.output}`
        if (when === 'later') await listenAsStranger(bench, socket, told)
        await new Promise((resolve) => setTimeout(resolve, retriesMs))
        return existsSync(told) ? 'the server connects to it' : undefined
      }),
    )

/** Copies of a store, from and to what is no store of one's own. */
const storeCopies = trial('copies of a store onto what is there', async (bench) => {
  const run = await bench.serve([])
  if (!run.isReady) return `it does not start: ${run.output}`
  await run.stop()
  const copy = (from: string, to: string): Promise<Run> =>
    bench.run(['copy', '--from', `lmdb://${bench.at(from)}`, '--to', `lmdb://${bench.at(to)}`])
  const file = bench.file('victim', victim)
  bench.link('linked/store/data.mdb', file)
  bench.pipe('piped/store/data.mdb')
  const linked = await copy('data', 'linked')
  if (readFileSync(file, 'utf8') !== victim) return 'a copy was written through a link'
  if (linked.code === null) return `it hangs: ${linked.output}`
  const wrong = refused(await copy('piped', 'target'), 'data.mdb') ?? refused(await copy('data', 'piped'), 'data.mdb')
  if (wrong !== undefined) return wrong
  if (isRoot) {
    const theirs = bench.file('theirs/store/data.mdb', '')
    chmodSync(path.dirname(theirs), 0o777)
    chownSync(theirs, stranger, stranger)
    const planted = refused(await copy('data', 'theirs'), 'data.mdb')
    if (planted !== undefined) return `to a store of a stranger: ${planted}`
  }
  const copied = await copy('data', 'copied')
  return copied.code === 0 ? openTo(bench.at('copied', 'store')) : `a copy fails: ${copied.output}`
})

/** What the two sides of a copy keep to themselves: passwords in addresses, keys of encryption, values that cannot be decrypted. */
const copyOutput = trial('secrets of either side in the output of a copy', async (bench) => {
  const password = 'the-password-of-the-other-side'
  const key = Buffer.from('a-key-of-32-bytes-of-either-side').toString('base64')
  const provider = { aescbc: { keys: [{ name: 'k', secret: key }] } }
  const [good, bad] = [
    [provider, { identity: {} }],
    [provider, { secretbox: { keys: [{ name: 'k', secret: `${key}!` }] } }],
  ].map((providers, i) =>
    bench.file(
      `encryption-${i}`,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [{ resources: ['secrets'], providers }],
      }),
      0o600,
    ),
  )
  const store = `lmdb://${bench.at('nothing')}`
  const sides: readonly (readonly string[])[] = [
    ['--from', `etcd://root:${password}@127.0.0.1:1/registry`, '--to', store],
    ['--from', store, '--to', `etcds://root:${password}@127.0.0.1:1`],
    ['--from', `https://root:${password}@127.0.0.1:1`, '--to', store],
    ['--from', store, '--to', `${store}-2`, `--from-encryption-provider-config=${good}`],
    ['--from', store, '--to', `${store}-2`, `--to-encryption-provider-config=${bad}`],
  ]
  for (const side of sides) {
    const { code, output } = await bench.run(['copy', ...side])
    if (code === null || code === 0) return `${side.join(' ')} ends with ${code}: ${output}`
    const told = [password, key].filter((secret) => output.includes(secret))
    if (told.length > 0) return `${side.join(' ')} shows ${told.join(', ')}`
  }
  return undefined
})

/** Snapshots and copies, of one store. */
const copies = trial('snapshots and copies onto what is there', async (bench) => {
  const run = await bench.serve([])
  if (!run.isReady) return `it does not start: ${run.output}`
  await run.stop()
  const file = bench.file('victim', victim)
  const data = `--data-dir=${bench.at('data')}`
  const save = (to: string): Promise<Run> => bench.run(['snapshot', 'save', to, '--force', data])
  const pipe = bench.pipe('pipe')
  const saved = await save(bench.link('saved', file))
  const overwritten = await save(bench.file('old', ''))
  const wrong =
    refused(await save(pipe), 'pipe') ??
    refused(await bench.run(['snapshot', 'restore', pipe, `--data-dir=${bench.at('other')}`]), 'pipe') ??
    refused(await bench.run(['snapshot', 'inspect', pipe]), 'pipe')
  if (wrong !== undefined) return wrong
  if (saved.code !== 0 || overwritten.code !== 0) return `a snapshot fails: ${saved.output}${overwritten.output}`
  if (readFileSync(file, 'utf8') !== victim) return 'a snapshot was written through a link'
  const restored = await bench.run(['snapshot', 'restore', bench.at('old'), `--data-dir=${bench.at('restored')}`])
  if (restored.code !== 0) return `a restore fails: ${restored.output}`
  const open = ['saved', 'old'].filter((name) => (statSync(bench.at(name)).mode & 0o077) !== 0)
  return open.length > 0 ? `others may read ${open.join(', ')}` : openTo(bench.at('restored', 'store'))
})

/** The table, the most telling first: it only grows. */
export const fileTrials: readonly Trial[] = [
  left,
  notASocket,
  auditPipe,
  ...planted,
  ...plantedSockets,
  copies,
  storeCopies,
  copyOutput,
  ...pipesInPlace,
  ...linksInPlace,
  ...pipesAsFiles,
]
