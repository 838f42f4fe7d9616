/** The parameters of operations: which verbs take which, and what they are. */
import { describedField } from '../../catalog/descriptions.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: string
  readonly description: string
  /** The type of options that it is a field of, if a release has it. */
  readonly optionsType?: string
}

const query = (name: string, type: string, description: string): Parameter => ({ name, in: 'query', type, description })
const path = (name: string, description: string): Parameter => ({ name, in: 'path', type: 'string', description })

export const nameParameter = (kind: string): Parameter => path('name', `The name of the ${kind}.`)
export const namespaceParameter = path('namespace', 'The namespace of the object.')
export const proxyPathParameter = path('path', 'The path that is passed on.')
export const prettyParameter = query('pretty', 'string', 'Set to true, the answer is indented.')

/** An option of a request, described as the field of its options type is. */
const option = (type: string, name: string, shape: string): Parameter => ({
  name,
  in: 'query',
  type: shape,
  optionsType: `meta.v1.${type}`,
  get description() {
    return describedField(`meta.v1.${type}`, name) ?? ''
  },
})

const continueAt = option('ListOptions', 'continue', 'string')
const limit = option('ListOptions', 'limit', 'integer')
const fieldSelector = option('ListOptions', 'fieldSelector', 'string')
const labelSelector = option('ListOptions', 'labelSelector', 'string')
export const resourceVersion = option('ListOptions', 'resourceVersion', 'string')
const versionMatch = option('ListOptions', 'resourceVersionMatch', 'string')
const shardSelector = option('ListOptions', 'shardSelector', 'string')
const sendInitialEvents = option('ListOptions', 'sendInitialEvents', 'boolean')
const timeoutSeconds = option('ListOptions', 'timeoutSeconds', 'integer')
const watch = option('ListOptions', 'watch', 'boolean')
const bookmarks = option('ListOptions', 'allowWatchBookmarks', 'boolean')

const dryRun = option('CreateOptions', 'dryRun', 'string')
const fieldManager = option('CreateOptions', 'fieldManager', 'string')
const fieldValidation = option('CreateOptions', 'fieldValidation', 'string')
const force = option('PatchOptions', 'force', 'boolean')

const grace = option('DeleteOptions', 'gracePeriodSeconds', 'integer')
const orphan = option('DeleteOptions', 'orphanDependents', 'boolean')
const propagation = option('DeleteOptions', 'propagationPolicy', 'string')
const unsafe = option('DeleteOptions', 'ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean')

const deletion = [dryRun, grace, unsafe, orphan, propagation]
const selection = [continueAt, fieldSelector, labelSelector, limit, resourceVersion, versionMatch, shardSelector]

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
