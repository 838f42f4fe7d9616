/** Durations as tables print them: two units at most, coarser as they grow (`95s`, `4m5s`, `3d4h`, `2y30d`). */
const second = 1000
const minute = 60 * second
const hour = 60 * minute

export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / second)
  if (seconds < -1) return '<invalid>'
  if (seconds <= 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(milliseconds / minute)
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(milliseconds / hour)
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (hours < 24 * 8) return twoUnits(days, 'd', hours % 24, 'h')
  if (hours < 24 * 365 * 2) return `${days}d`
  const years = Math.trunc(days / 365)
  return hours < 24 * 365 * 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`
}

const twoUnits = (first: number, firstUnit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${first}${firstUnit}` : `${first}${firstUnit}${rest}${restUnit}`

/** How long ago a timestamp was: `<unknown>` without one, `<invalid>` when it lies ahead. */
export function age(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>'
  const then = Date.parse(timestamp)
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now - then)
}
