/**
 * An HTML page that is passed on with its links rewritten, compressed as it came. Mirrors apimachinery/pkg/util/proxy:
 * Transport.rewriteResponse.
 */
import type { IncomingMessage } from 'node:http'
import { pipeline, Transform, Writable } from 'node:stream'
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib'
import type { AnswerStream } from '../../api/exchange.ts'
import { HtmlLinks } from './html-links.ts'

interface Coding {
  readonly decode: () => Transform[]
  readonly encode: () => Transform[]
}

const codings: Readonly<Record<string, Coding>> = {
  '': { decode: () => [], encode: () => [] },
  gzip: { decode: () => [createGunzip()], encode: () => [createGzip()] },
  deflate: { decode: () => [createInflateRaw()], encode: () => [createDeflateRaw()] },
}

/** What is compressed in another way is not understood, and passes as it is. */
export function isPage({ headers, statusCode }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1)
  if (type.trim() !== 'text/html' || statusCode === 204 || statusCode === 304) return false
  return Object.hasOwn(codings, headers['content-encoding'] ?? '')
}

export function relayPage(
  response: IncomingMessage,
  answer: AnswerStream,
  { done, rewrite }: { readonly done: () => void; readonly rewrite: (link: string) => string },
): void {
  const { decode, encode } = codings[response.headers['content-encoding'] ?? ''] as Coding
  answer.onClose(() => response.destroy())
  pipeline([response, ...decode(), rewriting(rewrite), ...encode(), writingTo(answer)], (error) => {
    if (error) answer.destroy()
    else answer.end()
    done()
  })
}

function rewriting(rewrite: (link: string) => string): Transform {
  const links = new HtmlLinks(rewrite)
  return new Transform({
    transform: (chunk: Buffer, _, next) => next(null, links.push(chunk)),
    flush: (next) => next(null, links.end()),
  })
}

/** No faster than it is taken. */
function writingTo(answer: AnswerStream): Writable {
  let resume: (() => void) | undefined
  answer.onDrain(() => {
    resume?.()
    resume = undefined
  })
  return new Writable({
    write(chunk: Buffer, _, next) {
      if (answer.write(chunk)) next()
      else resume = next
    },
  })
}
