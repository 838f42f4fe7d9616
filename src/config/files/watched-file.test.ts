import { mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
    expect(outcomes).toEqual([
      { ok: true, text: 'two' },
      { ok: false, error: 'no good' },
      { ok: true, text: 'three' },
    ])
    rmSync(file)
    await watched.check()
    expect(outcomes.at(-1)).toMatchObject({ ok: false })
    watched.close()
  })

  it.each<[string, (file: string) => void]>([
    ['written in place', (file) => writeFileSync(file, 'two')],
    [
      'renamed into place',
      (file) => {
        writeFileSync(`${file}.new`, 'two')
        renameSync(`${file}.new`, file)
      },
    ],
    [
      'a link to a folder that changes, as ConfigMaps are mounted',
      (file) => {
        mkdirSync(join(folder, '..second'))
        writeFileSync(join(folder, '..second', 'f'), 'two')
        symlinkSync('..second', join(folder, '..data_tmp'))
        renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
        expect(readlinkSync(file)).toBe('..data/f')
      },
    ],
  ])('sees at once a file that is %s', async (how, change) => {
    const file = join(folder, 'f')
    if (how.startsWith('a link')) {
      mkdirSync(join(folder, '..first'))
      writeFileSync(join(folder, '..first', 'f'), 'one')
      symlinkSync('..first', join(folder, '..data'))
      symlinkSync('..data/f', file)
    } else writeFileSync(file, 'one')
    const taken = new Promise<string>((resolve) => {
      const options = { file, text: 'one', intervalMs: 3_600_000, clock: systemClock, onReload: () => {} }
      const watched = new WatchedFile({
        ...options,
        take: (text) => {
          resolve(text)
          watched.close()
        },
      })
    })
    change(file)
    expect(await taken).toBe('two')
  })
})
