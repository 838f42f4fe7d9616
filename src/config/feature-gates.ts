/**
 * Feature gates: which are known at the emulated version, how each is set, and what `--feature-gates` may say about
 * them. A resolved set never changes.
 *
 * `AllAlpha` and `AllBeta` move every gate of that stage that is not named itself.
 *
 * The tables (facts/gates.txt, facts/older-gates.txt) have a line a gate: its name, then each stage of its life as
 * `release:stage`, with `+` where it is on by default and `!` where it can no longer be changed.
 */
import { changeNamed, hasChange } from '../api/release-changes.ts'
import { factText, isLaterRelease } from '../api/release-facts.ts'
import { ConfigError, throwConfigErrors } from './config-error.ts'
import { compareReleases, formatRelease, type MinorVersion, parseMinorVersion } from './emulated-version.ts'
import { featureGateTable } from './feature-gate-table.ts'
import { parseGoBool } from './go-values.ts'
import { laterFeatureGates } from './later-feature-gates.ts'
import { nearestNames } from './nearest-names.ts'
import { olderFeatureGateTable } from './older-feature-gate-table.ts'

export type FeatureStage = 'alpha' | 'beta' | 'ga' | 'deprecated'

export interface FeatureGateState {
  readonly name: string
  readonly stage: FeatureStage
  readonly enabled: boolean
}

export interface FeatureGates {
  /** Asking for a gate that does not exist is a programming error and throws. Changes of releases are asked for as well: `release:…`. */
  enabled(name: string): boolean
  /** Every gate that exists at the emulated version, by name. */
  all(): readonly FeatureGateState[]
  /** What the settings deserve to be warned about, twice each: the reference says so as it reads the flag and again as it settles the version. */
  readonly warnings: readonly string[]
}

interface FeatureSpec {
  readonly since: MinorVersion
  /** `gone`: from then on it is unknown. */
  readonly stage: FeatureStage | 'gone'
  readonly enabled: boolean
  readonly locked: boolean
}

type ActiveSpec = FeatureSpec & { readonly stage: FeatureStage }

const metaGates: Readonly<Record<string, FeatureStage>> = { AllAlpha: 'alpha', AllBeta: 'beta' }

/** Reads the values of the flag: pairs `Gate=bool` or `kube:Gate=bool`, separated by commas. Later pairs win. */
export function parseFeatureGates(values: readonly string[]): ReadonlyMap<string, boolean> {
  const settings = new Map<string, boolean>()
  for (const item of values.flatMap((value) => value.split(',')).map((text) => text.trim())) {
    if (item === '') continue
    const colon = item.indexOf(':')
    const component = colon < 0 ? 'kube' : item.slice(0, colon).trim()
    if (component !== 'kube') throw new ConfigError(`component not registered: ${component}`)
    const pair = item.slice(colon + 1).trim()
    const at = pair.indexOf('=')
    if (at < 0) throw new ConfigError(`missing bool value for ${pair}`)
    settings.set(pair.slice(0, at).trim(), parseGateValue(pair.slice(0, at).trim(), pair.slice(at + 1).trim()))
  }
  return settings
}

function parseGateValue(name: string, text: string): boolean {
  try {
    return parseGoBool(text)
  } catch (error) {
    throw new ConfigError(`invalid value of ${name}=${text}, err: ${(error as Error).message}`)
  }
}

export function resolveFeatureGates(settings: ReadonlyMap<string, boolean>, emulation: MinorVersion): FeatureGates {
  const known = knownGates(emulation)
  const specs = specsAt(known, emulation)
  const warnings = checkSettings(settings, specs, { emulation, known })
  const states = new Map<string, FeatureGateState>()
  for (const [name, { stage, enabled }] of specs) {
    const meta = stage === 'alpha' ? settings.get('AllAlpha') : stage === 'beta' ? settings.get('AllBeta') : undefined
    states.set(name, { name, stage, enabled: settings.get(name) ?? meta ?? enabled })
  }
  for (const [name, stage] of Object.entries(metaGates)) {
    states.set(name, { name, stage, enabled: settings.get(name) ?? false })
  }
  return featureGateSet(states, { emulation, known }, [...warnings, ...warnings])
}

