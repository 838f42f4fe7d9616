/**
 * Whether seats are given as configured: one tenant reads whole lists 100 at a time, another one 10 at a time. Both must
 * get their share, and what runs must never take more seats than the level has.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { connect, open, type Session, text } from './client.ts'
import type { FloodTarget } from './target.ts'

export interface FairShares {
  /** Bytes of lists that each tenant got: lists that take long may all be under way at the end. */
  readonly many: number
  readonly few: number
  /** Seats in use and the limit, each time that they were looked at. */
  readonly seats: readonly (readonly [number, number])[]
}

const pods = '/api/v1/namespaces/flood/pods'

export async function measureFairShares(target: FloodTarget, ms: number): Promise<FairShares> {
  let running = true
  const bytes = { flood: 0, quiet: 0 }
  const sessions: Session[] = []
  const readers = async (user: 'flood' | 'quiet', count: number): Promise<void> => {
    const session = await connect(target)
    sessions.push(session)
    const read = async (): Promise<void> => {
      while (running) {
        const stream = open(session, target, { path: pods, user })
        stream.on('data', (chunk: Buffer) => {
          bytes[user] += chunk.length
        })
        await new Promise((done) => stream.on('close', done))
        if (stream.rstCode !== 0) await delay(50)
      }
    }
    for (let i = 0; i < count; i++) void read()
  }
  await Promise.all([readers('flood', 100), readers('quiet', 10)])
  const observer = await connect(target)
  const seats: [number, number][] = []
  for (let look = 0; look < looks; look++) {
    await delay(ms / looks)
    const metrics = await text(observer, target, '/metrics')
    seats.push([seatsOf(metrics, 'current_executing_seats'), seatsOf(metrics, 'current_limit_seats')])
  }
  running = false
  for (const session of [...sessions, observer]) session.destroy()
  return { many: bytes.flood, few: bytes.quiet, seats }
}

const looks = 4

/** Of the level that both tenants are in. */
function seatsOf(metrics: string, name: string): number {
  const lines = metrics.matchAll(new RegExp(`^apiserver_flowcontrol_${name}\\{([^}]*)\\} (\\S+)$`, 'gm'))
  let sum = 0
  for (const [, labels = '', value] of lines) if (labels.includes('"global-default"')) sum += Number(value)
  return sum
}
