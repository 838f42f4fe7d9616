// Made by scripts/catalog.mjs. Do not edit.
import type { ObjectReference } from './core-v1.ts'
import type { ListMeta, ObjectMeta } from './meta-v1.ts'

export type Endpoint = {
  addresses: string[] | null
  conditions: EndpointConditions
  hostname?: string
  targetRef?: ObjectReference
  deprecatedTopology?: Record<string, string>
  nodeName?: string
  zone?: string
  hints?: EndpointHints
}

export type EndpointConditions = {
  ready?: boolean
  serving?: boolean
  terminating?: boolean
}

export type EndpointHints = {
  forZones?: ForZone[]
  forNodes?: ForNode[]
}

export type EndpointPort = {
  name?: string
  protocol?: string
  port?: number
  appProtocol?: string
}

export type EndpointSlice = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  addressType: string
  endpoints: Endpoint[] | null
  ports: EndpointPort[] | null
}

export type EndpointSliceList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: EndpointSlice[] | null
}

export type ForNode = {
  name: string
}

export type ForZone = {
  name: string
}
