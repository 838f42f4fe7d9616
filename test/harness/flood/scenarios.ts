/** The floods: each begins, goes on until it is told to stop, and says what it did. All come from one tenant. */
import type net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import tls from 'node:tls'
import { connect, open, request, type Session } from './client.ts'
import type { FloodTarget } from './target.ts'

export interface Scenario {
  readonly name: string
  /** Whether it is among those that take most memory. */
  readonly isHeavy?: boolean
  /** What it may take of the server's memory, at the most, in mebibytes. */
  readonly memory: (scale: number) => number
  /** Resolves once the flood is in full flow. */
  begin(target: FloodTarget, scale: number): Promise<Flood>
}

export interface Flood {
  /** Ends it; resolves to figures. */
  stop(): Promise<Record<string, number | string>>
}

const pods = '/api/v1/namespaces/flood/pods'
const configMap = '/api/v1/namespaces/flood/configmaps/changing'

const meta = 'v=v1;g=meta.k8s.io'
/** Representations that have to be made for each answer. */
const costly = [
  'application/vnd.kubernetes.protobuf',
  `application/json;as=Table;${meta}`,
  'application/yaml',
  `application/json;as=PartialObjectMetadataList;${meta}`,
  `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${meta}`,
]

interface Listing {
  readonly name: string
  readonly readers: number
  readonly accept?: readonly string[]
}

/** As many readers of whole lists at a time as given, each beginning again when it is done. */
function wholeLists({ name, readers, accept = ['application/json'] }: Listing): Scenario {
  return {
    name,
    memory: () => 150,
    async begin(target) {
      const sessions = await Promise.all(Array.from({ length: Math.ceil(readers / 50) }, () => connect(target)))
      let running = true
      const counts = new Map<number, number>()
      let bytes = 0
      const read = async (session: Session, i: number): Promise<void> => {
        while (running) {
          const asked = { path: pods, accept: accept[i % accept.length] as string }
          const status = await request(session, target, asked, (more) => {
            bytes += more
          })
          counts.set(status, (counts.get(status) ?? 0) + 1)
          if (status !== 200) await delay(50)
        }
      }
      for (let i = 0; i < readers; i++) void read(sessions[i % sessions.length] as Session, i)
      return {
        async stop() {
          running = false
          for (const session of sessions) session.destroy()
          const mebibytes = Math.round(bytes / 2 ** 20)
          return {
            'MiB of lists': mebibytes,
            'lists answered': counts.get(200) ?? 0,
            'lists refused (429)': counts.get(429) ?? 0,
          }
        },
      }
    },
  }
}

/** Watchers whose streams are opened and never read, while what they watch goes on changing. */
const deafWatchers: Scenario = {
  name: 'watchers that never read',
  isHeavy: true,
  memory: (scale) => 100 + (5000 * scale * 50) / 1024,
  async begin(target, scale) {
    const watchers = Math.round(5000 * scale)
    const sessions = await Promise.all(Array.from({ length: Math.ceil(watchers / 200) }, () => connect(target)))
    let opened = 0
    let ended = 0
    const opening = sessions.flatMap((session, s) =>
      Array.from({ length: Math.min(200, watchers - s * 200) }, () => {
        const stream = open(session, target, { path: '/api/v1/namespaces/flood/configmaps?watch=1' })
        stream.on('close', () => ended++)
        return new Promise<void>((done) => {
          stream.on('response', () => {
            opened++
            done()
          })
          stream.on('close', () => done())
        })
      }),
    )
    await Promise.race([Promise.all(opening), delay(60_000)])
    const writer = await connect(target)
    let running = true
    let writes = 0
    const write = async (): Promise<void> => {
      while (running) {
        const body = { metadata: { name: 'changing' }, data: { text: `${writes}`.padEnd(4000, 'x') } }
        const status = await request(writer, target, { method: 'PUT', path: configMap, user: '', body })
        if (status === 200) writes++
        else await delay(50)
      }
    }
    void write()
    return {
      async stop() {
        running = false
        const figures = { 'watches opened': opened, 'watches ended by the server': ended, 'writes meanwhile': writes }
        for (const session of [...sessions, writer]) session.destroy()
        return figures
      },
    }
  },
}

