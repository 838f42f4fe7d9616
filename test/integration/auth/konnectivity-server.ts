/** A real konnectivity server for tests: gRPC on a unix socket, described by its proto file, joined to real connections. */

import { connect, type Socket } from 'node:net'
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js'
import { parse, type Root } from 'protobufjs'

const proto = `
syntax = "proto3";
message Packet {
  int32 type = 1;
  oneof payload {
    DialRequest dialRequest = 2; DialResponse dialResponse = 3; Data data = 4;
    CloseRequest closeRequest = 5; CloseResponse closeResponse = 6; CloseDial closeDial = 7;
  }
}
message DialRequest { string protocol = 1; string address = 2; int64 random = 3; }
message DialResponse { string error = 1; int64 connectID = 2; int64 random = 3; }
message CloseRequest { int64 connectID = 1; }
message CloseResponse { string error = 1; int64 connectID = 2; }
message CloseDial { int64 random = 1; }
message Data { int64 connectID = 1; string error = 2; bytes data = 3; }
`
// biome-ignore lint/suspicious/noExplicitAny: packets as the library reads them
type Packet = any

export class KonnectivityServer {
  readonly targets: string[] = []
  /** Connections that were closed in good order. */
  closed = 0
  readonly #server = new Server()
  readonly #open = new Set<Socket>()

  constructor() {
    const root: Root = parse(proto, { keepCase: true }).root
    const packet = root.lookupType('Packet')
    const definition = {
      Proxy: {
        path: '/ProxyService/Proxy',
        requestStream: true,
        responseStream: true,
        requestSerialize: (value: Packet) => Buffer.from(packet.encode(value).finish()),
        requestDeserialize: (bytes: Buffer) => packet.decode(bytes),
        responseSerialize: (value: Packet) => Buffer.from(packet.encode(packet.create(value)).finish()),
        responseDeserialize: (bytes: Buffer) => packet.decode(bytes),
      },
    } as const
    this.#server.addService(definition, { Proxy: (stream: ServerDuplexStream<Packet, Packet>) => this.#serve(stream) })
  }

  start(socketPath: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      )
    })
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
    this.#server.forceShutdown()
  }

  #serve(stream: ServerDuplexStream<Packet, Packet>): void {
    let socket: Socket | undefined
    const connectID = 7
    stream.on('data', (packet: Packet) => {
      if (packet.dialRequest) {
        const { address, random } = packet.dialRequest
        this.targets.push(address)
        const [host = '', port = ''] = address.split(':')
        const opened = connect(Number(port), host, () => stream.write({ type: 1, dialResponse: { connectID, random } }))
        socket = opened
        this.#open.add(opened)
        opened.on('data', (data) => stream.write({ type: 4, data: { connectID, data } }))
        opened.on('close', () => {
          this.#open.delete(opened)
          stream.write({ type: 3, closeResponse: { connectID } })
        })
        opened.on('error', (error) => stream.write({ type: 1, dialResponse: { error: error.message, random } }))
      } else if (packet.data) socket?.write(packet.data.data)
      else if (packet.closeRequest) {
        this.closed++
        socket?.end()
      }
    })
    stream.on('error', () => socket?.destroy())
    stream.on('end', () => stream.end())
  }
}
