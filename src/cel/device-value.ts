/** A device as selectors see it. Mirrors dynamic-resource-allocation/cel: DeviceMatches. */
import { quantityValue } from './library/quantity.ts'
import { semverValue } from './library/semver.ts'
import { EntryMap, type MapValue, type Value } from './values.ts'

export type AttributeValue =
  | { readonly kind: 'plain'; readonly value: number | bigint | boolean | string }
  | { readonly kind: 'version'; readonly value: string }

export interface SelectableDevice {
  readonly driver: string
  /** By name; a name without a domain is in the driver's. */
  readonly attributes: Iterable<readonly [name: string, value: AttributeValue]>
  /** Quantities by name. */
  readonly capacity: Iterable<readonly [name: string, quantity: string]>
}

/** Facts by domain. A domain of which nothing is known is empty. */
class Domains implements MapValue {
  readonly kind = 'map'
  readonly #domains = new EntryMap()
  readonly #nothing = new EntryMap()

  get size(): number {
    return this.#domains.size
  }

  find(key: Value): Value | undefined {
    return this.#domains.find(key) ?? this.#nothing
  }

  keys(): readonly Value[] {
    return this.#domains.keys()
  }

  set(name: string, driver: string, value: Value): void {
    const slash = name.indexOf('/')
    const domain = slash < 0 ? driver : name.slice(0, slash)
    const known = this.#domains.find(domain)
    const facts = known instanceof EntryMap ? known : new EntryMap()
    facts.set(name.slice(slash + 1), value)
    this.#domains.set(domain, facts)
  }
}

/** Throws where a version is none. */
export function deviceValue({ driver, attributes, capacity }: SelectableDevice): Value {
  const known = new Domains()
  for (const [name, { kind, value }] of attributes) {
    known.set(name, driver, kind === 'version' ? semverValue(value) : value)
  }
  const capacities = new Domains()
  for (const [name, quantity] of capacity) capacities.set(name, driver, quantityValue(quantity))
  const device = new EntryMap()
  device.set('driver', driver)
  device.set('attributes', known)
  device.set('capacity', capacities)
  return device
}
