/** The import table of ARCHITECTURE.md shows the arrows that are there, and no more; and the files that it names are there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const source = import.meta.dirname
const architecture = readFileSync(path.join(source, '../ARCHITECTURE.md'), 'utf8')

const folderOf = (file: string): string => path.relative(source, file).split(path.sep)[0] ?? ''

/** By folder: those that its files import, tests aside. */
function arrows(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
    const file = path.join(source, name)
    const from = folderOf(file)
    const to = found.get(from) ?? new Set()
    found.set(from, to)
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.{1,2}\/[^']+)'/g)) {
      to.add(folderOf(path.resolve(path.dirname(file), specifier)))
    }
    for (const none of [from, '..']) to.delete(none)
  }
  return found
}

it('the table of folders is that of the code', () => {
  const rows = [...architecture.matchAll(/^\| `(\w+)` +\|[^|]*\| ([\w –]*?) *\|$/gm)]
  const order = rows.map(([, folder = '']) => folder)
  const inOrder = (folders: Iterable<string>): string =>
    [...folders].toSorted((a, b) => order.indexOf(a) - order.indexOf(b)).join(' ') || '–'
  const actual = [...arrows()].map(([folder, to]) => `${folder}: ${inOrder(to)}`)
  expect(rows.map(([, folder, allowed]) => `${folder}: ${allowed}`).toSorted()).toEqual(actual.toSorted())
})

it('names no file that is not there', () => {
  const named = [...architecture.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|cjs|mjs|txt))`/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(50)
  expect(
    named.filter((name) => ![source, path.dirname(source)].some((root) => existsSync(path.join(root, name)))),
  ).toEqual([])
})
