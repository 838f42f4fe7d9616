/**
 * What a service owns outside itself, its cluster IPs and node ports, in step with its writes: reserved before the
 * service is written, kept when it was, given back when it was refused. A leaked reservation (the
 * process ended, or the store did not say whether it took the write) is found by the repairs of the allocators.
 * Mirrors pkg/registry/core/service/storage: Allocators.
 */

import { invalid as invalidField } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { quote } from '../../../../api/golang/quote.ts'
import type { ObjectSource } from '../../../../api/object-source.ts'
import { ApiError, internalError, invalid, unknownError } from '../../../../api/status-error.ts'
import type { ServicePort, ServiceSpec } from '../../../../catalog/types/core-v1.ts'
import { deleteAs, serverActor } from '../../../../registry/own-writes.ts'
import { mayBeApplied } from '../../../../registry/store-failure.ts'
import type { Reservation, WriteContext } from '../../../../registry/strategy.ts'
import type { KindServices } from '../../../kind-rules.ts'
import { AddressAllocator, AllocationError, type Owner, orphanMs, RangeFullError } from './address-allocator.ts'
import { AllocationMetrics } from './allocation-metrics.ts'
import { type PortAllocationOperation, PortAllocator } from './port-allocator.ts'
import { addressesError, clusterIpsPath } from './service-addresses.ts'
import { alignClusterIps, defaultOnRead, keepAllocated } from './service-draft.ts'
import { type ClusterFamilies, fillFamilies, keepsPreference } from './service-families.ts'
import {
  allocatesNodePorts,
  changeSpec,
  hasNodePorts,
  headless,
  needsClusterIp,
  needsHealthCheck,
  nodePortsOf,
  ownAddresses,
  ownPorts,
  type ServiceObject,
} from './service-object.ts'

const kind = { group: '', kind: 'Service' }
const portsAt = FieldPath.of('spec', 'ports')

/** What a write took, and what it lets go of when it succeeds. */
interface Stakes {
  readonly addresses: string[]
  readonly oldAddresses: readonly string[]
  readonly ports: readonly number[]
  readonly oldPorts: readonly number[]
}

export class ServiceAllocation {
  readonly #services: KindServices
  readonly #addresses: AddressAllocator
  readonly #ports: PortAllocator
  readonly #metrics: AllocationMetrics
  #repaired: Promise<void> | undefined
  /** When a reservation was last left alone because its owner was unknown. */
  #doubtedAt: number | undefined

  constructor(services: KindServices) {
    this.#services = services
    this.#addresses = new AddressAllocator(services)
    this.#ports = new PortAllocator(services)
    this.#metrics = new AllocationMetrics(services.metrics)
  }

  async beginCreate(service: ServiceObject, context: WriteContext): Promise<Reservation> {
    alignClusterIps(service, undefined)
    this.#fillFamilies(service, undefined, context)
    return this.#reserve(service, undefined, context)
  }

  async beginUpdate(service: ServiceObject, stored: ServiceObject, context: WriteContext): Promise<Reservation> {
    const old = defaultOnRead(stored, this.#families[0])
    keepAllocated(service, old)
    alignClusterIps(service, old)
    this.#fillFamilies(service, old, context)
    return this.#reserve(service, old, context)
  }

  /** The service is gone: what it owned is free, and endpoints of its name must not outlive it. */
  async release(stored: ServiceObject, context: WriteContext): Promise<void> {
    if (context.dryRun) return
    const { spec, metadata } = defaultOnRead(stored, this.#families[0])
    const owner = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
    await this.#deleteEndpoints(owner)
    await this.#giveBack({ addresses: ownAddresses(spec), ports: ownPorts(spec) }, owner)
  }

  /** Something may be recorded that no service has, or the other way round: repaired when all writes of now have ended. */
  doubt(): void {
    this.#doubtedAt = this.#services.clock.now()
  }

  /** Holds the records against the services that there are: once, and again when there was a doubt. */
  repair(): Promise<void> {
    if (this.#doubtedAt !== undefined && this.#services.clock.now() - this.#doubtedAt > orphanMs) {
      this.#doubtedAt = undefined
      this.#repaired = undefined
      this.#ports.doubt()
    }
    this.#repaired ??= this.#repair().catch((error: unknown) => {
      this.#repaired = undefined
      throw error
    })
    return this.#repaired
  }

