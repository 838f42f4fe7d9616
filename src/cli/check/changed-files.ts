/** Waits until something in files or folders has changed. */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/** Names, sizes and times of all that is there; what cannot be read counts as such. */
export function signatureOf(names: readonly string[]): string {
  return names.flatMap(factsOf).join('\n')
}

function factsOf(name: string): string[] {
  try {
    const { mtimeMs, size, ino } = statSync(name)
    const own = `${name} ${mtimeMs} ${size} ${ino}`
    return [
      own,
      ...(statSync(name).isDirectory() ? readdirSync(name).flatMap((each) => factsOf(path.join(name, each))) : []),
    ]
  } catch {
    return [`${name} is not there`]
  }
}

const lookMs = 300

/** Resolves when they are no longer what they were; false when the signal ends it. */
export async function untilChanged(names: readonly string[], before: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (signatureOf(names) !== before) return true
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, lookMs)
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
    })
  }
  return false
}
