import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeFolder, isOpenToOthers } from './private-files.ts'

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
