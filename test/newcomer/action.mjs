// The steps of packaging/github-action as a runner of GitHub runs them, on the packed tarball: with the environment that Actions give, and a
// kubectl in the step that follows. `actions/setup-node` is not run: the Node that it would bring is on the PATH.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../scripts/free-port.mjs'
import { root } from '../../scripts/setup.mjs'

const actionFolder = path.join(root, 'packaging/github-action')

export async function action(run, node, tarball) {
  // A clean clone has no packages until it is set up.
  const { parse } = await import('yaml')
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-action-'))
  try {
    const described = parse(readFileSync(path.join(actionFolder, 'action.yml'), 'utf8'))
    return steps(run, node, { described, folder, tarball, port: await freePort() })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function steps(run, node, { described: { inputs, runs }, folder, tarball, port }) {
  const given = { version: `file:${tarball}`, flags: `--secure-port=${port} --v=2` }
  const unknown = Object.keys(given).filter((name) => inputs[name] === undefined)
  if (runs.using !== 'composite' || unknown.length > 0) throw new Error('the action is another one than was expected')
  const bin = path.join(folder, 'global/bin')
  const temp = path.join(folder, 'temp')
  for (const each of [bin, temp]) mkdirSync(each, { recursive: true })
  const files = { GITHUB_ENV: path.join(folder, 'env'), GITHUB_OUTPUT: path.join(folder, 'output') }
  for (const file of Object.values(files)) writeFileSync(file, '')
  const actions = {
    ...files,
    GITHUB_ACTION_PATH: actionFolder,
    RUNNER_TEMP: temp,
    npm_config_prefix: path.dirname(bin),
  }
  // npm needs this machine's settings.
  const PATH = [noting(folder, bin), bin, path.dirname(node), process.env.PATH].join(path.delimiter)
  const env = { ...process.env, ...actions, PATH }
  try {
    for (const step of runs.steps.filter(({ run: script }) => script !== undefined)) {
      const own = Object.entries(step.env ?? {}).map(([name, text]) => [name, evaluate(text, given)])
      const options = {
        cwd: folder,
        env: { ...env, ...Object.fromEntries(own) },
        stdio: ['ignore', 'ignore', 'inherit'],
      }
      run.must(step.shell, ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], options)
    }
    const [, kubeconfig] = /^KUBECONFIG=(.*)$/m.exec(readFileSync(files.GITHUB_ENV, 'utf8'))
    run.must('kubectl', ['get', 'namespaces'], { cwd: folder, env: { ...env, KUBECONFIG: kubeconfig } })
  } finally {
    stop(folder)
  }
}

function noting(folder, bin) {
  const before = path.join(folder, 'before')
  mkdirSync(before)
  const script = `#!/bin/sh\necho $$ > '${folder}/pid'\nexec '${bin}/pilothouse' "$@"\n`
  writeFileSync(path.join(before, 'pilothouse'), script, { mode: 0o755 })
  return before
}

/** `${{ inputs.name }}`. */
const evaluate = (text, inputs) => text.replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name) => inputs[name])

/** It would end with the machine of the job. A script before the program notes which process it is. */
function stop(folder) {
  const file = path.join(folder, 'pid')
  if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')), 'SIGTERM')
}
