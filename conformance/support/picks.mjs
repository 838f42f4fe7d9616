// What scenarios make of answers before they are recorded, and how they wait.

/** Waits for something that takes effect a little later; goes on when it never does. */
export const settle = (t, probe, ms = 6000) => t.until(probe, ms).catch(() => {})

/**
 * A `pick` for what depends on the clock and on other clients: managedFields come in one order (theirs goes by whole
 * seconds when several managers wrote), and a list's resourceVersion only shows that it is there.
 */
export const stable = (v) => {
  if (Array.isArray(v)) return v.map(stable)
  if (!v || typeof v !== 'object') return v
  const out = {}
  for (const [key, x] of Object.entries(v)) {
    out[key] =
      key === 'managedFields' && Array.isArray(x) ? [...x].sort((a, b) => (order(a) < order(b) ? -1 : 1)) : stable(x)
  }
  if ((v.items || v.rows) && out.metadata?.resourceVersion) out.metadata.resourceVersion = 0
  return out
}

const order = (m) => [m.manager, m.operation, m.apiVersion, m.subresource ?? ''].join(' ')

/** A `pick` for a failure whose causes come in no fixed order, being the keys of a map: sorts them, in the message too. */
export const unordered = (b) => {
  if (!b?.details?.causes?.length) return b
  const parts = [...new Set(b.details.causes.map((c) => `${c.field}: ${c.message}`))].sort()
  let rest = b.message
  for (const p of parts) rest = rest.replace(p, () => '')
  const key = (c) => `${c.field} ${c.message}`
  const causes = [...b.details.causes].sort((x, y) => (key(x) < key(y) ? -1 : 1))
  const message = rest + parts.filter((p) => b.message.includes(p)).join(' | ')
  return { ...b, message, details: { ...b.details, causes } }
}