/** Connections that shake hands and say nothing. */
const idleConnections: Scenario = {
  name: 'idle connections',
  isHeavy: true,
  memory: (scale) => 50 + (10_000 * scale * 60) / 1024,
  async begin(target, scale) {
    const wanted = Math.round(10_000 * scale)
    const { hostname, port } = new URL(target.url)
    const sockets: tls.TLSSocket[] = []
    let open = 0
    for (let begun = 0; begun < wanted; begun += 100) {
      const batch = Array.from({ length: Math.min(100, wanted - begun) }, () => {
        const socket = tls.connect({
          host: hostname,
          port: Number(port),
          rejectUnauthorized: false,
          ALPNProtocols: ['h2'],
        })
        sockets.push(socket)
        return new Promise<void>((done) => {
          socket.once('secureConnect', () => {
            open++
            done()
          })
          socket.once('error', () => done())
        })
      })
      await Promise.all(batch)
    }
    return {
      async stop() {
        for (const socket of sockets) socket.destroy()
        return { 'connections held': open }
      },
    }
  },
}

/** Connections that shake hands, say nothing and go, as fast as they can. */
const newConnections: Scenario = {
  name: 'connections that come and go',
  memory: () => 100,
  async begin(target) {
    const { hostname, port } = new URL(target.url)
    let running = true
    let made = 0
    const knock = async (): Promise<void> => {
      while (running) {
        await new Promise<void>((done) => {
          const socket = tls.connect({
            host: hostname,
            port: Number(port),
            rejectUnauthorized: false,
            ALPNProtocols: ['h2'],
          })
          socket.once('secureConnect', () => {
            made++
            socket.destroy()
          })
          socket.once('error', () => {})
          socket.once('close', () => done())
        })
      }
    }
    for (let i = 0; i < 100; i++) void knock()
    return {
      async stop() {
        running = false
        return { 'connections made': made }
      },
    }
  },
}

/** Whole lists whose readers take a small piece now and then. */
const slowReaders: Scenario = {
  name: 'slow readers of whole lists',
  memory: () => 100,
  async begin(target) {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => connect(target)))
    const streams = sessions.map((session) => open(session, target, { path: pods }))
    let bytes = 0
    const timer = setInterval(() => {
      for (const stream of streams) {
        const chunk = stream.read(1024) as Buffer | null
        bytes += chunk?.length ?? 0
      }
    }, 200)
    for (const stream of streams) stream.on('readable', () => {})
    return {
      async stop() {
        clearInterval(timer)
        for (const session of sessions) session.destroy()
        return { 'bytes read slowly': bytes }
      },
    }
  },
}

/** Bodies that come a byte at a time, over connections of their own, and headers that never end. */
const slowWriters: Scenario = {
  name: 'slow writers',
  memory: () => 100,
  async begin(target) {
    const { hostname, port } = new URL(target.url)
    const head = `POST /api/v1/namespaces/flood/configmaps HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${target.token}\r\nImpersonate-User: flood\r\nContent-Type: application/json\r\n`
    const sockets = Array.from({ length: 200 }, (_, i) => {
      const socket = tls.connect({
        host: hostname,
        port: Number(port),
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      })
      socket.on('error', () => {})
      socket.on('data', () => {})
      socket.once('secureConnect', () => socket.write(i % 2 === 0 ? `${head}Content-Length: 100000\r\n\r\n{` : head))
      return socket
    })
    let sent = 0
    const timer = setInterval(() => {
      for (const [i, socket] of sockets.entries()) {
        if (socket.writable && socket.readyState === ('open' satisfies net.SocketReadyState))
          socket.write(i % 2 === 0 ? ' ' : `X-${sent++}: y\r\n`)
      }
    }, 200)
    return {
      async stop() {
        clearInterval(timer)
        for (const socket of sockets) socket.destroy()
        return { 'slow writers': sockets.length }
      },
    }
  },
}

export const scenarios: readonly Scenario[] = [
  wholeLists({ name: '200 whole lists at a time', readers: 200 }),
  wholeLists({ name: '50 whole lists at a time', readers: 50 }),
  wholeLists({ name: '50 costly lists at a time', readers: 50, accept: costly }),
  deafWatchers,
  newConnections,
  idleConnections,
  slowReaders,
  slowWriters,
]
