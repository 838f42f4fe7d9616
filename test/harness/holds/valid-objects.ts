/**
 * Objects that are taken, each with one long list or map, through their whole life: created, replaced, applied, patched, read as a table
 * and deleted. So what comes after validation sees them, too. The objects come from the templates of their kinds: each of a template's
 * lists and maps has many items once, the others one. Where a rule bounds a list, as many items as it allows.
 */
import type { JsonObject, JsonValue } from '../../../src/api/json.ts'
import type { Call, Caller } from './scenario.ts'
import { type Template, templates } from './valid-templates.ts'

type Path = readonly (string | number)[]

/** A long list or map of a kind. */
export interface LongCase {
  /** `pods spec.containers[].env`. */
  readonly name: string
  readonly template: Template
  /** It is written by the subresource. */
  readonly isOfStatus: boolean
  /** How many fit into an object. */
  readonly most: number
  object(count: number): JsonObject
}

/** What may be stored, with some room for what the server adds. */
const maxBytes = 1_000_000
const maxCount = 100_000

export const longCases = (): LongCase[] =>
  templates.flatMap((template) => longPaths(template).map((path) => longCase(template, path)))

/** One object of each kind with a template, each list and map of which has one item. No other request makes one of its name. */
export const smallObjects = (): readonly Call[] =>
  templates.map(({ path, object }) => {
    const body = filled(object, { path: undefined, count: 1 }, 0) as JsonObject
    const metadata = body['metadata'] as JsonObject
    const name = metadata['name'] === 'large' ? 'small' : (metadata['name'] as string)
    return { path, body: { ...body, metadata: { ...metadata, name } } }
  })

function longCase(template: Template, path: Path): LongCase {
  const object = (count: number): JsonObject => filled(template.object, { path, count }, 0) as JsonObject
  const each = (JSON.stringify(object(1100)).length - JSON.stringify(object(100)).length) / 1000
  const most = Math.min(maxCount, Math.floor(maxBytes / each))
  const collection = template.path.split('/').at(-1)
  return { name: `${collection} ${textOf(path)}`, template, isOfStatus: path[0] === 'status', most, object }
}

