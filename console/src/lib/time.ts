// Times as people read them.

/** A duration as kubectl prints ages: two units at most. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8 && hours % 24 !== 0) return `${days}d${hours % 24}h`
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y${days % 365}d`
}

let skewMs = 0

/** How far the server's clock is ahead: that of a test server can be set. */
export function setClockSkew(ms: number): void {
  skewMs = ms
}

/** The time that the server has. */
export const serverNow = (): number => Date.now() + skewMs

export const ageOf = (timestamp: string | undefined, now = serverNow()): string =>
  timestamp === undefined || timestamp === '' ? '' : age(now - Date.parse(timestamp))

/** `14:03:22.108`, in the browser's zone. */
export function clockTime(timestamp: string | number): string {
  const at = new Date(timestamp)
  if (Number.isNaN(at.getTime())) return String(timestamp)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** `2026-11-16 14:03:22`, in the browser's zone. */
export function dateTime(timestamp: string | number): string {
  const at = new Date(timestamp)
  if (Number.isNaN(at.getTime())) return String(timestamp)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clockTime(at.getTime()).slice(0, 8)}`
}

export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : age(ms)
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`
  const unit = Math.min(4, Math.floor(Math.log2(count) / 10))
  const value = count / 1024 ** unit
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}`
}
