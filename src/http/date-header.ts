/** The `Date` header, made at most once a second. */
let text = ''
let second = 0

export function dateHeader(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    text = new Date(now * 1000).toUTCString()
  }
  return text
}
