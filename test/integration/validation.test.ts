/**
 * What the reference says to objects, updates and statuses that are wrong in many ways at once, to the letter
 * (facts/cases/validation*.json). Errors and warnings are compared without their order, which may be that of a Go map.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseGroupVersion } from '../../src/api/group-version.ts'
import type { JsonObject } from '../../src/api/json.ts'
import { findResource } from '../../src/catalog/resources.ts'
import { applyMergePatch } from '../../src/patch/merge-patch.ts'
import { masked, type RecordedCase, type RecordedCases, recordedCases } from '../support/recorded-cases.ts'
import { type Answer, type Json, startTestServer, type TestServer } from './support/test-server.ts'

const mergePatch = { 'content-type': 'application/merge-patch+json' }

async function start({ gates, ranges }: RecordedCases): Promise<TestServer> {
  const flags = [
    '--runtime-config=api/all=true',
    `--feature-gates=${gates}`,
    `--service-cluster-ip-range=${ranges.join(',')}`,
  ]
  const plugins = ['--disable-admission-plugins=ServiceAccount', '--allow-privileged', '--controllers=-*']
  const server = await startTestServer(['--store', 'memory', ...flags, ...plugins])
  await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'refusals' } })
  return server
}

interface Collection {
  readonly path: string
  readonly kind: string
  readonly apiVersion: string
}

function collectionOf(of: string): Collection {
  const slash = of.lastIndexOf('/')
  const apiVersion = of.slice(0, slash)
  const plural = of.slice(slash + 1)
  const resource = findResource(parseGroupVersion(apiVersion)!, plural)!
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return {
    apiVersion,
    kind: resource.kind,
    path: `${root}/${resource.namespaced ? 'namespaces/refusals/' : ''}${plural}`,
  }
}

async function answerTo(server: TestServer, base: JsonObject, each: RecordedCase): Promise<Answer> {
  const { path, apiVersion, kind } = collectionOf(each.of)
  const given: Json = applyMergePatch(base, each.merge)
  const body = { apiVersion, kind, ...given }
  if (each.change === undefined) return server.call('POST', `${path}?dryRun=All`, body)
  const at = `${path}/${body.metadata.name}`
  const made = await server.call('POST', path, body)
  expect(made.status, made.body.toString()).toBe(201)
  const patch = (sub: string, query: string, change: Json): Promise<Answer> =>
    server.call('PATCH', `${at}${sub === '' ? '' : `/${sub}`}${query}`, change, mergePatch)
  for (const [sub, change] of each.before ?? []) expect((await patch(sub, '', change)).status).toBe(200)
  const answer = await patch(each.sub ?? '', '?dryRun=All', each.change)
  await patch('', '', { metadata: { finalizers: null } })
  const gone = await server.call('DELETE', at, { gracePeriodSeconds: 0, propagationPolicy: 'Background' })
  if (kind === 'Namespace')
    await server.call('PUT', `${at}/finalize`, { ...gone.json<Json>(), spec: { finalizers: [] } })
  return answer
}

const warningsOf = ({ headers }: Answer): string[] =>
  String(headers['warning'] ?? '')
    .split(/(?:^|, )299 - /)
    .slice(1)
    .map((text) => masked(JSON.parse(text) as string))
    .sort()

const told = (answer: Answer): Json => {
  const { status } = answer
  const body: Json = answer.json()
  const causes = status === 422 ? body.details?.causes : undefined
  return {
    code: status,
    ...(causes !== undefined
      ? { causes: causes.map(({ reason, field = '', message }: Json) => [reason, field, masked(message)]).sort() }
      : status >= 300
        ? { message: masked(body.message) }
        : {}),
    warnings: warningsOf(answer),
  }
}

describe.each(recordedCases())('with $gates', (recorded) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start(recorded)
  })
  afterAll(() => server.close())

  test.each(Object.entries(recorded.bases))('%s', async (of, base) => {
    for (const each of recorded.cases.filter((one) => one.of === of)) {
      const { code, message, causes, warnings = [] } = each
      const wanted = { code, ...(causes && { causes }), ...(message !== undefined && { message }), warnings }
      expect(told(await answerTo(server, base, each)), JSON.stringify(each).slice(0, 500)).toEqual(wanted)
    }
  })
})
