// Made by scripts/catalog.mjs. Do not edit.
import type { JsonValue } from '../../api/json.ts'

export type APIGroup = {
  kind?: string
  apiVersion?: string
  name: string
  versions: GroupVersionForDiscovery[] | null
  preferredVersion: GroupVersionForDiscovery
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[]
}

export type APIGroupList = {
  kind?: string
  apiVersion?: string
  groups: APIGroup[] | null
}

export type APIResource = {
  name: string
  singularName: string
  namespaced: boolean
  group?: string
  version?: string
  kind: string
  verbs: string[] | null
  shortNames?: string[]
  categories?: string[]
  storageVersionHash?: string
}

export type APIResourceList = {
  kind?: string
  apiVersion?: string
  groupVersion: string
  resources: APIResource[] | null
}

export type APIVersions = {
  kind?: string
  apiVersion?: string
  versions: string[] | null
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[] | null
}

export type ApplyOptions = {
  kind?: string
  apiVersion?: string
  dryRun?: string[]
  force: boolean
  fieldManager: string
}

export type Condition = {
  type: string
  status: string
  observedGeneration?: number
  lastTransitionTime: string | null
  reason: string
  message: string
}

export type CreateOptions = {
  kind?: string
  apiVersion?: string
  dryRun?: string[]
  fieldManager?: string
  fieldValidation?: string
}

export type DeleteOptions = {
  kind?: string
  apiVersion?: string
  gracePeriodSeconds?: number
  preconditions?: Preconditions
  orphanDependents?: boolean
  propagationPolicy?: string
  dryRun?: string[]
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

export type FieldSelectorRequirement = {
  key: string
  operator: string
  values?: string[]
}

export type GetOptions = {
  kind?: string
  apiVersion?: string
  resourceVersion?: string
}

export type GroupKind = {
  group: string
  kind: string
}

export type GroupResource = {
  group: string
  resource: string
}

export type GroupVersion = {
  group: string
  version: string
}

export type GroupVersionForDiscovery = {
  groupVersion: string
  version: string
}

export type GroupVersionKind = {
  group: string
  version: string
  kind: string
}

export type GroupVersionResource = {
  group: string
  version: string
  resource: string
}

export type LabelSelector = {
  matchLabels?: Record<string, string>
  matchExpressions?: LabelSelectorRequirement[]
}

export type LabelSelectorRequirement = {
  key: string
  operator: string
  values?: string[]
}

export type List = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: JsonValue[] | null
}

export type ListMeta = {
  selfLink?: string
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

export type ListOptions = {
  kind?: string
  apiVersion?: string
  labelSelector?: string
  fieldSelector?: string
  watch?: boolean
  allowWatchBookmarks?: boolean
  resourceVersion?: string
  resourceVersionMatch?: string
  timeoutSeconds?: number
  limit?: number
  continue?: string
  sendInitialEvents?: boolean
}

export type ManagedFieldsEntry = {
  manager?: string
  operation?: string
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: JsonValue
  subresource?: string
}

export type ObjectMeta = {
  name?: string
  generateName?: string
  namespace?: string
  selfLink?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp: string | null
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: ManagedFieldsEntry[]
}

export type OwnerReference = {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export type PartialObjectMetadata = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
}

export type PartialObjectMetadataList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: PartialObjectMetadata[] | null
}

export type Patch = Record<string, never>

export type PatchOptions = {
  kind?: string
  apiVersion?: string
  dryRun?: string[]
  force?: boolean
  fieldManager?: string
  fieldValidation?: string
}

export type Preconditions = {
  uid?: string
  resourceVersion?: string
}

export type RootPaths = {
  paths: string[] | null
}

export type ServerAddressByClientCIDR = {
  clientCIDR: string
  serverAddress: string
}

export type Status = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  status?: string
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

export type StatusCause = {
  reason?: string
  message?: string
  field?: string
}

export type StatusDetails = {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

export type Table = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  columnDefinitions: TableColumnDefinition[] | null
  rows: TableRow[] | null
}

export type TableColumnDefinition = {
  name: string
  type: string
  format: string
  description: string
  priority: number
}

export type TableOptions = {
  kind?: string
  apiVersion?: string
  includeObject?: string
}

export type TableRow = {
  cells: JsonValue[] | null
  conditions?: TableRowCondition[]
  object: JsonValue
}

export type TableRowCondition = {
  type: string
  status: string
  reason?: string
  message?: string
}

export type Timestamp = {
  seconds: number
  nanos: number
}

export type TypeMeta = {
  kind?: string
  apiVersion?: string
}

export type UpdateOptions = {
  kind?: string
  apiVersion?: string
  dryRun?: string[]
  fieldManager?: string
  fieldValidation?: string
}

export type WatchEvent = {
  type: string
  object: JsonValue
}
