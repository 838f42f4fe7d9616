/** What is done to servers and etcd members while clients write, read and watch. Afterwards all etcd members run; servers may not. */
import { setTimeout as delay } from 'node:timers/promises'
import type { EtcdCluster, EtcdProcess } from '../../contract/store/etcd-process.ts'
import type { Random } from '../random.ts'
import type { Backend, Deployment } from './deployment.ts'
import { clearQuota, exhaustQuota } from './etcd-quota.ts'
import { builtProgram, type ServerProcess } from './server-process.ts'

export interface Field {
  readonly deployment: Deployment
  readonly random: Random
  /** The program of an earlier commit; undefined where there is none. */
  readonly olderProgram: string | undefined
  /** Counts something, by what it is. */
  readonly count: (what: string) => void
}

type Attack = (field: Field) => Promise<void>

/** One of the attacks that there are on such a deployment. */
export async function attack(backend: Backend, field: Field): Promise<void> {
  await field.random.pick(attacksOn[backend])(field)
}

/** One of the servers; each has its turn. */
const victim = ({ deployment, random }: Field): ServerProcess => random.pick(deployment.servers)

const kill: Attack = async (field) => {
  await victim(field).kill()
  field.count('kills (SIGKILL)')
}

const killAllServers: Attack = async (field) => {
  for (const server of field.deployment.servers) {
    await server.kill()
    field.count('kills (SIGKILL)')
  }
}

/** The server goes on: only the connections of that worker break. */
const killWorker: Attack = async (field) => {
  const server = victim(field)
  const workers = server.workers()
  if (workers.length === 0) return
  process.kill(field.random.pick(workers), 'SIGKILL')
  field.count('kills of a request worker (SIGKILL)')
  await delay(field.random.below(300))
}

const pauseWorker: Attack = async (field) => {
  const workers = victim(field).workers()
  if (workers.length === 0) return
  const worker = field.random.pick(workers)
  process.kill(worker, 'SIGSTOP')
  await delay(100 + field.random.below(1500))
  process.kill(worker, 'SIGCONT')
  field.count('pauses of a request worker (SIGSTOP, SIGCONT)')
}

const pause: Attack = async (field) => {
  await victim(field).pause(100 + field.random.below(1500))
  field.count('pauses of a server (SIGSTOP, SIGCONT)')
}

const terminate: Attack = async (field) => {
  await victim(field).terminate()
  field.count('shutdowns (SIGTERM)')
}

const jumpsMs = [1000, -1000, 60_000, -60_000, 3_600_000, -3_600_000, 86_400_000, -86_400_000]

const jumpClock: Attack = async (field) => {
  const server = victim(field)
  server.setClock(field.random.pick(jumpsMs))
  await delay(field.random.below(500))
  if (field.random.chance(0.5)) server.setClock(0)
  field.count('jumps of the clock')
}

/** One after the other; the next build may be the older one, unless what it finds was written by a newer one on the only copy. */
const restartInTurns: Attack = async (field) => {
  for (const server of field.deployment.servers) {
    await server.terminate()
    changeBuild(field, server)
    server.start()
    await server.ready()
  }
  field.count('rolling restarts')
}

const upgrade: Attack = async (field) => {
  const server = victim(field)
  if (field.random.chance(0.5)) await server.terminate()
  else {
    await server.kill()
    field.count('kills (SIGKILL)')
  }
  changeBuild(field, server)
}

function changeBuild({ deployment, olderProgram, count }: Field, server: ServerProcess): void {
  const isOlder = server.program !== builtProgram
  if (isOlder) {
    server.program = builtProgram
    count('upgrades')
  } else if (olderProgram !== undefined && deployment.etcd !== undefined) {
    server.program = olderProgram
    count('downgrades')
  }
}

function etcdOf({ deployment }: Field): EtcdCluster {
  if (deployment.etcd === undefined) throw new Error('there is no etcd')
  return deployment.etcd
}

async function killMembers(field: Field, members: readonly EtcdProcess[]): Promise<void> {
  await Promise.all(members.map((member) => member.kill()))
  await delay(field.random.below(1500))
  for (const member of members) {
    member.start()
    field.count('kills of etcd members')
  }
  await Promise.all(etcdOf(field).members.map((member) => member.ready()))
}

const killMember: Attack = async (field) => {
  await killMembers(field, [field.random.pick(etcdOf(field).members)])
}

const killLeader: Attack = async (field) => {
  await killMembers(field, [await etcdOf(field).leader()])
  field.count('of these, of the leader')
}

const killMajority: Attack = async (field) => {
  const first = field.random.below(3)
  await killMembers(
    field,
    etcdOf(field).members.filter((_, i) => i !== first),
  )
  field.count('of these, of two at once')
}

const killAllMembers: Attack = async (field) => {
  await killMembers(field, etcdOf(field).members)
  field.count('of these, of all at once')
}

const pauseMember: Attack = async (field) => {
  const etcd = etcdOf(field)
  const member = field.random.chance(0.5) ? await etcd.leader() : field.random.pick(etcd.members)
  member.pause()
  await delay(100 + field.random.below(3000))
  member.resume()
  field.count('pauses of an etcd member (SIGSTOP, SIGCONT)')
  await Promise.all(etcd.members.map((each) => each.ready()))
}

const fillQuota: Attack = async (field) => {
  const etcd = etcdOf(field)
  await exhaustQuota(etcd)
  await delay(field.random.below(500))
  if (field.random.chance(0.5)) {
    await victim(field).kill()
    field.count('kills (SIGKILL)')
  }
  await clearQuota(etcd)
  field.count('exhausted quotas (NOSPACE)')
}

const lmdbAttacks: readonly Attack[] = [kill, kill, kill, kill, kill, kill, pause, terminate, jumpClock, upgrade]

const workerAttacks: readonly Attack[] = [
  ...[killWorker, killWorker, killWorker, killWorker, killWorker, killWorker],
  ...[kill, kill, pauseWorker, pause, terminate],
]

const etcdAttacks: readonly Attack[] = [
  ...[kill, kill, kill, killAllServers, pause, terminate, jumpClock, restartInTurns, upgrade],
  ...[
    killMember,
    killMember,
    killLeader,
    killLeader,
    killMajority,
    killAllMembers,
    pauseMember,
    pauseMember,
    fillQuota,
  ],
]

const attacksOn: Readonly<Record<Backend, readonly Attack[]>> = {
  lmdb: lmdbAttacks,
  'lmdb-workers': workerAttacks,
  etcd: etcdAttacks,
}
