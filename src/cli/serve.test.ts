import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseServerOptions } from '../config/server-options.ts'
import { serve } from './serve.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pilothouse serve-'))
})
afterEach(() => {
  process.removeAllListeners('SIGTERM')
  process.removeAllListeners('SIGINT')
  rmSync(folder, { recursive: true, force: true })
})

/** A server that does nothing but tell what is asked of it. */
function fakeServer(ready: Promise<void>) {
  const events: string[] = []
  return {
    events,
    loadServer: async () => async () => ({
      addresses: ['https://127.0.0.1:6443'],
      ready,
      close: async () => void events.push('closed'),
    }),
    print: (text: string) => void events.push(text),
    logOutput: { write: () => {} },
  }
}

describe('serve', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('announces itself, and ends well after %s', async (signal) => {
    const fake = fakeServer(Promise.resolve())
    const ended = serve(parseServerOptions([`--data-dir=${folder}`, '--logging-format=text']), fake)
    await expect.poll(() => fake.events).toHaveLength(1)
    expect(fake.events[0]).toContain(`export KUBECONFIG='${folder}/admin.kubeconfig' && kubectl get namespaces\n`)
    expect(existsSync(`${folder}/admin.kubeconfig`)).toBe(true)
    process.emit(signal, signal)
    expect(await ended).toBe(0)
    expect(fake.events).toHaveLength(2)
    expect(fake.events[1]).toBe('closed')
  })

  it('announces itself as JSON where the log is JSON', async () => {
    const fake = fakeServer(Promise.resolve())
    const ended = serve(parseServerOptions([`--data-dir=${folder}`, '--logging-format=json']), fake)
    await expect.poll(() => fake.events).toHaveLength(1)
    expect(JSON.parse(fake.events[0] ?? '')).toMatchObject({
      msg: 'Pilothouse is ready on https://127.0.0.1:6443',
      addresses: ['https://127.0.0.1:6443'],
      kubeconfig: `${folder}/admin.kubeconfig`,
    })
    process.emit('SIGTERM', 'SIGTERM')
    await ended
  })

  it('stops without an announcement when it is told to before it is ready', async () => {
    const fake = fakeServer(new Promise(() => {}))
    const ended = serve(parseServerOptions([`--data-dir=${folder}`]), fake)
    process.emit('SIGTERM', 'SIGTERM')
    expect(await ended).toBe(0)
    expect(fake.events).toEqual(['closed'])
  })
})
