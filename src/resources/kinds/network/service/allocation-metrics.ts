/** Counts addresses and ports of services: what is given out, what is left, and what had to be put right. */
import { type Cidr, cidrContains, cidrSize, formatCidr, type IpAddress } from '../../../../api/ip.ts'
import type { MetricSet } from '../../../../lib/metrics.ts'

const addresses = 'kube_apiserver_clusterip_allocator_'
const ports = 'kube_apiserver_nodeport_allocator_'

export type RepairError = 'leak' | 'repair'

export class AllocationMetrics {
  readonly #set: MetricSet | undefined

  constructor(set: MetricSet | undefined) {
    this.#set = set
  }

  allocated(range: Cidr, scope: 'static' | 'dynamic', ms: number): void {
    const cidr = formatCidr(range)
    this.#set?.counter(`${addresses}allocation_total`).add(1, cidr, scope)
    this.#set?.histogram(`${addresses}allocation_duration_seconds`).observe(ms / 1000, cidr)
  }

  /** Measured on collection. */
  showAddresses(read: () => Promise<{ readonly ranges: readonly Cidr[]; readonly taken: readonly IpAddress[] }>): void {
    this.#set?.onCollect(async () => {
      const { ranges, taken } = await read()
      const [allocated, available] = ['allocated', 'available'].map((what) =>
        this.#set?.gauge(`${addresses}${what}_ips`),
      )
      allocated?.clear()
      available?.clear()
      for (const range of ranges) {
        const used = taken.filter((address) => cidrContains(range, address)).length
        const usable = Number(cidrSize(range)) - (range.address.family === 'IPv4' ? 2 : 1)
        allocated?.set(used, formatCidr(range))
        available?.set(Math.max(usable - used, 0), formatCidr(range))
      }
    })
  }

  showPorts(read: () => Promise<{ readonly used: number; readonly size: number } | undefined>): void {
    this.#set?.onCollect(async () => {
      const found = await read()
      if (found === undefined) return
      this.#set?.gauge(`${ports}allocated_ports`).set(found.used)
      this.#set?.gauge(`${ports}available_ports`).set(found.size - found.used)
    })
  }

  addressRepaired(type: RepairError): void {
    this.#set?.counter('apiserver_clusterip_repair_ip_errors_total').add(1, type)
  }

  portsRepaired(type: RepairError, count: number): void {
    if (count > 0) this.#set?.counter('apiserver_nodeport_repair_port_errors_total').add(count, type)
  }

  repairFailed(what: 'clusterip' | 'nodeport'): void {
    this.#set?.counter(`apiserver_${what}_repair_reconcile_errors_total`).add(1)
  }
}
