/**
 * Cluster IPs. The IPAddress objects are the record of what is given out: an address belongs to the service whose
 * IPAddress could be created, so servers that share a store cannot give one address twice. Addresses come from the
 * ranges of the configuration and of all ready ServiceCIDRs. The lower part of a range is kept for addresses that
 * services ask for, and is given out only when the rest is used up.
 * Mirrors pkg/registry/core/service/ipallocator: Allocator, MetaAllocator.
 */

import { quote } from '../../../../api/golang/quote.ts'
import {
  type Cidr,
  cidrContains,
  cidrSize,
  compareIps,
  firstIp,
  formatCidr,
  formatIp,
  type IpAddress,
  lastIp,
  maskedCidr,
  offsetIp,
  parseCidr,
  parseIp,
} from '../../../../api/ip.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { ObjectSource } from '../../../../api/object-source.ts'
import { ApiError } from '../../../../api/status-error.ts'
import { createAs, deleteAs, serverActor } from '../../../../registry/own-writes.ts'
import type { Registry } from '../../../../registry/registry.ts'
import type { KindServices } from '../../../kind-rules.ts'
import type { IpAddressObject } from '../ip-address/ip-address.ts'
import type { ServiceCidr } from '../service-cidr/service-cidr.ts'
import { AddressBitmaps } from './address-bitmap.ts'
import { AllocationMetrics } from './allocation-metrics.ts'
import { ownAddresses, type ServiceObject } from './service-object.ts'

const group = 'networking.k8s.io'
const familyLabel = 'ipaddress.kubernetes.io/ip-family'
const managedByLabel = 'ipaddress.kubernetes.io/managed-by'
const manager = 'ipallocator.k8s.io'

/** An address without its service is taken back when it is this old: until then its service may be on its way. */
export const orphanMs = 60_000

/** An address that a service of this name left behind so long ago, without ever coming to be, is there for the next. */
const adoptMs = 5_000

/** Why an address cannot be had, in the reference's words. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError'
}

/** All are in use. */
export class RangeFullError extends AllocationError {
  constructor() {
    super('range is full')
  }
}

/** The service that an address belongs to. */
export interface Owner {
  readonly namespace: string
  readonly name: string
}

export class AddressAllocator {
  readonly #services: KindServices
  readonly #metrics: AllocationMetrics
  #ranges: { readonly configured: readonly Cidr[]; readonly bitmaps: AddressBitmaps } | undefined

