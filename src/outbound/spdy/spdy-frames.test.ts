import { expect, it } from 'vitest'
import { dataFrameHeader, pingFrame, type SpdyFrame, SpdyFrameReader, SpdyHeaderWriter } from './spdy-frames.ts'

const shown = (frame: SpdyFrame): string =>
  frame.kind === 'data'
    ? `data ${frame.streamId} ${frame.flags} ${frame.payload.toString()}`
    : `control ${frame.type} ${frame.payload.toString('hex')}`

it('reads frames whatever pieces they come in', () => {
  const bytes = Buffer.concat([
    pingFrame(2),
    dataFrameHeader(1, 0, 3),
    Buffer.from('abc'),
    dataFrameHeader(3, 1, 0),
    dataFrameHeader(1, 1, 2),
    Buffer.from('de'),
  ])
  for (let size = 1; size <= bytes.length; size++) {
    const seen: string[] = []
    const data = new Map<number, string>()
    const reader = new SpdyFrameReader((frame) => {
      if (frame.kind === 'control' || frame.flags !== 0)
        seen.push(frame.kind === 'data' ? `end ${frame.streamId}` : shown(frame))
      if (frame.kind === 'data') data.set(frame.streamId, (data.get(frame.streamId) ?? '') + frame.payload.toString())
    })
    for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size))
    expect(seen).toEqual(['control 6 00000002', 'end 3', 'end 1'])
    expect(data.get(1)).toBe('abcde')
  }
})

it.each([
  ['another version', Buffer.from([0x80, 2, 0, 6, 0, 0, 0, 4]), 'unsupported SPDY version'],
  ['a huge control frame', Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff]), 'SPDY control frame too large'],
])('refuses %s', (_, bytes, message) => {
  expect(() => new SpdyFrameReader(() => {}).take(bytes)).toThrow(message)
})

it('writes headers in blocks of one zlib stream, each of which ends with a flush', () => {
  const writer = new SpdyHeaderWriter()
  const [first, second] = [writer.synStream(1, { a: 'b' }), writer.synStream(3, { a: 'b' })].map((each) =>
    each.subarray(18),
  )
  const block = '000e00f1ff0000000100000001610000000162000000ffff'
  expect(first?.toString('hex')).toBe(`78bbe3c6a7c2${block}`)
  expect(second?.toString('hex')).toBe(block)
})
