// `npm run clients -- [go|envtest|python|java]`: the tests of the clients for other languages (clients/), against the built program. Go and Python come
// from the system or its packages; Java is tested where there is a JDK, which is too large to be got for it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describeComponents, ensureComponents } from './components.mjs'
import { root, setup } from './setup.mjs'

setup()
const work = mkdtempSync(path.join(tmpdir(), 'pilothouse-clients-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
const env = { ...process.env, PILOTHOUSE: `${process.execPath} ${path.join(root, 'dist', 'cli.js')}` }
const at = (folder) => path.join(root, 'clients', folder)

const suites = {
  go: {
    needs: ['go'],
    run: () =>
      succeeds(process.env.GO_BIN, ['test', '-count=1', '.'], {
        cwd: at('go'),
        env: { ...goEnv(), GO111MODULE: 'on', GOFLAGS: '-mod=mod' },
      }),
  },
  // The modules that it needs are those of the system's packages, which are found as before there were modules.
  envtest: {
    needs: ['go', 'client-go'],
    run() {
      const within = path.join(work, 'gopath', 'src', 'github.com', 'pilothouse-apiserver', 'pilothouse-apiserver')
      mkdirSync(within, { recursive: true })
      symlinkSync(path.join(root, 'clients'), path.join(within, 'clients'))
      const packaged = path.resolve(process.env.CLIENT_GO, '../../../../..')
      return succeeds(process.env.GO_BIN, ['test', '-count=1', '.'], {
        cwd: path.join(within, 'clients/go/envtest'),
        env: {
          ...goEnv(),
          GO111MODULE: 'off',
          GOPATH: `${path.join(work, 'gopath')}:${packaged}`,
          PWD: path.join(within, 'clients/go/envtest'),
        },
      })
    },
  },
  python: {
    needs: ['pytest'],
    run() {
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'pilothouse_pytest', 'test_pilothouse.py']
      return succeeds(process.env.PYTEST_BIN, args, {
        cwd: at('python'),
        env: { ...env, PYTHONDONTWRITEBYTECODE: '1' },
      })
    },
  },
  java: {
    needs: ['junit'],
    isMissing: () => (spawnSync('javac', ['-version']).status === 0 ? undefined : 'there is no JDK'),
    run() {
      const jars = path.join(path.dirname(process.env.JUNIT_JAR), '*')
      const sources = readdirSync(at('java'), { recursive: true }).filter((file) => file.endsWith('.java'))
      const launch = ['-cp', `${work}:${jars}`, 'org.junit.platform.console.ConsoleLauncher', '-p', 'dev.pilothouse']
      return (
        succeeds('javac', ['-d', work, '-cp', jars, ...sources], { cwd: at('java'), env }) &&
        succeeds('java', [...launch, '--disable-banner', '--disable-ansi-colors', '--details=tree'], {
          cwd: at('java'),
          env,
        })
      )
    },
  },
}

/** GOROOT and GOPATH would be those of another Go. */
function goEnv() {
  const { GOROOT: _, GOPATH: __, ...others } = env
  return { ...others, HOME: work, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOCACHE: path.join(work, 'go') }
}

function succeeds(command, args, options) {
  return spawnSync(command, args, { stdio: 'inherit', ...options }).status === 0
}

const chosen = process.argv.slice(2)
const failed = []
const untested = []
for (const [name, { needs, isMissing, run }] of Object.entries(suites)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const reason = isMissing?.()
  const missing = reason === undefined ? await ensureComponents(needs) : []
  if (reason !== undefined) untested.push(`${name}, because ${reason}`)
  else if (missing.length > 0)
    failed.push(`${name} (${missing.map((each) => `no ${each.name}: ${each.reason}`).join('; ')})`)
  else if (!run()) failed.push(name)
  else process.stdout.write(`ok: the client for ${[name, ...describeComponents(needs)].join(', ')}\n`)
}
for (const each of untested) process.stdout.write(`!!! NOT TESTED: the client for ${each}\n`)
process.stdout.write(failed.length === 0 ? 'clients: all tests passed\n' : `clients: failed: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1
