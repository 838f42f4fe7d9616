/**
 * Requests that no client library sends: what a proxy in front might read differently (smuggling), and what is no HTTP. Each is sent
 * as it stands on a connection of its own, and must be refused or end the connection. `hidden`, in a body, is never answered.
 */
import { secretPath, userToken } from './attack.ts'

const head = (lines: string, method = 'POST'): string =>
  `${method} /api HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${userToken}\r\n${lines}\r\n`
const hidden = 'GET /version HTTP/1.1\r\nHost: a\r\n\r\n'

export const rawRequests: Readonly<Record<string, string>> = {
  'two Host headers': 'GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'a Host with a space': 'GET /version HTTP/1.1\r\nHost: a b\r\n\r\n',
  'no Host': 'GET /version HTTP/1.1\r\n\r\n',
  'two lengths': head('Content-Length: 4\r\nContent-Length: 5\r\n'),
  'a list of lengths': head('Content-Length: 4, 5\r\n'),
  'a length with a sign': head(`Content-Length: +${hidden.length}\r\n`) + hidden,
  'a negative length': head('Content-Length: -1\r\n'),
  'a length in hexadecimal': head('Content-Length: 0x10\r\n') + hidden,
  'a length beyond all numbers': head('Content-Length: 99999999999999999999\r\n'),
  'a length and chunks': `${head(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\n${hidden}`,
  'chunks that are not last': `${head('Transfer-Encoding: chunked, identity\r\n')}0\r\n\r\n${hidden}`,
  'chunks twice': `${head('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n')}0\r\n\r\n${hidden}`,
  'an unknown transfer encoding': `${head('Transfer-Encoding: xchunked\r\n')}0\r\n\r\n${hidden}`,
  'a space before the colon': `${head('Transfer-Encoding : chunked\r\n')}0\r\n\r\n${hidden}`,
  'a folded header': `${head('Transfer-Encoding:\r\n chunked\r\n')}0\r\n\r\n${hidden}`,
  'a bare line feed': `${head('X: a\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n${hidden}`,
  'a bare carriage return': head('X: a\rTransfer-Encoding: chunked\r\n'),
  'a NUL in a header': head('X: a\0b\r\n'),
  'a header without a name': head(': a\r\n'),
  'a chunk of negative size': `${head('Transfer-Encoding: chunked\r\n')}-1\r\n\r\n`,
  'a chunk beyond all sizes': `${head('Transfer-Encoding: chunked\r\n')}fffffffffffffffff\r\na`,
  'a line feed in the path': 'GET /version\nX: a HTTP/1.1\r\nHost: a\r\n\r\n',
  'a path without a slash': 'GET version HTTP/1.1\r\nHost: a\r\n\r\n',
  'a CONNECT': 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n',
  'an unknown method': 'SMUGGLE /version HTTP/1.1\r\nHost: a\r\n\r\n',
  'an upgrade behind a request': `${`GET ${secretPath} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(3)}GET ${secretPath} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'an upgrade behind a request without a host': `GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'an upgrade behind an unknown expectation': `${head('Expect: a\r\n', 'GET')}GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'HTTP/0.9': 'GET /version\r\n\r\n',
  'HTTP/3.0 in text': 'GET /version HTTP/3.0\r\nHost: a\r\n\r\n',
  'headers without end': `GET /version HTTP/1.1\r\nHost: a\r\n${'X: '.padEnd(1_000, 'x')}\r\n`.repeat(2_000),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
}
