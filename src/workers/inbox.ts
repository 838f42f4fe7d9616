/** The connections that a worker is sent, as the source of its listeners. */
import type { Socket } from 'node:net'
import type { ConnectionSource } from '../http/listener.ts'
import type { ControlPort } from './control-port.ts'
import { type HandedConnection, kinds, type PortName, type WorkerStart } from './messages.ts'

export class ConnectionInbox {
  readonly #control: ControlPort
  readonly #ports: WorkerStart['ports']
  readonly #takers = new Map<PortName, (socket: Socket) => void>()
  #ended = 0

  constructor(control: ControlPort, ports: WorkerStart['ports']) {
    this.#control = control
    this.#ports = ports
    control.on<HandedConnection>(kinds.connection, ({ port }, socket) => {
      // A socket that was closed on its way does not arrive.
      if (socket === undefined) this.#countEnd()
      else this.#take(port, socket)
    })
  }

  source(port: PortName): ConnectionSource {
    const address = this.#ports[port] ?? { host: '127.0.0.1', port: 0 }
    return {
      open: async (take) => {
        this.#takers.set(port, take)
        return address
      },
      close: () => void this.#takers.delete(port),
    }
  }

  #take(port: PortName, socket: Socket): void {
    socket.once('close', () => this.#countEnd())
    const take = this.#takers.get(port)
    if (take === undefined) socket.destroy()
    else take(socket)
  }

  /** Called once a turn: many may end together. */
  #countEnd(): void {
    if (this.#ended++ > 0) return
    setImmediate(() => {
      this.#control.notify(kinds.closed, this.#ended)
      this.#ended = 0
    })
  }
}
