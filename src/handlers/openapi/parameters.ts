/** The parameters of operations: which verbs take which, and what they are. */

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: string
  readonly description: string
}

const query = (name: string, type: string, description: string): Parameter => ({ name, in: 'query', type, description })
const path = (name: string, description: string): Parameter => ({ name, in: 'path', type: 'string', description })

export const nameParameter = (kind: string): Parameter => path('name', `The name of the ${kind}.`)
export const namespaceParameter = path('namespace', 'The namespace of the object.')
export const proxyPathParameter = path('path', 'The path that is passed on.')
export const prettyParameter = query('pretty', 'string', 'Set to true, the answer is indented.')

const continueAt = query('continue', 'string', 'The token of the part of a list that came before, to get the next one.')
const limit = query('limit', 'integer', 'The most objects that one answer may hold; the rest is told by a token.')
const fieldSelector = query('fieldSelector', 'string', 'Only objects whose fields match, such as `metadata.name=a`.')
const labelSelector = query('labelSelector', 'string', 'Only objects whose labels match, such as `app in (a, b)`.')
export const resourceVersion = query('resourceVersion', 'string', 'The version to read at, or to watch from.')
const versionMatch = query('resourceVersionMatch', 'string', 'How to take the version: Exact or NotOlderThan.')
const sendInitialEvents = query('sendInitialEvents', 'boolean', 'Begin a watch with what is there already.')
const timeoutSeconds = query('timeoutSeconds', 'integer', 'How long the request may take.')
const watch = query('watch', 'boolean', 'Tell changes as they happen instead of listing.')
const bookmarks = query('allowWatchBookmarks', 'boolean', 'Let the server tell how far a watch has come.')

const dryRun = query('dryRun', 'string', 'Set to All, nothing is stored.')
const fieldManager = query('fieldManager', 'string', 'Who makes the change, for the record of who set which field.')
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What unknown and repeated fields do: Ignore, Warn or Strict.',
)
const force = query('force', 'boolean', 'Apply: take over fields that others own.')

const grace = query('gracePeriodSeconds', 'integer', 'How many seconds the object has to end by itself; 0 for none.')
const orphan = query('orphanDependents', 'boolean', 'Leave dependents behind. Deprecated: use propagationPolicy.')
const propagation = query(
  'propagationPolicy',
  'string',
  'What becomes of dependents: Orphan, Background or Foreground.',
)
const unsafe = query(
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'boolean',
  'Delete an object that cannot be read from the store. Dangerous.',
)

const deletion = [dryRun, grace, unsafe, orphan, propagation]
const selection = [continueAt, fieldSelector, labelSelector, limit, resourceVersion, versionMatch]

export const listParameters: readonly Parameter[] = [bookmarks, ...selection, sendInitialEvents, timeoutSeconds, watch]
export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation]
export const patchParameters: readonly Parameter[] = [...writeParameters, force]
export const deleteParameters: readonly Parameter[] = deletion
export const deleteCollectionParameters: readonly Parameter[] = [
  ...selection,
  dryRun,
  grace,
  unsafe,
  orphan,
  propagation,
  sendInitialEvents,
  timeoutSeconds,
]

/** A parameter made from a field of an options type, for what is passed on to nodes, pods and services. */
export const optionParameter = (name: string, type: string, description: string): Parameter =>
  query(name, type, description)
