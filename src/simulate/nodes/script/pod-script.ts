/**
 * What a script says of a pod, as data: the testing library makes it of its calls, and a pod may carry it in an annotation. What
 * is not known in it is refused by name.
 */
import { Quantity } from '../../../api/quantity.ts'

/** The annotation of pods whose value is a script as JSON. */
export const scriptAnnotation = 'simulate.pilothouse.dev/script'

/** Times are milliseconds. Every part is optional; of several scripts the newest that says a part decides it. */
export interface PodScript {
  /** The containers that it is about, `*` for any text; all but init containers unless given. */
  readonly container?: string
  /** The containers end by themselves. */
  readonly exit?: {
    readonly exitCode?: number
    /** After the start of the container, or of the script where that is later. */
    readonly after?: number
    readonly reason?: string
    readonly message?: string
    readonly signal?: number
    /** How often, in each container; always unless given. */
    readonly times?: number
    /** A probe failed, and the kubelet ended the container. */
    readonly probe?: 'Liveness' | 'Startup'
    readonly output?: string
  }
  /** The containers run until they are ended, whatever their command says. */
  readonly runs?: boolean
  readonly pull?: { readonly takes?: number; readonly error?: string }
  readonly start?: { readonly takes?: number; readonly error?: string }
  readonly ready?: { readonly after?: number }
  /** The readiness probe fails: from `after` on, `for` so long, again every so often. */
  readonly unready?: { readonly after?: number; readonly for?: number; readonly every?: number }
  /** What happens on SIGTERM. */
  readonly stop?: { readonly takes?: number; readonly exitCode?: number }
  /** The kubelet evicts the pod: for want of a resource. */
  readonly evict?: { readonly after?: number; readonly resource?: string; readonly message?: string }
  /** What the container has written. */
  readonly logs?: string | readonly string[]
  /** What commands answer: by their first word, or `*`. */
  readonly exec?: Readonly<Record<string, ExecAnswer>>
  /** What connections to a port of the pod are answered, by the port or `*`. */
  readonly ports?: Readonly<Record<string, string>>
  /** What `top` and the metrics API show. */
  readonly usage?: { readonly cpu?: string; readonly memory?: string }
}

export interface ExecAnswer {
  readonly stdout?: string
  readonly stderr?: string
  readonly exitCode?: number
}

type Rule =
  | 'number'
  | 'string'
  | 'boolean'
  | 'quantity'
  | 'texts'
  | { readonly [key: string]: Rule }
  | { readonly map: Rule }

const execRule: Rule = { stdout: 'string', stderr: 'string', exitCode: 'number' }
const rules: Readonly<Record<keyof PodScript, Rule>> = {
  container: 'string',
  exit: {
    exitCode: 'number',
    after: 'number',
    reason: 'string',
    message: 'string',
    signal: 'number',
    times: 'number',
    probe: 'string',
    output: 'string',
  },
  runs: 'boolean',
  pull: { takes: 'number', error: 'string' },
  start: { takes: 'number', error: 'string' },
  ready: { after: 'number' },
  unready: { after: 'number', for: 'number', every: 'number' },
  stop: { takes: 'number', exitCode: 'number' },
  evict: { after: 'number', resource: 'string', message: 'string' },
  logs: 'texts',
  exec: { map: execRule },
  ports: { map: 'string' },
  usage: { cpu: 'quantity', memory: 'quantity' },
}

export class ScriptError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ScriptError'
  }
}

/** The value as a script. Throws a `ScriptError` that names what is wrong. */
export function readScript(value: unknown): PodScript {
  check(value, rules, 'script')
  return value as PodScript
}

function check(value: unknown, rule: Rule, path: string): void {
  if (typeof rule === 'string') {
    if (!isScalar(value, rule)) throw new ScriptError(`${path}: ${JSON.stringify(value)} is not ${article[rule]}`)
    return
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ScriptError(`${path}: must be an object`)
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined) continue
    const inner = isMap(rule) ? rule.map : Object.hasOwn(rule, key) ? (rule as Record<string, Rule>)[key] : undefined
    if (inner === undefined) {
      throw new ScriptError(`${path}: unknown name "${key}"; known are ${Object.keys(rule).join(', ')}`)
    }
    check(each, inner, `${path}.${key}`)
  }
}

const isMap = (rule: object): rule is { readonly map: Rule } => Object.keys(rule).join() === 'map'

const article = {
  number: 'a number that is not negative',
  string: 'a text',
  boolean: 'true or false',
  quantity: 'a quantity',
  texts: 'a text or a list of texts',
} as const

function isScalar(value: unknown, rule: keyof typeof article): boolean {
  switch (rule) {
    case 'number':
      return typeof value === 'number' && value >= 0
    case 'texts':
      return typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    case 'quantity':
      return typeof value === 'string' && isQuantity(value)
    default:
      return typeof value === rule
  }
}

function isQuantity(text: string): boolean {
  try {
    Quantity.parse(text)
    return true
  } catch {
    return false
  }
}
