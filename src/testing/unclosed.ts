/**
 * A test server does not keep its process alive. One that is never closed says so when the process ends, instead of
 * keeping it from ending.
 */
import process from 'node:process'

interface Unclosed {
  readonly url: string
  /** Where it was started: the first line of the stack that is none of ours. */
  readonly place: string
}

const open = new Set<Unclosed>()
let isListening = false

/** The result is called when the server is closed. */
export function trackOpenServer(url: string, place: string): () => void {
  const entry = { url, place }
  open.add(entry)
  if (!isListening) process.once('exit', reportUnclosed)
  isListening = true
  return () => open.delete(entry)
}

function reportUnclosed(): void {
  for (const { url, place } of open) {
    process.stderr.write(
      `pilothouse: the test server ${url}${place === '' ? '' : `, started at ${place},`} was not closed: call server.close(), or use \`await using\`\n`,
    )
  }
}
