/** What `--simulate` says: whether the server is a cluster that lives, and what of. */
import { Quantity } from '../api/quantity.ts'
import { ConfigError } from './config-error.ts'
import type { FlagValues } from './flags.ts'
import { parseGoBool, parseGoInt } from './go-values.ts'

export interface SimulateSettings {
  /** How many nodes are registered at the start. */
  readonly nodes: number
  /** Seeds everything that is left to chance; absent: chance is chance. */
  readonly seed: number | undefined
  /** False: pods are bound by another scheduler. */
  readonly scheduler: boolean
  /** The names of schedulers whose pods it binds, each with the default profile. */
  readonly schedulers: string
  /** What each of these nodes has. */
  readonly cpu: string
  readonly memory: string
  readonly pods: number
  /** Over how many zones they are spread; 0: they are in none. */
  readonly zones: number
  /** Seconds between two renewals of a node's Lease; 0: a Lease lasts until its node fails. */
  readonly heartbeat: number
  /** Sets of stages that are there from the start; without stages of their own, pods and nodes live as with kubelets. */
  readonly stages: readonly StageSet[]
  /** Images that no registry has, `*` for any text: `*:404`. */
  readonly missingImages: readonly string[]
}

const stageSets = ['pod-fast', 'pod-general', 'pod-chaos', 'node-fast', 'node-heartbeat', 'node-chaos'] as const
export type StageSet = (typeof stageSets)[number]

const defaults: SimulateSettings = {
  nodes: 3,
  seed: undefined,
  scheduler: true,
  schedulers: 'default-scheduler',
  cpu: '16',
  memory: '64Gi',
  pods: 110,
  zones: 3,
  heartbeat: 10,
  stages: [],
  missingImages: [],
}
const maxNodes = 5000

type Reader = (text: string) => SimulateSettings[keyof SimulateSettings]

const count =
  (max: number): Reader =>
  (text) => {
    const value = parseGoInt(text)
    if (value < 0 || value > max) throw new ConfigError(`must be between 0 and ${max}`)
    return value
  }

/** `pod-general+pod-chaos` */
const sets: Reader = (text) =>
  text.split('+').map((name) => {
    const known = stageSets.find((each) => each === name)
    if (known === undefined) throw new ConfigError(`the sets of stages are ${stageSets.join(', ')}`)
    return known
  })

/** `*:404+*:non-existent` */
const patterns: Reader = (text) => text.split('+').filter((each) => each !== '')

const quantity: Reader = (text) => {
  const problem = Quantity.check(text)
  if (problem !== undefined) throw new ConfigError(problem)
  return text
}

/** `a+b`: the comma is between settings. */
const schedulerNames: Reader = (text) => {
  if (text.split('+').includes('')) throw new ConfigError('must be names of schedulers with + between them')
  return text
}

const readers: Readonly<Record<keyof SimulateSettings, Reader>> = {
  nodes: count(maxNodes),
  seed: count(2 ** 32 - 1),
  scheduler: parseGoBool,
  schedulers: schedulerNames,
  cpu: quantity,
  memory: quantity,
  pods: count(100_000),
  zones: count(26),
  heartbeat: count(30),
  stages: sets,
  missingImages: patterns,
}

/** Undefined: nothing is simulated. */
export function simulateOptions(flags: FlagValues): SimulateSettings | undefined {
  const given = flags.list('simulate')
  if (given.length === 0 || given.at(-1) === 'false') return undefined
  const pairs = given.filter((each) => each !== 'true' && each !== 'false').map(readPair)
  return { ...defaults, ...Object.fromEntries(pairs) }
}

function readPair(text: string): [string, SimulateSettings[keyof SimulateSettings]] {
  const at = text.indexOf('=')
  const name = at < 0 ? text : text.slice(0, at)
  const known = Object.entries(readers).find(([key]) => key === name)
  const wrong = (why: string) => new ConfigError(`--simulate: ${JSON.stringify(text)}: ${why}`)
  if (known === undefined) throw wrong(`the settings are ${Object.keys(readers).join(', ')}`)
  if (at < 0) throw wrong(`a value is missing: ${name}=…`)
  try {
    return [name, known[1](text.slice(at + 1))]
  } catch (error) {
    throw error instanceof ConfigError ? wrong(error.message) : error
  }
}
