/** What simulated containers use: what the script says, else KWOK's usages, else its annotations of the pod, else next to nothing. */
import { Quantity } from '../../../api/quantity.ts'
import type { Container } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import type { PodRun } from '../pod-life/pod-run.ts'
import { globMatches } from '../script/pod-pattern.ts'
import type { PodScripts } from '../script/pod-scripts.ts'
import type { ResourceUsages } from './resource-usages.ts'

export interface Usage {
  readonly cpu: Quantity
  readonly memory: Quantity
}

const annotations = { cpu: 'kwok.x-k8s.io/usage-cpu', memory: 'kwok.x-k8s.io/usage-memory' } as const
const defaults = { cpu: '1m', memory: '1Mi' } as const

export const noUsage: Usage = { cpu: Quantity.zero, memory: Quantity.zero }

export const addUsage = (a: Usage, b: Usage): Usage => ({ cpu: a.cpu.add(b.cpu), memory: a.memory.add(b.memory) })

export interface UsageSources {
  readonly scripts: PodScripts
  readonly usages?: Pick<ResourceUsages, 'usageOf'> | undefined
}

/** Of the containers that run. */
export function containerUsages(pod: Pod, run: PodRun, { scripts, usages }: UsageSources): [string, Usage][] {
  const { initContainers = [], containers } = pod.spec
  return [...initContainers, ...containers]
    .filter(({ name }) => run.containers.get(name)?.state.kind === 'running')
    .map((container) => [container.name, usageOf(pod, container, { scripts, usages, run })])
}

function usageOf(pod: Pod, container: Container, { scripts, usages, run }: UsageSources & { run: PodRun }): Usage {
  const said = [...scripts.scriptsOf(pod)]
    .reverse()
    .find(({ script }) => script.usage !== undefined && globMatches(script.container ?? '*', container.name))
  const usage = said?.script.usage ?? {}
  const value = (name: 'cpu' | 'memory'): Quantity =>
    quantityOf(usage[name]) ??
    usages?.usageOf(pod, container, { run, resource: name }) ??
    quantityOf(pod.metadata.annotations?.[annotations[name]]) ??
    Quantity.parse(defaults[name])
  return { cpu: value('cpu'), memory: value('memory') }
}

function quantityOf(text: string | undefined): Quantity | undefined {
  return text === undefined || Quantity.check(text) !== undefined ? undefined : Quantity.parse(text)
}