  constructor(services: KindServices) {
    this.#services = services
    this.#metrics = new AllocationMetrics(services.metrics)
    this.#metrics.showAddresses(async () => ({
      ranges: (await Promise.all(this.families.map((family) => this.#rangesOf(family)))).flat(),
      taken: [...(await this.#addresses()).list()].flatMap(({ metadata }) => parseIp(metadata.name ?? '') ?? []),
    }))
  }

  /** Read when they are first needed: rules are made before the server is. */
  get #open() {
    if (this.#ranges === undefined) {
      const configured = this.#services.serviceRanges.flatMap((range) => {
        const cidr = parseCidr(range)
        return cidr === undefined ? [] : [maskedCidr(cidr)]
      })
      this.#ranges = { configured, bitmaps: new AddressBitmaps(this.#services, configured) }
    }
    return this.#ranges
  }

  /** The families that the cluster has addresses of, the primary one first. */
  get families(): string[] {
    return [...new Set(this.#open.configured.map(({ address }) => address.family))]
  }

  /** Throws an `AllocationError`. */
  async allocate(text: string, owner: Owner): Promise<void> {
    const address = parseIp(text)
    if (address === undefined) throw new AllocationError(`failed to parse service IP ${quote(text)}`)
    const begin = performance.now()
    const range = (await this.#rangesOf(address.family)).find((each) => isUsable(each, address))
    if (range === undefined) throw new AllocationError('the provided network does not match the current range')
    if (!(await this.#claim(address, owner))) throw new AllocationError('provided IP is already allocated')
    this.#metrics.allocated(range, 'static', performance.now() - begin)
  }

  /** Throws an `AllocationError` when nothing is left. */
  async allocateNext(family: string, owner: Owner): Promise<string> {
    const begin = performance.now()
    const taken = await this.#addresses()
    for (const range of await this.#rangesOf(family)) {
      for (const address of candidateAddresses(range, () => this.#services.clock.random())) {
        if (taken.get('', formatIp(address)) !== undefined) continue
        if (!(await this.#claim(address, owner))) continue
        this.#metrics.allocated(range, 'dynamic', performance.now() - begin)
        return formatIp(address)
      }
    }
    throw new RangeFullError()
  }

  /** What a dry run answers: it claims nothing, so the address is not known. */
  preview(family: string, text: string): string {
    const range = this.#open.configured.find(({ address }) => address.family === family)
    if (range === undefined) throw new RangeFullError()
    const address = parseIp(text)
    if (address === undefined) return formatIp(firstIp(range))
    if (isUsable(range, address)) return text
    const why = `the provided IP (${formatIp(address)}) is not in the valid range. The range of valid IPs is ${formatCidr(range)}`
    throw new AllocationError(why)
  }

  /** Only what belongs to this service is given back. Throws when that is not known (a cache that lags behind the store). */
  async release(text: string, owner: Owner): Promise<void> {
    const address = parseIp(text)
    if (address === undefined) return
    const name = formatIp(address)
    const object = (await this.#addresses()).get('', name)
    if (object === undefined) throw new AllocationError(`${name} is not known to be allocated`)
    if (belongsTo(object, owner)) await this.#remove(object)
  }

  /** Repairs the bitmap: claims addresses in use, releases leaked ones. */
  async repair(services: ObjectSource<ServiceObject>): Promise<void> {
    const addresses = await this.#addresses()
    const used = new Set<string>()
    for (const { metadata, spec } of services.list()) {
      const owner = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
      for (const text of ownAddresses(spec)) {
        const address = parseIp(text)
        if (address === undefined) continue
        used.add(formatIp(address))
        if (addresses.get('', formatIp(address)) !== undefined) continue
        await this.#claim(address, owner)
        this.#metrics.addressRepaired('repair')
      }
    }
    const old = this.#services.clock.now() - orphanMs
    for (const object of [...addresses.list()]) {
      const { name = '', creationTimestamp, labels } = object.metadata
      const isOurs = labels?.[managedByLabel] === manager && !used.has(name)
      if (!isOurs || Date.parse(creationTimestamp ?? '') >= old) continue
      await this.#remove(object)
      this.#metrics.addressRepaired('leak')
    }
  }

  get #registry(): Registry {
    return this.#services.registry(group, 'ipaddresses')
  }

  async #addresses(): Promise<ObjectSource<IpAddressObject>> {
    return (await this.#services.objects(group, 'ipaddresses')) as ObjectSource<IpAddressObject>
  }

  async #rangesOf(family: string): Promise<Cidr[]> {
    const source = (await this.#services.objects(group, 'servicecidrs')) as ObjectSource<ServiceCidr>
    const ranges = new Map(this.#open.configured.map((range) => [formatCidr(range), range]))
    for (const object of source.list()) {
      if (!isReady(object)) continue
      for (const text of object.spec?.cidrs ?? []) {
        const range = parseCidr(text)
        if (range !== undefined) ranges.set(formatCidr(range), range)
      }
    }
    return [...ranges.values()].filter(({ address }) => address.family === family)
  }

  /** False when it is allocated already. */
  async #claim(address: IpAddress, owner: Owner): Promise<boolean> {
    const registry = this.#registry
    const [version = registry.definition.hub] = registry.definition.versions
    const object: KubeObject = {
      apiVersion: version.apiVersion,
      kind: version.kind,
      metadata: {
        name: formatIp(address),
        labels: { [familyLabel]: address.family, [managedByLabel]: manager },
      },
      spec: { parentRef: { resource: 'services', namespace: owner.namespace, name: owner.name } },
    }
    try {
      await createAs(serverActor, registry, object)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 409) return this.#isAbandoned(formatIp(address), owner)
      throw new AllocationError(error.message, { cause: error })
    }
    await this.#open.bitmaps.note(address, 'taken')
    return true
  }

  async #isAbandoned(address: string, owner: Owner): Promise<boolean> {
    const object = (await this.#addresses()).get('', address)
    if (object === undefined || !belongsTo(object, owner)) return false
    const services = await this.#services.objects('', 'services')
    const age = this.#services.clock.now() - Date.parse(object.metadata.creationTimestamp ?? '')
    return age > adoptMs && services.get(owner.namespace, owner.name) === undefined
  }

  async #remove({ metadata: { name = '', uid } }: KubeObject): Promise<void> {
    const registry = this.#registry
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    try {
      await deleteAs(serverActor, registry, { namespace: '', name }, preconditions)
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) throw error
    }
    const address = parseIp(name)
    if (address !== undefined) await this.#open.bitmaps.note(address, 'free')
  }
}

const belongsTo = ({ spec }: IpAddressObject, owner: Owner): boolean =>
  spec?.parentRef?.resource === 'services' &&
  spec.parentRef.namespace === owner.namespace &&
  spec.parentRef.name === owner.name

function isReady({ metadata, status }: ServiceCidr): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return metadata.deletionTimestamp == null && (ready === undefined || ready.status === 'True')
}

/** The first address of a range names it, and the last of an IPv4 range reaches all. */
function isUsable(range: Cidr, address: IpAddress): boolean {
  if (!cidrContains(range, address) || compareIps(address, firstIp(range)) === 0) return false
  return address.family === 'IPv6' || compareIps(address, lastIp(range)) !== 0
}

/** How many addresses at the bottom of a range are kept for services that ask for one. */
function keptCount(range: Cidr): bigint {
  const size = cidrSize(range)
  if (size <= 16n) return 0n
  const part = size / 16n
  return part < 16n ? 16n : part > 256n ? 256n : part
}

/** Every usable address once: those above the kept part from a random one on, then the kept ones likewise. */
export function* candidateAddresses(range: Cidr, random: () => number): Generator<IpAddress> {
  const base = firstIp(range)
  const usable = cidrSize(range) - (range.address.family === 'IPv4' ? 2n : 1n)
  const kept = keptCount(range)
  for (const { from, count } of [
    { from: 1n + kept, count: usable - kept },
    { from: 1n, count: kept },
  ]) {
    if (count <= 0n) continue
    const start = randomBelow(count, random)
    for (let i = 0n; i < count; i++) {
      const address = offsetIp(base, from + ((start + i) % count))
      if (address !== undefined) yield address
    }
  }
}

/** From the 104 bits of two random numbers. */
const randomBelow = (limit: bigint, random: () => number): bigint =>
  ((BigInt(Math.floor(random() * 2 ** 52)) << 52n) | BigInt(Math.floor(random() * 2 ** 52))) % limit
