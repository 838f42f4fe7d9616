/** What a pod asks for altogether: containers add up, init containers count by their highest, side-cars with all. */
import type { StringMap } from '../api/object.ts'
import { Quantity } from '../api/quantity.ts'
import type { Container, PodSpec } from '../catalog/types/core-v1.ts'

/** Amounts by resource name. */
export type Amounts = Map<string, Quantity>

export function amountsOf(list: StringMap | undefined): Amounts {
  const amounts: Amounts = new Map()
  for (const [name, text] of Object.entries(list ?? {})) amounts.set(name, Quantity.parse(String(text)))
  return amounts
}

export function addQuantities(target: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const before = target.get(name)
    target.set(name, before === undefined ? amount : before.add(amount))
  }
}

function raiseAmounts(target: Amounts, least: Amounts): void {
  for (const [name, amount] of least) {
    const before = target.get(name)
    if (before === undefined || before.compare(amount) < 0) target.set(name, amount)
  }
}

type ResourceSide = 'requests' | 'limits'

/** The sum over a pod's containers; `overhead` adds what the runtime itself takes. */
export function podAmounts(spec: PodSpec, part: ResourceSide, options: { readonly overhead?: boolean } = {}): Amounts {
  const of = (container: Container): Amounts => amountsOf(container.resources?.[part])
  const total: Amounts = new Map()
  for (const container of spec.containers ?? []) addQuantities(total, of(container))
  const sidecars: Amounts = new Map()
  const highest: Amounts = new Map()
  for (const container of spec.initContainers ?? []) {
    const own = of(container)
    if (container.restartPolicy === 'Always') {
      addQuantities(sidecars, own)
      raiseAmounts(highest, sidecars)
    } else {
      addQuantities(own, sidecars)
      raiseAmounts(highest, own)
    }
  }
  addQuantities(total, sidecars)
  raiseAmounts(total, highest)
  if (options.overhead) addOverhead(total, amountsOf(spec.overhead), part)
  return total
}

/** An amount that nothing limits, or that is limited to none, stays as it is. */
function addOverhead(total: Amounts, overhead: Amounts, part: ResourceSide): void {
  for (const [name, amount] of overhead) {
    const before = total.get(name)
    if (part === 'limits' && (before === undefined || before.isZero())) continue
    total.set(name, before === undefined ? amount : before.add(amount))
  }
}

/** Asks for neither computing nor memory. */
export function isBestEffort(spec: PodSpec): boolean {
  const asks = ({ resources }: Container): boolean =>
    [resources?.requests, resources?.limits].some((list) =>
      ['cpu', 'memory'].some((name) => list?.[name] !== undefined && Quantity.parse(list[name]).sign() > 0),
    )
  return ![...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(asks)
}
