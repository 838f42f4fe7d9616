// The nodes and pods of a simulated cluster, in the hands of a test.

/** `web-*` (in any namespace), `shop/web-*`, or by parts, in which `*` stands for any text. */
export type PodPattern = string | { name?: string; namespace?: string; node?: string; labels?: Record<string, string> }

/** What a script may say of containers: of those that it names by `container` (`*` for any text), or of all but init containers. */
export interface ContainerChoice {
  container?: string
}

/** Milliseconds, from the start of the container, or of the script where that is later. */
export interface ExitOptions extends ContainerChoice {
  after?: number
  /** How often, in each container: always unless given. */
  times?: number
}

export interface CrashOptions extends ExitOptions {
  /** 1 unless given. */
  exitCode?: number
  /** `Error` unless given. */
  reason?: string
  message?: string
}

/** All that a script can say at once, as the annotation `simulate.pilothouse.dev/script` of a pod has it in JSON. */
export interface PodScript extends ContainerChoice {
  /** Containers end by themselves. */
  exit?: {
    exitCode?: number
    after?: number
    times?: number
    reason?: string
    message?: string
    signal?: number
    probe?: 'Liveness' | 'Startup'
    output?: string
  }
  /** Containers run until they are ended, whatever their command says. */
  runs?: boolean
  pull?: { takes?: number; error?: string }
  start?: { takes?: number; error?: string }
  ready?: { after?: number }
  unready?: { after?: number; for?: number; every?: number }
  stop?: { takes?: number; exitCode?: number }
  evict?: { after?: number; resource?: string; message?: string }
  /** What containers have written: `kubectl logs`. */
  logs?: string | readonly string[]
  /** What commands answer, by their first word or `*`: `kubectl exec`. */
  exec?: Record<string, { stdout?: string; stderr?: string; exitCode?: number }>
  /** What connections are answered, by port or `*`: `kubectl port-forward`. */
  ports?: Record<string, string>
  /** What `kubectl top` and autoscalers see. */
  usage?: { cpu?: string; memory?: string }
}

export interface RunningScript {
  /** From now on pods do what they would without it. */
  stop(): void
  [Symbol.dispose](): void
}

/**
 * What the pods of a simulated cluster do, from now on and until the script is stopped or the server is reset. Names and
 * values that are not known are refused. All times are milliseconds of the server's clock.
 *
 * @example
 * await using cluster = await startServer({ simulate: true })
 * await cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'nginx' }] } })
 * cluster.pods.crash('web*', { exitCode: 3 })
 * const crashed = await cluster.waitFor('pods', ({ status }) => status.containerStatuses?.[0].restartCount > 0)
 * assert.equal(crashed.status.containerStatuses[0].lastState.terminated.exitCode, 3)
 */
export interface SimulatedPods {
  /** Containers exit with a failure; their pod starts them again, if it does, with a back-off. */
  crash(pods: PodPattern, options?: CrashOptions): RunningScript
  /** Containers exit with 0. */
  complete(pods: PodPattern, options?: ExitOptions): RunningScript
  /** Containers are killed for want of memory: exit code 137, reason OOMKilled. */
  oomKill(pods: PodPattern, options?: ExitOptions): RunningScript
  /** The liveness probe fails, and the kubelet kills the container. */
  failLiveness(pods: PodPattern, options?: ExitOptions & { output?: string }): RunningScript
  failImagePull(pods: PodPattern, options?: ContainerChoice & { error?: string }): RunningScript
  /** Times that pulling the image, starting the container and becoming ready take. */
  slowStart(
    pods: PodPattern,
    options: ContainerChoice & { pull?: number; start?: number; ready?: number },
  ): RunningScript
  /** The readiness probe fails: `after` a while, `for` so long (for ever unless given), again `every` so often. */
  unready(pods: PodPattern, options?: ContainerChoice & { after?: number; for?: number; every?: number }): RunningScript
  /** Time from SIGTERM to the end of containers, and their exit code then. */
  slowStop(pods: PodPattern, options: ContainerChoice & { takes: number; exitCode?: number }): RunningScript
  /** The kubelet evicts the pods that there are now: the node is short of a resource, memory unless given. */
  evict(pods: PodPattern, options?: { after?: number; resource?: string; message?: string }): RunningScript
  logs(pods: PodPattern, text: string | readonly string[], options?: ContainerChoice): RunningScript
  exec(pods: PodPattern, answers: NonNullable<PodScript['exec']>, options?: ContainerChoice): RunningScript
  usage(pods: PodPattern, usage: NonNullable<PodScript['usage']>, options?: ContainerChoice): RunningScript
  script(pods: PodPattern, script: PodScript): RunningScript
  /** Stops all scripts. */
  clear(): void
}

/** The nodes of a simulated cluster; a name that no node has is refused. */
export interface SimulatedNodes {
  /** Its kubelet falls silent: no Lease is renewed, no pod changes. */
  fail(name: string): Promise<void>
  /** It works again, and goes on with its pods. */
  return(name: string): Promise<void>
  /** It is short of something, which its conditions tell; pods that match are evicted for it. */
  pressure(name: string, resource: 'memory' | 'disk' | 'pid', options?: { evict?: PodPattern }): Promise<void>
  /** It is short of nothing. */
  relieve(name: string): Promise<void>
}
