/** Selectors over the namespace and the object of a request. */
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../api/admission.ts'
import { type LabelSelectorObject, selectorOfObject } from '../../api/label-selector.ts'
import type { StringMap } from '../../api/object.ts'
import { testCluster, testObject, testRequest } from '../testing/test-cluster.ts'
import { compileSelector, matchesNamespace, matchesObject, namespaceJudge } from './selectors.ts'

const labelled = (name: string, value: string) => testObject('Namespace', name, {}, { labels: { a: value } })
const cluster = () => testCluster({ namespaces: [labelled('ns', 'b'), testObject('Namespace', 'bare')] })
const ofNamespaces = { group: '', version: 'v1', resource: 'namespaces' }
const selector = compileSelector({ matchLabels: { a: 'b' } })
const everything = compileSelector(undefined)

describe('the namespace of a request', () => {
  const object = labelled('new', 'b')
  const other = labelled('old', 'c')
  const cases: [string, Partial<AdmissionRequest>, boolean | string][] = [
    ['matches', { namespace: 'ns' }, true],
    ['does not match without labels', { namespace: 'bare' }, false],
    ['is not there', { namespace: 'none' }, 'namespaces "none" not found'],
    ['matches where there is none', { namespace: '' }, true],
    ['is the object itself', { namespace: '', resource: ofNamespaces, object, oldObject: other }, true],
    ['is the object as it was', { namespace: '', resource: ofNamespaces, oldObject: object }, true],
    ['is another object', { namespace: '', resource: ofNamespaces, object: other, oldObject: object }, false],
    [
      'is the object as it was, in a subresource',
      { namespace: '', resource: ofNamespaces, subresource: 'status', object: other, oldObject: object },
      true,
    ],
    [
      'is not what has its name in another group',
      { namespace: '', resource: { ...ofNamespaces, group: 'x' }, object: other },
      true,
    ],
  ]
  it.each(cases)('%s', async (_, given, expected) => {
    const request = testRequest(given)
    const matched = async (): Promise<boolean> => matchesNamespace(cluster(), selector, request)
    const judged = async (): Promise<boolean> => (await namespaceJudge(cluster(), request))(selector)
    for (const run of [matched, judged]) {
      if (typeof expected === 'string') await expect(run()).rejects.toThrow(expected)
      else expect(await run()).toBe(expected)
    }
  })

  it.each(cases)('does not matter to a selector of everything: it %s', async (_, given) => {
    const request = testRequest(given)
    expect(await matchesNamespace(cluster(), everything, request)).toBe(true)
    expect((await namespaceJudge(cluster(), request))(everything)).toBe(true)
  })

  it('is judged at once where it is known', async () => {
    const known = cluster()
    await matchesNamespace(known, selector, testRequest({ namespace: 'ns' }))
    const judge = namespaceJudge(known, testRequest({ namespace: 'ns' }))
    if (judge instanceof Promise) throw new Error('it is waited for')
    expect(judge(selector)).toBe(true)
    const missing = namespaceJudge(known, testRequest({ namespace: 'none' }))
    if (missing instanceof Promise) throw new Error('it is waited for')
    expect(missing(everything)).toBe(true)
    expect(() => missing(selector)).toThrow('namespaces "none" not found')
  })
})

it.each<[string, Partial<AdmissionRequest>, boolean]>([
  ['as it is', { object: labelled('x', 'b') }, true],
  ['as it was', { object: labelled('x', 'c'), oldObject: labelled('x', 'b') }, true],
  ['as it goes', { oldObject: labelled('x', 'b') }, true],
  ['neither', { object: labelled('x', 'c'), oldObject: labelled('x', 'd') }, false],
  ['no object', {}, false],
  ['an object without metadata', { object: { apiVersion: 'v1', kind: 'X' } as never }, false],
])('a selector matches an object %s', (_, given, expected) => {
  expect(matchesObject(selector, testRequest(given))).toBe(expected)
  expect(matchesObject(everything, testRequest(given))).toBe(true)
})

describe('a selector of very many terms', () => {
  const keys = Array.from({ length: 600 }, (_, i) => `k${i}`)
  const all = Object.fromEntries(keys.map((key) => [key, 'v']))
  const of = (operator: string, values?: string[]) => ({
    matchExpressions: keys.map((key) => ({ key, operator, ...(values === undefined ? {} : { values }) })),
  })
  const selectors: [string, LabelSelectorObject][] = [
    ['labels', { matchLabels: all }],
    ['In', of('In', ['v', 'w'])],
    ['NotIn', of('NotIn', ['w', 'x'])],
    ['Exists', of('Exists')],
    ['DoesNotExist', of('DoesNotExist')],
    ['many values', { matchExpressions: [{ key: 'k0', operator: 'In', values: ['v', ...keys] }] }],
    ['many other values', { matchExpressions: [{ key: 'k0', operator: 'NotIn', values: ['v', ...keys] }] }],
    ['labels and expressions', { matchLabels: all, ...of('NotIn', ['w']) }],
  ]
  const { k599: _, ...less } = all
  const labels: [string, StringMap | undefined][] = [
    ['all', all],
    ['all but one', less],
    ['another value', { ...all, k300: 'w' }],
    ['others', { a: 'b' }],
    ['one', { k0: 'k5' }],
    ['no', undefined],
  ]
  it.each(
    selectors.flatMap(([terms, selector]) => labels.map(([which, given]) => [terms, which, selector, given] as const)),
  )('decides as a compiled one: %s of %s labels', (_terms, _which, selector, given) => {
    const long = compileSelector(selector)
    expect(long.matches(given)).toBe(selectorOfObject(selector).matches(given))
    expect(long.isEmpty()).toBe(false)
  })

  it('refuses what no selector can ask for', () => {
    const selector = compileSelector(of('Near'))
    for (let time = 0; time < 2; time++)
      expect(() => selector.matches({})).toThrow('"Near" is not a valid label selector operator')
  })
})
