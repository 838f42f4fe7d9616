/**
 * Dials through a konnectivity server over gRPC on a unix socket. Each connection has a stream of its own: a dial
 * request and its answer, then data both ways, then a request to close and its answer.
 */

import { randomInt } from 'node:crypto'
import { Duplex } from 'node:stream'
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js'
import { Reader, Writer } from 'protobufjs/minimal.js'
import { type Dial, DialError, hostPort } from './dial.ts'

type Id = Parameters<Writer['int64']>[0]

/** One packet, with the fields of all types: a stream carries one connection only. */
interface Packet {
  readonly type: number
  readonly protocol?: string
  readonly address?: string
  readonly random?: number
  readonly connectId?: Id
  readonly error?: string
  readonly data?: Uint8Array
}

const dialRequest = 0
const dialResponse = 1
const closeRequest = 2
const closeResponse = 3
const data = 4
const dialClose = 5

const path = '/ProxyService/Proxy'
const dialTimeoutMs = 30_000
const closeTimeoutMs = 10_000
/** Data in one packet. */
const maxDataBytes = 32 * 1024

type Stream = ClientDuplexStream<Packet, Packet>

export function konnectivityDial(socketPath: string): Dial {
  return (host, port) => {
    const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 })
    return new Promise((resolve, reject) => {
      const stream: Stream = client.makeBidiStreamRequest(path, encode, decode)
      const random = randomInt(1, 2 ** 47)
      let connection: Tunnel | undefined
      const fail = (error: DialError): void => {
        clearTimeout(timer)
        stream.cancel()
        client.close()
        reject(error)
      }
      const timer = setTimeout(() => {
        stream.write({ type: dialClose, random })
        fail(new DialError('proxy', 'dial timeout, backstop'))
      }, dialTimeoutMs)
      stream.on('data', (packet: Packet) => {
        if (connection !== undefined) connection.receive(packet)
        else if (packet.type === dialResponse) {
          if (packet.error) return fail(new DialError('proxy', packet.error))
          clearTimeout(timer)
          connection = new Tunnel(stream, packet.connectId ?? 0, () => client.close())
          resolve(connection)
        } else if (packet.type === dialClose) fail(new DialError('proxy', 'dial closed'))
      })
      stream.on('error', (error) => {
        if (connection === undefined) fail(new DialError('connect', error.message, { cause: error }))
        else connection.destroy(error)
      })
      stream.on('end', () => {
        if (connection === undefined) fail(new DialError('proxy', 'tunnel closed'))
        else connection.over()
      })
      stream.write({ type: dialRequest, protocol: 'tcp', address: hostPort(host, port), random })
    })
  }
}

class Tunnel extends Duplex {
  readonly #stream: Stream
  readonly #id: Id
  readonly #close: () => void
  #isOver = false
  #closing: NodeJS.Timeout | undefined

  constructor(stream: Stream, id: Id, close: () => void) {
    super({ allowHalfOpen: false })
    this.#stream = stream
    this.#id = id
    this.#close = close
  }

  receive(packet: Packet): void {
    if (packet.type === data && packet.data !== undefined && packet.data.length > 0) {
      if (!this.push(packet.data)) this.#stream.pause()
    } else if (packet.type === closeResponse) {
      this.over()
    }
  }

  /** Nothing more comes. */
  over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.push(null)
    this.#end()
  }

  override _read(): void {
    this.#stream.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    let at = 0
    for (; at + maxDataBytes < chunk.length; at += maxDataBytes) this.#send(chunk.subarray(at, at + maxDataBytes))
    this.#send(chunk.subarray(at), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#askToClose()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#askToClose()
    done(error)
  }

  #send(bytes: Uint8Array, done?: (error?: Error | null) => void): void {
    this.#stream.write({ type: data, connectId: this.#id, data: bytes }, done)
  }

  #askToClose(): void {
    if (this.#isOver || this.#closing !== undefined) return
    this.#closing = setTimeout(() => this.#end(), closeTimeoutMs)
    this.#closing.unref()
    this.#stream.resume()
    this.#stream.write({ type: closeRequest, connectId: this.#id })
  }

  #end(): void {
    clearTimeout(this.#closing)
    this.#stream.end()
    this.#stream.cancel()
    this.#close()
  }
}

const bytesField = (number: number): number => (number << 3) | 2
const varintField = (number: number): number => number << 3
/** Which field of a packet holds what belongs to its type. */
const payloadFields: readonly number[] = [2, 3, 5, 6, 4, 7]

function encode({ type, protocol = '', address = '', random = 0, connectId = 0, data: bytes }: Packet): Buffer {
  const writer = Writer.create().uint32(varintField(1)).int32(type)
  writer.uint32(bytesField(payloadFields[type] ?? 0)).fork()
  if (type === dialRequest) {
    writer.uint32(bytesField(1)).string(protocol).uint32(bytesField(2)).string(address)
    writer.uint32(varintField(3)).int64(random)
  } else if (type === dialClose) writer.uint32(varintField(1)).int64(random)
  else writer.uint32(varintField(1)).int64(connectId)
  if (bytes !== undefined) writer.uint32(bytesField(3)).bytes(bytes)
  return Buffer.from(writer.ldelim().finish())
}

function decode(bytes: Buffer): Packet {
  const reader = Reader.create(bytes)
  let packet: Packet = { type: 0 }
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag === varintField(1)) packet = { ...packet, type: reader.int32() }
    else if ((tag & 7) === 2) packet = { ...packet, ...payload(tag >>> 3, reader.bytes()) }
    else reader.skipType(tag & 7)
  }
  return packet
}

/** By the number of the field that holds it. */
function payload(field: number, bytes: Uint8Array): Partial<Packet> {
  const reader = Reader.create(bytes)
  const inside: { error?: string; connectId?: Id; data?: Uint8Array } = {}
  const isData = field === payloadFields[data]
  const isAnswer = field === payloadFields[dialResponse] || field === payloadFields[closeResponse]
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (isAnswer && tag === bytesField(1)) inside.error = reader.string()
    else if (isAnswer && tag === varintField(2)) inside.connectId = reader.int64()
    else if (isData && tag === varintField(1)) inside.connectId = reader.int64()
    else if (isData && tag === bytesField(3)) inside.data = reader.bytes()
    else reader.skipType(tag & 7)
  }
  return inside
}
