/** Numbers in [0, 1) that are the same for the same seed (mulberry32). Not for secrets. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Streams that are kept at a time; the one that began first makes way. */
const maxStreams = 10_000

/**
 * Independent streams of such numbers, by name: drawing from one does not change the others, in whatever order
 * they are used.
 */
export function seededStreams(seed: string): (stream?: string) => number {
  const streams = new Map<string, () => number>()
  let dropped = 0
  return (stream = '') => {
    const known = streams.get(stream)
    if (known !== undefined) return known()
    // A stream that begins again is another one.
    const random = seededRandom(hashOf(`${seed} ${dropped} ${stream}`))
    streams.set(stream, random)
    if (streams.size > maxStreams) {
      for (const oldest of streams.keys()) {
        streams.delete(oldest)
        break
      }
      dropped++
    }
    return random()
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
