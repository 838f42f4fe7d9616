import { expect, it } from 'vitest'
import type { KubeObject } from '../api/object.ts'
import { converted, withConversions } from './remote-conversions.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { WriteRequest } from './write-request.ts'

const object = (apiVersion: string): KubeObject => ({ apiVersion, kind: 'Thing', metadata: { name: 'a' } })

function remote(answerOf: () => string) {
  const asked: string[] = []
  const convert = async (objects: readonly KubeObject[], apiVersion: string) => {
    asked.push(apiVersion)
    return objects.map((each) => ({ ...each, apiVersion, answer: answerOf() }))
  }
  return { asked, definition: { remoteConversion: { convert } } as unknown as ResourceDefinition }
}

const newRequest = () => ({}) as WriteRequest

it('runs the work again until it has every answer, and asks for each once in a request', async () => {
  const { asked, definition } = remote(() => 'x')
  const request = newRequest()
  let runs = 0
  const work = () => {
    runs++
    return ['g/v2', 'g/v3', 'g/v2'].map((version) => converted(request, object('g/v1'), version)['answer'])
  }
  expect(await withConversions(definition, request, work)).toEqual(['x', 'x', 'x'])
  expect(asked).toEqual(['g/v2', 'g/v3'])
  expect(runs).toBe(3)
  await withConversions(definition, request, work)
  expect(asked).toEqual(['g/v2', 'g/v3'])
})

it('asks anew for another request: an answer of old is never given', async () => {
  let answer = 'old'
  const { definition } = remote(() => answer)
  const ask = (request: WriteRequest) =>
    withConversions(definition, request, () => converted(request, object('g/v1'), 'g/v2')['answer'])
  expect(await ask(newRequest())).toBe('old')
  answer = 'new'
  expect(await ask(newRequest())).toBe('new')
})

it('gives up on work that never has enough', async () => {
  const { asked, definition } = remote(() => 'x')
  const request = newRequest()
  let next = 0
  const endless = () => converted(request, object(`g/v${next++}`), 'g/w')
  await expect(withConversions(definition, request, endless)).rejects.toThrow('a conversion is needed')
  expect(asked).toHaveLength(64)
})
