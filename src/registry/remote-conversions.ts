/**
 * Lets synchronous work use conversions that only another server can make: what is missing ends the work, is asked for,
 * and the work runs again with the answer. Work that runs so must be a pure function of what it is given.
 *
 * Answers are kept for one request, and go with it: another request asks anew, so that a webhook's new answer is seen,
 * and nothing is held between requests. Within one, a write that lost a race and begins again has its answers already.
 */

import { createHash } from 'node:crypto'
import type { KubeObject } from '../api/object.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { SideTable } from '../lib/memo.ts'
import type { RemoteConversion, ResourceDefinition } from './resource-definition.ts'
import type { WriteRequest } from './write-request.ts'

class ConversionNeeded extends Error {
  readonly object: KubeObject
  readonly apiVersion: string

  constructor(object: KubeObject, apiVersion: string) {
    super('a conversion is needed')
    this.object = object
    this.apiVersion = apiVersion
  }
}

/** How often one piece of work may ask: at most so many objects are held for it. */
const maxQuestions = 64

const answers = new SideTable<WriteRequest, Map<string, KubeObject>>()

/** By content: work that runs again makes its objects anew. */
function keyOf(object: KubeObject, apiVersion: string): string {
  const text = JSON.stringify(object, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return `${apiVersion} ${createHash('sha256').update(text).digest('base64')}`
}

/** The object in another version, if it was asked for already. Otherwise the work ends here. */
export function converted(request: WriteRequest, object: KubeObject, apiVersion: string): KubeObject {
  const known = answers.get(request.origin ?? request)?.get(keyOf(object, apiVersion))
  if (known === undefined) throw new ConversionNeeded(object, apiVersion)
  return known
}

export function withConversions<T>(
  { remoteConversion }: ResourceDefinition,
  request: WriteRequest,
  work: () => Awaitable<T>,
): Awaitable<T> {
  return remoteConversion === undefined ? work() : workInRounds(remoteConversion, request, work)
}

async function workInRounds<T>(
  remoteConversion: RemoteConversion,
  request: WriteRequest,
  work: () => Awaitable<T>,
): Promise<T> {
  const origin = request.origin ?? request
  const known = answers.get(origin) ?? new Map<string, KubeObject>()
  answers.set(origin, known)
  for (let questions = 0; ; questions++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConversionNeeded) || questions === maxQuestions) throw error
      const [answer] = await remoteConversion.convert([error.object], error.apiVersion)
      known.set(keyOf(error.object, error.apiVersion), answer ?? error.object)
    }
  }
}