function featureGateSet(
  states: ReadonlyMap<string, FeatureGateState>,
  { emulation, known }: GatesAtRelease,
  warnings: readonly string[],
): FeatureGates {
  const sorted = [...states.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const resolve = (name: string): boolean => {
    const state = states.get(name)
    if (state !== undefined) return state.enabled
    const change = changeNamed(name)
    if (change !== undefined) return hasChange(emulation.minor, change)
    const settled = settledGate(name, known)
    if (settled !== undefined) return settled
    throw new Error(`feature ${JSON.stringify(name)} is not registered`)
  }
  // Asked some fifty times a write, by names that the program has: memoized.
  const resolved = new Map<string, boolean>()
  return Object.freeze({
    enabled(name: string) {
      const before = resolved.get(name)
      if (before !== undefined) return before
      const isEnabled = resolve(name)
      resolved.set(name, isEnabled)
      return isEnabled
    },
    all: () => sorted,
    warnings,
  })
}

function unknownGate(name: string, known: Iterable<string>): ConfigError {
  const near = nearestNames(name, known)
  const hint = near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`
  return new ConfigError(`unrecognized feature gate: ${name}${hint}`)
}

interface GatesAtRelease {
  readonly emulation: MinorVersion
  readonly known: GateTable
}

function checkSettings(
  settings: ReadonlyMap<string, boolean>,
  specs: ReadonlyMap<string, ActiveSpec>,
  { emulation, known }: GatesAtRelease,
): string[] {
  const errors: string[] = []
  const warnings: string[] = []
  for (const [name, value] of settings) {
    if (Object.hasOwn(metaGates, name)) continue
    const spec = specs.get(name)
    if (spec === undefined && isUnknown(known.get(name), emulation)) throw unknownGate(name, specs.keys())
    if (spec === undefined) {
      errors.push(
        `cannot set feature gate ${name} to ${value}, feature is PreAlpha at emulated version ${formatRelease(emulation)}`,
      )
    } else if (spec.locked && spec.enabled !== value) {
      errors.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${spec.enabled}`)
    } else if (spec.stage === 'ga' || spec.stage === 'deprecated') {
      const stage = spec.stage === 'ga' ? 'GA' : spec.stage
      warnings.push(`Setting ${stage} feature gate ${name}=${value}. It will be removed in a future release.`)
    }
  }
  throwConfigErrors(errors)
  return warnings
}

/** No release has heard of it, or this one no longer has. */
function isUnknown(specs: readonly FeatureSpec[] | undefined, version: MinorVersion): boolean {
  const last = specs?.at(-1)
  return last === undefined || (last.stage === 'gone' && compareReleases(last.since, version) <= 0)
}

/** Each gate as it is at a version; gates that came later are not active. */
function specsAt(known: GateTable, version: MinorVersion): ReadonlyMap<string, ActiveSpec> {
  const active = new Map<string, ActiveSpec>()
  for (const [name, specs] of known) {
    const spec = specs.findLast(({ since }) => compareReleases(since, version) <= 0)
    if (spec !== undefined && spec.stage !== 'gone') active.set(name, { ...spec, stage: spec.stage })
  }
  return active
}

/** What holds of a gate that a release does not have: what came later is off, and what is gone stays as it was left. */
function settledGate(name: string, known: GateTable): boolean | undefined {
  if (known.has(name)) return false
  const last = defaultGates().get(name)?.at(-1)
  if (last !== undefined) return last.enabled
  laterGates ??= new Set(laterFeatureGates.split('\n'))
  return laterGates.has(name) ? false : undefined
}

type GateTable = ReadonlyMap<string, readonly FeatureSpec[]>

let laterGates: ReadonlySet<string> | undefined
let defaultTable: GateTable | undefined
const laterTables = new Map<number, GateTable>()

/** The gates of the default release and of all before it. */
function defaultGates(): GateTable {
  defaultTable ??= withEarlierStages(readTable(featureGateTable), readTable(olderFeatureGateTable))
  return defaultTable
}

/** The gates that a release has heard of. */
function knownGates({ minor }: MinorVersion): GateTable {
  if (!isLaterRelease(minor)) return defaultGates()
  const known = laterTables.get(minor) ?? readTable(factText(minor, 'gates.txt', featureGateTable))
  laterTables.set(minor, known)
  return known
}

const readTable = (text: string): GateTable => new Map(text.trim().split('\n').map(parseRow))

function withEarlierStages(present: GateTable, older: GateTable): GateTable {
  const all = new Map(older)
  for (const [name, specs] of present) all.set(name, [...(older.get(name) ?? []), ...specs])
  return all
}

function parseRow(row: string): [string, FeatureSpec[]] {
  const [name = '', ...entries] = row.split(' ')
  return [name, entries.map(parseSpec)]
}

function parseSpec(text: string): FeatureSpec {
  const [, release = '', stage, on, locked] = /^([\d.]+):(alpha|beta|ga|deprecated|gone)(\+?)(!?)$/.exec(text) ?? []
  const since = releaseNamed(release)
  if (since === undefined) throw new Error(`the table of feature gates is broken at ${text}`)
  return { since, stage: stage as FeatureSpec['stage'], enabled: on === '+', locked: locked === '!' }
}

const releases = new Map<string, MinorVersion | undefined>()

/** The table names few of them, again and again. */
function releaseNamed(text: string): MinorVersion | undefined {
  if (!releases.has(text)) releases.set(text, parseMinorVersion(text))
  return releases.get(text)
}
