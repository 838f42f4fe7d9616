/** Time zones by the names of the IANA database. */

/** Whether the zone is known, spelled exactly so. */
export function isKnownZone(name: string): boolean {
  // Engines leave out the zone of unset clocks.
  if (name === '' || name === 'UTC' || name === 'Factory') return true
  // Offsets are no names, although newer engines take them for some.
  if (/^[+-]/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // Engines overlook case. An alias resolves to another name, whose case says nothing of the alias's own: but every
    // part of a name in the database begins with a capital.
    return timeZone === name || (timeZone.toLowerCase() !== name.toLowerCase() && !/(^|\/)[a-z]/.test(name))
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Names as the database forms them; digits and plus are in old ones. */
export const isZoneName = (name: string): boolean =>
  name
    .split('/')
    .every((part) => part !== '.' && part !== '..' && !part.startsWith('-') && /^[A-Za-z.\-_0-9+]{1,14}$/.test(part))