  async #repair(): Promise<void> {
    const services = (await this.#services.objects('', 'services')) as ObjectSource<ServiceObject>
    await this.#addresses.repair(services).catch((error: unknown) => {
      this.#metrics.repairFailed('clusterip')
      throw error
    })
    await this.#ports.repair()
  }

  get #families(): ClusterFamilies {
    const [primary = 'IPv4', ...others] = this.#addresses.families
    return [primary, ...others]
  }

  #fillFamilies(service: ServiceObject, old: ServiceObject | undefined, { gate }: WriteContext): void {
    const strict = gate('StrictIPCIDRValidation')
    const errors = fillFamilies(service, old, { cluster: this.#families, strict })
    if (errors.length > 0) throw invalid(kind, service.metadata.name ?? '', errors)
  }

  async #reserve(service: ServiceObject, old: ServiceObject | undefined, context: WriteContext): Promise<Reservation> {
    if (!context.dryRun) await this.repair()
    const owner = { namespace: context.namespace, name: service.metadata.name ?? '' }
    const wanted = wantedAddresses(service, old)
    const addresses: string[] = []
    try {
      await this.#takeAddresses(service, wanted, { owner, dryRun: context.dryRun, addresses })
      const choose = (taker: PortAllocationOperation): ServiceSpec => choosePorts(service, old, taker)
      if (context.dryRun) {
        service.spec = await this.#ports.preview(choose)
        return { commit: () => undefined, rollback: () => undefined }
      }
      const { result, taken } = await this.#choosePorts(service, old, choose)
      service.spec = result
      return this.#reservation({ addresses, ports: taken, ...released(service, old) }, owner)
    } catch (error) {
      if (mayBeApplied(error)) this.doubt()
      if (!context.dryRun) await this.#giveBack({ addresses, ports: [] }, owner)
      throw error
    }
  }

  /** A service without node ports, before and after, leaves the record alone. */
  async #choosePorts(
    { spec }: ServiceObject,
    old: ServiceObject | undefined,
    choose: (taker: PortAllocationOperation) => ServiceSpec,
  ): Promise<{ result: ServiceSpec; taken: number[] }> {
    if (!hasNodePorts(spec) && !(old !== undefined && hasNodePorts(old.spec))) return { result: spec, taken: [] }
    return this.#ports.reserve(choose)
  }

  async #takeAddresses(
    service: ServiceObject,
    wanted: readonly Wanted[],
    { owner, dryRun, addresses }: { readonly owner: Owner; readonly dryRun: boolean; readonly addresses: string[] },
  ): Promise<void> {
    const ips = [...(service.spec.clusterIPs ?? [])]
    for (const { family, index } of wanted) {
      const asked = ips[index] ?? ''
      try {
        const got = dryRun ? this.#addresses.preview(family, asked) : await this.#takeAddress(family, asked, owner)
        addresses.push(got)
        ips[index] = got
      } catch (error) {
        if (!(error instanceof AllocationError)) throw error
        if (mayBeApplied(error.cause)) this.doubt()
        const isRefused =
          asked !== '' || (this.#services.gate('release:refusesUnallocated') && !(error instanceof RangeFullError))
        if (!isRefused) {
          const { name = '' } = service.metadata
          const whose = this.#services.gate('release:namesUnallocated') ? ` for Service ${quote(name)}` : ''
          throw internalError(`failed to allocate a serviceIP${whose}: ${error.message}`)
        }
        const why = `failed to allocate IP${asked === '' ? '' : ` ${asked}`}: ${error.message}`
        const shown = { clusterIPs: wanted.reduce((all, { index: i }) => withMarker(all, i), ips) }
        throw invalid(kind, service.metadata.name ?? '', [addressesError(clusterIpsPath, shown, why)])
      }
    }
    if (wanted.length > 0) changeSpec(service, { clusterIPs: ips, clusterIP: ips[0] })
  }

  async #takeAddress(family: string, asked: string, owner: Owner): Promise<string> {
    if (asked === '') return this.#addresses.allocateNext(family, owner)
    await this.#addresses.allocate(asked, owner)
    return asked
  }

  #reservation(stakes: Stakes, owner: Owner): Reservation {
    return {
      commit: () => this.#giveBack({ addresses: stakes.oldAddresses, ports: stakes.oldPorts }, owner),
      rollback: () => this.#giveBack({ addresses: stakes.addresses, ports: stakes.ports }, owner),
    }
  }

  /** The write is settled already: what cannot be given back now is found by the next repair. */
  async #giveBack(
    { addresses, ports }: { readonly addresses: readonly string[]; readonly ports: readonly number[] },
    owner: Owner,
  ): Promise<void> {
    const releases = addresses.map((address) => this.#addresses.release(address, owner))
    if (ports.length > 0) releases.push(this.#ports.release(ports))
    const settled = await Promise.allSettled(releases)
    if (settled.some(({ status }) => status === 'rejected')) this.doubt()
  }

  async #deleteEndpoints(owner: Owner): Promise<void> {
    try {
      await deleteAs(serverActor, this.#services.registry('', 'endpoints'), owner, {})
    } catch (error) {
      // Mostly there are none; a failure must not undo the end of the service.
      if (!(error instanceof ApiError)) throw error
    }
  }
}

interface Wanted {
  readonly family: string
  readonly index: number
}

/** Addresses that are asked for but not given yet are shown as empty. */
const withMarker = (ips: readonly string[], index: number): string[] => {
  const shown = [...ips]
  while (shown.length <= index) shown.push('')
  return shown
}

/** Which of the service's addresses are new to it. */
function wantedAddresses(service: ServiceObject, old: ServiceObject | undefined): Wanted[] {
  const { spec } = service
  const all = (spec.ipFamilies ?? []).map((family, index) => ({ family, index }))
  if (!needsClusterIp(spec)) return []
  if (old === undefined || !needsClusterIp(old.spec)) return spec.clusterIPs?.[0] === headless ? [] : all
  if (keepsPreference(service, old) || old.spec.clusterIPs?.[0] === headless) return []
  const upgraded = old.spec.ipFamilies?.length === 1 && spec.ipFamilies?.length === 2
  return upgraded ? all.slice(1) : []
}

/** What the old service owned and the new one does not. */
function released(
  { spec }: ServiceObject,
  old: ServiceObject | undefined,
): { oldAddresses: string[]; oldPorts: number[] } {
  if (old === undefined) return { oldAddresses: [], oldPorts: [] }
  const kept = new Set(hasNodePorts(spec) ? nodePortsOf(spec) : [])
  const ports = hasNodePorts(old.spec) ? nodePortsOf(old.spec).filter((port) => !kept.has(port)) : []
  const { healthCheckNodePort: check = 0 } = old.spec
  if (needsHealthCheck(old.spec) && !needsHealthCheck(spec) && check > 0) ports.push(check)
  const owned = ownAddresses(old.spec)
  const downgraded = owned.length === 2 && spec.ipFamilies?.length === 1
  const oldAddresses = needsClusterIp(spec) ? (downgraded ? owned.slice(1) : []) : owned
  return { oldAddresses, oldPorts: ports }
}

/** The spec with all node ports that it should have. Pure but for the taker: it may run again. */
function choosePorts(
  service: ServiceObject,
  old: ServiceObject | undefined,
  taker: PortAllocationOperation,
): ServiceSpec {
  const { spec } = service
  const name = service.metadata.name ?? ''
  let chosen = spec
  if (hasNodePorts(spec) && spec.ports !== undefined) {
    const ports = old === undefined ? firstPorts(spec, taker, name) : changedPorts(spec, old.spec, taker, name)
    chosen = { ...chosen, ports }
  }
  const checkedBefore = old !== undefined && needsHealthCheck(old.spec)
  if (needsHealthCheck(spec) && !checkedBefore) {
    chosen = { ...chosen, healthCheckNodePort: chooseCheckPort(spec.healthCheckNodePort ?? 0, taker) }
  }
  return chosen
}

/** Ports of one number (TCP and UDP of one service) share a node port, unless they ask for different ones. */
function firstPorts(spec: ServiceSpec, taker: PortAllocationOperation, name: string): ServicePort[] {
  const ports = spec.ports ?? []
  const byPort = new Map<number, number>()
  const wanted = new Map<number, number>()
  for (const { port, nodePort = 0 } of ports) if (nodePort !== 0 && !wanted.has(port)) wanted.set(port, nodePort)
  return ports.map((port, i) => {
    const { nodePort = 0 } = port
    if (nodePort === 0 && !allocatesNodePorts(spec)) return port
    const shared = byPort.get(port.port)
    if (shared !== undefined) {
      if (nodePort !== 0 && nodePort !== shared) take(taker, nodePort, i, name)
      return nodePort === 0 ? { ...port, nodePort: shared } : port
    }
    const asked = wanted.get(port.port)
    const got = asked === undefined ? takeNext(taker) : take(taker, asked, i, name)
    byPort.set(port.port, got)
    return { ...port, nodePort: got }
  })
}

function changedPorts(
  spec: ServiceSpec,
  old: ServiceSpec,
  taker: PortAllocationOperation,
  name: string,
): ServicePort[] {
  const known = new Set(nodePortsOf(old))
  const seen = new Set<string>()
  return (spec.ports ?? []).map((port, i) => {
    const { nodePort = 0, protocol = '' } = port
    if (nodePort === 0 && !allocatesNodePorts(spec)) return port
    const got = nodePort === 0 ? takeNext(taker) : nodePort
    if (nodePort !== 0 && !known.has(nodePort)) {
      take(taker, nodePort, i, name)
      known.add(nodePort)
    }
    const key = `${protocol} ${got}`
    if (seen.has(key)) throw unknownError(`duplicate nodePort: {${protocol} ${got}}`)
    seen.add(key)
    return nodePort === 0 ? { ...port, nodePort: got } : port
  })
}

function take(taker: PortAllocationOperation, port: number, index: number, name: string): number {
  try {
    taker.take(port)
    return port
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error
    throw invalid(kind, name, [invalidField(portsAt.index(index).child('nodePort'), port, error.message)])
  }
}

function takeNext(taker: PortAllocationOperation): number {
  try {
    return taker.takeNext()
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error
    throw internalError(`failed to allocate a nodePort: ${error.message}`)
  }
}

function chooseCheckPort(asked: number, taker: PortAllocationOperation): number {
  try {
    if (asked === 0) return taker.takeNext()
    taker.take(asked)
    return asked
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error
    const what = asked === 0 ? 'a HealthCheck NodePort 0' : `requested HealthCheck NodePort ${asked}`
    throw internalError(`failed to allocate ${what}: ${error.message}`)
  }
}
