/**
 * Warnings about ports of a pod that collide: as many as there are pairs of them, which are found without looking at the others.
 * Mirrors pkg/api/pod: warningsForPodSpecAndMeta.
 */
import { maxPairErrors, quote } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { ContainerPort, PodSpec } from '../../../catalog/types/core-v1.ts'
import type { Steps } from '../../../lib/in-turns.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { allContainers } from './pod-options.ts'

const portsPerStep = 256

/** None where one port has nothing to collide with. */
export function portCount(spec: PodSpec): number {
  let count = 0
  let isTold = false
  for (const { ports = [] } of allContainers(spec)) {
    count += ports.length
    isTold ||= ports.some(({ hostIP }) => hostIP !== undefined)
  }
  return count > 1 || isTold ? count : 0
}

export function* portWarnings(spec: PodSpec, at: FieldPath): Steps<string[]> {
  const found: string[] = []
  const named: string[] = []
  const seen = new Map<string, SeenPorts>()
  const byName = new Map<string, FieldPath>()
  let count = 0
  for (const { port, at: portAt } of portsOf(spec, at)) {
    if (++count % portsPerStep === 0) yield
    if ((port.hostIP ?? '') !== '' && (port.hostPort ?? 0) === 0) {
      found.push(`${portAt}: hostIP set without hostPort: ${printPort(port)}`)
    }
    const key = `${port.containerPort}/${port.protocol}`
    const others = seen.get(key) ?? new SeenPorts()
    seen.set(key, others)
    for (const other of others.collidingWith(port, maxPairErrors - found.length)) {
      found.push(`${portAt}: ${collision(port, other.port)} port definition with ${other.at}`)
    }
    others.add({ port, at: portAt, order: count })
    warnOfName(named, port.name ?? '', portAt, byName)
  }
  pushAll(found, named)
  return found
}

interface PlacedPort {
  readonly port: ContainerPort
  readonly at: FieldPath
}

function* portsOf(spec: PodSpec, at: FieldPath): Iterable<PlacedPort> {
  for (const name of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [i, { ports = [] }] of (spec[name] ?? []).entries()) {
      for (const [k, port] of ports.entries()) yield { port, at: at.child(name).index(i).child('ports').index(k) }
    }
  }
}

interface SeenPort extends PlacedPort {
  readonly order: number
}

/** The ports so far of one number and protocol, by what they may collide in. */
class SeenPorts {
  readonly #all: SeenPort[] = []
  readonly #ofAnyHost: SeenPort[] = []
  readonly #byHost = new Map<number, SeenPort[]>()
  readonly #byAddress = new Map<string, SeenPort[]>()

  add(seen: SeenPort): void {
    const { hostPort = 0, hostIP = '' } = seen.port
    this.#all.push(seen)
    if (hostPort === 0) this.#ofAnyHost.push(seen)
    else {
      listOf(this.#byHost, hostPort).push(seen)
      listOf(this.#byAddress, addressKey(hostPort, hostIP)).push(seen)
    }
  }

  /** No more than `most`, in the order in which they came. */
  collidingWith({ hostPort = 0, hostIP = '' }: ContainerPort, most: number): readonly SeenPort[] {
    if (hostPort === 0) return this.#all.slice(0, most)
    const sameHost =
      hostIP === ''
        ? [this.#byHost.get(hostPort)]
        : [this.#byAddress.get(addressKey(hostPort, '')), this.#byAddress.get(addressKey(hostPort, hostIP))]
    const lists = [this.#ofAnyHost, ...sameHost].filter((list) => list !== undefined && list.length > 0)
    if (lists.length < 2) return lists[0]?.slice(0, most) ?? []
    const all = lists.flatMap((list) => list?.slice(0, most) ?? [])
    return all.sort((a, b) => a.order - b.order).slice(0, most)
  }
}

const addressKey = (hostPort: number, hostIp: string): string => `${hostPort} ${hostIp}`

function listOf<K, T>(lists: Map<K, T[]>, key: K): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

/** Of two ports that collide. */
function collision(port: ContainerPort, other: ContainerPort): string {
  const [host, otherHost] = [port.hostPort ?? 0, other.hostPort ?? 0]
  if ((port.hostIP ?? '') === (other.hostIP ?? '') && host === otherHost) return 'duplicate'
  return host === 0 || otherHost === 0 ? 'overlapping' : 'dangerously ambiguous'
}

function warnOfName(found: string[], name: string, at: FieldPath, seen: Map<string, FieldPath>): void {
  if (name === '') return
  const other = seen.get(name)
  if (other === undefined) seen.set(name, at)
  else {
    const used = `services and probes that select ports by name will use ${other}`
    found.push(`${at}: duplicate port name ${quote(name)} with ${other}, ${used}`)
  }
}

const printPort = ({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`
