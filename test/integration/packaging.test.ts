/** What is around the program: the unit for systemd, the script of the GitHub action, and links between the pages. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-packaging-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the unit is one that systemd takes', (context) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    console.warn('\n!!! NOT TESTED: the systemd unit, because systemd-analyze is not installed\n')
    context.skip()
  }
  const unit = readFileSync(path.join(root, 'packaging/systemd/pilothouse.service'), 'utf8')
  const file = path.join(folder, 'pilothouse.service')
  // The program need not be installed here.
  writeFileSync(file, unit.replace('ExecStart=/usr/local/bin/pilothouse', 'ExecStart=/bin/true'))
  const { stdout, stderr, status } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  // It also speaks of other units of this machine.
  const said = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('pilothouse'))
  expect({ said, status }).toEqual({ said: [], status: 0 })
})

it('the action starts a server for the steps that follow', async () => {
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(
    path.join(bin, 'pilothouse'),
    `#!/bin/sh\necho $$ > '${folder}/pid'\nexec '${process.execPath}' '${root}/dist/cli.js' "$@"\n`,
  )
  chmodSync(path.join(bin, 'pilothouse'), 0o755)
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder,
    RUNNER_TEMP: folder,
    GITHUB_ENV: path.join(folder, 'env'),
    GITHUB_OUTPUT: path.join(folder, 'output'),
  }
  const script = path.join(root, 'packaging/github-action/start.sh')
  execFileSync(script, { env: { ...env, FLAGS: `--secure-port=${await freePort()} --v=2` }, stdio: 'ignore' })
  try {
    const [, kubeconfig = ''] = /^KUBECONFIG=(.*)\n$/.exec(readFileSync(env.GITHUB_ENV, 'utf8')) ?? []
    expect(readFileSync(kubeconfig, 'utf8')).toContain('kind: Config')
    expect(readFileSync(env.GITHUB_OUTPUT, 'utf8')).toBe(`kubeconfig=${kubeconfig}\n`)
  } finally {
    process.kill(Number(readFileSync(path.join(folder, 'pid'), 'utf8')))
  }
  const failed = spawnSync(script, { env: { ...env, FLAGS: '--no-such-flag' }, encoding: 'utf8' })
  expect(failed).toMatchObject({ status: 1, stderr: expect.stringContaining('unknown flag: --no-such-flag') })
})

const pages = ['.', 'docs', 'packaging', 'clients', 'clients/java', 'conformance'].flatMap((each) =>
  readdirSync(path.join(root, each))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(each, name)),
)

it.each(pages)('%s links to what is there', (page) => {
  const text = readFileSync(path.join(root, page), 'utf8')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^\w+:/.test(link))
  const broken = links.filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path.join(root, page) : path.resolve(root, path.dirname(page), file)
    if (!existsSync(target)) return true
    return anchor !== undefined && !anchors(readFileSync(target, 'utf8')).includes(anchor)
  })
  expect(broken).toEqual([])
})

it('every page of docs is in the index', () => {
  const index = readFileSync(path.join(root, 'docs/README.md'), 'utf8')
  const missing = readdirSync(path.join(root, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md' && !index.includes(`(${name})`),
  )
  expect(missing).toEqual([])
})

/** As GitHub makes them of headings. */
const anchors = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
