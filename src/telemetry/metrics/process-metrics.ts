/** What the process uses, measured on collection. */
import { readdir, readFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { LoopMonitor } from '../../lib/loop-monitor.ts'
import type { MetricSet } from '../../lib/metrics.ts'

export function processCollector(set: MetricSet): () => Promise<void> {
  let utilization = performance.eventLoopUtilization()
  // Measuring needs a timer: it starts lazily, with the first scrape.
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined
  let holds: LoopMonitor | undefined
  return async () => {
    collectUsage(set)
    if (delay === undefined) {
      delay = monitorEventLoopDelay({ resolution: delayResolutionMs })
      delay.enable()
    }
    collectDelay(set, delay)
    holds ??= new LoopMonitor()
    set.gauge('nodejs_eventloop_hold_max_seconds').set(holds.longestMs / 1000)
    holds.reset()
    const now = performance.eventLoopUtilization()
    set.gauge('nodejs_eventloop_utilization').set(performance.eventLoopUtilization(now, utilization).utilization)
    utilization = now
    await collectFiles(set)
  }
}

const delayResolutionMs = 20

/** How late timers were since the last collection. */
function collectDelay(set: MetricSet, delay: ReturnType<typeof monitorEventLoopDelay>): void {
  const seconds = (ns: number): number => (delay.count === 0 ? 0 : Math.max(0, ns / 1e9 - delayResolutionMs / 1000))
  set.gauge('nodejs_eventloop_lag_mean_seconds').set(seconds(delay.mean))
  set.gauge('nodejs_eventloop_lag_max_seconds').set(seconds(delay.max))
  set.gauge('nodejs_eventloop_lag_p99_seconds').set(seconds(delay.percentile(99)))
  delay.reset()
}

function collectUsage(set: MetricSet): void {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  set.counter('process_cpu_seconds_total').series().value = (user + system) / 1e6
  set.gauge('process_resident_memory_bytes').set(rss)
  set.gauge('process_start_time_seconds').set(Math.round(Date.now() / 1000 - process.uptime()))
  set.gauge('go_goroutines').set(process.getActiveResourcesInfo().length)
  set.gauge('nodejs_heap_size_used_bytes').set(heapUsed)
  set.gauge('nodejs_heap_size_total_bytes').set(heapTotal)
  set.gauge('nodejs_external_memory_bytes').set(external)
}

/** Only Linux reports this. */
async function collectFiles(set: MetricSet): Promise<void> {
  try {
    set.gauge('process_open_fds').set((await readdir('/proc/self/fd')).length)
    const limits = /^Max open files\s+(\d+)/m.exec(await readFile('/proc/self/limits', 'utf8'))
    if (limits?.[1] !== undefined) set.gauge('process_max_fds').set(Number(limits[1]))
    const virtual = /^VmSize:\s+(\d+) kB/m.exec(await readFile('/proc/self/status', 'utf8'))
    if (virtual?.[1] !== undefined) set.gauge('process_virtual_memory_bytes').set(Number(virtual[1]) * 1024)
  } catch {
    return
  }
}
