/**
 * How amounts that are not in canonical form were written: `1.5` for `1500m`. Objects hold the canonical form alone, but
 * some of the reference's messages show an amount as it was read. The latest writing of an amount counts, and only so many
 * are remembered; it is a matter of texts, so that all servers of a process may share it.
 */
const maxWritings = 1000
const writings = new Map<string, string>()

export function noteWriting(canonical: string, written: string): void {
  if (written === canonical) {
    if (writings.size > 0) writings.delete(canonical)
    return
  }
  if (writings.size >= maxWritings) writings.clear()
  writings.set(canonical, written)
}

export const writingOf = (canonical: string): string => writings.get(canonical) ?? canonical
