import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import {
  closeFolder,
  isOpenToOthers,
  isPlanted,
  makePrivateFolder,
  openPrivateFile,
  refuseForeignSocket,
  refuseSpecial,
  writePrivateFile,
} from './private-files.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('closes a folder and its files to others', () => {
  const file = path.join(folder, 'key')
  writeFileSync(file, 'secret')
  chmodSync(file, 0o644)
  chmodSync(folder, 0o755)
  closeFolder(folder)
  expect([isOpenToOthers(file), isOpenToOthers(folder)]).toEqual([false, false])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it.each([
  ['open to others', 0o777, false, 'could put it there'],
  ['open to others, with the socket in it', 0o777, true, undefined],
  ['open to readers', 0o755, false, undefined],
  ['closed', 0o700, false, undefined],
])('a socket is waited for where nobody else can put one: %s', (_, mode, isThere, why) => {
  const socket = path.join(folder, 'kms.sock')
  if (isThere) writeFileSync(socket, '')
  chmodSync(folder, mode)
  const look = (): void => refuseForeignSocket(socket)
  if (why === undefined) expect(look).not.toThrow()
  else expect(look).toThrow(why)
})

it('closes a folder in which another process moves its drafts into place', async () => {
  const rounds = 2000
  const moves = `
    const { renameSync, writeFileSync } = require('node:fs')
    const { parentPort } = require('node:worker_threads')
    for (let i = 0; i < ${rounds}; i++) {
      writeFileSync(${JSON.stringify(folder)} + '/draft', '', { mode: 0o600 })
      renameSync(${JSON.stringify(folder)} + '/draft', ${JSON.stringify(folder)} + '/file')
      if (i === 0) parentPort.postMessage('begun')
    }`
  const worker = new Worker(moves, { eval: true })
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  await new Promise((resolve) => worker.once('message', resolve))
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver) {
    for (let i = 0; i < 100; i++) closeFolder(folder)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(isOpenToOthers(path.join(folder, 'file'))).toBe(false)
})

describe('what others have put there', () => {
  const [root, self, owner, stranger] = [0, 1000, 2000, 3000]
  test.each([
    ['of a stranger, where all may write', stranger, 0o777, true],
    ['of a stranger, where all may write but not remove', stranger, 0o1777, true],
    ['of a stranger, where a group may write', stranger, 0o770, true],
    ['of a stranger, where nobody else may write', stranger, 0o755, false],
    ['of root', root, 0o777, false],
    ['of this process', self, 0o777, false],
    ["of the folder's owner", owner, 0o777, false],
  ])('%s', (_, uid, mode, outcome) => {
    expect(isPlanted({ uid }, { uid: owner, mode }, self)).toBe(outcome)
  })

  // Only root can give a file to somebody else.
  describe.runIf(process.geteuid?.() === 0)('is refused', () => {
    const give = (name: string): string => {
      const file = path.join(folder, name)
      writeFileSync(file, 'theirs')
      chownSync(file, 12_345, 12_345)
      return file
    }
    beforeEach(() => chmodSync(folder, 0o777))

    test('in a folder of this program, which stays as it is', () => {
      give('ca.key')
      expect(() => makePrivateFolder(folder)).toThrow('belongs to the user 12345')
      expect(() => closeFolder(folder)).toThrow('belongs to the user 12345')
      expect(statSync(folder).mode & 0o777).toBe(0o777)
    })
    test('as a folder', () => {
      const inner = path.join(folder, 'pki')
      mkdirSync(inner)
      chownSync(inner, 12_345, 12_345)
      expect(() => makePrivateFolder(inner)).toThrow('belongs to the user 12345')
    })
    test('as a socket', () => {
      const socket = give('kms.sock')
      expect(() => refuseForeignSocket(socket)).toThrow('belongs to the user 12345')
    })
    test('as a file to write', () => {
      const file = give('audit.log')
      expect(() => openPrivateFile(file, 'a')).toThrow('belongs to the user 12345')
      expect(() => writePrivateFile(file, 'mine')).toThrow('belongs to the user 12345')
      expect(readFileSync(file, 'utf8')).toBe('theirs')
    })
  })
})

describe('links', () => {
  test("the owner's own are followed to append, and their target is closed", () => {
    writeFileSync(path.join(folder, 'target'), '')
    chmodSync(path.join(folder, 'target'), 0o644)
    symlinkSync('target', path.join(folder, 'link'))
    closeSync(openPrivateFile(path.join(folder, 'link'), 'a'))
    expect(statSync(path.join(folder, 'target')).mode & 0o777).toBe(0o600)
  })
  test('are replaced by what is written as a whole, and their target stays', () => {
    writeFileSync(path.join(folder, 'target'), 'before')
    symlinkSync('target', path.join(folder, 'link'))
    writePrivateFile(path.join(folder, 'link'), 'after')
    expect(lstatSync(path.join(folder, 'link')).isFile()).toBe(true)
    expect(readFileSync(path.join(folder, 'target'), 'utf8')).toBe('before')
  })
  test('are not followed to make a file', () => {
    symlinkSync('nowhere', path.join(folder, 'link'))
    expect(() => openPrivateFile(path.join(folder, 'link'), 'wx')).toThrow(expect.objectContaining({ code: 'EEXIST' }))
  })
})

describe('what is no file', () => {
  test('a pipe', () => {
    const pipe = path.join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    expect(() => openPrivateFile(pipe, 'a')).toThrow(expect.objectContaining({ code: 'ENXIO' }))
    expect(() => writePrivateFile(pipe, 'text')).toThrow('is there, and is no file')
    expect(() => refuseSpecial(pipe)).toThrow('is there, and is no file')
    expect(lstatSync(pipe).isFIFO()).toBe(true)
  })
  test('a device keeps its rights', () => {
    const before = statSync('/dev/null').mode
    closeSync(openPrivateFile('/dev/null', 'a'))
    expect(() => writePrivateFile('/dev/null', 'text')).toThrow('is there, and is no file')
    expect(statSync('/dev/null').mode).toBe(before)
  })
})
