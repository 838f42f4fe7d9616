import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, test } from 'vitest'
import { lockFolder } from './owner-lock.ts'

let folder: string
let owner: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-test-'))
  owner = path.join(folder, 'owner')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('is let go of by who has it', () => {
  const unlock = lockFolder(folder, 'a')
  expect(() => lockFolder(folder, 'b')).toThrow('is in use by process')
  unlock()
  expect(existsSync(owner)).toBe(false)
})

it('is taken over from who is gone', () => {
  writeFileSync(owner, JSON.stringify({ pid: 2 ** 22 + 1, boot: '', started: '' }))
  lockFolder(folder, 'a')()
})

test.each<[string, () => void]>([
  ['a pipe', () => execFileSync('mkfifo', [owner])],
  ['a folder', () => mkdirSync(owner)],
  ['a link to nothing', () => symlinkSync('nowhere', owner)],
  ['a link to a file', () => symlinkSync(path.join(folder, 'file'), owner)],
])('%s in its place is an error', (_, put) => {
  writeFileSync(path.join(folder, 'file'), 'of somebody else')
  put()
  expect(() => lockFolder(folder, 'a')).toThrow('is no file that an owner has left')
  expect(readFileSync(path.join(folder, 'file'), 'utf8')).toBe('of somebody else')
})
