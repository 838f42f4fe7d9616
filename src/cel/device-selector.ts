/** Expressions that choose devices: `device` with its driver, and its attributes and capacities by domain and name. */

import { hasChange } from '../api/release-changes.ts'
import { defaultRelease } from '../api/release-facts.ts'
import type { SizeEstimator } from './cost-estimate.ts'
import {
  type Environment,
  type ExpressionScope,
  newExpressionsAt,
  storedExpressions,
  typedVariable,
} from './environment.ts'
import { bindingsLibrary } from './library/bindings.ts'
import { includesLibrary } from './library/includes.ts'
import { QUANTITY } from './library/quantity.ts'
import { semverLibrary } from './library/semver.ts'
import { estimateProgramCost, type Program } from './program.ts'
import { ANY, BOOL, DYN, mapType, STRING, structType, type Type } from './types.ts'

/** What a selector may cost at worst. */
const SELECTOR_ESTIMATE_LIMIT = 1_000_000n

const deviceType = ({ shared, lists }: { readonly shared: boolean; readonly lists: boolean }): Type => {
  const fields = new Map([
    ['driver', STRING],
    ['attributes', mapType(STRING, mapType(STRING, lists ? DYN : ANY))],
    ['capacity', mapType(STRING, mapType(STRING, QUANTITY))],
  ])
  if (shared) fields.set('allowMultipleAllocations', BOOL)
  return structType('kubernetes.DRADevice', (name) => fields.get(name))
}

/** What decides which selectors of devices a server takes. */
export interface DeviceSelectorScope extends ExpressionScope {
  /** Whether new ones may ask for devices that several claims may have. */
  readonly shared?: boolean
  /** Whether attributes may be lists. */
  readonly lists?: boolean
}

/**
 * Versions were known to selectors before they were to others: new expressions may use them all the same, until v1.34.
 * Mirrors dynamic-resource-allocation/cel: newCompiler.
 */
export function deviceSelectorEnvironment(
  stored: boolean,
  scope: DeviceSelectorScope = { release: defaultRelease },
): Environment {
  const { release, shared = false, lists = false } = scope
  const knowsShared = hasChange(release, 'sharedDeviceSelectors')
  const device = deviceType({ shared: stored ? knowsShared : shared, lists })
  return (stored ? storedExpressions(release) : newExpressionsAt(scope)).extend({
    variables: new Map([['device', typedVariable(device)]]),
    libraries: [
      bindingsLibrary,
      ...(stored || knowsShared ? [] : [semverLibrary]),
      ...((stored ? hasChange(release, 'listAttributeSelectors') : lists) ? [includesLibrary] : []),
    ],
  })
}

interface Sized {
  readonly max: bigint
  readonly fields?: Readonly<Record<string, Sized>>
  readonly key?: Sized
  readonly value?: Sized
  /** Whatever name is asked for below, it is a value. */
  readonly anyName?: boolean
}

const domain: Sized = { max: 63n }
const name: Sized = { max: 32n }
const factsOf = (value: Sized, anyName: boolean): Sized => ({
  max: 32n,
  key: domain,
  value: { max: 32n, key: name, value, anyName },
})

const sized: Sized = {
  max: 0n,
  fields: {
    driver: { max: 63n },
    attributes: factsOf({ max: 64n }, true),
    capacity: factsOf({ max: 0n }, false),
  },
}

const sizes: SizeEstimator = (path) => {
  if (path[0] !== 'device') return undefined
  let at: Sized | undefined = sized
  for (const step of path.slice(1)) at = below(at, step)
  return at && { min: 0n, max: at.max }
}

function below(at: Sized | undefined, step: string): Sized | undefined {
  if (step === '@items' || step === '@values') return at?.value
  if (step === '@keys') return at?.key
  return at?.fields?.[step] ?? (at?.anyName === true ? at.value : undefined)
}

export const isTooComplexSelector = (program: Program): boolean =>
  estimateProgramCost(program, sizes).max > SELECTOR_ESTIMATE_LIMIT
