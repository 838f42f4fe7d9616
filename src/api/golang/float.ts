/** Numbers as Go prints them: with an exponent of two digits where they are very small or very large. */
export function goFloat(value: number): string {
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-4 && size < 1e21)) return String(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  return `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`
}
