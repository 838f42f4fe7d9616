/** Files that the audit log leaves, and what it finds in their places. */
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { AuditEvent } from './event.ts'
import { LogSink } from './log-sink.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lost: string[] = []
const clock: Clock = { ...systemClock, now: () => 0 }
const open = (file: string): LogSink =>
  new LogSink({
    path: file,
    format: 'json',
    maxSizeMegabytes: 1,
    maxAgeDays: 0,
    maxBackups: 0,
    compress: true,
    clock,
    onLost: (_, why) => lost.push(why),
  })
const event = { text: 'x'.repeat(700_000) } as AuditEvent

it('compresses into a file of its own, not through a link that is there', async () => {
  const victim = path.join(folder, 'victim')
  writeFileSync(victim, 'before')
  const compressed = path.join(folder, 'audit-1970-01-01T00-00-00.000.log.gz')
  symlinkSync(victim, compressed)
  const sink = open(path.join(folder, 'audit.log'))
  expect([sink.process([event]), sink.process([event])]).toEqual([true, true])
  await sink.close()
  expect(readFileSync(victim, 'utf8')).toBe('before')
  expect(lstatSync(compressed).isFile()).toBe(true)
  expect(gunzipSync(readFileSync(compressed))).toHaveLength(700_001)
  const files = readdirSync(folder).filter((name) => name.startsWith('audit'))
  expect(files).toEqual(['audit-1970-01-01T00-00-00.000.log.gz', 'audit.log'])
  for (const name of files) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600)
})

it('does not rename what is no file', async () => {
  const link = path.join(folder, 'audit.log')
  symlinkSync('/dev/null', link)
  const sink = open(link)
  for (let i = 0; i < 4; i++) expect(sink.process([event])).toBe(true)
  await sink.close()
  expect(readdirSync(folder)).toEqual(['audit.log'])
  expect(lost).toEqual([])
})
