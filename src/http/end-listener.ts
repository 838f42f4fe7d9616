/** Listeners for the completion of an answer. Most requests have one listener, which is called as it is. */
export type EndListener = (status: number, bytes: number) => void

export function combineEndListeners(first: EndListener | undefined, second: EndListener): EndListener {
  if (first === undefined) return second
  return (status, bytes) => {
    first(status, bytes)
    second(status, bytes)
  }
}
