// Newline-delimited JSON, as watches send it.

/** Each line of a stream that is not empty, parsed. A line may be split over chunks anywhere. */
export async function* jsonLines<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T[]> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      const parsed = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T)
      if (parsed.length > 0) yield parsed
      if (done) return
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
