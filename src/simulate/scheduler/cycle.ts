/**
 * One pod against all nodes: which of them it fits, and which of those is best. Mirrors pkg/scheduler: schedulePod, and
 * pkg/scheduler/framework/runtime.
 */
import { Diagnosis, preFilterFailed } from './diagnosis.ts'
import type { NodeInfo } from './node-info.ts'
import { nominatedNodeOf, schedulingKey } from './objects.ts'
import { type ClusterView, type FilterRun, isStatus, type Plugin } from './plugin.ts'
import type { PodInfo } from './pod-info.ts'
import { failure, isRejected, type Status, statusMessage, unresolvable } from './status.ts'

/** Of fewer nodes than this, all are tried. */
const minFeasibleNodes = 100
const minFeasiblePercentage = 5

/** A plugin failed: the pod is tried again, whatever happens in the cluster. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
}

export interface CycleContext {
  readonly view: ClusterView
  readonly plugins: readonly Plugin[]
  /** Pods that wait for a node to become free, by its name. */
  nominatedTo(node: string): readonly PodInfo[]
}

/** The filters of one pod, by plugin, in order. */
export type FilterRuns = readonly { readonly plugin: string; readonly run: FilterRun }[]

export class Cycle {
  readonly info: PodInfo
  readonly diagnosis = new Diagnosis()
  readonly #context: CycleContext
  /** Of chance. */
  readonly stream: string
  #runs: FilterRuns = []
  /** How many nodes were tried; what the next pod begins after. */
  tried = 0

  constructor(info: PodInfo, context: CycleContext) {
    this.info = info
    this.#context = context
    this.stream = `schedule ${schedulingKey(info.pod)}`
  }

  get runs(): FilterRuns {
    return this.#runs
  }

  /** The nodes that the pod fits, beginning with the one at `start`. Throws a `PluginError`. */
  feasibleNodes(start: number): readonly NodeInfo[] {
    const { view } = this.#context
    const names = this.#preFilter()
    if (names === 'rejected') return []
    const nominated = view.node(nominatedNodeOf(this.info.pod))
    if (nominated !== undefined) {
      const fits = this.#passing([nominated], 0)
      if (fits.length > 0) return fits
    }
    const candidates = names === undefined ? view.nodes : [...names].flatMap((name) => view.node(name) ?? [])
    const feasible = this.#passing(candidates, start)
    this.tried = feasible.length + this.diagnosis.statuses.size
    return feasible
  }

  /** The best of the nodes; one of the best by chance. */
  best(nodes: readonly NodeInfo[]): NodeInfo {
    const [first] = nodes
    if (first === undefined) throw new PluginError('empty priorityList')
    if (nodes.length === 1) return first
    const totals = this.totals(nodes)
    let best = first
    let highest = totals[0] ?? 0
    let ties = 1
    for (const [i, node] of nodes.entries()) {
      const total = totals[i] ?? 0
      if (i === 0 || total < highest) continue
      ties = total > highest ? 1 : ties + 1
      if (ties === 1 || Math.floor(this.#context.view.clock.random(this.stream) * ties) === 0) best = node
      highest = total
    }
    return best
  }

  /** The weighted scores of each node. */
  totals(nodes: readonly NodeInfo[]): number[] {
    const totals = nodes.map(() => 0)
    for (const { preScore, weight = 1, name } of this.#context.plugins) {
      const run = scored(name, () => preScore?.(this.info, nodes))
      if (run === undefined) continue
      const scores = scored(name, () => {
        const own = nodes.map((node) => run.score(node))
        run.normalize?.(own, nodes)
        return own
      })
      for (const [i, score] of scores.entries()) totals[i] = (totals[i] ?? 0) + score * weight
    }
    return totals
  }

  #preFilter(): ReadonlySet<string> | 'rejected' | undefined {
    const runs: { plugin: string; run: FilterRun }[] = []
    const naming: string[] = []
    let names: ReadonlySet<string> | undefined
    for (const { name, preFilter } of this.#context.plugins) {
      const outcome = preFilter?.(this.info)
      if (outcome === undefined) continue
      if (isStatus(outcome)) return this.#rejectPod(outcome)
      runs.push({ plugin: name, run: outcome })
      if (outcome.nodeNames === undefined) continue
      naming.push(name)
      names = intersection(names, outcome.nodeNames)
      if (names.size === 0) return this.#rejectAll(naming)
    }
    this.#runs = runs
    if (names !== undefined) {
      this.diagnosis.absent = unresolvable('', `node(s) didn't satisfy plugin(s) [${naming.toSorted().join(' ')}]`)
      for (const plugin of naming) this.diagnosis.plugins.add(plugin)
    }
    return names
  }

  #rejectPod(status: Status): 'rejected' {
    if (!isRejected(status))
      throw new PluginError(`running PreFilter plugin "${status.plugin}": ${statusMessage(status)}`)
    preFilterFailed(this.diagnosis, status)
    return 'rejected'
  }

