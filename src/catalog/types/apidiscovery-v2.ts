// Made by scripts/catalog.mjs. Do not edit.
import type { GroupVersionKind, ListMeta, ObjectMeta } from './meta-v1.ts'

export type APIGroupDiscovery = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  versions?: APIVersionDiscovery[]
}

export type APIGroupDiscoveryList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: APIGroupDiscovery[] | null
}

export type APIResourceDiscovery = {
  resource: string
  responseKind?: GroupVersionKind
  scope: string
  singularResource: string
  verbs: string[] | null
  shortNames?: string[]
  categories?: string[]
  subresources?: APISubresourceDiscovery[]
}

export type APISubresourceDiscovery = {
  subresource: string
  responseKind?: GroupVersionKind
  acceptedTypes?: GroupVersionKind[]
  verbs: string[] | null
}

export type APIVersionDiscovery = {
  version: string
  resources?: APIResourceDiscovery[]
  freshness?: string
}