const textOf = (path: Path): string =>
  path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[]` : `${text}${text && '.'}${step}`), '')

/** Every list with an item, and every map with a key that is varied. */
function longPaths({ object, under }: Template): Path[] {
  const found: Path[] = []
  const visit = (value: JsonValue | undefined, path: Path): void => {
    if (typeof value !== 'object' || value === null) return
    if (isNeverLong(path.at(-1), value)) return
    const isLong = Array.isArray(value) || Object.keys(value).some((key) => key.includes('#'))
    const isWanted =
      under === undefined ||
      under.some((name) => path.includes(name) && (path.at(-1) === name || !isTemplateField(name)))
    if (isLong && isWanted) found.push(path)
    if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(item, [...path, i])
    else for (const [key, member] of Object.entries(value)) visit(member, [...path, key])
  }
  visit(object, [])
  return found
}

/** Lists of a few known words, none of which may be there twice, and what there are two or eight of at most. */
const isNeverLong = (name: string | number | undefined, value: JsonValue): boolean =>
  name === 'podIPs' ||
  name === 'forZones' ||
  (ofWords.has(name) && Array.isArray(value) && !String(value[0]).includes('#'))

const ofWords: ReadonlySet<string | number | undefined> = new Set([
  'validationActions',
  'policyTypes',
  'admissionReviewVersions',
  'verbs',
  'requests',
])

/** A field that is wanted itself, and not for what is in it. */
const isTemplateField = (name: string): boolean => !['spec', 'status', 'metadata', 'scopeSelector'].includes(name)

interface Filling {
  /** Of the list or map with many items, seen from here; undefined elsewhere. */
  readonly path: Path | undefined
  readonly count: number
}

function filled(value: JsonValue, filling: Filling, index: number): JsonValue {
  const { path, count } = filling
  const isLong = path?.length === 0
  if (typeof value === 'string') return varied(value, index)
  if (typeof value !== 'object' || value === null) return value
  const below = (key: string | number): Filling => ({ path: path?.[0] === key ? path.slice(1) : undefined, count })
  const elsewhere: Filling = { path: undefined, count }
  if (Array.isArray(value)) {
    if (!isLong) return value.map((item, i) => filled(item, below(i), index))
    const [first, ...others] = value
    const items = Array.from({ length: count }, (_, i) => filled(first as JsonValue, elsewhere, i))
    for (const item of others) items.push(filled(item, elsewhere, index))
    return items
  }
  const object: JsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    if (isLong && key.includes('#'))
      for (let i = 0; i < count; i++) object[key.replace('#', String(i))] = filled(member as JsonValue, elsewhere, i)
    else object[key.replace('#', String(index))] = filled(member as JsonValue, below(key), index)
  }
  return object
}

function varied(text: string, i: number): JsonValue {
  if (text === '#number') return (i % 65_535) + 1
  if (text === '#address') return `11.${i >> 16}.${(i >> 8) & 255}.${i & 255}`
  return text.replace('#', String(i))
}

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
const merge = 'application/merge-patch+json'

/** What happens to an object, in this order. Bodies are made before, as what the client does must not count. */
interface Life {
  readonly own: string
  readonly prepare: readonly Call[]
  readonly steps: Readonly<Record<string, Call>>
}

/** Stands for the resource version, which is known when the request is sent. */
const versionPlace = '"resourceVersion":"@"'

/** The requests of a life; those of a status go to the subresource, once a small object is there. */
function lifeOf(long: LongCase, count: number): Life {
  const object = long.object(count)
  const { path } = long.template
  const { managedFields: _, ...applied } = object['metadata'] as JsonObject
  const metadata = object['metadata'] as JsonObject
  const annotations = { ...(metadata['annotations'] as JsonObject | undefined), changed: 'yes' }
  const own = `${path}/${String(metadata['name'])}`
  const at = long.isOfStatus ? `${own}/status` : own
  const changed = { ...object, metadata: { ...metadata, annotations, resourceVersion: '@' } }
  const create: Call = { path, body: JSON.stringify(long.isOfStatus ? long.object(1) : object) }
  const steps: Record<string, Call> = {
    update: { method: 'PUT', path: at, body: JSON.stringify(changed) },
    apply: {
      method: 'PATCH',
      path: `${at}?fieldManager=applier&force=true`,
      type: 'application/apply-patch+yaml',
      body: JSON.stringify({ ...object, metadata: applied }),
    },
    'merge patch': { method: 'PATCH', path: at, type: merge, body: '{"metadata":{"annotations":{"changed":"again"}}}' },
    table: { path: own, accept: table },
    'get as YAML': { path: own, accept: 'application/yaml' },
    delete: { method: 'DELETE', path: `${own}?gracePeriodSeconds=0` },
  }
  return long.isOfStatus ? { own, prepare: [create], steps } : { own, prepare: [], steps: { create, ...steps } }
}

/** Milliseconds of the longest turn of each step. */
export type HoldsOfLife = Readonly<Record<string, number>>

export interface Outcome {
  /** Of the items; less than fit into an object where a rule bounds them. */
  readonly count: number
  /** Undefined where not even a few items are taken. */
  readonly holds?: HoldsOfLife
  /** Why more items are not taken. */
  readonly refusal?: string
}

const fewest = 8
const repeats = 3

/** Measures a step. */
type Measure = (verb: string, step: () => Promise<unknown>) => Promise<number>

/** Halves the count until the object is taken; lives again while `isLong` says so, and the least of each step counts. */
export async function liveThrough(
  server: Caller,
  long: LongCase,
  { measure, isLong }: { readonly measure: Measure; readonly isLong: (holds: HoldsOfLife) => boolean },
): Promise<Outcome> {
  let refusal = ''
  for (let count = long.most; count >= fewest; count = Math.floor(count / 2)) {
    const life = lifeOf(long, count)
    try {
      let holds = await live(server, life, measure)
      for (let again = 1; again < repeats && isLong(holds); again++) {
        const next = await live(server, life, measure)
        holds = Object.fromEntries(Object.entries(holds).map(([verb, hold]) => [verb, Math.min(hold, next[verb] ?? 0)]))
      }
      return { count, holds, ...(refusal === '' ? {} : { refusal }) }
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error)
      await end(server, life)
    }
  }
  return { count: 0, refusal }
}

/** One life more. */
export const liveOnce = (server: Caller, long: LongCase, count: number, measure: Measure): Promise<HoldsOfLife> =>
  live(server, lifeOf(long, count), measure)

async function live(server: Caller, life: Life, measure: Measure): Promise<HoldsOfLife> {
  for (const call of life.prepare) await server.call(call)
  const holds: Record<string, number> = {}
  for (const [verb, call] of Object.entries(life.steps)) {
    if (!isPicked(verb)) continue
    holds[verb] = await measured(server, life, measure, [verb, call])
  }
  await end(server, life)
  return holds
}

/** `HOLDS_STEPS` (a regular expression) picks steps: to apply an object as YAML takes longest. */
const isPicked = (verb: string): boolean => verb === 'create' || new RegExp(process.env['HOLDS_STEPS'] ?? '').test(verb)

const maxConflicts = 5

/** The server itself may write in between, such as a status. */
async function measured(
  server: Caller,
  { own }: Life,
  measure: Measure,
  [verb, call]: [string, Call],
): Promise<number> {
  for (let i = 0; ; i++) {
    const sent = verb === 'update' ? await atVersion(server, own, call) : call
    try {
      return await measure(verb, () => server.call(sent))
    } catch (error) {
      if (i === maxConflicts || !String(error).includes('is answered 409')) throw error
    }
  }
}

async function atVersion(server: Caller, own: string, call: Call): Promise<Call> {
  const read = (await server.call({ path: own, accept: metadataOnly })).body.toString()
  const [version = ''] = /"resourceVersion":"\d+"/.exec(read) ?? []
  return { ...call, body: String(call.body).replace(versionPlace, version) }
}

const namespaces = '/api/v1/namespaces/'
const isNamespace = (path: string): boolean =>
  path.startsWith(namespaces) && !path.slice(namespaces.length).includes('/')

/** As whoever has put finalizers into the spec of a namespace does. */
async function finalize(server: Caller, own: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: own.slice(namespaces.length) }, spec: {} }
  await server.call({ method: 'PUT', path: `${own}/finalize`, body, mayFail: true })
}

/** Nothing is left, even where finalizers or the server's own work hold it. */
async function end(server: Caller, { own, steps }: Life): Promise<void> {
  await server.until(`${own} is gone`, async () => {
    const { status } = await server.call({ ...(steps['delete'] as Call), mayFail: true })
    if (status === 404) return true
    const body = '{"metadata":{"finalizers":null}}'
    await server.call({ method: 'PATCH', path: own, type: merge, body, mayFail: true })
    if (isNamespace(own)) await finalize(server, own)
    return false
  })
}
