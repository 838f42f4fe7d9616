/**
 * One text as long as a body may be: where a custom type asks for a format, and where a built-in one asks for a name. Most are refused,
 * and quoted by the refusal; those that are taken are read to their end.
 */
import type { JsonObject } from '../../../src/api/json.ts'
import type { Caller, Scenario } from './scenario.ts'

/** A body is 3 MiB at most, whatever its characters take in JSON. */
const maxBytes = 2_900_000

/** As often as there is room for it. */
function repeated(part: string): string {
  return part.repeat(Math.floor(maxBytes / (Buffer.byteLength(JSON.stringify(part)) - 2)))
}

/** What a refusal quotes in different ways. */
const alphabets: Readonly<Record<string, string>> = {
  letters: repeated('a'),
  quotes: repeated('"'),
  'line breaks': repeated('\n'),
  'letters beyond ASCII': repeated('é'),
  'characters that cannot be printed': repeated('\u200b'),
  'characters beyond the basic plane': repeated('😀'),
  'dots and letters': repeated('a.'),
}

/** Texts that a format reads on and on. */
const longReadings: readonly (readonly [format: string, text: string, isTaken: boolean])[] = [
  ['email', `${repeated('a ')}<a@b>`, true],
  ['email', `"${repeated('\\"')}"@b`, true],
  ['email', `a@b (${repeated('x')})`, true],
  ['email', `a@b ${repeated('(')}`, false],
  ['email', `a@b (${repeated('x ')})`, true],
  ['email', `${repeated('(x) ')}a@b`, false],
  ['email', `a ${repeated('(x) ')}<a@b>`, true],
  ['email', `g: ${repeated('a <a@b>, ')}a@b;`, false],
  ['email', `${repeated('=?utf-8?q?a?= ')}<a@b>`, true],
  ['email', `=?utf-8?b?${repeated('YWFh')}?= <a@b>`, true],
  ['email', `${repeated('a.')}a@b`, true],
  ['email', `a@[${repeated(':')}]`, false],
  ['email', repeated(' '), false],
  ['duration', repeated('1ns'), true],
  ['duration', repeated('1 ns '), true],
  ['duration', repeated('1 '), false],
  ['duration', `0.${repeated('0')}s`, true],
  ['duration', `${repeated('0')}s`, true],
  ['date-time', `2026-01-01T00:00:00.${repeated('1')}Z`, true],
  ['date-time', repeated('t'), false],
  ['uri', `http://a/${repeated('%41')}`, true],
  ['uri', `http://[::1%25${repeated('%41')}]`, true],
  ['uri', `http://${repeated('a@')}b`, true],
  ['cidr', `0.0.0.0/${repeated('0')}`, true],
  ['cidr', `${repeated('0')}.0.0.0/1`, true],
  ['byte', repeated('YWFh'), true],
  ['creditcard', `${repeated('- ')}4111111111111111`, true],
  ['isbn', `${repeated(' - ')}0306406152`, true],
  ['rgbcolor', `rgb(${repeated(' ')}1,1,1)`, true],
  ['hostname', repeated('a.'), false],
  ['mac', repeated('ff:'), false],
]

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const objects = '/apis/texts.example.com/v1/namespaces/default/formatteds'
const configMaps = '/api/v1/namespaces/default/configmaps?dryRun=All'

async function define(server: Caller): Promise<void> {
  const isServed = async (): Promise<boolean> => (await server.call({ path: objects, mayFail: true })).status === 200
  if (await isServed()) return
  const formats = [...new Set(['date', ...longReadings.map(([format]) => format)])]
  const properties = Object.fromEntries(formats.map((format) => [format, { type: 'string', format }]))
  const spec = { type: 'object', properties }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  await server.call({
    path: definitions,
    body: {
      metadata: { name: 'formatteds.texts.example.com' },
      spec: {
        group: 'texts.example.com',
        scope: 'Namespaced',
        names: { plural: 'formatteds', kind: 'Formatted' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
  })
  await server.until('the definition is served', isServed)
}

function formatScenario(name: string, spec: JsonObject, status: number): Scenario {
  const body = JSON.stringify({
    apiVersion: 'texts.example.com/v1',
    kind: 'Formatted',
    metadata: { name: 'long' },
    spec,
  })
  return {
    name: `long text, ${name}`,
    prepare: define,
    act: (server) => server.call({ path: `${objects}?dryRun=All`, body, status }),
  }
}

const nameScenario = (name: string, metadata: JsonObject): Scenario => ({
  name: `long text, ${name}`,
  act: (server) => server.call({ path: configMaps, body: JSON.stringify({ metadata }), status: 422 }),
})

const badBytes = Buffer.concat([
  Buffer.from('{"metadata":{"name":"'),
  Buffer.alloc(maxBytes, Buffer.of(0xff, 0x61)),
  Buffer.from('"}}'),
])

const badBytesScenario: Scenario = {
  name: 'long text, a name of bytes that are no UTF-8 and letters',
  act: (server) => server.call({ path: configMaps, body: badBytes, status: 422 }),
}

const scheduleScenario: Scenario = {
  name: 'long text, a schedule of a million minutes',
  act: (server) => {
    const jobTemplate = {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    }
    const spec = { schedule: `0${repeated(',5')} * * * *`, jobTemplate }
    const path = '/apis/batch/v1/namespaces/default/cronjobs?dryRun=All'
    return server.call({ path, body: JSON.stringify({ metadata: { name: 'long' }, spec }), status: 201 })
  },
}

export const longTextScenarios: readonly Scenario[] = [
  badBytesScenario,
  scheduleScenario,
  ...longReadings.map(([format, text, isTaken]) =>
    formatScenario(
      `${format} of ${text.slice(0, 12)}…, ${isTaken ? 'taken' : 'refused'}`,
      { [format]: text },
      isTaken ? 201 : 422,
    ),
  ),
  ...Object.entries(alphabets).flatMap(([kind, text]) => [
    formatScenario(`a date of ${kind}`, { date: text }, 422),
    nameScenario(`a name of ${kind}`, { name: text }),
    nameScenario(`a label of ${kind}`, { name: 'long', labels: { a: text } }),
  ]),
]
