import { describe, expect, test } from 'vitest'
import type { Exchange } from '../api/exchange.ts'
import { RequestContext } from '../api/request-context.ts'
import { requestInfo } from '../api/request-info.ts'
import { mediaTypes, mediaTypesWithCbor } from '../codec/negotiation.ts'
import { parseServerOptions } from '../config/server-options.ts'
import type { AnswerSettings } from '../handlers/answer.ts'
import { systemClock } from '../lib/clock.ts'
import { zPages } from './z-pages.ts'

interface Answer {
  readonly status: number
  readonly type: string
  readonly warning: string | undefined
  readonly body: string
}

function ask(release: number, path: string, accept: string | undefined): Answer {
  const gates = '--feature-gates=ComponentStatusz=true,ComponentFlagz=true'
  const options = parseServerOptions(['--store=memory', `--emulated-version=1.${release}`, gates])
  const settings = { mediaTypes: release >= 36 ? mediaTypesWithCbor : mediaTypes, compression: false }
  const pages = zPages(options, { ...systemClock, now: () => 0 }, settings as unknown as AnswerSettings)
  const added = new Map<string, string>()
  let answer: Answer | undefined
  const exchange = {
    method: 'GET',
    path,
    query: '',
    headers: accept === undefined ? {} : { accept },
    addHeader: (name: string, value: string) => added.set(name, value),
    respond(status: number, headers: Record<string, string>, body: string | Buffer) {
      answer = { status, type: headers['content-type'] ?? '', warning: added.get('warning'), body: body.toString() }
    },
  } as unknown as Exchange
  const user = { name: 'a', groups: [], extra: new Map() }
  const context = new RequestContext(exchange, requestInfo(exchange), user)
  context.isPastFilters = true
  void pages.get(path)?.(context)
  if (answer === undefined) throw new Error('no answer')
  return answer
}

const as = (type: string, kind: string, version: string): string => `${type};as=${kind};v=${version};g=config.k8s.io`
const yaml = 'application/yaml'
const json = 'application/json'
const protobuf = 'application/vnd.kubernetes.protobuf'

describe('what the pages for people are written as', () => {
  test.each<[number, string, string | undefined, number, string]>([
    [34, '/statusz', json, 406, 'text/plain; charset=utf-8'],
    [35, '/statusz', undefined, 200, 'text/plain; charset=utf-8'],
    [35, '/statusz', '*/*', 200, 'text/plain'],
    [35, '/flagz', 'text/plain', 200, 'text/plain; charset=utf-8'],
    [36, '/statusz', 'text/html, text/*', 200, 'text/plain; charset=utf-8'],
    [35, '/statusz', json, 406, json],
    [35, '/statusz', as(json, 'Statusz', 'v1alpha1'), 200, `${json};g=config.k8s.io;v=v1alpha1;as=Statusz`],
    [35, '/statusz', as(json, 'Statusz', 'v1beta1'), 406, json],
    [35, '/statusz', as(yaml, 'Statusz', 'v1alpha1'), 500, json],
    [35, '/flagz', as(json, 'Flagz', 'v1alpha1'), 200, `${json};g=config.k8s.io;v=v1alpha1;as=Flagz`],
    [36, '/flagz', as(json, 'Statusz', 'v1beta1'), 406, json],
    [36, '/flagz', as(yaml, 'Flagz', 'v1beta1'), 200, `${yaml};g=config.k8s.io;v=v1beta1;as=Flagz`],
    [
      36,
      '/statusz',
      as('application/cbor', 'Statusz', 'v1beta1'),
      200,
      'application/cbor;g=config.k8s.io;v=v1beta1;as=Statusz',
    ],
    [36, '/statusz', as(protobuf, 'Statusz', 'v1beta1'), 406, json],
    [36, '/statusz', as('text/plain', 'Statusz', 'v1beta1'), 406, json],
  ])('at 1.%d %s accepted as %s', (release, path, accept, status, type) => {
    const answer = ask(release, path, accept)
    expect([answer.status, answer.type]).toEqual([status, type])
  })

  test.each([
    [35, `${json}, ${yaml}, ${protobuf}, text/plain`],
    [36, `${json}, ${yaml}, text/plain, application/cbor`],
  ])('lists what there is at 1.%d', (release, types) => {
    const { message } = JSON.parse(ask(release, '/statusz', 'image/png').body)
    expect(message).toBe(`only the following media types are accepted: ${types}`)
  })

  test('warns of the first version once there is a second', () => {
    const warned = (release: number, version: string): string | undefined =>
      ask(release, '/flagz', as(json, 'Flagz', version)).warning
    expect([warned(35, 'v1alpha1'), warned(36, 'v1beta1')]).toEqual([undefined, undefined])
    expect(warned(36, 'v1alpha1')).toBe(
      '299 - "This version of the flagz endpoint is deprecated. Please use a newer version."',
    )
  })
})

describe('what they say', () => {
  const paths = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version']

  test('of the status', () => {
    const { body } = ask(36, '/statusz', as(json, 'Statusz', 'v1beta1'))
    expect(JSON.parse(body)).toMatchObject({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'apiserver' },
      startTime: '1970-01-01T00:00:00Z',
      uptimeSeconds: 0,
      emulationVersion: '1.36',
      paths,
    })
    expect(ask(34, '/statusz', undefined).body).toMatch(/^\napiserver statusz\n.*\nPaths: \/flagz .* \/version\n$/s)
    expect(ask(33, '/statusz', undefined).body).toMatch(/^\nkube-apiserver statusz\n.*\nEmulation version: 1.33\n$/s)
  })

  test.each([
    [34, '\nkube-apiserver flags\n', '\nallow-privileged=false\n'],
    [35, '\nkube-apiserver flagz\n', '\nallow-privileged: false\n'],
    [36, '\napiserver flagz\n', '\ntls-curve-preferences: []\n'],
  ])('of the flags at 1.%d', (release, start, line) => {
    const { body } = ask(release, '/flagz', undefined)
    expect([body.startsWith(start), body.includes(line)]).toEqual([true, true])
    expect(body.includes('tls-curve-preferences')).toBe(release >= 36)
  })
})
