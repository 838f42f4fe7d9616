// Over plain HTTP/1.1 browsers open six connections to an origin: streams must leave some of them to requests.

const isScarce = (): boolean => typeof location !== 'undefined' && location.protocol === 'http:'

const maxStreams = 4
let open = 0

/** A stream that must be opened, whatever is open already. */
export function holdConnection(): () => void {
  open += 1
  let held = true
  return () => {
    if (held) open -= 1
    held = false
  }
}

/** Undefined where there is none left: whoever asks must do without a stream. */
export const tryConnection = (): (() => void) | undefined =>
  isScarce() && open >= maxStreams ? undefined : holdConnection()