  #rejectAll(plugins: readonly string[]): 'rejected' {
    const list = plugins.toSorted()
    const which = list.length === 1 ? `plugin ${list[0]}` : `plugin(s) [${list.join(' ')}] simultaneously`
    preFilterFailed(this.diagnosis, unresolvable('', `node(s) didn't satisfy ${which}`))
    for (const plugin of plugins) this.diagnosis.plugins.add(plugin)
    return 'rejected'
  }

  #passing(nodes: readonly NodeInfo[], start: number): NodeInfo[] {
    const wanted = feasibleNodesToFind(nodes.length)
    const feasible: NodeInfo[] = []
    for (let i = 0; i < nodes.length && feasible.length < wanted; i++) {
      const node = nodes[(start + i) % nodes.length]
      if (node === undefined) continue
      const status = this.filterWithNominated(this.#runs, node)
      if (status === undefined) feasible.push(node)
      else if (isRejected(status)) this.diagnosis.reject(node.name, status)
      else throw new PluginError(statusMessage(status))
    }
    return feasible
  }

  /** With pods that wait for the node counted, where they go first; and without, since they may never come. */
  filterWithNominated(runs: FilterRuns, node: NodeInfo): Status | undefined {
    const { info } = this
    const nominated = this.#context.nominatedTo(node.name)
    const before = nominated.filter(({ uid, priority }) => uid !== info.uid && priority >= info.priority)
    if (before.length > 0) {
      const copy = node.clone()
      const copies = cloneRuns(runs)
      for (const other of before) addPod(copies, other, copy)
      const status = filterNode(copies, copy)
      if (status !== undefined) return status
    }
    return filterNode(runs, node)
  }
}

function scored<T>(plugin: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new PluginError(`running Score plugins: plugin "${plugin}" failed with: ${(error as Error).message}`)
  }
}

function filterNode(runs: FilterRuns, node: NodeInfo): Status | undefined {
  for (const { plugin, run } of runs) {
    const status = run.filter(node)
    if (status === undefined) continue
    if (isRejected(status)) return status
    return failure(plugin, `running "${plugin}" filter plugin: ${statusMessage(status)}`)
  }
  return undefined
}

export const cloneRuns = (runs: FilterRuns): FilterRuns =>
  runs.map(({ plugin, run }) => ({ plugin, run: run.clone?.() ?? run }))

/** As if the pod were on the node: both must be clones. */
export function addPod(runs: FilterRuns, info: PodInfo, node: NodeInfo): void {
  node.addPod(info)
  for (const { run } of runs) run.addPod?.(info, node)
}

export function removePod(runs: FilterRuns, info: PodInfo, node: NodeInfo): void {
  node.removePod(info.uid)
  for (const { run } of runs) run.removePod?.(info, node)
}

function intersection(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): ReadonlySet<string> {
  return a === undefined ? b : new Set([...a].filter((name) => b.has(name)))
}

/** Enough to choose from: of many nodes not all are tried. Mirrors numFeasibleNodesToFind. */
export function feasibleNodesToFind(total: number): number {
  if (total < minFeasibleNodes) return total
  const percentage = Math.max(50 - Math.trunc(total / 125), minFeasiblePercentage)
  return Math.max(Math.trunc((total * percentage) / 100), minFeasibleNodes)
}
