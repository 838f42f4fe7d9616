/** The doors of the console: its pages, its API, the link that signs in, and what a page of another origin would send with its cookie. */
import { type Attack, adminToken, bearer, forbidden, secretPath, userToken } from './attack.ts'

const v1 = '/console/v1'
const cookie = (port: number, token: string): Record<string, string> => ({
  cookie: `__Host-pilothouse-console-${port}=${token}; pilothouse-console-${port}=${token}`,
})

/** What shows or does more than the page itself. */
const inside = [
  'requests',
  'requests/1',
  'history',
  'dependents',
  'policies',
  'access',
  'metrics',
  'watches',
  'flows',
  'server',
  'links',
  'expressions',
  'clusters',
]

/** Only the file of the page may come back, or nothing. */
const paths = [
  '/console/../api/v1/namespaces/default/secrets/s',
  '/console/..%2fapi/v1/namespaces/default/secrets/s',
  '/console/%2e%2e/%2e%2e/api/v1/namespaces/default/secrets/s',
  '/console/v1/../../api/v1/namespaces/default/secrets/s',
  '/console/assets/../../../package.json',
  '/console/assets/..%2f..%2f..%2fpackage.json',
  '/console/assets/%2e%2e/index.js',
  '/console/assets/..\\..\\package.json',
  '/console/assets/%00.js',
  '/console//etc/passwd',
  '/console/v1/session/../links',
  '/console/v1%2flinks',
  '/console/v1/links/',
  '//console/v1/links',
  '/Console/v1/links',
]

/** `port`: of the server, which the names of cookies have. `session`: a good one of the administrator's. */
export function consoleAttacks(port: number, session: string): Attack[] {
  const signedIn = cookie(port, session)
  const own = `https://127.0.0.1:${port}`
  const mark = { 'x-pilothouse-console': '1' }
  const change = {
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    body: { metadata: { name: 'forged' } },
  }
  const leaves = { path: '/api/v1/namespaces/default/configmaps', without: 'forged' }
  const forged: Readonly<Record<string, Attack['headers']>> = {
    'without its mark': {},
    'from another origin': { ...mark, origin: 'https://evil.example.com' },
    'from another port': { ...mark, origin: 'https://127.0.0.1:1' },
    'from the same host without TLS': { ...mark, origin: `http://127.0.0.1:${port}` },
    'from nowhere': { ...mark, origin: 'null' },
    'from another site': { ...mark, 'sec-fetch-site': 'cross-site' },
    'from a sibling': { ...mark, origin: own, 'sec-fetch-site': 'same-site' },
    'with a mark of its own': { 'x-pilothouse-console': 'yes', origin: own },
    'with two marks': { 'x-pilothouse-console': ['1', '1'], origin: own },
  }
  return [
    ...inside
      .flatMap((name) => [
        { name: `${name} of the console, of nobody`, path: `${v1}/${name}`, headers: {} },
        { name: `${name} of the console, of a user`, path: `${v1}/${name}`, headers: bearer(userToken) },
        {
          name: `${name} of the console, by POST`,
          method: 'POST',
          path: `${v1}/${name}`,
          headers: { ...bearer(userToken), ...mark },
          body: {},
        },
      ])
      .map((attack) => ({ ...attack, refusals: [...forbidden, 404, 405] })),
    ...paths.map((path) => ({
      name: `the path ${path}`,
      path,
      headers: bearer(userToken),
      // What is no file is the page, which has nothing of the server.
      refusals: [200, 301, 308, 400, 403, 404],
      leaves: { path: '/version', without: 'secret' },
    })),
    ...['', 'x', '0', `${session}x`, session.slice(1), encodeURIComponent(`${session} `)].map((token) => ({
      name: `a session ${JSON.stringify(token.slice(0, 4))}…, ${token.length} long`,
      path: secretPath,
      headers: cookie(port, token),
      refusals: forbidden,
    })),
    {
      name: "a session of another server's port",
      path: secretPath,
      headers: cookie(port + 1, session),
      refusals: forbidden,
    },
    ...['', 'x', '0'.repeat(64), session].map((code) => ({
      name: `signing in by the code ${JSON.stringify(code.slice(0, 4))}…, ${code.length} long`,
      method: 'POST',
      path: `${v1}/session`,
      headers: mark,
      body: { code },
      refusals: [400, 401, 403],
    })),
    ...[{ code: ['x'] }, { code: { toString: 'x' } }, [], null, 'x', 1].map((body) => ({
      name: `signing in by ${JSON.stringify(body)}`,
      method: 'POST',
      path: `${v1}/session`,
      headers: mark,
      body,
      refusals: [400, 401, 403],
    })),
    ...Object.entries(forged).map(([how, headers]) => ({
      ...change,
      name: `a write with the cookie, ${how}`,
      headers: { ...signedIn, ...headers },
      refusals: [400, 403],
      leaves,
    })),
    {
      name: 'a link by a session',
      method: 'POST',
      path: `${v1}/links`,
      headers: { ...signedIn, ...mark, origin: own },
      refusals: [403],
    },
    {
      name: 'an upgrade with the cookie, without an origin',
      path: '/api/v1/namespaces/default/secrets?watch=1',
      headers: {
        ...signedIn,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
      refusals: [403],
    },
    {
      name: 'the cookie beside the token of a user',
      path: secretPath,
      headers: { ...signedIn, ...bearer(userToken) },
      refusals: forbidden,
    },
    {
      name: 'the cookie beside a token that is none',
      path: secretPath,
      headers: { ...signedIn, ...bearer(`${adminToken}x`) },
      refusals: forbidden,
    },
  ]
}
