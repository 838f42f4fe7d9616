/** Waits for objects to become what a test expects, by the changes themselves rather than by asking again and again. */
import { fromHub } from '../registry/convert.ts'
import { watchObjects } from '../registry/object-watch.ts'
import type { ApiObject } from './api/objects.ts'
import type { WaitOptions } from './api/server.ts'
import { errorAtCaller } from './caller.ts'
import type { FoundResource } from './resource-lookup.ts'
import { tidy } from './tidy.ts'

export const defaultTimeoutMs = 30_000

export type PresentObjects = ReadonlyMap<string, ApiObject>

/**
 * Looks at all objects of a resource, now and after every change, until `look` finds what it looks for. Rejects when that
 * takes too long, with `wanted` and what was there.
 */
export async function watchUntil<T>(
  found: FoundResource,
  look: (present: PresentObjects) => T | undefined,
  { timeout = defaultTimeoutMs, namespace, signal, wanted }: WaitOptions & { wanted: string },
): Promise<T> {
  const late = errorAtCaller()
  const present = new Map<string, ApiObject>()
  let end: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  let abort: (() => void) | undefined
  try {
    return await new Promise<T>((resolve, reject) => {
      let isComplete = false
      const check = (): void => {
        if (!isComplete) return
        try {
          const answer = look(present)
          if (answer !== undefined) resolve(answer)
        } catch (error) {
          reject(error as Error)
        }
      }
      const changed = (type: string, entry: { namespace: string; name: string; object(): object }): void => {
        const key = `${entry.namespace}/${entry.name}`
        if (type === 'DELETED') present.delete(key)
        else present.set(key, shown(found, entry.object()))
        check()
      }
      timer = setTimeout(() => reject(late(tooLate(found, wanted, timeout, present))), timeout)
      abort = () => reject(signal?.reason as Error)
      if (signal?.aborted) abort()
      signal?.addEventListener('abort', abort, { once: true })
      watchObjects(found.registry, { changed }, namespace).then((close) => {
        end = close
        isComplete = true
        check()
      }, reject)
    })
  } finally {
    clearTimeout(timer)
    if (abort !== undefined) signal?.removeEventListener('abort', abort)
    end?.()
  }
}

/** A copy in the version that clients see, which the test may keep and change. */
function shown({ registry, version }: FoundResource, object: object): ApiObject {
  const remote = registry.definition.remoteConversion !== undefined
  return structuredClone(remote ? object : fromHub(version, object as Parameters<typeof fromHub>[1])) as ApiObject
}

const maxShown = 2000

function tooLate(found: FoundResource, wanted: string, ms: number, present: PresentObjects): string {
  const objects = JSON.stringify(tidy([...present.values()]))
  const there = present.size === 0 ? 'there were none' : `there were ${present.size}: ${objects.slice(0, maxShown)}`
  return `${found.registry.definition.resource} did not become ${wanted} within ${ms} ms; ${there}`
}

interface NextOptions<T> {
  readonly matches: (item: T) => boolean
  /** Real milliseconds. */
  readonly timeout: number
  /** What there was none of. */
  readonly wanted: string
}

/** The first matching item that listeners are called with. Rejects when none does in time, or when matching throws. */
export function nextOf<T>(listeners: Set<(item: T) => void>, { matches, timeout, wanted }: NextOptions<T>): Promise<T> {
  const late = errorAtCaller()
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      listeners.delete(listener)
      settle()
    }
    const listener = (item: T): void => {
      try {
        if (matches(item)) end(() => resolve(item))
      } catch (error) {
        end(() => reject(error as Error))
      }
    }
    const timer = setTimeout(() => end(() => reject(late(`no ${wanted}`))), timeout)
    listeners.add(listener)
  })
}
