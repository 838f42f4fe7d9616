/** The commands of package.json run on a clone in which nothing is installed yet. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const commands = Object.entries(scripts).flatMap(([name, command]) => {
  const file = /^node (?:--\S+ )*(\S+\.mjs)/.exec(command)?.[1]
  return file === undefined ? [] : [{ name, command, file }]
})

/** The packages that a module and those that it imports need before their first line runs. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  // Imports within templates are of programs that a script writes.
  const text = readFileSync(file, 'utf8').replaceAll(/`(?:\\.|[^`\\])*`/gs, '``')
  const specifiers = [...text.matchAll(/^(?:import|export)\s(?:[^'"`;()]*?from\s+)?'([^']+)'/gm)].map(
    ([, name = '']) => name,
  )
  return specifiers.flatMap((name) => {
    if (name.startsWith('.')) return packagesOf(path.resolve(path.dirname(file), name), seen)
    return name.startsWith('node:') ? [] : [name]
  })
}

it.each(commands)('$name imports no package before packages are installed', ({ file }) => {
  expect(packagesOf(path.join(root, file))).toEqual([])
})

it.each(commands.filter(({ file }) => file === 'scripts/run.mjs'))(
  '$name runs a script that is there',
  ({ command }) => {
    const name = /scripts\/run\.mjs (\S+)/.exec(command)?.[1]
    expect(existsSync(path.join(root, 'scripts', `${name}.mjs`))).toBe(true)
  },
)

it('finds packages', () => {
  expect(packagesOf(path.join(root, 'scripts/harness.mjs'))).toContain('esbuild')
})
