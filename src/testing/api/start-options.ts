// What a test server is started with.

export interface StartOptions {
  /**
   * Flags of the command `pilothouse`, for what has no option here: `['--feature-gates=WatchList=false']`. The admission
   * plugin ServiceAccount is off unless a flag names it, as no controller makes the accounts that it asks for.
   */
  flags?: readonly string[]
  /**
   * The release of Kubernetes that the server behaves as, such as `'1.36'`: the same as the flag `--emulated-version`.
   *
   * @example
   * await using server = await startServer({ release: '1.36' })
   */
  release?: string
  /** False: plain HTTP. Users then prove who they are by their tokens alone. */
  tls?: boolean
  /** The port to listen on; a free one unless given. */
  port?: number
  /**
   * A cluster that lives: workload controllers, a scheduler and simulated nodes.
   *
   * @example
   * await using server = await startServer({ simulate: { nodes: 3 } })
   */
  simulate?: boolean | SimulateOptions
  /** Seeds everything that faults leave to chance. */
  seed?: number
  /** How many requests `requests` remembers: 10,000 unless given. */
  maxRequests?: number
  /** Where the server's log goes: nowhere unless given. */
  log?: { write(line: string): void }
}

/** What `simulate` takes; the same settings as those of the flag `--simulate`. */
export interface SimulateOptions {
  /** How many nodes there are at the start: 3 unless given. */
  nodes?: number
  /** Seeds all that is left to chance, so that a run can be repeated. */
  seed?: number
  /** False: pods are bound by another scheduler. */
  scheduler?: boolean
  /** Names of schedulers whose pods are bound, with + between them: `default-scheduler` unless given. */
  schedulers?: string
  /** What each of these nodes has: 16 processors, 64Gi of memory and room for 110 pods unless given. */
  cpu?: string
  memory?: string
  pods?: number
  /** Over how many zones they are spread: 3 unless given; 0: they are in none. */
  zones?: number
  /**
   * Seconds between two renewals of a node's Lease. 0 unless given: a Lease lasts until its node fails, so that years can pass
   * by the clock at no cost.
   */
  heartbeat?: number
  /** Sets of KWOK-like stages that are there from the start, joined by `+`: `pod-general+pod-chaos`. */
  stages?: string
  /** Images that no registry has, joined by `+`, `*` for any text: `*:404+registry.example.com/*`. */
  missingImages?: string
}
