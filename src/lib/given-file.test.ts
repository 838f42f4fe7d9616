import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { readGivenBytes, readGivenFile, readGivenFileAsync, withoutWaiting } from './given-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string): string => path.join(folder, name)
const pipe = (name: string): string => {
  execFileSync('mkfifo', [at(name)])
  return at(name)
}

it('reads files, also through links', async () => {
  writeFileSync(at('file'), 'täxt')
  symlinkSync('file', at('link'))
  for (const name of ['file', 'link']) {
    expect(readGivenFile(at(name))).toBe('täxt')
    expect(readGivenBytes(at(name))).toEqual(Buffer.from('täxt'))
    expect(await readGivenFileAsync(at(name))).toBe('täxt')
  }
  expect(readGivenFile('/dev/null')).toBe('')
})

it('words what the system says as Node does', async () => {
  mkdirSync(at('folder'))
  for (const [name, code] of [
    ['missing', 'ENOENT'],
    ['folder', 'EISDIR'],
  ] as const) {
    expect(() => readGivenFile(at(name))).toThrow(expect.objectContaining({ code }))
    await expect(readGivenFileAsync(at(name))).rejects.toMatchObject({ code })
  }
})

describe('what does not end is an error', () => {
  test('a pipe that nobody writes to', async () => {
    const file = pipe('pipe')
    expect(() => readGivenFile(file, withoutWaiting)).toThrow('nothing comes from it')
    expect(() => readGivenFile(file, { patienceMs: 30 })).toThrow('nothing comes from it')
    await expect(readGivenFileAsync(file)).rejects.toThrow('is no file')
  })

  test('a pipe whose writer is silent', async () => {
    const file = pipe('pipe')
    const writer = spawn('sh', ['-c', `exec 3<>"${file}"; echo open; sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise((resolve) => writer.stdout.once('data', resolve))
    expect(() => readGivenFile(file, { patienceMs: 30 })).toThrow('nothing comes from it')
    writer.kill('SIGKILL')
  })

  test('devices without end', async () => {
    expect(() => readGivenFile('/dev/zero')).toThrow('holds more than 64 MiB')
    await expect(readGivenFileAsync('/dev/zero')).rejects.toThrow('is no file')
  })

  test('a file that is too large', async () => {
    writeFileSync(at('large'), '')
    truncateSync(at('large'), 64 * 1024 * 1024 + 1)
    expect(() => readGivenFile(at('large'))).toThrow('holds more than 64 MiB')
    await expect(readGivenFileAsync(at('large'))).rejects.toThrow('holds more than 64 MiB')
  })

  test('a socket', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(at('socket'), resolve))
    expect(() => readGivenFile(at('socket'))).toThrow(expect.objectContaining({ code: 'ENXIO' }))
    await expect(readGivenFileAsync(at('socket'))).rejects.toMatchObject({ code: 'ENXIO' })
    await new Promise((resolve) => server.close(resolve))
  })
})

it('waits for a pipe that is written to', () => {
  const file = pipe('pipe')
  spawn('sh', ['-c', `printf a > "${file}"`], { stdio: 'ignore' })
  expect(readGivenFile(file, { patienceMs: 60_000 })).toBe('a')
})
