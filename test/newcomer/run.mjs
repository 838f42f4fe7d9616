// How the steps run programs: with a PATH on which the chosen Node comes first, a home of their own, and nothing else of this machine's settings.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

export function environment(node, home, more = {}) {
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH}`
  return { PATH, HOME: home, NO_COLOR: '1', CI: 'true', ...more }
}

/** Throws with what was said when it fails. */
export function must(command, args, options) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26, ...options })
  if (result.status === 0) return result
  const said = result.error?.message ?? `${result.stdout}${result.stderr}`
  throw new Error(`${command} ${args.join(' ')} failed (${result.status ?? result.signal}):\n${said}`)
}

/** Resolves with all that was said until then. */
export function untilReady(server) {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (chunk) => {
      said += chunk
      if (said.includes('Pilothouse is ready')) resolve(said)
    }
    server.stdout.on('data', hear)
    server.stderr.on('data', hear)
    server.once('exit', () => reject(new Error(`the server ended: ${said}`)))
  })
}

export const ended = (child) =>
  new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(child.exitCode)))
