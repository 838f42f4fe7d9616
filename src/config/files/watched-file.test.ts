import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { type ReloadOutcome, WatchedFile } from './watched-file.ts'

describe('WatchedFile', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'watched-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('hands on what changes, keeps what was there when the change is bad', async () => {
    const file = join(folder, 'f')
    writeFileSync(file, 'one')
    const taken: string[] = []
    const outcomes: ReloadOutcome[] = []
    const watched = new WatchedFile({
      file,
      text: 'one',
      intervalMs: 3_600_000,
      clock: systemClock,
      take: (text) => {
        if (text === 'bad') throw new Error('no good')
        taken.push(text)
      },
      onReload: (outcome) => outcomes.push(outcome),
    })
    await watched.check()
    expect(outcomes).toEqual([])
    for (const text of ['two', 'bad', 'bad', 'three']) {
      writeFileSync(file, text)
      await watched.check()
    }
    expect(taken).toEqual(['two', 'three'])
    expect(outcomes).toEqual([{ ok: true }, { ok: false, error: 'no good' }, { ok: true }])
    rmSync(file)
    await watched.check()
    expect(outcomes.at(-1)).toMatchObject({ ok: false })
    watched.close()
  })
})
