/**
 * Lets synchronous work use conversions that only another server can make: what is missing ends the work, is asked for,
 * and the work runs again with the answer. Work that runs so must be a pure function of what it is given.
 */
import type { KubeObject } from '../api/object.ts'
import type { RemoteConversion, ResourceDefinition } from './resource-definition.ts'

class ConversionNeeded extends Error {
  readonly object: KubeObject
  readonly apiVersion: string

  constructor(object: KubeObject, apiVersion: string) {
    super('a conversion is needed')
    this.object = object
    this.apiVersion = apiVersion
  }
}

/** Answers kept for each definition: enough for the writes that are under way. */
const maxAnswers = 256
/** How often one piece of work may ask. */
const maxQuestions = 64

const answers = new WeakMap<ResourceDefinition, Map<string, KubeObject>>()

const keyOf = (object: KubeObject, apiVersion: string): string =>
  `${apiVersion} ${JSON.stringify(object, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`

/** The object in another version, if it was asked for already. Otherwise the work ends here. */
export function converted(definition: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
  const known = answers.get(definition)?.get(keyOf(object, apiVersion))
  if (known === undefined) throw new ConversionNeeded(object, apiVersion)
  return known
}

export function withConversions<T>(definition: ResourceDefinition, work: () => T | Promise<T>): T | Promise<T> {
  return definition.remoteConversion === undefined
    ? work()
    : workInRounds(definition, definition.remoteConversion, work)
}

async function workInRounds<T>(
  definition: ResourceDefinition,
  remoteConversion: RemoteConversion,
  work: () => T | Promise<T>,
): Promise<T> {
  for (let questions = 0; ; questions++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConversionNeeded) || questions === maxQuestions) throw error
      const [answer] = await remoteConversion.convert([error.object], error.apiVersion)
      remember(definition, keyOf(error.object, error.apiVersion), answer ?? error.object)
    }
  }
}

function remember(definition: ResourceDefinition, key: string, answer: KubeObject): void {
  const known = answers.get(definition) ?? new Map<string, KubeObject>()
  answers.set(definition, known)
  if (known.size >= maxAnswers) known.delete(known.keys().next().value ?? '')
  known.set(key, answer)
}
