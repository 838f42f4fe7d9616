/** What must never be in an answer or an error: words of the engine in place of words about the input. */

const engineWords =
  /\b(TypeError|ReferenceError|RangeError|SyntaxError|EvalError|URIError|AssertionError)\b|Cannot (read|set|destructure|convert|mix|create|access|delete|assign|define|use)|is not (a function|iterable|a constructor|defined|extensible)|Maximum call stack|Invalid (array|string|typed array) length|Unexpected (token|end of JSON)|\[object Object\]|(?:\n|\\n) +at .+:\d+:\d+|(?:program-[0-9a-f]+\.cjs|\.ts|\.mjs):\d+|Invalid BigInt|cannot be converted to a BigInt|before initialization|circular structure|ERR_[A-Z]{3,}|undefined \(reading/

/** The words that give an error of the engine away, or undefined. */
export function engineWordsIn(text: string): string | undefined {
  return engineWords.exec(text)?.[0]
}

/** Of an answer: only what the server says itself, not what it repeats of the input. */
export function toldOf(status: number, body: Buffer): string {
  if (status < 400) return ''
  const text = body.toString('utf8')
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return withoutQuotes(typeof message === 'string' ? message : text)
  } catch {
    return withoutQuotes(text)
  }
}

/** What was sent comes back in quotes. */
const withoutQuotes = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/gs, '"…"')
