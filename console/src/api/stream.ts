// Streams of the console's own endpoints (`?follow=true`): lines until the view goes away, opened again when they are cut.
import { effect, type Signal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { holdConnection } from '../lib/connections.ts'
import { jsonLines } from '../lib/json-lines.ts'
import { messageOf } from '../lib/message.ts'
import { isAborted, open, Refusal } from './http.ts'
import type { Freshness } from './reflector.ts'

export interface StreamLine {
  readonly type: string
}

export interface Following {
  readonly state: Signal<Freshness>
  stop(): void
}

const retryMs = 2000

/** Every opening begins anew, which `onLines` hears by `first`. */
export function follow<Line extends StreamLine>(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  onLines: (lines: readonly Line[], first: boolean) => void,
): Following {
  const abort = new AbortController()
  const state = signal<Freshness>({ phase: 'loading', loaded: 0 })
  let release = () => {}
  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        release = holdConnection()
        const answer = await open(path, { query: { ...query, follow: 'true' }, accept: '*/*', signal: abort.signal })
        state.value = { phase: 'live' }
        let first = true
        for await (const lines of jsonLines<Line>(answer.body as ReadableStream<Uint8Array>)) {
          onLines(lines, first)
          first = false
        }
      } catch (error) {
        if (isAborted(error) || abort.signal.aborted) return
        if (error instanceof Refusal && error.code < 500 && error.code !== 429) {
          state.value = { phase: 'refused', why: error.message, code: error.code }
          return
        }
        state.value = { phase: 'reconnecting', since: Date.now(), why: messageOf(error) }
      } finally {
        release()
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
  void run()
  return { state, stop: () => abort.abort() }
}

export interface Followed<Line> {
  readonly line?: Line
  readonly state: Freshness
}

interface FollowOptions {
  /** Of the lines that are the state; others are heartbeats and the like. */
  readonly type: string
  readonly query?: Readonly<Record<string, string | undefined>>
}

const notYet: Freshness = { phase: 'loading', loaded: 0 }

/** The newest state that a stream tells; members that a line leaves out stay. Undefined: nothing is followed. */
export function useFollowed<Line extends StreamLine>(
  path: string | undefined,
  { type, query = {} }: FollowOptions,
): Followed<Line> {
  const [line, setLine] = useState<Line | undefined>(undefined)
  const [state, setState] = useState<Freshness>(notYet)
  const key = JSON.stringify(query)
  useEffect(() => {
    if (path === undefined) return
    setLine(undefined)
    const following = follow<Line>(path, JSON.parse(key), (lines) => {
      for (const each of lines) if (each.type === type) setLine((before) => ({ ...before, ...each }))
    })
    const unsubscribe = effect(() => setState(following.state.value))
    return () => {
      unsubscribe()
      following.stop()
    }
  }, [path, key])
  return line === undefined ? { state } : { line, state }
}
