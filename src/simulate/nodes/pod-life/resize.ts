/** Resources of containers that change while they run. Mirrors pkg/kubelet/kuberuntime: kubeGenericRuntimeManager.doPodResizeAction. */
import { equalJson } from '../../../api/json.ts'
import type { Container, ResourceRequirements } from '../../../catalog/types/core-v1.ts'
import type { Pod } from '../../objects.ts'
import { beginContainer } from './container-steps.ts'
import { initRole } from './pod.ts'
import { idle, type PodRun } from './pod-run.ts'
import type { PodWork } from './work.ts'

const resizable = ['cpu', 'memory'] as const

/** Whether a running container has other resources than its spec asks for. */
export function wantsResize({ spec }: Pod, { containers }: PodRun): boolean {
  return [...(spec.initContainers ?? []), ...spec.containers].some((container) => {
    const { state, resources } = containers.get(container.name) ?? idle
    return state.kind === 'running' && resources !== undefined && !equalJson(resources, container.resources)
  })
}

/** Gives a running container what its spec says now, with a restart where its policy asks for one. */
export function stepResize(work: PodWork, container: Container): void {
  const { state, resources, restarts } = work.container(container)
  if (state.kind !== 'running' || equalJson(resources, container.resources)) return
  if (work.run.pendingResize !== undefined) return
  if (!needsRestart(container, resources)) {
    work.set(container, { resources: container.resources })
    return
  }
  const role = work.pod.spec.containers.includes(container) ? 'main' : initRole(container)
  const message = `Container ${container.name} resize requires restart`
  work.tellOf(container, role, { type: 'Normal', reason: 'Killing', message })
  const { startedAt } = state
  work.set(container, {
    last: { exitCode: 0, reason: 'Completed', startedAt, finishedAt: work.now },
    restarts: restarts + 1,
    resources: container.resources,
  })
  beginContainer(work, container, { role, at: work.now })
  work.wakeAt = work.now
}

function needsRestart(
  { resizePolicy = [], resources: wanted }: Container,
  present: ResourceRequirements | undefined,
): boolean {
  return resizable.some((name) => {
    const isRestarted = resizePolicy.some(
      (rule) => rule.resourceName === name && rule.restartPolicy === 'RestartContainer',
    )
    const isSame =
      present?.requests?.[name] === wanted?.requests?.[name] && present?.limits?.[name] === wanted?.limits?.[name]
    return isRestarted && !isSame
  })
}
