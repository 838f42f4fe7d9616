/** Scripts for the pods and nodes of a simulated cluster, in the words of the testing library. */
import { mapErrorsOf } from '../lib/stack-map.ts'
import type { RunningNodes } from '../simulate/nodes/simulated-nodes.ts'
import type { TestServer } from './api/server.ts'
import type { PodPattern, PodScript, RunningScript, SimulatedNodes, SimulatedPods } from './api/simulation.ts'

const oomKilled = { exitCode: 137, reason: 'OOMKilled' } as const
const defaultPullError = 'rpc error: code = NotFound desc = failed to pull and unpack image: not found'

export function scriptedPods(nodes: () => RunningNodes): SimulatedPods {
  const script = (pods: PodPattern, said: PodScript): RunningScript => {
    const stop = nodes().addScript(pods, said)
    return { stop, [Symbol.dispose]: stop }
  }
  return mapErrorsOf({
    script,
    crash: (pods, { container, ...exit } = {}) => script(pods, chosen(container, { exit: { exitCode: 1, ...exit } })),
    complete: (pods, { container, ...exit } = {}) =>
      script(pods, chosen(container, { exit: { ...exit, exitCode: 0 } })),
    oomKill: (pods, { container, ...exit } = {}) =>
      script(pods, chosen(container, { exit: { ...exit, ...oomKilled } })),
    failLiveness: (pods, { container, ...exit } = {}) =>
      script(pods, chosen(container, { exit: { ...exit, probe: 'Liveness' } })),
    failImagePull: (pods, { container, error = defaultPullError, ...rest } = {}) =>
      script(pods, chosen(container, { pull: { error, ...rest } })),
    slowStart: (pods, { container, ...times }) => script(pods, chosen(container, slowStart(times))),
    unready: (pods, { container, ...unready } = {}) => script(pods, chosen(container, { unready })),
    slowStop: (pods, { container, ...stop }) => script(pods, chosen(container, { stop })),
    evict: (pods, evict = {}) => script(pods, { evict }),
    logs: (pods, logs, { container } = {}) => script(pods, chosen(container, { logs })),
    exec: (pods, exec, { container } = {}) => script(pods, chosen(container, { exec })),
    usage: (pods, usage, { container } = {}) => script(pods, chosen(container, { usage })),
    clear: () => nodes().scripts.clear(),
  })
}

const chosen = (container: string | undefined, script: PodScript): PodScript =>
  container === undefined ? script : { ...script, container }

/** Names beyond the three are passed on, and refused there. */
function slowStart({ pull, start, ready, ...rest }: { pull?: number; start?: number; ready?: number }): PodScript {
  return {
    ...(pull === undefined ? {} : { pull: { takes: pull } }),
    ...(start === undefined ? {} : { start: { takes: start } }),
    ...(ready === undefined ? {} : { ready: { after: ready } }),
    ...rest,
  }
}

const failedAnnotation = 'simulate.pilothouse.dev/failed'
const pressureAnnotation = 'simulate.pilothouse.dev/pressure'

/** What befalls a node stands in its annotations, so that snapshots and forks have it. */
export function scriptedNodes(server: Pick<TestServer, 'call'>, nodes: () => RunningNodes): SimulatedNodes {
  const annotate = async (name: string, annotations: Record<string, string | null>): Promise<void> => {
    nodes()
    const headers = { 'content-type': 'application/merge-patch+json' }
    await server.call('PATCH', `/api/v1/nodes/${encodeURIComponent(name)}`, { metadata: { annotations } }, { headers })
  }
  return mapErrorsOf({
    fail: (name) => annotate(name, { [failedAnnotation]: 'true' }),
    return: (name) => annotate(name, { [failedAnnotation]: null }),
    async pressure(name, resource, { evict } = {}) {
      await annotate(name, { [pressureAnnotation]: resource })
      if (evict === undefined) return
      const pattern = typeof evict === 'string' ? { ...splitPattern(evict), node: name } : { ...evict, node: name }
      nodes().addScript(pattern, { evict: { resource } })
    },
    relieve: (name) => annotate(name, { [pressureAnnotation]: null }),
  })
}

function splitPattern(text: string): { namespace?: string; name: string } {
  const at = text.indexOf('/')
  return at < 0 ? { name: text } : { namespace: text.slice(0, at), name: text.slice(at + 1) }
}
