import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { signatureOf, untilChanged } from './changed-files.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-changed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = path.join(folder, 'a.yaml')

it.each<[string, () => void]>([
  ['a new file', () => writeFileSync(file, 'a')],
  ['another time', () => utimesSync(file, 1, 1)],
  ['a new folder', () => mkdirSync(path.join(folder, 'sub'))],
  ['a file in it', () => writeFileSync(path.join(folder, 'sub/b.yaml'), 'b')],
  ['a file that is gone', () => rmSync(file)],
])('notices %s', async (_, change) => {
  const before = signatureOf([folder])
  expect(signatureOf([folder])).toBe(before)
  change()
  expect(await untilChanged([folder], before, new AbortController().signal)).toBe(true)
})

it('ends with its signal', async () => {
  const abort = new AbortController()
  const waiting = untilChanged([folder, 'nowhere'], signatureOf([folder, 'nowhere']), abort.signal)
  abort.abort()
  expect(await waiting).toBe(false)
})
