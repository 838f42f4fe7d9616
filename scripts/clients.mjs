// `npm run clients -- [go|python|java]`: the tests of the clients for other languages (clients/), against the built program. Go and Python come
// from the system or its packages; Java is tested where there is a JDK, which is too large to be got for it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
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
    run() {
      const settings = {
        GOFLAGS: '-mod=mod',
        GOPROXY: 'off',
        GOTOOLCHAIN: 'local',
        GOCACHE: path.join(work, 'go'),
        GO111MODULE: 'on',
      }
      // GOROOT would be that of another Go.
      const { GOROOT: _, GOPATH: __, ...others } = env
      const options = { cwd: at('go'), env: { ...others, HOME: work, ...settings } }
      return succeeds(process.env.GO_BIN, ['test', '-count=1', '.'], options)
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
